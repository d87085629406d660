"""Who wrote what: entities take their names on their papers, the other names are grouped by spelling (section 6)."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.evidence.names import CLASSES, Named, folded_name, name_slug, name_tokens
from core.ingest.evidence.corpus import Entity
from core.ingest.evidence.schema import Json

_CLAIMING = CLASSES[:3]
"""Classes in which an entity takes a name that stands on one of its papers; a part of a name is not enough."""

_SLUG_CHARS_MAX = 190
_HASH_CHARS = 16


@dataclass(frozen=True, slots=True)
class Person:
    """One author row: its body, the names that it is found by, and its papers."""

    body: Json
    variants: tuple[str, ...]
    pids: frozenset[int]

    @property
    def order(self) -> tuple[bool, int, str, str]:
        """Entities first, then paper count desc, folded name, id."""
        body = self.body
        return not body["is_entity"], -body["paper_count"], folded_name(body["display_name"]), body["author_id"]

    def tokens(self) -> dict[str, bool]:
        """Every spelling of every part of the names, and whether it is the last part of one."""
        found: dict[str, bool] = {}
        for name in (self.body["display_name"], *self.variants):
            parts = name_tokens(name)
            for place, spellings in enumerate(parts, start=1):
                for spelling in spellings:
                    found[spelling] = found.get(spelling, False) or place == len(parts)
        return found


def people(
    entities: Sequence[Entity], authors: Mapping[int, Sequence[str]]
) -> tuple[list[Person], dict[int, list[str | None]]]:
    """All people in the order of their numbers, and for each paper the author_id of each of its names."""
    ids: dict[int, list[str | None]] = {pid: [None] * len(names) for pid, names in authors.items()}
    for entity in entities:
        record = entity.record
        named = Named.of(record["display_name"], record.get("name_variants", ()))
        for pid in entity.pids:
            _take(ids[pid], authors[pid], named, f"entity:{record['author_id']}")
    found = [_entity(entity) for entity in entities] + _fallbacks(ids, authors)
    return sorted(found, key=lambda person: person.order), ids


def _take(ids: list[str | None], names: Sequence[str], named: Named, author_id: str) -> None:
    """Gives the best matching free name of one paper to an entity."""
    free = [
        (CLASSES.index(kind), place)
        for place, name in enumerate(names)
        if ids[place] is None and (kind := named.match(name_tokens(name))) in _CLAIMING
    ]
    if free:
        ids[min(free)[1]] = author_id


def _entity(entity: Entity) -> Person:
    record = entity.record
    variants = tuple(dict.fromkeys(record.get("name_variants", ())))
    body: Json = {
        "author_id": f"entity:{record['author_id']}",
        "display_name": record["display_name"],
        "is_entity": True,
        "name_variants": list(variants),
        "affiliations": list(dict.fromkeys(record.get("affiliations", ()))),
        "paper_count": len(entity.pids),
    }
    if "orcid" in record:
        body["orcid"] = record["orcid"].upper()
    return Person(body, variants, entity.pids)


def _fallbacks(ids: dict[int, list[str | None]], authors: Mapping[int, Sequence[str]]) -> list[Person]:
    """One row for each folded name that no entity took; fills in the ids."""
    spellings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    papers: defaultdict[str, set[int]] = defaultdict(set)
    for pid, names in authors.items():
        for place, name in enumerate(names):
            slug = name_slug(name)
            if ids[pid][place] is None and slug:
                ids[pid][place] = _fallback_id(slug)
                spellings[slug][name] += 1
                papers[slug].add(pid)
    return [_fallback(slug, counted, papers[slug]) for slug, counted in spellings.items()]


def _fallback_id(slug: str) -> str:
    """The id of a name; one that is longer than an id may be when it is sent ends in a hash of the whole."""
    if len(slug) <= _SLUG_CHARS_MAX:
        return f"name:{slug}"
    digest = hashlib.sha256(slug.encode(errors="replace")).hexdigest()[:_HASH_CHARS]
    return f"name:{slug[: _SLUG_CHARS_MAX - _HASH_CHARS - 1]}-{digest}"


def _fallback(slug: str, spellings: Counter[str], pids: set[int]) -> Person:
    display, *others = sorted(spellings, key=lambda name: (-spellings[name], name))
    body: Json = {
        "author_id": _fallback_id(slug),
        "display_name": display,
        "is_entity": False,
        "name_variants": others,
        "affiliations": [],
        "paper_count": len(pids),
    }
    return Person(body, tuple(others), frozenset(pids))
