"""Chunks of full texts from memory: immutable by content version, first found through the version known as current."""

from core.catalog.backend import CatalogBackend
from core.catalog.cached.memory import Memory
from core.catalog.cached.noted import NotedCache
from core.catalog.cached.operations import OPERATIONS
from core.catalog.cached.tiers import TierName
from core.catalog.models import TextChunk
from core.errors import ContentChanged, NoFullText, NotFound


class RememberedTexts:
    """The texts of one backend, by (paper, version, offset, limit)."""

    def __init__(self, backend: CatalogBackend, memory: Memory) -> None:
        self._inner = backend
        self._memory = memory
        self._tier, self._what = OPERATIONS["read"]
        self._chunks: NotedCache[TextChunk] = memory.tier(self._tier)
        self._versions: NotedCache[str] = memory.tier(TierName.CURRENT_VERSION)

    async def read(self, paper_id: str, offset: int, limit: int, version: str | None) -> TextChunk:
        """One chunk: from memory without asking when its version is given, or known as current for a first chunk.

        A version that is known to be current no longer is never answered from memory.
        """
        known = self._versions.peek(paper_id)
        key = "read", paper_id, version, offset, limit
        if version is None and known is not None:
            held = self._chunks.peek(("read", paper_id, known[0], offset, limit))
            if held is not None:
                return held[0]
        elif version is not None and known is not None and known[0] != version:
            self._chunks.forget(key)

        async def load() -> TextChunk:
            try:
                chunk = await self._inner.read(paper_id, offset, limit, version)
            except (ContentChanged, NotFound, NoFullText):
                # Whatever was current before, it is no longer known to be.
                self._versions.forget(paper_id)
                raise
            self._versions.put(paper_id, chunk.version)
            return chunk

        return await self._memory.recall(
            self._tier,
            key,
            load,
            what=self._what,
            keep_as=lambda chunk: ("read", paper_id, chunk.version, offset, limit),
        )
