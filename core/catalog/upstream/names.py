"""Names of things of an upstream: exact matches by level over what its searches find, and near ones (contract 9.1)."""

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

from core.catalog.likeness import MIN_SIMILARITY, similarity, trigrams
from core.catalog.models import Benchmark, Entity, EntityKind, EntityMatches, MatchLevel
from core.catalog.together import all_of
from core.catalog.upstream import taxonomy_rows
from core.catalog.upstream.about import AboutUpstream
from core.catalog.upstream.api import Api, Path, item
from core.catalog.upstream.benchmarks import UpstreamBenchmarks
from core.catalog.upstream.communities import UpstreamCommunities, name_order
from core.catalog.upstream.pages import ROWS_PER_PAGE, gather
from core.catalog.upstream.taxonomy import UpstreamTaxonomy
from core.catalog.upstream.values import Json, count, identifier, text
from core.errors import InvalidInput, NotFound
from core.folds import key_fold, plain_fold
from core.http.urls import Params

LOOKUP_ROWS_MAX = 10 * ROWS_PER_PAGE

_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
_COLLECTIONS: dict[EntityKind, Path] = {
    EntityKind.TASK: ("tasks", ""),
    EntityKind.METHOD: ("methods", ""),
    EntityKind.BENCHMARK: ("datasets", ""),
}
_BEGINNING = 3
"""Letters of a misspelt word that are likely right."""

_NOTHING = EntityMatches(None, ())


@dataclass(frozen=True, slots=True)
class _Named:
    """An entity with all that it may be called, and what orders completions."""

    entity: Entity
    full_name: str | None = None
    aliases: tuple[str, ...] = ()
    paper_count: int = 0


class UpstreamNames:
    """Names of one API."""

    def __init__(
        self,
        api: Api,
        about: AboutUpstream,
        taxonomy: UpstreamTaxonomy,
        benchmarks: UpstreamBenchmarks,
        communities: UpstreamCommunities,
    ) -> None:
        self._api = api
        self._about = about
        self._taxonomy = taxonomy
        self._benchmarks = benchmarks
        self._communities = communities

    async def find(self, kind: EntityKind, wanted: str) -> EntityMatches:
        """Entities by id, slug, name, full name, alias or key fold; the first level with a hit."""
        wanted = wanted.strip()
        if not plain_fold(wanted):
            return _NOTHING
        if kind not in _COLLECTIONS:
            return match(wanted, await self._every(kind))
        if wanted.isascii() and wanted.isdecimal() and (found := await self._by_id(kind, wanted)):
            return EntityMatches(_level_of(found.entity, wanted), (found.entity,))
        if _SLUG.fullmatch(wanted.lower()) and (found := await self._by_slug(kind, wanted.lower())):
            return EntityMatches(MatchLevel.SLUG, (found.entity,))
        matches = match(wanted, await self._searched(kind, wanted))
        folded = key_fold(wanted)
        if matches.level in (None, MatchLevel.FOLDED) and folded and folded != plain_fold(wanted):
            # Signs in a name, such as the dashes of a slug, may keep an upstream from finding its words.
            matches = match(wanted, await self._searched(kind, folded))
        if matches.level is None and (found := await self._by_other_name(kind, wanted)):
            return EntityMatches(MatchLevel.ALIAS, (found.entity,))
        return matches

    async def nearest(self, kind: EntityKind, wanted: str, limit: int) -> tuple[Entity, ...]:
        """Entities with the most alike names, best first."""
        folded = key_fold(wanted)
        if not folded:
            return ()
        if kind not in _COLLECTIONS:
            return nearest(wanted, await self._every(kind), limit)
        longest = max(folded.split(), key=len)
        asked = dict.fromkeys((folded, longest, *(word[:_BEGINNING] for word in sorted(folded.split(), key=len)[-2:])))
        pages = await all_of([self._first_page(kind, words) for words in asked])
        found = {each.entity.id: each for page in pages for each in page}
        return nearest(wanted, found.values(), limit)

    async def entities(self, kind: EntityKind) -> tuple[Entity, ...]:
        """All entities of a kind by name, then id; of long lists the first thousand."""
        found = await (self._searched(kind, None) if kind in _COLLECTIONS else self._every(kind))
        return tuple(sorted((each.entity for each in found), key=lambda each: name_order(each.name, each.id)))

    async def complete(self, kind: EntityKind, wanted: str, limit: int) -> tuple[tuple[Entity, ...], int]:
        """Entities whose names begin with a text, then those that contain it, among what the upstream finds by it."""
        folded = key_fold(wanted)
        found = await (self._searched(kind, folded or None) if kind in _COLLECTIONS else self._every(kind))
        ordered = sorted(found, key=lambda each: (-each.paper_count, name_order(each.entity.name, each.entity.id)))
        names = [(key_fold(each.entity.name), each.entity) for each in ordered]
        beginning = [entity for name, entity in names if name.startswith(folded)]
        containing = [entity for name, entity in names if folded in name and not name.startswith(folded)]
        return tuple(beginning + containing)[:limit], len(beginning) + len(containing)

    async def _by_id(self, kind: EntityKind, id_: str) -> _Named | None:
        try:
            if kind is EntityKind.BENCHMARK:
                return _benchmark(await self._benchmarks.one(id_))
            return self._read(kind, await self._api.answer((*_COLLECTIONS[kind][:1], id_)))
        except (NotFound, InvalidInput):
            return None

    async def _by_slug(self, kind: EntityKind, slug: str) -> _Named | None:
        """By the detail path, where the upstream takes slugs on it."""
        if kind is EntityKind.TASK:
            return None
        if kind is EntityKind.BENCHMARK and not (await self._about.get()).has("datasets.detail"):
            return None
        try:
            found = self._read(kind, await self._api.answer((*_COLLECTIONS[kind][:1], slug)))
        except (NotFound, InvalidInput):
            return None
        return found if found and (found.entity.slug or "").lower() == slug else None

    async def _by_other_name(self, kind: EntityKind, wanted: str) -> _Named | None:
        """What an upstream knows under a name that no row of it bears."""
        if kind is EntityKind.TASK:
            return await self._task_by_trend(wanted)
        if kind is not EntityKind.BENCHMARK or not (await self._about.get()).has("datasets.names"):
            return None
        try:
            answer = await self._api.answer((*_COLLECTIONS[kind][:1], wanted), {"named": True})
        except (NotFound, InvalidInput):
            return None
        return self._read(kind, answer)

    async def _task_by_trend(self, wanted: str) -> _Named | None:
        """The task whose trend an upstream shows under that name."""
        sent = {"limit": 1, "min_recent_papers": 0}
        try:
            page = await self._api.whole(item("tasks", wanted, "trending-benchmarks"), sent)
        except (NotFound, InvalidInput):
            return None
        id_ = identifier(page.envelope.get("task_id"))
        return await self._by_id(EntityKind.TASK, id_) if id_ else None

    async def _searched(self, kind: EntityKind, words: str | None) -> list[_Named]:
        """What the upstream finds by words, at most ten pages of it; all without words."""
        sent: Params = {"q": words, "page_size": ROWS_PER_PAGE, "ordering": "-paper_count"}
        found = await gather(lambda page: self._api.page(_COLLECTIONS[kind], sent, page), LOOKUP_ROWS_MAX)
        return [each for row in found.rows if (each := self._read(kind, row))]

    def _first_page(self, kind: EntityKind, words: str) -> Callable[[], Awaitable[list[_Named]]]:
        async def ask() -> list[_Named]:
            sent: Params = {"q": words, "page_size": ROWS_PER_PAGE, "ordering": "-paper_count"}
            page = await self._api.page(_COLLECTIONS[kind], sent, 1)
            return [each for row in page.rows if (each := self._read(kind, row))]

        return ask

    async def _every(self, kind: EntityKind) -> list[_Named]:
        """All entities of a kind that comes whole."""
        match kind:
            case EntityKind.AREA:
                areas = await self._taxonomy.areas()
                return [_Named(Entity(kind, area.id, area.name, None, area.id)) for area in areas.values()]
            case EntityKind.CONFERENCE:
                return [
                    _Named(
                        Entity(kind, row.id, row.name, row.slug, str(row.year) if row.year else row.slug),
                        paper_count=row.paper_count or 0,
                    )
                    for row in await self._communities.every_conference()
                ]
            case EntityKind.ORGANIZATION:
                organizations = await self._communities.every_organization()
                return [
                    _Named(Entity(kind, row.id, row.name, row.slug, row.slug), paper_count=row.paper_count or 0)
                    for row in organizations
                ]
            case _:
                frameworks = await self._communities.every_framework()
                return [
                    _Named(Entity(kind, row.id, row.name, row.slug, row.slug), paper_count=row.paper_count or 0)
                    for row in frameworks
                ]

    @staticmethod
    def _read(kind: EntityKind, row: Json) -> _Named | None:
        if kind is EntityKind.BENCHMARK:
            found = taxonomy_rows.benchmark(row)
            return _benchmark(found) if found else None
        entity = taxonomy_rows.entity(kind, row)
        return _Named(entity, text(row.get("full_name")), (), count(row.get("paper_count")) or 0) if entity else None


def _level_of(found: Entity, id_: str) -> MatchLevel:
    """A path of digits may have been taken for a slug, such as that of a benchmark called `2048`."""
    return MatchLevel.ID if found.id == id_ else MatchLevel.SLUG


def _benchmark(found: Benchmark) -> _Named:
    entity = Entity(EntityKind.BENCHMARK, found.id, found.name, found.slug, found.slug)
    return _Named(entity, found.full_name, (), found.paper_count or 0)


def match(wanted: str, found: Iterable[_Named]) -> EntityMatches:
    """The entities of the first level with a hit, by id; each once."""
    known = {each.entity.id: each for each in found}.values()
    plain, key = plain_fold(wanted), key_fold(wanted)
    levels: tuple[tuple[MatchLevel, Callable[[_Named], bool]], ...] = (
        (MatchLevel.ID, lambda each: wanted.isdecimal() and each.entity.id == wanted),
        (MatchLevel.SLUG, lambda each: (each.entity.slug or "").lower() == wanted.lower()),
        (MatchLevel.NAME, lambda each: plain_fold(each.entity.name) == plain),
        (MatchLevel.FULL_NAME, lambda each: plain_fold(each.full_name or "") == plain),
        (
            MatchLevel.FOLDED,
            lambda each: bool(key) and key in (key_fold(each.entity.name), key_fold(each.full_name or "")),
        ),
    )
    for level, matches in levels:
        hits = [each.entity for each in known if matches(each)]
        if hits:
            return EntityMatches(level, tuple(sorted(hits, key=lambda entity: (len(entity.id), entity.id))))
    return _NOTHING


def nearest(wanted: str, found: Iterable[_Named], limit: int) -> tuple[Entity, ...]:
    """The entities with the most alike names or full names, best first; unlike ones are left out."""
    triples = trigrams(wanted)
    scored = [
        (-max(similarity(triples, trigrams(name)) for name in _spellings(each)), place, each.entity)
        for place, each in enumerate(sorted(found, key=lambda each: name_order(each.entity.name, each.entity.id)))
    ]
    return tuple(entity for score, _, entity in sorted(scored, key=lambda each: each[:2]) if -score >= MIN_SIMILARITY)[
        :limit
    ]


def _spellings(each: _Named) -> Sequence[str]:
    return [each.entity.name, *([each.full_name] if each.full_name else [])]
