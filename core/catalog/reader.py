"""Reading a paper: one chunk a call, continued by signed cursors (catalog contract 6.4 and 13)."""

from datetime import UTC, datetime
from functools import partial

from core.catalog.backend import CatalogBackend
from core.catalog.models import TextChunk
from core.catalog.present import TITLE_MAX, cut_or_none
from core.catalog.reading import MAX_CHUNK_BYTES, CursorCodec, ReadCursor
from core.catalog.resolve import Resolver
from core.catalog.results import PaperReadResult
from core.errors import ResultTooLarge


class Reader:
    """Reads the full texts of one backend; `chunk_bytes` is the size of a reading's chunks."""

    def __init__(self, backend: CatalogBackend, resolver: Resolver, codec: CursorCodec, *, chunk_bytes: int) -> None:
        self._backend = backend
        self._resolver = resolver
        self._codec = codec
        self._chunk_bytes = chunk_bytes

    async def read(self, paper: str, cursor: str | None) -> PaperReadResult:
        """The first chunk of a paper's text, or the one that a cursor names.

        Raises the cursor failures, `NotFound`, `NoFullText`, and `ContentChanged` when the text is not the cursor's.
        """
        if cursor is None:
            ask = partial(self._chunk, offset=0, limit=self._chunk_bytes, version=None)
            chunk, _ = await self._resolver.with_paper(paper, ask)
            if chunk.next_offset is None:
                return _result(paper, chunk, None)
            token = self._codec.first(paper, chunk.paper_id, chunk.version, chunk.next_offset, self._chunk_bytes)
            return _result(paper, chunk, token)
        place = self._codec.read(cursor)
        if not place.names(paper):
            resolved = await self._resolver.paper(paper)
            place.require_paper(resolved.canonical_id)
        chunk = await self._chunk(place.paper, offset=place.offset, limit=place.limit, version=place.version)
        if chunk.next_offset is None:
            return _result(paper, chunk, None)
        return _result(paper, chunk, self._codec.next(place, paper, chunk.next_offset))

    async def whole(self, paper: str) -> str:
        """The whole text of a paper whose text fits one chunk of the largest size; raises `ResultTooLarge` if not.

        Beyond that raises `NotFound` and `NoFullText`.
        """
        ask = partial(self._chunk, offset=0, limit=MAX_CHUNK_BYTES, version=None)
        chunk, _ = await self._resolver.with_paper(paper, ask)
        if chunk.next_offset is None:
            return chunk.body.decode()
        size = f" of {chunk.total_bytes} bytes" if chunk.total_bytes is not None else ""
        raise ResultTooLarge(
            f"The text{size} is longer than the {MAX_CHUNK_BYTES} bytes that a resource holds; read it in chunks with"
            f' read_paper, paper="{chunk.paper_id}".'
        )

    async def _chunk(self, paper_id: str, *, offset: int, limit: int, version: str | None) -> TextChunk:
        return await self._backend.read(paper_id, offset, limit, version)


def _result(paper: str, chunk: TextChunk, following: tuple[str, ReadCursor] | None) -> PaperReadResult:
    token, place = following or (None, None)
    expires = datetime.fromtimestamp(place.expires_at_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if place else None
    return PaperReadResult(
        paper=paper,
        markdown=chunk.body.decode(),
        truncated=token is not None,
        next_cursor=token,
        canonical=chunk.paper_id,
        title=cut_or_none(chunk.title, TITLE_MAX),
        offset=chunk.offset,
        bytes=len(chunk.body),
        total_bytes=chunk.total_bytes,
        content_version=chunk.version,
        cursor_expires_at=expires,
    )
