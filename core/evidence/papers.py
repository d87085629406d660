"""Searching assessed papers: identity, exact title, then words in six fields (contract 4.2 and 5.3)."""

from dataclasses import dataclass
from functools import reduce

import numpy as np

from core.catalog.embedded.connection import Connection
from core.catalog.missing import quoted
from core.errors import Entry, InvalidInput
from core.evidence.authors import Authors
from core.evidence.claims import checked_units
from core.evidence.folding import units
from core.evidence.identity import named_by
from core.evidence.listing import Filter, ceiling, fitted, narrowing_note, widening_note, words_note
from core.evidence.lookup import by_identifier, by_title
from core.evidence.ranking import FIELD_WEIGHTS, count_without, first_by_score, first_places, fused_scores
from core.evidence.results import PaperPage
from core.evidence.rows import PaperHit, Rows
from core.evidence.service import PAPERS_LIMIT
from core.evidence.snippets import best_snippet
from core.evidence.stored.columns import MISSING, code
from core.evidence.stored.evidence_set import EvidenceSet, Json, bodies
from core.evidence.stored.words import Mask, Scores
from core.evidence.vocabulary import LEVELS, PAPER_TYPES, THEMES
from core.identifiers import Identifier

FILTERS = (
    "author",
    "source",
    "theme",
    "paper_type",
    "methods_rigor",
    "evidence_strength",
    "min_relevance",
    "year_from",
    "year_to",
)
BY_SCORE = "score desc, relevance desc, published desc, paper_id asc"
BY_RELEVANCE = "relevance desc, published desc, paper_id asc"
_EXACT_TITLE = 0.99
_SNIPPETS_MAX = 3
_YEARS = ("year_from", "year_to")
_COLUMNS = {"paper_type": PAPER_TYPES, "methods_rigor": LEVELS, "evidence_strength": LEVELS}


@dataclass(frozen=True, slots=True)
class PaperSearch:
    """One call of `search_papers`; absent values are None."""

    query: str | None = None
    author: str | None = None
    source: str | None = None
    theme: str | None = None
    paper_type: str | None = None
    methods_rigor: str | None = None
    evidence_strength: str | None = None
    min_relevance: int | None = None
    year_from: int | None = None
    year_to: int | None = None
    limit: int = PAPERS_LIMIT


@dataclass(frozen=True, slots=True)
class _Ranking:
    """What a query matched and how: scores of all papers, of each field, and those with the exact title."""

    matches: Mask
    scores_of_fields: tuple[Scores, ...] = ()
    titled: frozenset[int] = frozenset()
    identity: bool = False


def check_years(asked: PaperSearch) -> None:
    """Raises `InvalidInput` for reversed years."""
    if asked.year_from is not None and asked.year_to is not None and asked.year_from > asked.year_to:
        raise InvalidInput(
            f"Reversed years: year_from {asked.year_from} is after year_to {asked.year_to}. Swap the two."
        )


class Papers:
    """Searches the papers of one evidence set."""

    def __init__(self, stored: EvidenceSet, rows: Rows, authors: Authors) -> None:
        self._stored = stored
        self._rows = rows
        self._authors = authors
        self._size = len(stored.papers["year"])

    def search(self, connection: Connection, asked: PaperSearch) -> PaperPage:
        """One page; blocking."""
        notes: list[str] = []
        used = self._used(asked)
        masks = {name: self._mask(connection, name, value) for name, value in used.items()}
        passing = reduce(np.logical_and, masks.values(), np.ones(self._size, dtype=bool))
        ranking = self._ranking(connection, asked.query, passing, notes)
        wanted = ranking.matches & passing
        total = int(np.count_nonzero(wanted))
        notes += self._undated(used, masks, ranking.matches)
        if total > asked.limit:
            notes.append(narrowing_note(total, asked.limit, FILTERS, used))
        if not total and (note := widening_note(used, count_without(ranking.matches, masks))):
            notes.append(note)
        hits = self._hits(connection, asked, ranking, wanted)
        empty = PaperPage(
            results=(),
            total=total,
            returned=0,
            limit=asked.limit,
            has_more=False,
            order=BY_RELEVANCE if asked.query is None else BY_SCORE,
            filters_applied=used,
            notes=notes,
            corpus_version=self._stored.corpus_version,
        )
        return fitted(empty, self._rows.papers(connection, hits), ceiling(asked.limit, PAPERS_LIMIT))

    def _used(self, asked: PaperSearch) -> dict[str, Filter]:
        sources = self._stored.sources
        if asked.source is not None and asked.source not in sources:
            raise InvalidInput(
                f"Unknown source {quoted(asked.source)}. Must be one of: {', '.join(sources)}.",
                suggestions=[Entry(id=name, name=name) for name in sources[:5]],
            )
        values = {name: getattr(asked, name) for name in FILTERS}
        return {name: value for name, value in values.items() if value is not None}

    def _mask(self, connection: Connection, name: str, value: Filter) -> Mask:
        columns = self._stored.papers
        match name:
            case "author":
                mask = np.zeros(self._size, dtype=bool)
                mask[self._authors.papers_of(connection, str(value))] = True
                return mask
            case "source":
                return np.asarray(columns["source"] == self._stored.sources.index(str(value)))
            case "theme":
                return np.asarray((columns["themes"] & (1 << THEMES.index(str(value)))) != 0)
            case "min_relevance":
                return np.asarray(columns["relevance"] >= int(value))
            case "year_from":
                return np.asarray(columns["year"] >= int(value))
            case "year_to":
                return np.asarray((columns["year"] <= int(value)) & (columns["year"] != MISSING))
        return np.asarray(columns[name] == code(str(value), _COLUMNS[name]))

    def _undated(self, used: dict[str, Filter], masks: dict[str, Mask], matches: Mask) -> list[str]:
        """Says how many papers are left out for want of a year."""
        if not any(name in used for name in _YEARS):
            return []
        others = [mask for name, mask in masks.items() if name not in _YEARS]
        unknown = reduce(np.logical_and, others, matches) & (self._stored.papers["year"] == MISSING)
        count = int(np.count_nonzero(unknown))
        return [f"{count} matching papers of unknown year are left out."] if count else []

    def _ranking(self, connection: Connection, query: str | None, passing: Mask, notes: list[str]) -> _Ranking:
        if query is None:
            return _Ranking(np.ones(self._size, dtype=bool))
        if identifier := named_by(query):
            return self._identity(connection, identifier, notes)
        found = self._stored.paper_words.find(connection, checked_units(query))
        titled = by_title(connection, query)
        matches = found.matches.copy()
        if titled and not found.is_complete:
            matches[:] = False
        matches[titled] = True
        if not found.is_complete and not titled:
            notes.append(words_note(found.absent, has_matches=bool(matches.any())))
        by_field = self._stored.paper_words.scores(found, matches & passing)
        return _Ranking(matches, tuple(by_field), frozenset(titled))

    def _identity(self, connection: Connection, identifier: Identifier, notes: list[str]) -> _Ranking:
        matches = np.zeros(self._size, dtype=bool)
        no = by_identifier(connection, identifier)
        if no is None:
            notes.append(f"The identifier {quoted(identifier.key)} is unknown here; no word search was made.")
        else:
            matches[no] = True
        return _Ranking(matches, identity=True)

    def _hits(self, connection: Connection, asked: PaperSearch, ranking: _Ranking, wanted: Mask) -> dict[int, PaperHit]:
        if asked.query is None:
            return {no: PaperHit(0.0, "filter") for no in first_places(wanted, asked.limit)}
        if ranking.identity:
            return {no: PaperHit(1.0, "exact_id", ("identifier",)) for no in first_places(wanted, asked.limit)}
        scores = fused_scores(ranking.scores_of_fields, wanted, self._stored.papers["id_rank"])
        scores[list(ranking.titled)] = _EXACT_TITLE
        numbers = first_by_score(scores, wanted, asked.limit)
        texts = bodies(connection, "paper", "searched", numbers)
        tokens = frozenset(token for unit in units(asked.query) for token in unit.tokens)
        hits = {}
        for no in numbers:
            fields = tuple(
                name for name, found in zip(FIELD_WEIGHTS, ranking.scores_of_fields, strict=True) if found[no] > 0
            )
            if no in ranking.titled and "title" not in fields:
                fields = ("title", *fields)
            retriever = "exact_title" if no in ranking.titled else "fts"
            snippets = _snippets(texts[no], fields, tokens)
            hits[no] = PaperHit(float(scores[no]), retriever, fields, snippets)  # type: ignore[arg-type]
        return hits


def _snippets(texts: Json, fields: tuple[str, ...], tokens: frozenset[str]) -> tuple[Json, ...]:
    """One for each of the first matched fields in which a word can be marked."""
    found: list[Json] = []
    for field in fields:
        text = best_snippet(texts.get(field, ()), tokens)
        if text is not None:
            found.append({"field": field, "text": text})
        if len(found) == _SNIPPETS_MAX:
            break
    return tuple(found)
