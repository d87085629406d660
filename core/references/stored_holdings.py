"""What the user's own store holds: one record, a search, the newest, paths of PDFs (3.7, 3.8, 3.13, 3.14)."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from core.references.attempts import Trace, traced
from core.references.holdings import clamped
from core.references.results import InfoAnswer, ListAnswer, PdfPathAnswer
from core.references.room import Room
from core.references.safekeys import safekey
from core.references.store.index import Row
from core.references.store.store import Store


class StoredHoldings:
    """Reads of the store alone, in local mode: nothing is asked, made or logged."""

    def __init__(self, room: Room, store: Store) -> None:
        self._room = room
        self._store = store

    async def info(self, ref: str) -> InfoAnswer:
        """The entry of a reference; one that is not stored is no failure."""
        identifier = await self._room.direct(ref, self._room.asking())
        with traced(Trace(), identifier):
            kept = await self._store.read(identifier)
        return InfoAnswer(
            ok=True,
            ref=ref,
            canonical=identifier.key,
            safekey=safekey(identifier) if kept is None else kept.safekey,
            metadata=None if kept is None else kept.metadata,
        )

    async def search(self, query: str, limit: int) -> ListAnswer:
        """Entries whose title, authors, venue or publisher holds the query as it is written, whatever its case."""
        rows = _shown(await self._store.search(query, clamped(limit)))
        return ListAnswer(ok=True, scope="local", store="directory", query=query, count=len(rows), results=rows)

    async def recent(self, limit: int) -> ListAnswer:
        """The entries that were fetched last."""
        rows = _shown(await self._store.recent(clamped(limit)))
        return ListAnswer(ok=True, count=len(rows), entries=rows)

    async def pdf_path(self, ref: str) -> PdfPathAnswer:
        """Where the PDF of a reference is; nothing of it is read."""
        identifier = await self._room.direct(ref, self._room.asking())
        with traced(Trace(), identifier):
            place = await self._store.pdf(identifier)
        answer: dict[str, Any] = {"ref": ref, "canonical": identifier.key, "safekey": place.safekey}
        answer |= {"path": None if place.path is None else f"{place.path}", "pdf_exists": place.path is not None}
        if place.is_entry:
            answer |= {"origin": place.origin, "license": place.license}
        return PdfPathAnswer(ok=True, **answer)


def _shown(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [asdict(row) for row in rows]
