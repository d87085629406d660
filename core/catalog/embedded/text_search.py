"""Questions to the text index: keyword orders, filtered listings, counts and candidates for near names.

Papers are spoken of by `pid`. Every order is one total order, so that pages are slices of it.
"""

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

import numpy as np
import tantivy
from numpy.typing import NDArray
from tantivy import FieldType, Occur, Order, Query

from core.catalog.embedded.paper_columns import PaperColumns
from core.catalog.embedded.text_analysis import QueryTerms, all_terms
from core.errors import SourceUnreachable

TITLE_BOOST = 1.0
"""The catalog contract says 4. On CACM (benchmarks/search_quality.py) that costs the fused order 0.05 nDCG@10."""
ABSTRACT_BOOST = 1.0
AUTHORS_BOOST = 1.5

BOOSTS: Mapping[str, float] = MappingProxyType(
    {"title": TITLE_BOOST, "abstract": ABSTRACT_BOOST, "authors": AUTHORS_BOOST}
)
_SCORE_DECIMALS = 6
_DEPTHS = (128, 512, 4096, 2**15, 2**18, 2**21, 2**24)
_TIE_SLACK = 64
_COUNTS_KEPT = 2048
_MAX_CANDIDATE_TERMS = 16
_MIN_FUZZY_CHARS = 4
_TIED, _TIED_WIDE = 2048, 2**16
_PID_MASK = 2**32 - 1


@dataclass(frozen=True, slots=True)
class DocumentFilters:
    """What a paper must be; ids are catalog ids, days proleptic Gregorian ordinals, both ends inclusive."""

    first_day: int | None = None
    last_day: int | None = None
    has_official: bool = False
    latest_only: bool = False
    ids: tuple[tuple[str, int], ...] = ()
    words: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether every paper passes."""
        return self == DocumentFilters()


@dataclass(frozen=True, slots=True)
class Shared:
    """A thing that papers may have in common: an id field of the index, the id and what it weighs."""

    field: str
    id: int
    weight: float


class TextIndex:
    """The opened index of one catalog; safe to use from several threads."""

    def __init__(self, directory: Path, *, boosts: Mapping[str, float] = BOOSTS) -> None:
        self._boosts = boosts
        self._index = _opened(directory)
        self._schema = self._index.schema
        self._searcher = self._index.searcher()
        self.document_count: int = self._searcher.num_docs
        self._columns = PaperColumns(directory)
        self._known_count = lru_cache(maxsize=_COUNTS_KEPT)(self._uncached_count)

    def keyword_order(self, terms: QueryTerms, filters: DocumentFilters, depth: int) -> list[int]:
        """The first `depth` papers by BM25 score (6 decimals) desc, published desc (missing last), id.

        Depths grow in fixed steps and a deeper step only adds to the one before. A pruned search may add up a score in
        another order than a deeper one and so differ in the last bit; this way no page ever depends on that.
        """
        query = self._filtered(self._keywords(terms), filters)
        found: dict[int, None] = {}
        for step in _DEPTHS:
            ranked, is_all = self._best(query, step)
            found.update(dict.fromkeys(ranked))
            if is_all or len(found) >= depth:
                break
        return list(found)[:depth]

    def keyword_count(self, terms: QueryTerms, filters: DocumentFilters) -> int:
        """How many papers hold any of the terms (or the phrase) and pass the filters."""
        return self._known_count(terms, filters)

    def keyword_matches(self, terms: QueryTerms, pids: Sequence[int]) -> set[int]:
        """Those of some papers that the query finds."""
        return self._among(self._keywords(terms), pids)

    def passing(self, filters: DocumentFilters, pids: Sequence[int]) -> set[int]:
        """Those of some papers that pass the filters."""
        if filters.is_empty or not pids:
            return set(pids)
        return self._among(self._passing_query(filters), pids)

    def passing_mask(self, filters: DocumentFilters, pids: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """Which of many papers pass the filters."""
        mask = self._columns.mask(pids, filters.first_day, filters.last_day, filters.has_official, filters.latest_only)
        if filters.ids or filters.words:
            query = self._passing_query(DocumentFilters(ids=filters.ids, words=filters.words))
            found = self._pids(self._search(query, max(1, self.document_count)))
            mask &= np.isin(pids, np.array(found, dtype=np.uint32))
        return mask

    def tie_keys(self, pids: Sequence[int]) -> list[int]:
        """Integers that sort some papers as published desc (missing last), then id."""
        return self._columns.tie_keys(pids)

    def listing(self, filters: DocumentFilters, rank_field: str, offset: int, size: int) -> tuple[list[int], int]:
        """A slice of the papers that pass the filters in order of a rank field, and the number of all of them."""
        count = self._known_count(None, filters)
        if offset >= count or size < 1:
            return [], count
        return self.first(filters, rank_field, size, offset), count

    def first(self, filters: DocumentFilters, rank_field: str, size: int, offset: int = 0) -> list[int]:
        """The first papers that pass the filters in order of a rank field, without counting all of them."""
        return self._pids(self._in_order(self._passing_query(filters), rank_field, size, offset))

    def sharing(self, things: Sequence[Shared], pids: Sequence[int], excluded: int, limit: int) -> list[int]:
        """The latest records with the highest sum of weights: of the things they share, and 1 for being among `pids`.

        Ties go by citations desc, published desc (missing last both), id. The sums are exact over all papers. Only
        where over `_TIED_WIDE` papers tie at the cut, and hardly any of the most cited sharers is one of them, some
        better cited paper may give way to a worse one.
        """
        parts = [Query.const_score_query(self._term(each.field, each.id), each.weight) for each in things]
        if pids:
            parts.append(Query.const_score_query(Query.term_set_query(self._schema, "pid", list(pids)), 1.0))
        if not parts:
            return []
        wanted = Query.boolean_query([(Occur.Should, part) for part in parts])
        latest = Query.const_score_query(self._term("is_latest", True), 0.0)
        query = Query.boolean_query(
            [(Occur.Must, wanted), (Occur.Must, latest), (Occur.MustNot, self._term("pid", excluded))]
        )
        depth = max(_TIED, limit)
        found = self._by_score_and_citations(query, depth)
        if len(found) == depth and found[-1][0] == found[limit - 1][0]:
            found += self._resolved_ties(query, found[limit - 1][0], limit)
        return [pid for _, _, pid in sorted(set(found))[:limit]]

    def _resolved_ties(self, query: Query, lost: float, wanted: int) -> list[tuple[float, int, int]]:
        """More of the papers of one score, the best cited ones first of all; `lost` is that score turned negative."""
        cited = self._pids(self._in_order(query, "citation_rank", _TIED))
        among = Query.const_score_query(Query.term_set_query(self._schema, "pid", cited), 0.0)
        found = self._by_score_and_citations(_all_of([query, among]), len(cited))
        if sum(score == lost for score, _, _ in found) < wanted:
            found += self._by_score_and_citations(query, _TIED_WIDE)
        return found

    def _by_score_and_citations(self, query: Query, limit: int) -> list[tuple[float, int, int]]:
        """Score turned negative, place by citations and pid of the first papers by score alone, best first."""
        hits = self._search(query, limit).hits
        addresses = [address for _, address in hits]
        places = zip(self._fast_field("citation_rank", addresses), self._fast_field("pid", addresses), strict=True)
        return [(-score, rank, pid) for (score, _), (rank, pid) in zip(hits, places, strict=True)]

    def candidates(self, fields: Sequence[str], text: str, limit: int) -> list[int]:
        """Papers whose fields hold words of a text or words one letter away from a word that the index lacks."""
        parts: list[tuple[Occur, Query]] = []
        for term in all_terms(text)[:_MAX_CANDIDATE_TERMS]:
            for field in fields:
                if self._searcher.doc_freq(field, term):
                    parts.append((Occur.Should, self._term(field, term)))
                elif len(term) >= _MIN_FUZZY_CHARS:
                    parts.append((Occur.Should, Query.fuzzy_term_query(self._schema, field, term, distance=1)))
        return self._pids(self._search(Query.boolean_query(parts), limit)) if parts else []

    def _term(self, field: str, value: object) -> Query:
        return Query.term_query(self._schema, field, value, "freq")

    def _keywords(self, terms: QueryTerms) -> Query:
        parts: list[tuple[Occur, Query]] = []
        for field, boost in self._boosts.items():
            if terms.is_phrase:
                parts.append(
                    (Occur.Should, _boosted(Query.phrase_query(self._schema, field, list(terms.terms)), boost))
                )
            else:
                parts += [(Occur.Should, _boosted(self._term(field, term), boost)) for term in terms.terms]
        return Query.boolean_query(parts)

    def _conditions(self, filters: DocumentFilters) -> Iterator[Query]:
        if filters.first_day is not None or filters.last_day is not None:
            yield Query.range_query(
                self._schema, "published_day", FieldType.Unsigned, filters.first_day, filters.last_day
            )
        if filters.has_official:
            yield self._term("has_official", True)
        if filters.latest_only:
            yield self._term("is_latest", True)
        for field, value in filters.ids:
            yield self._term(field, value)
        for word in filters.words:
            yield Query.boolean_query([(Occur.Should, self._term(field, word)) for field in ("title", "abstract")])

    def _passing_query(self, filters: DocumentFilters) -> Query:
        conditions = list(self._conditions(filters))
        return _all_of(conditions) if conditions else Query.all_query()

    def _filtered(self, query: Query, filters: DocumentFilters) -> Query:
        conditions = [Query.const_score_query(each, 0.0) for each in self._conditions(filters)]
        return _all_of([query, *conditions]) if conditions else query

    def _best(self, query: Query, depth: int) -> tuple[list[int], bool]:
        """The first `depth` pids in total order, and whether there are no more; ties at the cut are resolved."""
        limit = depth + _TIE_SLACK
        while True:
            hits = self._search(query, limit).hits
            scores = [round(score, _SCORE_DECIMALS) for score, _ in hits]
            is_all = len(hits) < limit
            if is_all or scores[-1] < scores[depth - 1]:
                break
            limit *= 2
        orders = self._fast_field("order", [address for _, address in hits])
        ranked = sorted(zip((-score for score in scores), orders, strict=True))
        return [order & _PID_MASK for _, order in ranked[:depth]], is_all and len(hits) <= depth

    def _among(self, query: Query, pids: Sequence[int]) -> set[int]:
        if not pids:
            return set()
        wanted = Query.term_set_query(self._schema, "pid", list(pids))
        return set(self._pids(self._search(_all_of([wanted, query]), len(pids))))

    def _uncached_count(self, terms: QueryTerms | None, filters: DocumentFilters) -> int:
        query = self._passing_query(filters) if terms is None else self._filtered(self._keywords(terms), filters)
        try:
            # Every paper has exactly one `order`; counting its values is a third faster than a counting search.
            return int(
                self._searcher.aggregate(query, {"papers": {"value_count": {"field": "order"}}})["papers"]["value"]
            )
        except (OSError, ValueError) as error:
            raise _unreadable() from error

    def _search(self, query: Query, limit: int) -> tantivy.SearchResult:
        # Counting in the same pass would switch off the pruning that makes the best few cheap to find.
        try:
            return self._searcher.search(query, limit, count=False)
        except (OSError, ValueError) as error:
            raise _unreadable() from error

    def _in_order(self, query: Query, rank_field: str, size: int, offset: int = 0) -> tantivy.SearchResult:
        try:
            return self._searcher.search(
                query, size, count=False, order_by_field=rank_field, offset=offset, order=Order.Asc
            )
        except (OSError, ValueError) as error:
            raise _unreadable() from error

    def _pids(self, result: tantivy.SearchResult) -> list[int]:
        return self._fast_field("pid", [address for _, address in result.hits])

    def _fast_field(self, name: str, addresses: list[tantivy.DocAddress]) -> list[int]:
        return [int(value or 0) for value in self._searcher.fast_field_values(name, addresses)]


def _opened(directory: Path) -> tantivy.Index:
    """The index of a directory that may be read-only.

    The library takes a write lock even to read. It gets a passing directory of links to put the lock in; once opened,
    all files are mapped and the links are no longer needed.
    """
    # The library's watcher thread may put its lock there while the directory is removed; then that much stays behind.
    with tempfile.TemporaryDirectory(prefix="paperdesk-index-", ignore_cleanup_errors=True) as links:
        for path in directory.iterdir():
            if path.suffix != ".lock":
                (Path(links) / path.name).symlink_to(path.absolute())
        index = tantivy.Index.open(links)
        index.config_reader("manual")
        return index


def _boosted(query: Query, boost: float) -> Query:
    return query if boost == 1.0 else Query.boost_query(query, boost)


def _all_of(queries: Iterable[Query]) -> Query:
    return Query.boolean_query([(Occur.Must, query) for query in queries])


def _unreadable() -> SourceUnreachable:
    return SourceUnreachable("The catalog's text index could not be read. Try again later.", source="catalog")
