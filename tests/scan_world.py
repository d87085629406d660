"""A literature of known works for scans, and everything that may go wrong while it is asked."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import anyio.lowlevel

from core.scan.days import ScanWindow
from core.scan.models import Anchor, Candidate, FoundWork, Ids, LiveRecord, Origin, Query
from core.scan.searching.port import (
    AnchorsFound,
    Answers,
    GraphList,
    Lookups,
    Neighbourhood,
    Neighbours,
    Retrieval,
    Retrieved,
    Tally,
)
from core.scan.vocabulary import Domain, Relation, SourceName
from tests.scan_works import found

KINDS = ("doi", "arxiv", "pmid", "openalex", "s2")


@dataclass(frozen=True)
class World:
    """`hits` by query and source, in order of rank; `graph` and `answers` by the names that works have in `names`."""

    hits: Mapping[tuple[str, SourceName], Sequence[FoundWork]] = field(default_factory=dict)
    graph: Mapping[str, Sequence[tuple[Relation, SourceName, Sequence[FoundWork]]]] = field(default_factory=dict)
    answers: Mapping[str, Answers] = field(default_factory=dict)
    names: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def name_of(self, ids: Ids) -> str | None:
        """What the world calls a work."""
        keys = ((kind, getattr(ids, kind)) for kind in KINDS)
        return next((self.names[key] for key in keys if key in self.names), None)


async def nothing(_: str, __: str) -> None:
    """What comes with an answer where a test has no wish."""
    await anyio.lowlevel.checkpoint()


class WorldLiterature:
    """Answers from a world. `on_answer` comes before each answer of an upstream; `down` are sources that fail."""

    def __init__(self, world: World, sources: Sequence[SourceName] = ("catalog", "openalex", "s2", "arxiv")) -> None:
        self.world = world
        self.sources = tuple(sources)
        self.down: set[SourceName] = set()
        self.verifies = True
        self.is_offline = False
        self.graph_answers = True
        self.on_answer: Callable[[str, str], Awaitable[None]] = nothing
        self.asked: Counter[str] = Counter()

    def routing(self, domain: Domain, queries: Sequence[Query]) -> tuple[SourceName, ...]:
        return self.sources

    def live(self, domain: Domain, queries: Sequence[Query]) -> tuple[SourceName, ...]:
        return tuple(each for each in self.sources if each != "catalog")

    async def retrieve(self, ask: Retrieval) -> Retrieved:
        works: list[FoundWork] = []
        tallies: dict[SourceName, Tally] = {}
        events = []
        for query in ask.queries:
            for source in self.sources:
                await self._answer("search", ask.caller)
                tally = tallies.get(source, Tally())
                listed = () if source in self.down else self.world.hits.get((query.id, source), ())[: ask.per_query]
                origins = (Origin(source, "query", query.id, None, rank) for rank in range(len(listed)))
                works += [replace(work, origins=(origin,)) for work, origin in zip(listed, origins, strict=True)]
                failed = tally.failed + (source in self.down)
                tallies[source] = Tally(tally.queried + 1, tally.hits + len(listed), failed)
                events.append({"event": "source_query", "source": source, "hits": len(listed)})
        return Retrieved(tuple(works), tallies, events=tuple(events))

    async def anchors(self, anchors: Sequence[Anchor], window: ScanWindow, caller: str) -> AnchorsFound:
        await self._answer("anchors", caller)
        known = {place: self._anchored(place, anchor) for place, anchor in enumerate(anchors)}
        works = {place: work for place, work in known.items() if work is not None}
        return AnchorsFound(works, tuple(place for place in known if place not in works))

    async def neighbours(self, ask: Neighbourhood) -> Neighbours:
        lists, failed = [], 0
        for seed in ask.seeds:
            await self._answer("graph", ask.caller)
            if not self.graph_answers:
                failed += 1
                continue
            for relation, source, works in self.world.graph.get(self.world.name_of(seed.work.ids) or "", ()):
                lists.append(GraphList(seed.cid, relation, source, tuple(works)))
        return Neighbours(tuple(lists), len(ask.seeds), failed, events=({"event": "seeds", "count": len(ask.seeds)},))

    async def lookups(self, candidates: Sequence[Candidate], caller: str) -> Lookups:
        if self.is_offline:
            return Lookups({}, is_offline=True)
        await self._answer("lookup", caller)
        if not self.verifies:
            return Lookups({}, failed=frozenset({"crossref", "openalex"}))
        names = {each.cid: self.world.name_of(each.work.ids) for each in candidates}
        answers = {cid: self.world.answers[name] for cid, name in names.items() if name in self.world.answers}
        return Lookups(
            answers, answered=frozenset({"crossref"}), events=({"event": "verified", "count": len(answers)},)
        )

    def _anchored(self, place: int, anchor: Anchor) -> FoundWork | None:
        name = self.world.names.get(("doi", anchor.doi or ""))
        works = (work for listed in self.world.hits.values() for work in listed)
        work = next((each for each in works if name is not None and self.world.name_of(each.ids) == name), None)
        return None if work is None else replace(work, origins=(Origin("crossref", "anchor", None, None, place),))

    async def _answer(self, kind: str, caller: str) -> None:
        self.asked[kind] += 1
        await self.on_answer(kind, caller)


def small_world(
    queries: Sequence[str], *, each: int = 6, old: int = 1, sources: Sequence[SourceName] = ("catalog", "s2")
) -> World:
    """Works of their own for each query and source; half of them cite and are cited, and the last of a list is old."""
    hits: dict[tuple[str, SourceName], list[FoundWork]] = {}
    graph: dict[str, list[tuple[Relation, SourceName, Sequence[FoundWork]]]] = {}
    numbers = iter(range(1, 10_000))
    for query in queries:
        for source in sources:
            hits[query, source] = [_work(next(numbers), year=2025 if rank < each - 1 else 2019) for rank in range(each)]
    cited = [_work(next(numbers), year=2018) for _ in range(4)]
    for listed in list(hits.values()):
        for work in listed[::2]:
            graph[work.ids.doi or ""] = [
                ("references", "s2", [*cited, *(_work(next(numbers), year=2016) for _ in range(old))]),
                ("citations", "s2", [_work(next(numbers), year=2026)]),
            ]
    works = [work for listed in hits.values() for work in listed]
    works += [work for lists in graph.values() for _, _, listed in lists for work in listed]
    names = {("doi", work.ids.doi or ""): work.ids.doi or "" for work in works}
    answers = {
        work.ids.doi or "": Answers((LiveRecord("crossref", work.title, work.year, doi=work.ids.doi),))
        for work in works
    }
    return World(hits, graph, answers, names)


def _work(number: int, *, year: int) -> FoundWork:
    return found(
        f"A study of matter {number}",
        f"Ann Author{number}",
        doi=f"10.1234/w{number}",
        year=year,
        publication_date=f"{year}-01-{number % 28 + 1:02d}",
        abstract=f"What is known of matter {number}.",
        type="article",
        citation_count=number % 7,
    )
