"""What the seeds of a scan cite, what cites them, and what is like them (scan contract 7.2, 7.9)."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial

from core.identifiers import Identifier
from core.scan.models import Candidate, FoundWork, Ids
from core.scan.profiles import GRAPH_PAGE, GRAPH_ROWS_READ, RECOMMENDATIONS_PER_SEED, RECOMMENDING_SEEDS
from core.scan.searching.asking import Asking, Got, gathered
from core.scan.searching.batching import at_openalex, doi_of
from core.scan.searching.catalog import CatalogSource, identifiers_of
from core.scan.searching.found import found_work
from core.scan.searching.port import Event, GraphList, Neighbourhood, Neighbours
from core.scan.searching.reach import Reach
from core.scan.vocabulary import Relation, SourceName
from core.sources.answers import ListedWork
from core.sources.openalex import BATCH_MAX

_RELATIONS: tuple[Relation, ...] = ("references", "citations", "recommendations")
_LINKS: tuple[Relation, ...] = ("references", "citations")
_LIVE: tuple[SourceName, ...] = ("openalex", "s2")
_SOURCES: tuple[SourceName, ...] = ("catalog", "openalex", "s2")

_Key = tuple[str, Relation]
_Page = Callable[[int], Awaitable[Sequence[ListedWork]]]


class GraphRound:
    """The graph calls of one expansion."""

    def __init__(self, ask: Neighbourhood, catalog: CatalogSource, asking: Asking, reach: Reach) -> None:
        self._ask = ask
        self._catalog = catalog
        self._asking = asking
        self._reach = reach
        self._lists: dict[tuple[str, Relation, SourceName], tuple[FoundWork, ...]] = {}
        self._events: list[Event] = []

    async def run(self) -> Neighbours:
        """All lists. A source that gave nothing for a seed, or failed, is filled in for by the other one."""
        first, second = reversed(_LIVE) if self._reach.auth("s2") == "key" else _LIVE
        keys = [(seed.cid, relation) for seed in self._ask.seeds for relation in _LINKS]
        await gathered([self._in_catalog, self._recommended, partial(self._linked, first, keys)])
        await self._linked(second, [key for key in keys if not self._lists.get((*key, first))])
        live = [source for source in _LIVE if self._reach.has(source)]
        return Neighbours(
            lists=tuple(self._ordered()),
            asked=sum(self._asking.asked.get(source, 0) for source in live),
            failed=sum(self._asking.failed.get(source, 0) for source in live),
            auth={source: self._reach.auth(source) for source in live},
            events=tuple(self._told()),
        )

    async def _in_catalog(self) -> None:
        for place, seed in enumerate(self._ask.seeds):
            found = await self._catalog.neighbours(seed.work.ids, with_related=place < RECOMMENDING_SEEDS)
            for relation, works in found.items():
                self._keep(seed, relation, "catalog", works)

    async def _linked(self, source: SourceName, keys: Sequence[_Key]) -> None:
        if keys and self._reach.has(source):
            await (self._in_s2(keys) if source == "s2" else self._in_openalex(keys))

    async def _in_s2(self, keys: Sequence[_Key]) -> None:
        s2 = self._reach.sources.semantic_scholar
        by_cid = {seed.cid: seed for seed in self._ask.seeds}
        if s2 is None:
            return

        async def link(seed: Candidate, relation: Relation, identifier: Identifier) -> None:
            call = s2.references if relation == "references" else s2.citations

            async def page(number: int) -> Sequence[ListedWork]:
                return await call(identifier, offset=number * GRAPH_PAGE, caller=self._ask.caller)

            self._keep(seed, relation, "s2", await self._pages("s2", page))

        named = [(by_cid[cid], relation, _name_at_s2(by_cid[cid].work.ids)) for cid, relation in keys]
        await gathered([partial(link, seed, relation, name) for seed, relation, name in named if name is not None])

    async def _in_openalex(self, keys: Sequence[_Key]) -> None:
        wanted = {cid for cid, _ in keys}
        ids, cited = await self._works_of([seed for seed in self._ask.seeds if seed.cid in wanted])
        seeds = {seed.cid: seed for seed in self._ask.seeds}
        await gathered(
            [
                partial(self._cited, {cid: cited[cid] for cid, relation in keys if relation == "references"}, seeds),
                *(
                    partial(self._citing, seeds[cid], ids[cid])
                    for cid, relation in keys
                    if relation == "citations" and cid in ids
                ),
            ]
        )

    async def _works_of(self, seeds: Sequence[Candidate]) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
        """OpenAlex's ids of the seeds, and the ids of what each cites, at most three hundred."""
        openalex, caller = self._reach.sources.openalex, self._ask.caller
        named = {seed.cid: seed.work.ids.openalex for seed in seeds if seed.work.ids.openalex}
        dois = {seed.cid: doi for seed in seeds if seed.cid not in named and (doi := doi_of(seed.work.ids))}
        ids, cited = dict(named), {seed.cid: tuple[str, ...]() for seed in seeds}
        if openalex is None:
            return ids, cited
        if named:
            call = partial(openalex.citing_works, list(named.values()), caller=caller)
            got = await self._asking.ask("openalex", call)
            for cid, id in named.items():
                work = (got.value or {}).get(id)
                cited[cid] = () if work is None else work.references[:GRAPH_ROWS_READ]
        by_doi = await at_openalex(
            list(dois.values()), with_references=True, asking=self._asking, reach=self._reach, caller=caller
        )
        for cid, doi in dois.items():
            row = by_doi[doi].value
            if row is not None and row.work.openalex_id is not None:
                ids[cid], cited[cid] = row.work.openalex_id, row.references[:GRAPH_ROWS_READ]
        return ids, cited

    async def _cited(self, cited: dict[str, tuple[str, ...]], seeds: dict[str, Candidate]) -> None:
        """The works that seeds cite: each is fetched once, whoever cites it."""
        openalex, caller = self._reach.sources.openalex, self._ask.caller
        if openalex is None:
            return
        wanted = list(dict.fromkeys(id for ids in cited.values() for id in ids))
        parts = [wanted[start : start + BATCH_MAX] for start in range(0, len(wanted), BATCH_MAX)]
        calls = [partial(openalex.listed_by_ids, part, caller=caller) for part in parts]
        answers: list[Got[Sequence[ListedWork]]] = await gathered(
            [partial(self._asking.ask, "openalex", call) for call in calls]
        )
        works = _works((row for got in answers for row in got.value or ()), "openalex")
        by_id = {work.ids.openalex: work for work in works}
        for cid, ids in cited.items():
            self._keep(seeds[cid], "references", "openalex", [by_id[id] for id in ids if id in by_id])

    async def _citing(self, seed: Candidate, id: str) -> None:
        openalex, caller = self._reach.sources.openalex, self._ask.caller
        if openalex is None:
            return

        async def page(number: int) -> Sequence[ListedWork]:
            return await openalex.cited_by(id, page=number + 1, caller=caller)

        self._keep(seed, "citations", "openalex", await self._pages("openalex", page))

    async def _recommended(self) -> None:
        s2, caller = self._reach.sources.semantic_scholar, self._ask.caller
        if s2 is None or not self._reach.has("s2"):
            return
        seeds = [(seed, _name_at_s2(seed.work.ids)) for seed in self._ask.seeds[:RECOMMENDING_SEEDS]]
        named = [(seed, name) for seed, name in seeds if name is not None]
        calls = [partial(s2.recommendations, name, limit=RECOMMENDATIONS_PER_SEED, caller=caller) for _, name in named]
        answers: list[Got[Sequence[ListedWork]]] = await gathered(
            [partial(self._asking.ask, "s2", call) for call in calls]
        )
        for (seed, _), got in zip(named, answers, strict=True):
            self._keep(seed, "recommendations", "s2", _works(got.value or (), "s2")[:RECOMMENDATIONS_PER_SEED])

    async def _pages(self, source: SourceName, page: _Page) -> list[FoundWork]:
        """The rows of at most three pages; what was read before a page failed is kept."""
        found: list[ListedWork] = []
        for number in range(GRAPH_ROWS_READ // GRAPH_PAGE):
            got: Got[Sequence[ListedWork]] = await self._asking.ask(source, partial(page, number))
            if got.failure:
                self._events.append({"event": "graph_call_failed", "source": source, "reason": got.failure})
            found += got.value or ()
            if len(got.value or ()) < GRAPH_PAGE:
                break
        return _works(found, source)

    def _keep(self, seed: Candidate, relation: Relation, source: SourceName, works: Iterable[FoundWork]) -> None:
        self._lists[seed.cid, relation, source] = tuple(works)[:GRAPH_ROWS_READ]

    def _ordered(self) -> Iterable[GraphList]:
        for seed in self._ask.seeds:
            for relation in _RELATIONS:
                for source in _SOURCES:
                    works = self._lists.get((seed.cid, relation, source))
                    if works:
                        yield GraphList(seed.cid, relation, source, works)

    def _told(self) -> Iterable[Event]:
        yield {"event": "seeds", "count": len(self._ask.seeds)}
        for each in self._ordered():
            name = "recommendations" if each.relation == "recommendations" else "seed_graph"
            yield {
                "event": name,
                "source": each.source,
                "seed_id": each.seed_id,
                "relation": each.relation,
                "rows": len(each.works),
            }
        yield from sorted(self._events, key=lambda each: (each["source"], each["reason"]))


def _works(rows: Iterable[ListedWork], source: SourceName) -> list[FoundWork]:
    found = (found_work(row, source) for row in rows)
    return [work for work in found if work is not None]


def _name_at_s2(ids: Ids) -> Identifier | None:
    """The id by which S2 is asked: its own, else the DOI, the arXiv id, the PubMed id."""
    known = (Ids(s2=ids.s2), Ids(doi=ids.doi), Ids(arxiv=ids.arxiv), Ids(pmid=ids.pmid))
    return next((identifier for each in known for identifier in identifiers_of(each)), None)
