"""Every filter sent is confirmed, or the call fails: unfiltered rows are never shown (catalog contract 11.1)."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from core.catalog.models import Author
from core.catalog.upstream.api import Api
from core.catalog.upstream.pages import WirePage
from core.catalog.upstream.paper_rows import author
from core.catalog.upstream.values import Json, identifier, objects
from core.folds import plain_fold

_FIRST_DAYS = "-01-01"


def confirm_echo(api: Api, page: WirePage, sent: Mapping[str, str], *, is_first: bool) -> None:
    """Each filter must stand in `applied_filters` with the value sent; only an empty first page needs no word."""
    for name, value in sent.items():
        if name not in page.applied:
            if page.row_total:
                raise api.unconfirmed(name)
        elif not _equal(page.applied[name], value) and (page.row_total or not is_first):
            raise api.unconfirmed(name)


def confirm_if_echoed(api: Api, page: WirePage, sent: Mapping[str, object]) -> None:
    """Each filter must have the value sent where `applied_filters` speaks of it; only rows make it matter."""
    for name, value in sent.items():
        if (
            value is not None
            and page.row_total
            and name in page.applied
            and not _equal(page.applied[name], _text(value))
        ):
            raise api.unconfirmed(name)


def confirm_rows(
    api: Api, rows: Iterable[Json], field: str, holds: Callable[[Any], bool], *, name: str | None = None
) -> None:
    """Every row that carries a field must pass its filter, called `name` where that differs."""
    for row in rows:
        if row.get(field) is not None and not holds(row[field]):
            raise api.unconfirmed(name or field)


def confirm_dates(api: Api, page: WirePage, days: Iterable[str | None], after: str | None, before: str | None) -> None:
    """Dates of a search: by `applied_filters` when it speaks of them, else by the date of every row."""
    known = list(days)
    for name, value in (("start_date", after), ("end_date", before)):
        if value is None:
            continue
        if name in page.applied:
            confirm_echo(api, page, {name: value}, is_first=True)
        elif not all(day and _is_within(day, value, is_start=name == "start_date") for day in known):
            raise api.unconfirmed(name)


def confirmed_authors(api: Api, page: WirePage, names: tuple[str, ...]) -> tuple[Author, ...]:
    """The authors that the upstream took the filters for, one for each name; none on an empty first page."""
    applied = objects(page.applied.get("authors"))
    found = [each for row in applied if (each := author(row))]
    if not page.row_total and not applied:
        return ()
    if len(found) != len(applied) or not found:
        raise api.unconfirmed("authors")
    chosen = [next((each for each in found if _is_author(each, name)), None) for name in names]
    if None in chosen:
        raise api.unconfirmed("authors")
    return tuple(each for each in chosen if each is not None)


def _is_author(found: Author, name: str) -> bool:
    if name.isascii() and name.isdecimal():
        return found.id == name
    if name.startswith("@"):
        return (found.hf_username or "").casefold() == name[1:].casefold()
    return plain_fold(found.name) == plain_fold(name)


def _is_within(day: str, bound: str, *, is_start: bool) -> bool:
    first_day = day if len(day) == len("YYYY-MM-DD") else (day + _FIRST_DAYS)[:7] + "-01"
    return first_day >= bound if is_start else first_day <= bound


def _equal(echoed: object, sent: str) -> bool:
    return _text(echoed).strip().casefold() == sent.strip().casefold()


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        # Some upstreams echo what they took a name for, with its id.
        return identifier(value.get("id")) or ""
    return str(value)
