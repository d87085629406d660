"""Completing the name of a task or benchmark while it is being typed (catalog contract 19.3)."""

import contextlib
from collections.abc import Callable, Sequence

import anyio

from core.catalog.backend import CatalogBackend
from core.catalog.models import Entity, EntityKind
from core.errors import SourceError

VALUES_MAX = 20
TYPED_MAX = 500
"""No name is longer; a longer text is the beginning of none."""
LIMIT_S = 2.0


class NameCompletion:
    """Names and slugs of one backend's entities; nobody waits long for a completion, so a late answer is none."""

    def __init__(self, backend: CatalogBackend, *, limit_s: float = LIMIT_S) -> None:
        self._backend = backend
        self._limit_s = limit_s

    async def names(self, kind: EntityKind, typed: str) -> tuple[Sequence[str], int]:
        """Names that begin with a text, then those that contain it, and the number of all."""
        return await self._spelled(kind, typed, lambda entity: entity.name)

    async def slugs(self, kind: EntityKind, typed: str) -> tuple[Sequence[str], int]:
        """As `names`, each by what to send for it: the slug, or the id where there is none."""
        return await self._spelled(kind, typed, lambda entity: entity.slug or entity.id)

    async def _spelled(self, kind: EntityKind, typed: str, spell: Callable[[Entity], str]) -> tuple[Sequence[str], int]:
        if len(typed) > TYPED_MAX:
            return (), 0
        entities, total = await self._asked(kind, typed)
        values = tuple(dict.fromkeys(map(spell, entities)))
        # One name of several entities is one value.
        return values, total - (len(entities) - len(values))

    async def _asked(self, kind: EntityKind, typed: str) -> tuple[tuple[Entity, ...], int]:
        found: tuple[tuple[Entity, ...], int] = ((), 0)
        with anyio.move_on_after(self._limit_s):
            # A catalog that cannot answer now has no names at hand; whoever calls a tool next is told why.
            with contextlib.suppress(SourceError):
                found = await self._backend.complete_entity(kind, typed, VALUES_MAX)
        return found
