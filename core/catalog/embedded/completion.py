"""Completing the names of entities, most used ones first (catalog contract 19.3)."""

from dataclasses import dataclass

from core.catalog.embedded.connection import Connection
from core.catalog.models import Entity, EntityKind
from core.catalog.ordering import name_key
from core.folds import key_fold


@dataclass(frozen=True, slots=True)
class Completion:
    """All entities of one kind by paper count desc, name, id, beside the key folds of their names."""

    entities: tuple[Entity, ...]
    folds: tuple[str, ...]

    @classmethod
    def load(cls, connection: Connection, kind: EntityKind) -> "Completion":
        """Reads the names of one kind; areas have no paper count and come by name."""
        count = "0" if kind is EntityKind.AREA else "t.paper_count"
        statement = (
            f"SELECT e.id, e.name, e.slug, e.note, {count} FROM entity e "  # noqa: S608
            f"JOIN {kind.value} t ON t.id = e.id WHERE e.kind = ?"
        )
        rows = sorted(connection.execute(statement, (kind.value,)), key=lambda row: (-row[4], name_key(row[1], row[0])))
        entities = tuple(Entity(kind, str(id_), name, slug, note) for id_, name, slug, note, _ in rows)
        return cls(entities, tuple(key_fold(entity.name) for entity in entities))

    def complete(self, text: str, limit: int) -> tuple[tuple[Entity, ...], int]:
        """The first entities whose names begin with a text, then those that contain it, and the number of all."""
        wanted = key_fold(text)
        beginning = [place for place, fold in enumerate(self.folds) if fold.startswith(wanted)]
        containing = [place for place, fold in enumerate(self.folds) if wanted in fold and not fold.startswith(wanted)]
        found = beginning + containing
        return tuple(self.entities[place] for place in found[:limit]), len(found)
