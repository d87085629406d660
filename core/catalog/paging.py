"""Page arithmetic and shared argument rules of the listings (catalog contract 2.1, 2.2 and 11.4)."""

from core.errors import InvalidInput

PAGES_MAX = 100


def next_page(count: int, page: int, limit: int) -> int | None:
    """The following page where it has a row and may be fetched (page 100 is the last that may)."""
    return page + 1 if page * limit < count and page < PAGES_MAX else None


def page_count(count: int, limit: int) -> int:
    """How many pages may be fetched: as many as hold a row, at most `PAGES_MAX`, and one of nothing."""
    return min(PAGES_MAX, max(1, -(-count // limit)))


def page_notes(count: int, page: int, limit: int) -> list[str]:
    """What a reader should know of a page past the end, and from page 1 on of rows beyond page 100."""
    last = page_count(count, limit)
    if count and page > last:
        return [f"Page {page} is past the end; the last page is {last}."]
    if count > PAGES_MAX * limit:
        return [
            f"Only the first {PAGES_MAX * limit} of {count} rows can be paged; "
            "narrow the filters or the dates to reach the others."
        ]
    return []


def check_date_range(after: str | None, before: str | None) -> None:
    """Refuses a range whose start is later than its end. Both are `YYYY-MM-DD`, which sorts as text."""
    if after and before and after > before:
        raise InvalidInput(
            f"published_after {after} is later than published_before {before}; swap them or leave one out."
        )


def as_text(value: bool | int | float | str) -> str:
    """An argument as `applied_filters` shows it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def applied(**filters: bool | int | float | str | None) -> dict[str, str]:
    """The filters that ran, as text; absent ones left out."""
    return {name: as_text(value) for name, value in filters.items() if value is not None}
