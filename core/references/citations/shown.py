"""Candidates as an answer shows them, and an answer of many kept within its size (references contract, 3.20, 3.21)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from core.errors import ResultTooLarge
from core.references.citations.ranking import Candidate, Ranking
from core.references.text.cuts import units_of
from core.works.names import name_parts

ANSWER_CHARS_MAX = 130_000
"""Leaves room for the text block within the ceiling of 150,000."""

_QUERIES_USUAL, _CANDIDATES_USUAL = 25, 125
_FAILURES_CHARS_MAX = 40_000
_UNITS_MAX = 60_000
"""Of an answer with no more than these, which stays under 25,000 tokens with its text block (contract 1.4)."""


@dataclass(frozen=True, slots=True)
class _Bounds:
    """How much of each part is shown; None: all of it."""

    title_chars: int | None = None
    matched: int | None = None
    candidates: int | None = None
    query_chars: int | None = None


# From what an answer can spare most easily to what it exists for.
_TIGHTER = (
    _Bounds(),
    _Bounds(title_chars=300, matched=20),
    _Bounds(title_chars=300, matched=10, candidates=3),
    _Bounds(title_chars=200, matched=5, candidates=1, query_chars=300),
)


def shown_failures(failed: Sequence[tuple[str, Mapping[str, Any]]]) -> list[dict[str, Any]]:
    """One row per citation text that could not be searched, with `query` and `error`; many long texts are cut."""
    rows: list[dict[str, Any]] = [{"query": query, "error": dict(error)} for query, error in failed]
    if len(orjson.dumps(rows).decode()) <= _FAILURES_CHARS_MAX:
        return rows
    for row, (query, _) in zip(rows, failed, strict=True):
        row["query"] = _cut(query, _TIGHTER[-1].query_chars)
        if row["query"] != query:
            row["truncated"] = True
    return rows


def shown(
    results: Sequence[tuple[str, Ranking]],
    *,
    beside: Sequence[Mapping[str, Any]] = (),
    chars_max: int = ANSWER_CHARS_MAX,
) -> list[dict[str, Any]]:
    """One row per citation text, with `query`, `candidates` and `best`; `beside` are rows that share their room.

    Rows that were cut to fit have `truncated`, shortened texts end in an ellipsis, and `candidate_count` and
    `matched_count` say how many there were.
    """
    all_of_it = [_row(query, ranking, _Bounds()) for query, ranking in results]
    is_usual = len(results) <= _QUERIES_USUAL and sum(len(each.candidates) for _, each in results) <= _CANDIDATES_USUAL
    chars_max -= len(orjson.dumps(list(beside)).decode())
    for bounds in _TIGHTER:
        rows = [_row(query, ranking, bounds) for query, ranking in results]
        for row, whole in zip(rows, all_of_it, strict=True):
            if row != whole:
                row["truncated"] = True
        text = orjson.dumps(rows).decode()
        if len(text) <= chars_max and (bounds is _TIGHTER[-1] or not is_usual or units_of(text) <= _UNITS_MAX):
            return rows
    raise ResultTooLarge("The answer would be too long. Send fewer citations at a time.")


def _row(query: str, ranking: Ranking, bounds: _Bounds) -> dict[str, Any]:
    candidates = ranking.candidates[: bounds.candidates]
    row: dict[str, Any] = {
        "query": _cut(query, bounds.query_chars),
        "candidates": [_candidate(candidate, bounds) for candidate in candidates],
        "best": ranking.best.doi if ranking.best else None,
    }
    if len(candidates) < len(ranking.candidates):
        row["candidate_count"] = len(ranking.candidates)
    return row


def _candidate(candidate: Candidate, bounds: _Bounds) -> dict[str, Any]:
    work, score = candidate.found.work, candidate.score
    evidence = score.evidence
    shown: dict[str, Any] = {
        "doi": candidate.doi,
        "title": _cut(work.title or "", bounds.title_chars),
        "author": ", ".join(part for part in name_parts(work.authors[0]) if part) if work.authors else None,
        "year": work.year,
        "score": score.score,
        "confidence": score.confidence,
        "matched": list(score.matched[: bounds.matched]),
        "source": candidate.found.source,
        "arxiv": work.arxiv_id,
        "rank": candidate.rank,
        "rank_score": evidence.rank_score,
        "verdict": evidence.verdict,
        "evidence": {
            "title": _rounded(evidence.title),
            "author": evidence.author,
            "year": evidence.year,
            "venue": _rounded(evidence.venue),
            "identifier": True if candidate.found.identifier is not None else None,
        },
        "retracted": True if candidate.is_retracted else None,
    }
    if len(shown["matched"]) < len(score.matched):
        shown["matched_count"] = len(score.matched)
    return shown


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _cut(text: str, chars: int | None) -> str:
    return text if chars is None or len(text) <= chars else f"{text[: chars - 1]}…"
