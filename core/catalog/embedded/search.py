"""A search over one catalog: keyword, semantic and hybrid orders, with pinned hits in front (catalog contract 10)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from core.catalog.embedded.connection import Connection
from core.catalog.embedded.embedding import Embedder
from core.catalog.embedded.papers import TITLE_LEVELS, numeric_id, pid_of, rows, title_pids
from core.catalog.embedded.text_analysis import MAX_TERMS, QueryTerms, all_terms, query_terms
from core.catalog.embedded.text_search import DocumentFilters, TextIndex
from core.catalog.embedded.vectors import Vectors
from core.catalog.models import CountKind, PaperFilters, SearchMode, SearchRows
from core.errors import InvalidInput, SourceError, Unavailable

RRF_K = 20
"""The catalog contract says 60. Measured on CACM (benchmarks/search_quality.py), 20 is better by 0.01 nDCG@10."""
POOL_SIZE = 500
MAX_PINS = 10
_SCORE_DECIMALS = 6


def document_filters(filters: PaperFilters) -> DocumentFilters | None:
    """The filters as the text index knows them; None when no paper can pass them."""
    named = {
        "task": filters.task_id,
        "method": filters.method_id,
        "conference": filters.conference_id,
        "framework": filters.framework_id,
        "organization": filters.organization_id,
    }
    wanted = [(field, text) for field, text in named.items() if text is not None]
    wanted += [("author", text) for text in filters.author_ids]
    ids = tuple((field, number) for field, text in wanted if (number := numeric_id(text)) is not None)
    words = all_terms(filters.search) if filters.search is not None else ()
    if len(ids) < len(wanted) or (filters.search is not None and not words):
        return None
    return DocumentFilters(
        first_day=_day(filters.published_after),
        last_day=_day(filters.published_before),
        has_official=filters.has_official_implementation,
        latest_only=filters.latest_only,
        ids=ids,
        words=words,
    )


def _day(text: str | None) -> int | None:
    return None if text is None else date.fromisoformat(text).toordinal()


def fused(orders: Sequence[Sequence[int]], k: int = RRF_K) -> dict[int, float]:
    """Reciprocal rank fusion: each paper's sum of 1 / (k + rank) over the orders that hold it, rank from 1."""
    scores: dict[int, float] = {}
    for order in orders:
        for rank, pid in enumerate(order, start=1):
            scores[pid] = scores.get(pid, 0.0) + 1.0 / (k + rank)
    return scores


def checked_terms(query: str) -> QueryTerms:
    """The terms of a query; raises `InvalidInput` for none and for over 64."""
    terms = query_terms(query)
    if not terms.terms:
        raise InvalidInput("The query holds no searchable word. Use words, numbers or an identifier.")
    if len(terms.terms) > MAX_TERMS:
        raise InvalidInput(f"The query holds {len(terms.terms)} search terms, the most is {MAX_TERMS}. Shorten it.")
    return terms


@dataclass(frozen=True, slots=True)
class Meaning:
    """What searching by meaning needs: vectors, and an embedder of the same space."""

    vectors: Vectors
    embedder: Embedder


class Search:
    """Searches one opened catalog; blocking, for worker threads."""

    def __init__(self, text: TextIndex, vectors: Vectors | None, embedder: Embedder | None) -> None:
        self._text = text
        self._meaning = _meaning(vectors, embedder)

    @property
    def has_vectors(self) -> bool:
        """Whether searching by meaning is possible."""
        return isinstance(self._meaning, Meaning)

    def run(
        self,
        connection: Connection,
        query: str,
        mode: SearchMode,
        filters: PaperFilters,
        pinned: Sequence[str],
        page: int,
        size: int,
    ) -> SearchRows:
        """One page of a search; see `CatalogBackend.search`."""
        chosen = document_filters(filters)
        start, end = (page - 1) * size, page * size
        if mode is SearchMode.SEMANTIC:
            nearest = self._semantic(query, chosen)
            return SearchRows(rows(connection, nearest[start:end]), len(nearest), CountKind.POOL, SearchMode.SEMANTIC)
        terms = checked_terms(query)
        pool, reason = self._pool_or_reason(query, chosen) if mode is SearchMode.HYBRID else (None, None)
        used, kind = (SearchMode.KEYWORD, CountKind.TOTAL) if pool is None else (SearchMode.HYBRID, CountKind.POOL)
        if chosen is None:
            return SearchRows((), 0, kind, used, reason)
        pins = self._pins(connection, query, pinned, chosen)
        if pool is None:
            order, count = self._keyword(terms, chosen, pins, start, end)
        else:
            order = pins + self._hybrid(terms, pool, chosen, pins)
            count = len(order)
        return SearchRows(rows(connection, order[start:end]), count, kind, used, reason)

    def _keyword(
        self, terms: QueryTerms, filters: DocumentFilters, pins: list[int], start: int, end: int
    ) -> tuple[list[int], int]:
        unmatched = len(pins) - len(self._text.keyword_matches(terms, pins))
        count = self._text.keyword_count(terms, filters) + unmatched
        if start >= count:
            return [], count
        found = self._text.keyword_order(terms, filters, end)
        return pins + [pid for pid in found if pid not in pins], count

    def _hybrid(self, terms: QueryTerms, pool: list[int], filters: DocumentFilters, pins: list[int]) -> list[int]:
        """The fused order without the pins."""
        found = self._text.keyword_order(terms, filters, POOL_SIZE + len(pins))
        words = [pid for pid in found if pid not in pins][:POOL_SIZE]
        scores = fused([words, pool])
        ties = dict(zip(scores, self._text.tie_keys(list(scores)), strict=True))
        order = sorted(scores, key=lambda pid: (-round(scores[pid], _SCORE_DECIMALS), ties[pid]))
        return [pid for pid in order if pid not in pins]

    def _semantic(self, query: str, filters: DocumentFilters | None) -> list[int]:
        if not isinstance(self._meaning, Meaning):
            raise Unavailable(f"{self._meaning} Use the mode keyword or hybrid.")
        return self._pool(self._meaning, query, filters)

    def _pool_or_reason(self, query: str, filters: DocumentFilters | None) -> tuple[list[int] | None, str | None]:
        if not isinstance(self._meaning, Meaning):
            return None, self._meaning
        try:
            return self._pool(self._meaning, query, filters), None
        except SourceError:
            return None, "The query could not be embedded just now."

    def _pool(self, meaning: Meaning, query: str, filters: DocumentFilters | None) -> list[int]:
        """The nearest papers that pass, by cosine desc, published desc (missing last), id."""
        vector: NDArray[np.float32] = meaning.embedder.embed([query])[0]
        if filters is None:
            return []
        mask = None if filters.is_empty else self._text.passing_mask(filters, meaning.vectors.pids)
        scored = meaning.vectors.nearest(vector, POOL_SIZE, mask)
        ties = self._text.tie_keys([pid for pid, _ in scored])
        ranked = sorted((-score, tie, pid) for (pid, score), tie in zip(scored, ties, strict=True))
        return [pid for _, _, pid in ranked[:POOL_SIZE]]

    def _pins(self, connection: Connection, query: str, pinned: Sequence[str], filters: DocumentFilters) -> list[int]:
        named = [pid for each in pinned if (pid := pid_of(connection, each)) is not None]
        titled = [pid for level in TITLE_LEVELS for pid in title_pids(connection, query, level)]
        wanted = list(dict.fromkeys(named + titled))
        passing = self._text.passing(filters, wanted)
        return [pid for pid in wanted if pid in passing][:MAX_PINS]


def _meaning(vectors: Vectors | None, embedder: Embedder | None) -> Meaning | str:
    """What searches by meaning, or why that is impossible."""
    if vectors is None:
        return "This catalog holds no vectors."
    if embedder is None:
        return "This deployment has no embedder."
    if (embedder.model, embedder.dimensions) != (vectors.model, vectors.dimensions):
        return "The catalog's vectors were made with another model than this deployment's embedder."
    return Meaning(vectors, embedder)
