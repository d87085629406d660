"""Names of tasks, methods, benchmarks and the like, and of authors: exact matches by level, and near ones."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import orjson

from core.catalog.embedded.connection import Connection, bindable
from core.catalog.embedded.papers import numeric_id
from core.catalog.embedded.trigrams import TrigramIndex
from core.catalog.likeness import MIN_SIMILARITY, similarity, trigrams
from core.catalog.models import Author, Entity, EntityKind, EntityMatches, MatchLevel
from core.folds import fold_hash, key_fold, plain_fold

_LEVELS: tuple[tuple[MatchLevel, Callable[[str], str]], ...] = (
    (MatchLevel.NAME, plain_fold),
    (MatchLevel.FULL_NAME, plain_fold),
    (MatchLevel.ALIAS, plain_fold),
    (MatchLevel.FOLDED, key_fold),
)
_ENTITY = "SELECT e.id, e.name, e.slug, e.note FROM entity e"
_AUTHOR = "SELECT id, name, hf_username, paper_count FROM author"


def find_entity(connection: Connection, kind: EntityKind, text: str) -> EntityMatches:
    """Entities of the first level with a hit, by id: id, slug, name, full name, alias, key fold (contract 9.1)."""
    text = text.strip()
    number = numeric_id(text)
    if number is not None and (found := _entities(connection, kind, "WHERE e.kind = ? AND e.id = ?", number)):
        return EntityMatches(MatchLevel.ID, found)
    if found := _entities(connection, kind, "WHERE e.kind = ? AND e.slug = ?", text.lower()):
        return EntityMatches(MatchLevel.SLUG, found)
    by_name = "JOIN entity_name n ON n.kind = e.kind AND n.id = e.id WHERE e.kind = ? AND n.level = ? AND n.fold = ?"
    for level, fold in _LEVELS:
        folded = fold(text)
        if folded and (found := _entities(connection, kind, by_name, level.value, folded)):
            return EntityMatches(level, found)
    return EntityMatches(None, ())


def _entities(connection: Connection, kind: EntityKind, condition: str, *values: object) -> tuple[Entity, ...]:
    statement = f"{_ENTITY} {condition} ORDER BY e.id"
    values = tuple(bindable(value) if isinstance(value, str) else value for value in values)
    return tuple(
        Entity(kind, str(id_), name, slug, note)
        for id_, name, slug, note in connection.execute(statement, (kind.value, *values))
    )


@dataclass(frozen=True, slots=True)
class EntityNames:
    """All entities of one kind by name, then id, with an index over their names and full names."""

    entities: tuple[Entity, ...]
    owners: tuple[int, ...]
    index: TrigramIndex

    @classmethod
    def load(cls, connection: Connection, kind: EntityKind) -> "EntityNames":
        """Reads the names of one kind."""
        statement = "SELECT id, name, slug, note, full_name FROM entity WHERE kind = ?"
        found = sorted(
            connection.execute(statement, (kind.value,)), key=lambda row: (plain_fold(row[1]), row[1], row[0])
        )
        names: list[str] = []
        owners: list[int] = []
        for place, (_, name, _, _, full_name) in enumerate(found):
            for each in dict.fromkeys((name, full_name or name)):
                names.append(each)
                owners.append(place)
        entities = tuple(Entity(kind, str(id_), name, slug, note) for id_, name, slug, note, _ in found)
        return cls(entities, tuple(owners), TrigramIndex(names))

    def nearest(self, text: str, limit: int) -> tuple[Entity, ...]:
        """The entities with the most alike names, best first; each once."""
        places = dict.fromkeys(self.owners[place] for place in self.index.nearest(text, 2 * limit))
        return tuple(self.entities[place] for place in list(places)[:limit])


def find_authors(connection: Connection, text: str) -> tuple[Author, ...]:
    """Authors by numeric id, `@hf_username` (ignoring case) or exact name (plain fold), by id."""
    text = text.strip()
    number = numeric_id(text)
    if number is not None:
        return _authors(connection, "WHERE id = ?", number)
    if text.startswith("@"):
        return _authors(connection, "WHERE hf_username = ? COLLATE NOCASE", bindable(text[1:]))
    folded = plain_fold(text)
    found = _authors(connection, "WHERE name_plain = ?", fold_hash(folded))
    return tuple(author for author in found if plain_fold(author.name) == folded)


def _authors(connection: Connection, condition: str, *values: object) -> tuple[Author, ...]:
    return tuple(
        Author(str(id_), name, hf_username, paper_count)
        for id_, name, hf_username, paper_count in connection.execute(f"{_AUTHOR} {condition} ORDER BY id", values)
    )


def near_authors(connection: Connection, text: str, pids: Sequence[int], limit: int) -> tuple[Author, ...]:
    """The authors of some papers whose names are most like a text, best first, then those with more papers."""
    condition = "WHERE id IN (SELECT author_id FROM paper_author WHERE pid IN (SELECT value FROM json_each(?)))"
    wanted = trigrams(text)
    scored = [
        (-similarity(wanted, trigrams(author.name)), -(author.paper_count or 0), int(author.id), author)
        for author in _authors(connection, condition, orjson.dumps(pids).decode())
    ]
    return tuple(each[-1] for each in sorted(scored, key=lambda each: each[:3]) if -each[0] >= MIN_SIMILARITY)[:limit]
