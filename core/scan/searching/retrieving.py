"""One round of searches over all sources at one time (scan contract 7.2 to 7.4)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from core.scan.models import FoundWork, Query
from core.scan.profiles import SECONDARY_BELOW_HITS, SECONDARY_TRIES
from core.scan.queries.exclusions import admits
from core.scan.queries.writers import relaxed, tree_of
from core.scan.searching.asking import Asking, Failing, Got, Sleep, gathered
from core.scan.searching.catalog import CatalogSource
from core.scan.searching.found import placed
from core.scan.searching.port import Event, Retrieval, Retrieved, Tally, Warned
from core.scan.searching.reach import REASONS, Reach, routing
from core.scan.searching.searches import Search, primary, searched
from core.scan.vocabulary import SourceName

STAGE_RETRY_S = 5.0

_STAND_IN: SourceName = "crossref"
_STOOD_IN_FOR: SourceName = "openalex"


@dataclass(frozen=True, slots=True)
class _List:
    """The answer to one search."""

    search: Search
    works: tuple[FoundWork, ...] = ()
    failure: Failing | None = None


class Round:
    """One round; its answer depends on what sources say, never on when they say it."""

    def __init__(
        self, ask: Retrieval, catalog: CatalogSource, reach: Reach, new_asking: Callable[[], Asking], sleep: Sleep
    ) -> None:
        self._ask = ask
        self._catalog = catalog
        self._reach = reach
        self._new_asking = new_asking
        self._asking = new_asking()
        self._sleep = sleep
        self._routing = routing(ask.domain, ask.queries)
        self._live = tuple(each for each in self._routing if each != "catalog" and reach.has(each))

    async def run(self) -> Retrieved:
        """The round's works, counts, events and warnings."""
        catalog = await gathered([partial(self._in_catalog, query) for query in self._ask.queries])
        live = await self._searched_live()
        has_failed = bool(live) and all(each.failure for each in live)
        if has_failed:
            await self._sleep(STAGE_RETRY_S)
            self._asking = self._new_asking()
            live = await self._searched_live()
            has_failed = all(each.failure for each in live)
        stood_in = await self._searched(self._stand_ins(live))
        has_failed = has_failed and all(each.failure for each in stood_in)
        looser = await self._loosened([*live, *stood_in])
        lists = [*catalog, *live, *stood_in, *looser]
        tallies = {source: self._tally(source, lists) for source in self._named(stood_in)}
        return Retrieved(
            works=tuple(work for each in self._ordered(lists) for work in _placed(each)),
            tallies=tallies,
            secondary_spent=len(looser),
            events=tuple(self._event(each) for each in self._ordered(lists)),
            warnings=(*self._of_sources(tallies, has_failed=has_failed), *_of_queries(self._ordered(lists))),
        )

    async def _in_catalog(self, query: Query) -> _List:
        window = self._ask.window
        got = await self._catalog.search(query, window.lower, window.upper, self._ask.per_query)
        return _List(Search(query, "catalog", ""), got.value or (), got.failure)

    async def _searched_live(self) -> list[_List]:
        return await self._searched([primary(query, source) for query in self._ask.queries for source in self._live])

    async def _searched(self, searches: Sequence[Search]) -> list[_List]:
        answers: list[Got[tuple[FoundWork, ...]]] = await gathered([partial(self._search, each) for each in searches])
        found = zip(searches, answers, strict=True)
        return [_List(search, got.value or (), got.failure) for search, got in found]

    async def _search(self, search: Search) -> Got[tuple[FoundWork, ...]]:
        ask = self._ask
        return await searched(
            search, ask.window, ask.per_query, asking=self._asking, reach=self._reach, caller=ask.caller
        )

    def _stand_ins(self, live: Iterable[_List]) -> list[Search]:
        """The queries that OpenAlex did not answer, or was not asked, for Crossref."""
        if not self._reach.has(_STAND_IN):
            return []
        answered = {
            each.search.query.id for each in live if each.search.source == _STOOD_IN_FOR and each.failure is None
        }
        return [primary(query, _STAND_IN) for query in self._ask.queries if query.id not in answered]

    async def _loosened(self, lists: Sequence[_List]) -> list[_List]:
        """Relaxed searches for lists that are nearly empty, as far as the budget goes: a first one each, then a second.

        The budget is spent in plan order, then routing order, whatever answered first.
        """
        left = max(0, self._ask.secondary_left)
        hits = {(each.search.query.id, each.search.source): len(each.works) for each in lists}
        short = [each.search for each in self._ordered(lists) if each.failure is None and each.search.form]
        found: list[_List] = []
        for place in range(SECONDARY_TRIES):
            looser = [
                replace(each, form=forms[place], is_secondary=True)
                for each in short
                if hits[each.query.id, each.source] < SECONDARY_BELOW_HITS
                and len(forms := relaxed(each.query, each.source)) > place
            ][:left]
            left -= len(looser)
            answers = await self._searched(looser)
            for answer in answers:
                hits[answer.search.query.id, answer.search.source] += len(answer.works)
            found += answers
        return found

    def _ordered(self, lists: Iterable[_List]) -> list[_List]:
        """By plan, then routing; a relaxed list after its primary one."""
        queries = {query.id: place for place, query in enumerate(self._ask.queries)}
        sources = {source: place for place, source in enumerate((*self._routing, _STAND_IN))}
        return sorted(
            lists,
            key=lambda each: (
                queries[each.search.query.id],
                sources[each.search.source],
                each.search.is_secondary,
            ),
        )

    def _named(self, stood_in: Sequence[_List]) -> tuple[SourceName, ...]:
        return (*self._routing, _STAND_IN) if stood_in else self._routing

    def _tally(self, source: SourceName, lists: Iterable[_List]) -> Tally:
        own = [each for each in lists if each.search.source == source]
        if source != "catalog" and not self._reach.has(source):
            return Tally(skipped=len(self._ask.queries), reason=self._reach.why_not(source))
        failures = [each.failure for each in own if each.failure]
        return Tally(
            queried=len(own),
            hits=sum(len(each.works) for each in own),
            failed=len(failures),
            secondary=sum(each.search.is_secondary for each in own),
            reason="paced_out" if "paced_out" in failures else None,
            auth=self._reach.auth(source),
        )

    def _event(self, each: _List) -> Event:
        search = each.search
        name = "source_query_failed" if each.failure else "source_query" if each.works else "source_returned_nothing"
        event = {"event": name, "source": search.source, "query_id": search.query.id, "hits": len(each.works)}
        event |= {"failed": bool(each.failure), "secondary": search.is_secondary}
        return {**event, "reason": each.failure} if each.failure else event

    def _of_sources(self, tallies: dict[SourceName, Tally], *, has_failed: bool) -> Iterable[Warned]:
        for source, tally in tallies.items():
            if tally.skipped:
                yield Warned("source_skipped", f"{source} was not asked: {REASONS[tally.reason or 'off']}.")
            elif tally.failed:
                yield Warned("source_failed", f"{source} did not answer {tally.failed} of {tally.queried} queries.")
        if has_failed:
            yield Warned("live_sources_failed", "Every live source failed, also when it was asked again.")


def _placed(each: _List) -> Iterable[FoundWork]:
    """The works of a list at their ranks there, without those that the query excludes."""
    search, tree = each.search, tree_of(each.search.query)
    for rank, work in enumerate(each.works):
        if admits(tree, work):
            yield placed(work, search.source, "query", rank, query_id=search.query.id, is_secondary=search.is_secondary)


def _of_queries(lists: Iterable[_List]) -> Iterable[Warned]:
    for each in lists:
        search = each.search
        if not (each.works or each.failure or search.is_secondary):
            yield Warned("query_no_hits", f"{search.source} has nothing for query {search.query.id}.")
