"""One record made of several records of a work (scan contract 7.5)."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from core.scan.days import full_date
from core.scan.models import FoundWork, Ids, Origin

_PUBLISHED = {"article": 0, "review": 0, "book-chapter": 0, "preprint": 1, "other": 2}
_YEAR = re.compile(r"[0-9]{4}")
_MONTH = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])")


def dated(work: FoundWork) -> FoundWork:
    """A record whose date is a real day or month or None, whose year is told by its date where nothing else tells it,
    and in which no place in a list is there twice."""
    text = work.publication_date or ""
    date = text if full_date(text) or _MONTH.fullmatch(text) else None
    year = int(text[:4]) if work.year is None and (date or _YEAR.fullmatch(text)) else work.year
    return replace(work, publication_date=date, year=year, origins=united_origins(work.origins))


def ordered(found: Iterable[FoundWork]) -> list[FoundWork]:
    """Records in an order that follows from their contents alone, the most published first."""
    return sorted(found, key=lambda work: (_PUBLISHED[work.type], sorted(map(_place, work.origins)), repr(work)))


def united(works: Sequence[FoundWork]) -> FoundWork:
    """One record of the `dated` records of one work; of values that cannot be joined the earlier record's stays."""
    if len(works) == 1:
        return works[0]
    by_publication = sorted(works, key=lambda work: _PUBLISHED[work.type])
    leading = by_publication[0]
    date, year = _date_and_year(by_publication)
    return FoundWork(
        title=_first(works, lambda work: work.title) or "",
        abstract=_longest(works, lambda work: work.abstract),
        tldr=_first(works, lambda work: work.tldr),
        authors=max(works, key=lambda work: len(work.authors)).authors,
        year=year,
        publication_date=date,
        venue=_first(by_publication, lambda work: work.venue),
        type=leading.type,
        raw_type=leading.raw_type,
        ids=_united_ids(works),
        citation_count=_largest(work.citation_count for work in works),
        influential_citation_count=_largest(work.influential_citation_count for work in works),
        is_retracted=any(work.is_retracted for work in works),
        oa_url=_first(works, lambda work: work.oa_url),
        origins=united_origins(origin for work in works for origin in work.origins),
    )


def united_origins(origins: Iterable[Origin]) -> tuple[Origin, ...]:
    """Each place in a list once; one that a primary list gives is not secondary."""
    known: dict[tuple[Any, ...], Origin] = {}
    for origin in origins:
        place = _place(origin)
        before = known.get(place)
        if before is None or (before.secondary and not origin.secondary):
            known[place] = origin
    return tuple(known.values())


def _united_ids(works: Sequence[FoundWork]) -> Ids:
    return Ids(
        doi=_first(works, lambda work: work.ids.doi),
        arxiv=_first(works, lambda work: work.ids.arxiv),
        pmid=_first(works, lambda work: work.ids.pmid),
        openalex=_first(works, lambda work: work.ids.openalex),
        s2=_first(works, lambda work: work.ids.s2),
        catalog=_first(works, lambda work: work.ids.catalog),
    )


def _place(origin: Origin) -> tuple[str, str, str, str, int]:
    return origin.source, origin.relation, origin.query_id or "", origin.seed_id or "", origin.rank


def _date_and_year(by_publication: Sequence[FoundWork]) -> tuple[str | None, int | None]:
    """The date of the most published record, else the earliest full date, else a month; and the year of publication."""
    leading = by_publication[0]
    dates = sorted(work.publication_date for work in by_publication if work.publication_date)
    days = [date for date in dates if full_date(date)]
    date = leading.publication_date or next(iter([*days, *dates]), None)
    if leading.year is not None:
        return date, leading.year
    years = [work.year for work in by_publication if work.year is not None]
    return date, int(date[:4]) if date else min(years, default=None)


def _first(works: Sequence[FoundWork], value: Callable[[FoundWork], str | None]) -> str | None:
    return next((found for work in works if (found := value(work))), None)


def _longest(works: Sequence[FoundWork], value: Callable[[FoundWork], str | None]) -> str | None:
    return max((found for work in works if (found := value(work))), key=len, default=None)


def _largest(counts: Iterable[int | None]) -> int | None:
    return max((count for count in counts if count is not None), default=None)
