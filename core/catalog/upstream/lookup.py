"""Papers of an upstream by identifier and by title, within a budget of pages (catalog contract 8.2 and 8.3)."""

from collections.abc import Awaitable, Callable, Sequence

from core.catalog.likeness import MIN_SIMILARITY, similarity, trigrams
from core.catalog.missing import paper_entry
from core.catalog.models import MatchLevel, PaperRow, TitleMatches
from core.catalog.together import all_of
from core.catalog.upstream.about import AboutUpstream
from core.catalog.upstream.api import Api
from core.catalog.upstream.pages import ROWS_PER_PAGE, WirePage
from core.catalog.upstream.paper_rows import paper_row
from core.catalog.upstream.papers import UpstreamPapers, read_papers
from core.catalog.upstream.values import Json, text
from core.errors import Ambiguous, InvalidInput
from core.folds import key_fold, plain_fold, slug
from core.identifiers import Identifier, IdentifierKind

WORD_PAGES_MAX = 10
PAGES_AT_ONCE = 3
NEAR_MAX = 3

_PLAIN_KINDS = frozenset({IdentifierKind.ARXIV, IdentifierKind.CATALOG})
_BARE_KINDS = frozenset({IdentifierKind.ARXIV, IdentifierKind.CATALOG, IdentifierKind.SLUG})
_TITLE_LEVELS = (MatchLevel.TITLE, MatchLevel.NORMALIZED_TITLE, MatchLevel.SHORT_NAME)
_SEARCH = ("papers", "search")


def reference_text(identifier: Identifier) -> str:
    """How an identifier is written where an upstream takes references: numbers of other registries keep their kind."""
    return identifier.id if identifier.kind in _BARE_KINDS else str(identifier)


class PaperLookup:
    """Finds papers of one API."""

    def __init__(self, api: Api, about: AboutUpstream, papers: UpstreamPapers) -> None:
        self._api = api
        self._about = about
        self._papers = papers

    async def find(self, identifier: Identifier) -> PaperRow | None:
        """The paper that an identifier names; None also for kinds that the upstream has no table of."""
        if identifier.kind is IdentifierKind.SLUG:
            return await self._papers.row(identifier.id) or await self._by_slug(identifier.id)
        if identifier.kind not in _PLAIN_KINDS and not (await self._about.get()).has("papers.identifiers"):
            return None
        for spelling in (reference_text(identifier), *identifier.alternates):
            if found := await self._papers.row(spelling):
                return found
        return None

    async def _by_slug(self, wanted: str) -> PaperRow | None:
        page = await self._searched(wanted.replace("-", " "), 1)
        return next((row for row in read_papers(page.rows) if (row.slug or slug(row.title)) == wanted), None)

    async def find_titles(self, wanted: str) -> TitleMatches:
        """Papers of the first title level with a hit; raises `Ambiguous` when the budget ends before the pages do."""
        if not plain_fold(wanted):
            return TitleMatches(None, ())
        if (await self._about.get()).has("papers.titles"):
            return await self._told(wanted)
        phrase = await self._searched(_phrase(wanted), 1)
        rows = list(read_papers(phrase.rows))
        found = match_titles(wanted, rows)
        if found.level is not None:
            return found
        pages, is_spent = await self._word_pages(wanted)
        rows += [row for page in pages for row in read_papers(page.rows)]
        found = match_titles(wanted, rows)
        if found.level is not None:
            return found
        near = nearest_titles(wanted, rows, NEAR_MAX)
        if is_spent:
            raise Ambiguous(
                "Too many similar titles to tell whether one of them is meant; pass an arXiv id or DOI.",
                candidates=[paper_entry(row) for row in near],
            )
        return TitleMatches(None, (), near)

    async def near_titles(self, wanted: str, limit: int) -> tuple[PaperRow, ...]:
        """The nearest titles among the first hits for the words."""
        if not key_fold(wanted):
            return ()
        return nearest_titles(wanted, read_papers((await self._searched(wanted, 1)).rows), limit)

    async def _told(self, wanted: str) -> TitleMatches:
        answer = await self._api.answer(("papers", "titles"), {"text": wanted})
        level = text(answer.get("level"))
        rows = [read for row in _listed(answer) if (read := paper_row(row))]
        known = next((each for each in _TITLE_LEVELS if each.value == level), None)
        return TitleMatches(known, tuple(rows)) if known and rows else TitleMatches(None, ())

    async def _word_pages(self, wanted: str) -> tuple[list[WirePage], bool]:
        """Up to ten pages for the plain words, and whether more would follow."""
        pages = [await self._searched(key_fold(wanted) or wanted, 1)]
        while pages[-1].has_more and len(pages) < WORD_PAGES_MAX:
            first = len(pages) + 1
            last = min(first + PAGES_AT_ONCE - 1, WORD_PAGES_MAX, _last_page(pages[0], first + PAGES_AT_ONCE - 1))
            pages += await all_of([self._word_page(wanted, number) for number in range(first, max(first, last) + 1)])
        return pages, pages[-1].has_more

    def _word_page(self, wanted: str, page: int) -> Callable[[], Awaitable[WirePage]]:
        return lambda: self._searched(key_fold(wanted) or wanted, page)

    async def _searched(self, query: str, page: int) -> WirePage:
        try:
            return await self._api.page(_SEARCH, {"q": query, "mode": "keyword", "page_size": ROWS_PER_PAGE}, page)
        except InvalidInput:
            # A title of signs alone is no search; it names no paper either.
            return WirePage()


def _last_page(first: WirePage, otherwise: int) -> int:
    """The last page that has rows, as far as the first one tells."""
    return otherwise if first.count is None or not first.row_total else -(-first.count // first.row_total)


def _listed(answer: Json) -> list[Json]:
    found = answer.get("results")
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def _phrase(wanted: str) -> str:
    return '"' + wanted.replace('"', " ").strip() + '"'


def match_titles(wanted: str, rows: Sequence[PaperRow]) -> TitleMatches:
    """Papers of the first level with a hit (8.2 step 6), by published desc, then id; each paper once."""
    plain, key = plain_fold(wanted), key_fold(wanted)
    levels: tuple[tuple[MatchLevel, Callable[[str], bool]], ...] = (
        (MatchLevel.TITLE, lambda title: plain_fold(title) == plain),
        (MatchLevel.NORMALIZED_TITLE, lambda title: bool(key) and key_fold(title) == key),
        (MatchLevel.SHORT_NAME, lambda title: plain_fold(_short_name(title)) == plain),
        (MatchLevel.SHORT_NAME, lambda title: bool(key) and key_fold(_short_name(title)) == key),
    )
    for level, matches in levels:
        found = {row.canonical_id: row for row in rows if matches(row.title)}
        if found:
            ordered = sorted(found.values(), key=lambda row: (len(row.id), row.id))
            return TitleMatches(level, tuple(sorted(ordered, key=lambda row: row.published or "", reverse=True)))
    return TitleMatches(None, ())


def _short_name(title: str) -> str:
    name, colon, _ = title.partition(":")
    return name if colon else ""


def nearest_titles(wanted: str, rows: Sequence[PaperRow], limit: int) -> tuple[PaperRow, ...]:
    """The rows with the most alike titles, best first; unlike ones are left out."""
    triples = trigrams(wanted)
    scored = {row.canonical_id: (-similarity(triples, trigrams(row.title)), row) for row in rows}
    ordered = sorted(scored.values(), key=lambda each: each[0])
    return tuple(row for score, row in ordered if -score >= MIN_SIMILARITY)[:limit]
