"""Page arithmetic and shared argument rules of the listings (catalog contract 2.1, 2.2 and 11.4)."""

from core.errors import InvalidInput

PAGES_MAX = 100
ROWS_MAX = 25


def next_page(count: int | None, page: int, limit: int, *, has_more: bool = False) -> int | None:
    """The following page where it has a row and may be fetched (page 100 is the last that may).

    `has_more` says so where the source does not tell its count.
    """
    follows = has_more if count is None else page * limit < count
    return page + 1 if follows and page < PAGES_MAX else None


def page_count(count: int, limit: int) -> int:
    """How many pages may be fetched: as many as hold a row, at most `PAGES_MAX`, and one of nothing."""
    return min(PAGES_MAX, max(1, -(-count // limit)))


def page_notes(count: int | None, page: int, limit: int) -> list[str]:
    """What a reader should know of a page past the end, and of rows that no page holds.

    Where a larger limit reaches all, that is said on the last page; where none does, from page 1 on.
    """
    if count is None:
        return ["The source does not tell how many rows there are."]
    last = page_count(count, limit)
    if count and page > last:
        return [f"Page {page} is past the end; the last page is {last}."]
    reached = PAGES_MAX * limit
    if count > PAGES_MAX * ROWS_MAX:
        return [f"Only the first {reached} of {count} rows can be paged; narrow the filters to reach the others."]
    if count > reached and page == PAGES_MAX:
        return [f"Only the first {reached} of {count} rows can be paged by {limit}; a larger limit reaches the others."]
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
