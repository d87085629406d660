"""One record from several sources: for every field the best source that has it (references contract, section 4.1)."""

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any

from core.records import Work

_BIBLIOGRAPHIC = (
    "store",
    "catalog",
    "crossref",
    "datacite",
    "europe-pmc",
    "openalex",
    "semantic_scholar",
    "doaj",
    "ncbi",
    "unpaywall",
    "arxiv",
)
"""Whose word counts first; the store and the catalog hold what was once merged in this order."""

_ABSTRACT = ("store", "catalog", "crossref", "arxiv", "europe-pmc", "openalex")
_OPEN_ACCESS = ("unpaywall", "doaj", "europe-pmc", "openalex")
_ORDER_OF_FIELD = {
    "abstract": _ABSTRACT,
    "oa_status": _OPEN_ACCESS,
    "oa_locations": _OPEN_ACCESS,
    "license": _OPEN_ACCESS,
}
# A value and what only makes sense beside it come from one record.
_TOGETHER = {"authors": "author_count", "published": "year", "arxiv_id": "arxiv_version"}
_UNITED = ("updates", "is_notice_for", "preprints", "sources")
_MERGING_SCHEMES = frozenset({"doi", "arxiv", "pmid"})
_KEY_SCHEMES = ("arxiv", "doi", "pmid", "pmcid", "openalex")


def merge_all(works: Iterable[Work]) -> tuple[Work, ...]:
    """The works, those merged that share a DOI, arXiv id or PMID; in the order of their first records."""
    known = list(works)
    parent = list(range(len(known)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = place = parent[parent[place]]
        return place

    first_with: dict[tuple[str, str], int] = {}
    for place, work in enumerate(known):
        for name in work.identifiers():
            if name[0] in _MERGING_SCHEMES:
                one, other = sorted((root(place), root(first_with.setdefault(name, place))))
                parent[other] = one
    groups: dict[int, list[Work]] = {}
    for place, work in enumerate(known):
        groups.setdefault(root(place), []).append(work)
    return tuple(merge(group) for group in groups.values())


def merge(works: Sequence[Work]) -> Work:
    """One record of one work, whose first record is the one that was asked for: it keeps its DOI or arXiv id as key.

    The caller has made sure that they are the same work: a shared DOI, arXiv id or PMID, never a title.
    """
    if len(works) == 1:
        return works[0]
    key = _key(works)
    kept_as_preprint = key.startswith("arxiv:")
    values: dict[str, Any] = {"key": key}
    for field in fields(Work):
        name = field.name
        if name in _UNITED:
            values[name] = tuple(dict.fromkeys(value for work in works for value in getattr(work, name)))
        elif name not in values and name not in _TOGETHER.values():
            best = _best(works, name, _order(name, kept_as_preprint))
            values[name] = getattr(best, name)
            if companion := _TOGETHER.get(name):
                values[companion] = getattr(best, companion)
    values["doi_registered"] = _registered(works, values["doi"])
    values["fetched_at"] = max((work.fetched_at for work in works if work.fetched_at), default=None)
    merged = Work(**values)
    return _as_preprint(merged, works) if kept_as_preprint else merged


def _registered(works: Sequence[Work], doi: str | None) -> str | None:
    """How an agency spells this very DOI."""
    spellings = (work.doi_registered for work in works if work.doi == doi)
    return next((spelling for spelling in spellings if spelling), None)


def _best(works: Sequence[Work], name: str, order: Sequence[str]) -> Work:
    """The record heard first that has the field; the year alone stands in for a date."""
    ranked = sorted(works, key=lambda work: _rank(work, order))
    for wanted in (name, _TOGETHER.get(name, name)):
        for work in ranked:
            if getattr(work, wanted) not in (None, (), ""):
                return work
    return ranked[0]


def _rank(work: Work, order: Sequence[str]) -> int:
    source = work.sources[0] if work.sources else ""
    return order.index(source) if source in order else len(order)


def _order(name: str, kept_as_preprint: bool) -> Sequence[str]:
    first = _ORDER_OF_FIELD.get(name, ())
    order = [*first, *(source for source in _BIBLIOGRAPHIC if source not in first)]
    return ["arxiv", *order] if kept_as_preprint and not first else order


def _key(works: Sequence[Work]) -> str:
    def place(work: Work) -> int:
        scheme = work.key.partition(":")[0]
        # Of a DOI and an arXiv id, neither replaces the other.
        return max(_KEY_SCHEMES.index(scheme), 1) if scheme in _KEY_SCHEMES else len(_KEY_SCHEMES)

    return min(works, key=place).key


def _as_preprint(merged: Work, works: Sequence[Work]) -> Work:
    """A record kept under an arXiv id: the DOI of the published version is a cross-reference, not its own."""
    own = {work.doi for work in works if work.key == merged.key}
    if merged.doi is None or merged.doi in own or merged.doi.startswith("10.48550/arxiv."):
        return merged
    return replace(merged, doi=None, doi_registered=None, preprint_of=merged.preprint_of or merged.doi)
