"""Everything that papers point to: areas, tasks, methods, conferences, organizations, frameworks, benchmarks.

Facts of one thing are merged like those of papers: fields from the source heard first, lists united. Taxonomies are
small, so they are held whole.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import orjson

from core.catalog.models import EntityKind
from core.folds import plain_fold, slug
from core.ingest.facts import Precedence
from core.ingest.ids import assign_ids, assign_slugs

Facts = dict[str, Any]
Naturals = dict[str, int]

_LISTS = (
    "aliases",
    "parents",
    "tasks",
    "metrics",
    "platforms",
    "variants",
    "research_trends",
    "recommended_frameworks",
)
_BY_SLUG = frozenset({EntityKind.METHOD, EntityKind.CONFERENCE, EntityKind.ORGANIZATION, EntityKind.FRAMEWORK})
_MAX_SLUG_CHARS = 150
_COMPARED = ("name", "id", "full_name", "introduced_year", "year")


@dataclass(slots=True)
class Thing:
    """One entity with its final id and slug."""

    kind: EntityKind
    natural: str
    facts: Facts
    id: int = 0
    slug: str = ""

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.facts["name"])

    @property
    def full_name(self) -> str | None:
        """Its full name; a conference is also called by its name and year."""
        year = self.facts.get("year")
        if self.kind is EntityKind.CONFERENCE and year and str(year) not in self.name:
            return f"{self.name} {year}"
        full_name = self.facts.get("full_name")
        return full_name if full_name and full_name != self.name else None


@dataclass(slots=True)
class Entities:
    """All things by kind and natural key; `ids` also knows the natural keys that turned out to be another's."""

    things: dict[EntityKind, dict[str, Thing]] = field(default_factory=dict)
    ids: dict[EntityKind, Naturals] = field(default_factory=dict)

    def of(self, kind: EntityKind) -> Iterable[Thing]:
        """The things of a kind in natural-key order."""
        return self.things[kind].values()

    def links(self, kind: EntityKind, naturals: Sequence[str]) -> list[int]:
        """Ids of natural keys, in order and without repeats."""
        if not naturals:
            return []
        ids = self.ids[kind]
        found = [ids[natural] for natural in naturals]
        return found if len(found) == 1 else list(dict.fromkeys(found))


_ORDERED = """
SELECT entity.natural, entity.precedence, entity.facts FROM entity LEFT JOIN input ON input.number = entity.input
WHERE entity.kind = ? ORDER BY entity.natural, entity.precedence, input.rank, entity.line, is_plain(entity.facts) DESC,
  entity.facts
"""


def merged_entities(connection: sqlite3.Connection, conflicts: Counter[str]) -> Entities:
    """All staged entities, united by natural key, with ids and slugs. Datasets have found their benchmarks."""
    entities = Entities()
    connection.create_function("is_plain", 1, _is_plain, deterministic=True)
    for kind in EntityKind:
        things: dict[str, Thing] = {}
        for natural, rows in groupby(connection.execute(_ORDERED, (kind.value,)), key=lambda row: row[0]):
            facts = _merged([(row[1], orjson.loads(row[2])) for row in rows], conflicts, kind)
            things[natural] = Thing(kind, natural, facts)
        same = _same_things(things) if kind in _BY_SLUG else {}
        for natural, other in same.items():
            _enrich(things[other].facts, things.pop(natural).facts)
        if kind is EntityKind.BENCHMARK:
            _place_datasets(things, connection)
        _number(kind, things)
        entities.things[kind] = things
        entities.ids[kind] = {natural: thing.id for natural, thing in things.items()}
        entities.ids[kind].update({natural: things[other].id for natural, other in same.items()})
    return entities


def _is_plain(facts: bytes) -> bool:
    """Whether a name is in mixed case: of several spellings one that is neither shouted nor all small is taken."""
    name = str(orjson.loads(facts)["name"])
    return not (name.isupper() or name.islower())


def _merged(rows: list[tuple[int, Facts]], conflicts: Counter[str], kind: EntityKind) -> Facts:
    facts: Facts = {}
    for _, row in rows:
        _enrich(facts, row)
    for name in _COMPARED:
        values = {
            plain_fold(str(row[name])) for precedence, row in rows if name in row and precedence < Precedence.MENTIONS
        }
        if len(values) > 1:
            conflicts[f"{kind.value}.{name}"] += 1
    return facts


def _enrich(facts: Facts, more: Mapping[str, Any]) -> None:
    """Adds what `facts` does not say yet."""
    for name, value in more.items():
        if name in _LISTS:
            known = facts.setdefault(name, [])
            known.extend(each for each in value if each not in known)
        elif name == "metric_directions":
            facts[name] = {**value, **facts.get(name, {})}
        elif facts.get(name) is None:
            facts[name] = value


def _same_things(things: Mapping[str, Thing]) -> dict[str, str]:
    """Things known by a derived slug that are the one thing of that name and year with a slug of its own."""
    by_name: dict[tuple[str, Any], list[str]] = {}
    for natural, thing in things.items():
        if "slug" in thing.facts:
            by_name.setdefault((plain_fold(thing.name), thing.facts.get("year")), []).append(natural)
    same: dict[str, str] = {}
    for natural, thing in things.items():
        others = by_name.get((plain_fold(thing.name), thing.facts.get("year")), [])
        if "slug" not in thing.facts and len(others) == 1:
            same[natural] = others[0]
    return same


def _place_datasets(benchmarks: dict[str, Thing], connection: sqlite3.Connection) -> None:
    """A dataset enriches the benchmarks of its name and variants; without any it stays, as a benchmark without rows."""
    tables = {row[0] for row in connection.execute("SELECT DISTINCT benchmark FROM scope")}
    tables |= {row[0] for row in connection.execute("SELECT DISTINCT benchmark FROM evaluation")}
    tables |= {natural for natural, thing in benchmarks.items() if not thing.facts.get("is_dataset")}
    names = set(benchmarks)
    for natural in sorted(names):
        facts = benchmarks[natural].facts
        variants = facts.pop("variants", [])
        if not facts.pop("is_dataset", False):
            continue
        matched = [fold for fold in dict.fromkeys(map(plain_fold, variants)) if fold in tables and fold != natural]
        for fold in matched:
            # The full name is the dataset's and would be untrue of a variant.
            _enrich(benchmarks[fold].facts, {k: v for k, v in facts.items() if k in ("description", "hf_url")})
        if matched and natural not in tables:
            del benchmarks[natural]
            continue
        aliases = [variant for variant in variants if plain_fold(variant) not in names]
        _enrich(facts, {"aliases": aliases})


def _number(kind: EntityKind, things: Mapping[str, Thing]) -> None:
    ids = assign_ids(kind.value, [(natural, thing.facts.get("id")) for natural, thing in things.items()])
    slugs = assign_slugs([(natural, *_wished_slug(thing, ids[natural])) for natural, thing in things.items()])
    for natural, thing in things.items():
        thing.id, thing.slug = ids[natural], slugs[natural]


def _wished_slug(thing: Thing, number: int) -> tuple[str, bool]:
    if given := thing.facts.get("slug"):
        return given, True
    label = thing.full_name if thing.kind is EntityKind.CONFERENCE and thing.full_name else thing.name
    return slug(label)[:_MAX_SLUG_CHARS].strip("-") or str(number), False
