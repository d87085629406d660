"""Completing names: nobody waits for one, and a catalog that cannot answer has none at hand."""

import anyio
import pytest

from core.catalog.completion import NameCompletion
from core.catalog.models import Entity, EntityKind
from core.errors import SourceUnreachable

pytestmark = pytest.mark.anyio

KIND = EntityKind.TASK


class Names:
    """The one operation of a backend that completion asks."""

    def __init__(self, *entities: Entity, total: int | None = None) -> None:
        self._entities = entities
        self._total = len(entities) if total is None else total
        self.asked: list[tuple[EntityKind, str, int]] = []

    async def complete_entity(self, kind: EntityKind, text: str, limit: int) -> tuple[tuple[Entity, ...], int]:
        self.asked.append((kind, text, limit))
        return self._entities[:limit], self._total


class Silent(Names):
    async def complete_entity(self, kind: EntityKind, text: str, limit: int) -> tuple[tuple[Entity, ...], int]:
        await anyio.sleep_forever()
        raise AssertionError("never")


class Down(Names):
    async def complete_entity(self, kind: EntityKind, text: str, limit: int) -> tuple[tuple[Entity, ...], int]:
        raise SourceUnreachable("No answer.", source="catalog")


def entity(number: int, name: str, slug: str | None) -> Entity:
    return Entity(kind=KIND, id=str(number), name=name, slug=slug)


async def test_values_keep_the_order_of_the_backend() -> None:
    backend = Names(entity(2, "Bee", "bee"), entity(1, "Ant", None), total=9)
    completion = NameCompletion(backend)  # type: ignore[arg-type]
    assert await completion.names(KIND, "a") == (("Bee", "Ant"), 9)
    assert await completion.slugs(KIND, "a") == (("bee", "1"), 9)
    assert backend.asked == [(KIND, "a", 20), (KIND, "a", 20)]


async def test_one_name_of_two_things_is_one_value() -> None:
    completion = NameCompletion(Names(entity(1, "Bee", "bee-1"), entity(2, "Bee", "bee-2")))  # type: ignore[arg-type]
    assert await completion.names(KIND, "b") == (("Bee",), 1)
    assert await completion.slugs(KIND, "b") == (("bee-1", "bee-2"), 2)


@pytest.mark.parametrize("backend", [Silent(), Down()])
async def test_what_is_not_at_hand_in_time_is_nothing(backend: Names) -> None:
    # catalog 19.3
    completion = NameCompletion(backend, limit_s=0.01)  # type: ignore[arg-type]
    assert await completion.names(KIND, "b") == ((), 0)


async def test_a_text_longer_than_any_name_is_not_looked_up() -> None:
    backend = Names(entity(1, "Bee", "bee"))
    assert await NameCompletion(backend).names(KIND, "b" * 501) == ((), 0)  # type: ignore[arg-type]
    assert backend.asked == []
