"""One search at one live source: what is sent, and its answer as works in the source's order (scan contract 7.2)."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.scan.days import ScanWindow
from core.scan.filters import names_phrase
from core.scan.models import FoundWork, Query
from core.scan.queries.grammar import terms
from core.scan.queries.writers import native, tree_of, words
from core.scan.searching.asking import Asking, Got
from core.scan.searching.found import found_work
from core.scan.searching.reach import Reach
from core.scan.vocabulary import SourceName
from core.sources.answers import ListedWork
from core.sources.arxiv import submitted_within


@dataclass(frozen=True, slots=True)
class Search:
    """A query in the form that one source is sent; `form` empty means that there is nothing to search for."""

    query: Query
    source: SourceName
    form: str
    is_secondary: bool = False


def primary(query: Query, source: SourceName) -> Search:
    """The search that a query means at a source."""
    return Search(query, source, native(query, source))


async def searched(
    search: Search, window: ScanWindow, limit: int, *, asking: Asking, reach: Reach, caller: str
) -> Got[tuple[FoundWork, ...]]:
    """At most `limit` works inside the window, in their order at the source."""
    if not search.form:
        return Got(())
    got = await asking.ask(search.source, lambda: _rows(search, window, limit, reach=reach, caller=caller))
    if got.failure is not None:
        return Got(failure=got.failure)
    works = [found_work(each, search.source) for each in got.value or ()]
    found = [work for work in works if work is not None]
    return Got(tuple((_by_terms(search.query, found) if _is_bulk(search) else found)[:limit]))


async def _rows(search: Search, window: ScanWindow, limit: int, *, reach: Reach, caller: str) -> Sequence[ListedWork]:
    sources, form, since, until = reach.sources, search.form, window.lower, window.upper
    match search.source:
        case "openalex" if sources.openalex is not None:
            return await sources.openalex.listed(form, since=since, until=until, limit=limit, caller=caller)
        case "s2" if sources.semantic_scholar is not None:
            if _is_bulk(search):
                return await sources.semantic_scholar.listed_unranked(form, since=since, until=until, caller=caller)
            return await sources.semantic_scholar.listed(form, since=since, until=until, limit=limit, caller=caller)
        case "arxiv" if sources.arxiv is not None:
            whole = f"({form}) AND {submitted_within(since, until)}"
            return await sources.arxiv.listed(whole, limit=limit, caller=caller)
        case "crossref" if sources.crossref is not None:
            return await sources.crossref.listed(form, since=since, until=until, rows=limit, caller=caller)
        case _:
            return ()


def _is_bulk(search: Search) -> bool:
    return search.source == "s2" and search.query.mode == "keyword"


def _by_terms(query: Query, works: Sequence[FoundWork]) -> list[FoundWork]:
    """An answer without ranks in an order of ours: terms in the title, then in the abstract, citations, id."""
    tree = tree_of(query)
    wanted = list(words(query)) if tree is None else [term.text for term in terms(tree)]

    def held(text: str | None) -> int:
        return sum(names_phrase([text], each) for each in wanted) if text else 0

    def place(work: FoundWork) -> tuple[int, int, int, str]:
        return -held(work.title), -held(work.abstract), -(work.citation_count or 0), work.ids.s2 or ""

    return sorted(works, key=place)
