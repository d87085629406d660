"""Exports of references to BibTeX and CSL-JSON (references contract, 3.18, 3.19)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import NotFound
from core.identifiers import Identifier
from core.records import Work
from core.references.attempts import Traced, traced
from core.references.batches import Foretold, foretold, log_defect, within_call
from core.references.exports.entries import bibtex_entries, csl_entries
from core.references.exports.keys import Exportable, KeyStyle
from core.references.failures import BadArgument, failure_of
from core.references.resolution import require_plausible
from core.references.results import ExportAnswer
from core.references.room import Room
from core.references.safekeys import safekey

REFS_MAX = 200
RESOLVED_MAX = 20


@dataclass(frozen=True, slots=True)
class _Item:
    """One reference: what it names and what is known of it, or why neither."""

    identifier: Identifier | None
    work: Work | None = None
    error: Exception | None = None
    stored_as: str | None = None
    """The safekey of its entry, where the user's store holds it."""

    @property
    def safekey(self) -> str:
        """The name of its record."""
        assert self.identifier is not None, "what names nothing has no safekey"
        return self.stored_as or safekey(self.identifier, self.work)


class Exports:
    """Writes what the catalog holds, in local mode the store; only `resolve` asks sources, and nothing is logged."""

    def __init__(self, room: Room) -> None:
        self._room = room

    async def bibtex(
        self, refs: Sequence[str], *, resolve: bool, key_style: KeyStyle, ascii_only: bool
    ) -> ExportAnswer:
        """A BibTeX entry for each reference, in order."""
        items = await self._items(refs, resolve=resolve)
        written = bibtex_entries([_exportable(each) for each in items], key_style=key_style, ascii_only=ascii_only)
        return _answer(refs, items, "bibtex", written)

    async def csl(self, refs: Sequence[str], *, resolve: bool) -> ExportAnswer:
        """A CSL-JSON array for each reference, in order."""
        items = await self._items(refs, resolve=resolve)
        return _answer(refs, items, "csl", csl_entries([_exportable(each) for each in items]))

    async def _items(self, refs: Sequence[str], *, resolve: bool) -> list[_Item]:
        if len(refs) > REFS_MAX:
            raise BadArgument(f"TOO_MANY_REFS: at most {REFS_MAX} references are exported at a time.", field="refs")
        if resolve and len(refs) > RESOLVED_MAX:
            raise BadArgument(f"With resolve at most {RESOLVED_MAX} references are taken at a time.", field="refs")
        items = [await self._held(ref) for ref in refs]
        return await self._resolved(items) if resolve else items

    async def _held(self, ref: str) -> _Item:
        try:
            identifier = await self._room.direct(ref, self._room.asking())
            if self._room.keeping is None:
                return _Item(identifier, await self._room.shelf.work(identifier))
            kept = await self._room.keeping.store.read(identifier)
            return _Item(identifier) if kept is None else _Item(identifier, kept.work, stored_as=kept.safekey)
        except Exception as error:
            log_defect(error)
            return _Item(None, error=error)

    async def _resolved(self, items: list[_Item]) -> list[_Item]:
        """With the records that are not held looked up; what no source knows stays unknown."""
        absent = {f"{place}": each.identifier for place, each in enumerate(items) if each.identifier and not each.work}
        known = await foretold(list(absent.values()), self._room)
        looked_up: dict[str, _Item] = {}

        async def fill(place: str, identifier: Identifier) -> None:
            looked_up[place] = await self._looked_up(identifier, known)

        await within_call(absent, fill)
        return [looked_up.get(f"{place}", each) for place, each in enumerate(items)]

    async def _looked_up(self, identifier: Identifier, known: Foretold) -> _Item:
        asking = known.apart(identifier)
        try:
            with traced(asking.trace):
                require_plausible(identifier)
                found = await self._room.resolution.resolve(identifier, asking)
            return _Item(identifier, found.work)
        except Exception as error:
            if isinstance(error.cause if isinstance(error, Traced) else error, NotFound):
                return _Item(identifier)
            log_defect(error)
            return _Item(identifier, error=error)


def _exportable(item: _Item) -> Exportable | None:
    if item.identifier is None or item.work is None:
        return None
    return Exportable(item.safekey, item.work)


def _answer(refs: Sequence[str], items: Sequence[_Item], name: str, written: Sequence[Any]) -> ExportAnswer:
    entries: list[dict[str, Any]] = []
    for ref, item, entry in zip(refs, items, written, strict=True):
        if item.error is not None or item.identifier is None:
            error = item.error or NotFound("Nothing is known of it.")
            entries.append({"ref": ref, "error": failure_of(error).shown(in_batch=True)})
        else:
            entries.append({"ref": ref, "safekey": item.safekey, name: entry})
    return ExportAnswer(ok=True, entries=entries)
