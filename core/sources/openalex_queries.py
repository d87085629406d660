"""What OpenAlex is asked: filters in which no text of a caller has a meaning, and names (references contract 4.4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from core.errors import Ambiguous, NotFound
from core.folds import plain_fold
from core.http.urls import path_part
from core.identifiers import Identifier, IdentifierKind
from core.sources.answers import NameCandidate
from core.sources.fields import folded_doi

Named = Literal["author", "venue", "publisher"]
"""What a name may be of."""

_KEPT_MARKS = " -'"
_LEAD = 2.0
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search is bounded by; ids are OpenAlex's own, as in `A5023888391`, `S137773608`, `P4310319965`."""

    from_year: int | None = None
    to_year: int | None = None
    oa_only: bool = False
    min_citations: int | None = None
    min_fwci: float | None = None
    min_percentile: float | None = None
    author: str | None = None
    venue: str | None = None
    publisher: str | None = None


def filter_expression(query: str, filters: Filters) -> str:
    """The `filter` of a search: each of its parts once."""
    parts = [
        ("title_and_abstract.search", searchable(query)),
        ("from_publication_date", None if filters.from_year is None else f"{filters.from_year:04d}-01-01"),
        ("to_publication_date", None if filters.to_year is None else f"{filters.to_year:04d}-12-31"),
        ("is_oa", "true" if filters.oa_only else None),
        ("cited_by_count", None if filters.min_citations is None else f">{filters.min_citations}"),
        ("fwci", None if filters.min_fwci is None else f">{_plain(filters.min_fwci)}"),
        ("cited_by_percentile_year.min", None if filters.min_percentile is None else _plain(filters.min_percentile)),
        ("authorships.author.id", filters.author),
        ("primary_location.source.id", filters.venue),
        ("primary_location.source.publisher_lineage", filters.publisher),
    ]
    return ",".join(f"{name}:{value}" for name, value in parts if value is not None)


def window_expression(since: date | None, until: date | None) -> list[str]:
    """The parts of a filter that bound days of publication."""
    bounds = (("from_publication_date", since), ("to_publication_date", until))
    return [f"{name}:{day.isoformat()}" for name, day in bounds if day is not None]


def fits_filter(doi: str) -> bool:
    """Whether a filter can carry this DOI beside others."""
    return not any(mark in doi for mark in ",|")


def searchable(query: str) -> str:
    """A query without what has a meaning in a filter."""
    kept = (each if each.isalnum() or each in _KEPT_MARKS else " " for each in query)
    return " ".join("".join(kept).split())


def work_path(identifier: Identifier) -> str:
    """The path of one work: DOIs and arXiv ids by DOI, else by the registry's id."""
    match identifier.kind:
        case IdentifierKind.DOI:
            return f"/works/doi:{path_part(folded_doi(identifier.id))}"
        case IdentifierKind.ARXIV:
            return f"/works/doi:{path_part(f'10.48550/arxiv.{identifier.value}')}"
        case IdentifierKind.OPENALEX:
            return f"/works/{identifier.id}"
        case IdentifierKind.PMID | IdentifierKind.PMCID:
            return f"/works/{identifier.kind}:{identifier.id}"
        case _:
            raise ValueError(f"OpenAlex has no works by {identifier.kind}")


def chosen(candidates: Sequence[NameCandidate], name: str, what: Named) -> NameCandidate:
    """The one that a name means. Raises `NotFound` and `Ambiguous`.

    Several that are called exactly so are told apart by nothing, however often each is cited.
    """
    if not candidates:
        raise NotFound(f"OpenAlex knows no {what} by this name; check the spelling or leave the filter out.")
    if len(candidates) == 1:
        return candidates[0]
    same = [each for each in candidates if plain_fold(each.name) == plain_fold(name)]
    if len(same) == 1:
        return same[0]
    ranked = sorted(candidates, key=lambda each: each.score, reverse=True)
    top, second = ranked[0].score, ranked[1].score
    if not same and second > 0 and top >= _LEAD * second:
        return ranked[0]
    raise Ambiguous(
        f"Several {what}s go by this name; send the full name of one of the candidates.",
        candidates=[each.entry() for each in candidates[:_SHOWN]],
    )


def _plain(number: float) -> str:
    """A number without an exponent."""
    return f"{number:.6f}".rstrip("0").rstrip(".")
