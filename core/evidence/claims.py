"""Searching graded claims (contract 4.1)."""

from dataclasses import dataclass
from functools import reduce

import numpy as np

from core.catalog.embedded.connection import Connection
from core.catalog.likeness import similarity, trigrams
from core.catalog.missing import quoted
from core.errors import Entry, InvalidInput
from core.evidence.folding import Unit, category_fold, units
from core.evidence.listing import Filter, ceiling, fitted, narrowing_note, widening_note, words_note
from core.evidence.ranking import best_ranked, count_without, first_places
from core.evidence.results import ClaimPage
from core.evidence.rows import Rows
from core.evidence.service import CLAIMS_LIMIT
from core.evidence.stored.columns import code
from core.evidence.stored.evidence_set import EvidenceSet
from core.evidence.stored.words import Mask
from core.evidence.vocabulary import DIRECTIONS, EFFECT_TYPES, EVIDENCE_GRADES, PAPER_TYPES
from core.evidence.weights import SCALE

FILTERS = ("outcome_category", "direction", "effect_type", "evidence_grade", "paper_type", "min_evidence_weight")
BY_TEXT = "text score desc, evidence_weight desc, claim_id asc"
BY_WEIGHT = "evidence_weight desc, claim_id asc"
_NEAR_MAX = 5
_COLUMNS = {
    "direction": ("direction", DIRECTIONS),
    "effect_type": ("effect_type", EFFECT_TYPES),
    "evidence_grade": ("grade", EVIDENCE_GRADES),
    "paper_type": ("paper_type", PAPER_TYPES),
}


def checked_units(query: str) -> tuple[Unit, ...]:
    """The units of a query; raises `InvalidInput` where nothing can be searched."""
    found = units(query)
    if not found:
        raise InvalidInput(f"The query {quoted(query)} holds nothing to search for. Use words, such as remote work.")
    return found


@dataclass(frozen=True, slots=True)
class ClaimSearch:
    """One call of `search_claims`; absent values are None."""

    query: str | None = None
    outcome_category: str | None = None
    direction: str | None = None
    effect_type: str | None = None
    evidence_grade: str | None = None
    paper_type: str | None = None
    min_evidence_weight: float | None = None
    limit: int = CLAIMS_LIMIT


class Claims:
    """Searches the claims of one evidence set."""

    def __init__(self, stored: EvidenceSet, rows: Rows) -> None:
        self._stored = stored
        self._rows = rows
        self._size = len(stored.claims["weight"])

    def search(self, connection: Connection, asked: ClaimSearch) -> ClaimPage:
        """One page; blocking."""
        query = None if asked.query is None else checked_units(asked.query)
        used = self._used(asked)
        masks = {name: self._mask(name, value) for name, value in used.items()}
        notes: list[str] = []
        if query is None:
            matches, ranked = self._all(), self._by_weight
        else:
            found = self._stored.claim_words.find(connection, query)
            matches = found.matches
            if not found.is_complete:
                notes.append(words_note(found.absent, has_matches=bool(matches.any())))

            def ranked(wanted: Mask, limit: int) -> tuple[list[int], list[float]]:
                return best_ranked(self._stored.claim_words.scores(found, wanted, is_rounded=False)[0], wanted, limit)

        wanted = reduce(np.logical_and, masks.values(), matches)
        total = int(np.count_nonzero(wanted))
        numbers, scores = ranked(wanted, asked.limit)
        if total > asked.limit:
            notes.append(narrowing_note(total, asked.limit, FILTERS, used))
        if not total and (note := widening_note(used, count_without(matches, masks))):
            notes.append(note)
        rows = self._rows.claims(connection, numbers, scores, "filter" if query is None else "fts")
        empty = ClaimPage(
            results=(),
            total=total,
            returned=0,
            limit=asked.limit,
            has_more=False,
            order=BY_WEIGHT if query is None else BY_TEXT,
            filters_applied=used,
            notes=notes,
            corpus_version=self._stored.corpus_version,
        )
        return fitted(empty, rows, ceiling(asked.limit, CLAIMS_LIMIT))

    def _all(self) -> Mask:
        return np.ones(self._size, dtype=bool)

    def _used(self, asked: ClaimSearch) -> dict[str, Filter]:
        values = {name: getattr(asked, name) for name in FILTERS}
        if asked.outcome_category is not None:
            values["outcome_category"] = self._category(asked.outcome_category)
        return {name: value for name, value in values.items() if value is not None}

    def _category(self, text: str) -> str:
        """The slug of a category; raises `InvalidInput` with the nearest ones."""
        folded = category_fold(text)
        categories = self._stored.categories
        if folded in categories:
            return folded
        wanted = trigrams(folded.replace("_", " "))
        near = sorted(categories, key=lambda name: (-similarity(wanted, trigrams(name.replace("_", " "))), name))[
            :_NEAR_MAX
        ]
        raise InvalidInput(
            f"Unknown outcome_category {quoted(text)}. The nearest are: {', '.join(near)}.",
            suggestions=[Entry(id=name, name=name.replace("_", " ")) for name in near],
        )

    def _mask(self, name: str, value: Filter) -> Mask:
        columns = self._stored.claims
        if name == "min_evidence_weight":
            return np.asarray(columns["weight"] / SCALE >= float(value))
        if name == "outcome_category":
            return np.asarray(columns["category"] == self._stored.categories.index(str(value)))
        column, values = _COLUMNS[name]
        return np.asarray(columns[column] == code(str(value), values))

    def _by_weight(self, wanted: Mask, limit: int) -> tuple[list[int], list[float]]:
        numbers = first_places(wanted, limit)
        return numbers, [0.0] * len(numbers)
