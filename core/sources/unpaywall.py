"""Unpaywall: whether and where a work can be read without paying (references contract 3.1, 4.2, 4.4)."""

from collections.abc import Iterable
from typing import Any

from core.records import Author, OaLocation, PartialDate, Work
from core.sources import fields
from core.sources.answers import OaAnswer, Record
from core.sources.drafting import Draft, present
from core.sources.fields import MissingField, Row
from core.sources.service import Service
from core.works.types import from_crossref

SOURCE = "unpaywall"
_STATUSES = frozenset({"closed", "gold", "green", "hybrid", "bronze"})
_SHOWN = ("url", "url_for_pdf", "license")


class Unpaywall(Service):
    """The index of open copies; it is never asked without a contact."""

    async def oa(self, doi: str, *, caller: str) -> OaAnswer:
        """What is known of open copies of this DOI."""
        row, stale = await self._row(("v2", fields.folded_doi(doi)), caller=caller, operation="oa")
        with self._reading():
            return unpaywall_answer(row, stale=stale)


def unpaywall_answer(row: Row, *, stale: bool = False) -> OaAnswer:
    """One answer; raises `MissingField`."""
    registered = fields.registered_doi(fields.text(row, "doi"))
    if registered is None:
        raise MissingField("doi")
    if not isinstance(row.get("is_oa"), bool):
        raise MissingField("is_oa")
    status = (fields.text(row, "oa_status") or "").lower()
    best = _location(fields.row_in(row, "best_oa_location"))
    listed = [location for each in fields.rows(row, "oa_locations") if (location := _location(each))]
    locations = tuple(dict.fromkeys([*([best] if best else []), *listed]))
    oa_status = status if status in _STATUSES else None
    doi, draft = fields.folded_doi(registered), Draft()
    work = Work(
        key=f"doi:{doi}",
        doi=doi,
        title=draft.clean("title", fields.text(row, "title")),
        authors=present(_author(draft, each) for each in fields.rows(row, "z_authors")),
        published=_published(row),
        type=from_crossref(fields.text(row, "genre")),
        venue=draft.clean("venue", fields.text(row, "journal_name")),
        publisher=draft.clean("publisher", fields.text(row, "publisher")),
        license=best.license if best else None,
        oa_status=oa_status,
        oa_locations=locations,
        sources=(SOURCE,),
    )
    return OaAnswer(Record(work, _metadata(row), (), draft.quality, stale), oa_status, best, locations)


def _published(row: Row) -> PartialDate | None:
    year = fields.text(row, "year")
    return fields.date_of([year]) if year else None


def _author(draft: Draft, row: Row) -> Author | None:
    family, given = fields.text(row, "family"), fields.text(row, "given")
    if family or given:
        return draft.person(family, given, suffix=fields.text(row, "suffix"))
    return draft.named(fields.text(row, "raw_author_name")) or draft.group(fields.text(row, "name"))


def _location(row: Row) -> OaLocation | None:
    url, pdf = fields.text(row, "url"), fields.text(row, "url_for_pdf")
    if url is None and pdf is None:
        return None
    return OaLocation(url, pdf, fields.text(row, "host_type"), fields.text(row, "version"), fields.text(row, "license"))


def _metadata(row: Row) -> dict[str, Any]:
    best = row.get("best_oa_location")
    return {
        **{name: row.get(name) for name in ("doi", "is_oa", "oa_status", "title")},
        "best_oa_location": _only_shown(best) if isinstance(best, dict) else None,
        "oa_locations": list(_all_shown(fields.rows(row, "oa_locations"))),
    }


def _all_shown(rows: Iterable[Row]) -> Iterable[dict[str, Any]]:
    return (_only_shown(each) for each in rows)


def _only_shown(row: Row) -> dict[str, Any]:
    return {name: row.get(name) for name in _SHOWN}
