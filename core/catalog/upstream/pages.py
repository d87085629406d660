"""Page envelopes of `/api/v1`, and windows of rows gathered over several pages (catalog contract 11.4, 12 and 16.1)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from core.catalog.together import AT_ONCE_MAX, all_of
from core.catalog.upstream.values import Json, count, identifier, integer
from core.errors import SourceTimeout

T = TypeVar("T")

ROWS_PER_PAGE = 100


@dataclass(frozen=True, slots=True)
class WirePage:
    """The objects of one page. `next_page` only where it is a larger number; `skipped` counts rows of no use."""

    rows: list[Json] = field(default_factory=list)
    count: int | None = None
    next_page: int | None = None
    skipped: int = 0
    applied: Mapping[str, Any] = field(default_factory=dict)
    envelope: Json = field(default_factory=dict)
    is_past_end: bool = False

    @property
    def row_total(self) -> int:
        """All rows that came, those of no use included."""
        return len(self.rows) + self.skipped

    @property
    def has_more(self) -> bool:
        """Whether the upstream says that a page follows."""
        return self.next_page is not None


def wire_page(answer: object, page: int) -> WirePage | None:
    """The page in an envelope; None when there is no list in it, which is not the same as an empty one."""
    if not isinstance(answer, dict):
        return None
    listed = next((answer[name] for name in ("results", "items") if isinstance(answer.get(name), list)), None)
    if listed is None:
        return None
    rows = [row for row in listed if isinstance(row, dict)]
    total = next((found for name in ("count", "total") if (found := count(answer.get(name))) is not None), None)
    following = integer(answer.get("next_page"))
    applied = answer.get("applied_filters")
    return WirePage(
        rows=rows,
        count=total,
        next_page=following if following is not None and following > page else None,
        skipped=len(listed) - len(rows),
        applied=applied if isinstance(applied, dict) else {},
        envelope=answer,
    )


@dataclass(frozen=True, slots=True)
class Gathered:
    """Rows over several pages, each id once. `is_cut` when rows that should be there are missing."""

    rows: list[Json]
    count: int | None
    is_cut: bool
    first: WirePage


async def gather(fetch: Callable[[int], Awaitable[WirePage]], bound: int) -> Gathered:
    """All rows of a collection, pages four at a time: to the count, the first empty page, or `bound` rows.

    A missing count does not end it: the word of the last page read does. Pages that repeat what came before count as
    empty, and time that runs out after the first page leaves what there is.
    """
    first = await fetch(1)
    rows = _Rows(first)
    page, wanted = 2, _wanted(first, bound)
    ended = not rows.adds(first) or (first.count is None and not first.has_more)
    while not ended and rows.seen < wanted:
        missing = -(-(wanted - rows.seen) // max(1, first.row_total))
        try:
            found = await all_of([_page_of(fetch, number) for number in range(page, page + min(AT_ONCE_MAX, missing))])
        except SourceTimeout:
            return Gathered(rows.kept[:bound], first.count, True, first)
        for each in found:
            ended = ended or not rows.adds(each) or (first.count is None and not each.has_more)
        page += len(found)
    is_short = first.count is not None and rows.seen < first.count
    is_bounded = first.count is None and not ended
    return Gathered(rows.kept[:bound], first.count, is_short or is_bounded or len(rows.kept) > bound, first)


def _wanted(first: WirePage, bound: int) -> int:
    return bound if first.count is None else min(first.count, bound)


def _page_of(fetch: Callable[[int], Awaitable[WirePage]], number: int) -> Callable[[], Awaitable[WirePage]]:
    return lambda: fetch(number)


class _Rows:
    """Rows in the order they came, each id once."""

    def __init__(self, first: WirePage) -> None:
        self.kept: list[Json] = []
        self.seen = 0
        self._ids: set[str] = set()
        self._is_over = not first.row_total

    def adds(self, page: WirePage) -> bool:
        """Takes the rows of the next page; false once there is nothing new, whatever follows."""
        new = [row for row in page.rows if (id_ := identifier(row.get("id"))) is None or id_ not in self._ids]
        if self._is_over or not (new or page.skipped):
            self._is_over = True
            return False
        self._ids.update(id_ for row in new if (id_ := identifier(row.get("id"))))
        self.kept += new
        self.seen += len(new) + page.skipped
        return True


def sliced(found: Sequence[T], page: int, size: int) -> tuple[T, ...]:
    """One page of a list that came whole."""
    return tuple(found[(page - 1) * size : page * size])
