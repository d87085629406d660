"""The user's own words for stored entries: tags, collections and a note (references contract, 3.22, 3.23)."""

from collections.abc import Sequence

from core.errors import SourceNotEnabled
from core.identifiers import Identifier
from core.references.attempts import Trace, traced
from core.references.failures import BadArgument
from core.references.results import KeptAnswer
from core.references.room import Room
from core.references.store.store import Store


class Tagging:
    """Changes an entry of the store; where there is none, every call is denied."""

    def __init__(self, room: Room) -> None:
        self._room = room

    async def tag(
        self,
        ref: str,
        *,
        add: Sequence[str] = (),
        remove: Sequence[str] = (),
        collection_add: Sequence[str] = (),
        collection_remove: Sequence[str] = (),
    ) -> KeptAnswer:
        """Adds, then removes; what is there already, or is not, stays so."""
        store = self._store()
        identifier = await self._entry(ref)
        with traced(Trace(), identifier):
            found = await store.tag(
                identifier,
                add=add,
                remove=remove,
                collection_add=collection_add,
                collection_remove=collection_remove,
            )
        return KeptAnswer(
            ok=True,
            ref=ref,
            canonical=identifier.key,
            tags=list(found.tags),
            collections=list(found.collections),
        )

    async def annotate(self, ref: str, text: str | None, *, clear: bool) -> KeptAnswer:
        """Replaces the note of an entry, or takes it away."""
        store = self._store()
        identifier = await self._entry(ref)
        if not clear and not (text or "").strip():
            raise BadArgument("A note needs words; send text, or clear to take the note away.", field="text")
        with traced(Trace(), identifier):
            found = await store.annotate(identifier, text, clear=clear)
        return KeptAnswer(ok=True, ref=ref, canonical=identifier.key, annotation=found)

    def _store(self) -> Store:
        if self._room.keeping is None:
            raise SourceNotEnabled(
                "A hosted service keeps no store; run paperdesk on your own machine to tag papers.", source="store"
            )
        return self._room.keeping.store

    async def _entry(self, ref: str) -> Identifier:
        return await self._room.direct(ref, self._room.asking())
