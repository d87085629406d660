"""The one window of a scan: given once, in months, and turned into days at the start (scan contract 2.2)."""

import calendar
from collections.abc import Mapping
from datetime import date
from typing import Any

from core.scan.answers.refusals import Code, Refused
from core.scan.checking.plans import window_of
from core.scan.checking.requests import StartRequest
from core.scan.checking.walking import BAD, Walk
from core.scan.days import ScanWindow
from core.scan.models import PlanWindow

DEFAULT_MONTHS = 36


def check_windows(walk: Walk, given: Mapping[str, Any]) -> None:
    """Notes a reversed window, and two windows that differ, in walked arguments."""
    ends = PlanWindow(given["since"], given["until"])
    _check_order(walk, ends, "since", "until")
    planned = None if given["queries"] is BAD else given["queries"]["window"]
    if planned is None or planned is BAD:
        return
    window = PlanWindow(planned["from"], planned["to"])
    _check_order(walk, window, "queries.window.from", "queries.window.to")
    if _is_given(ends) and _is_given(window):
        for path, here, there in (("since", ends.lower, window.lower), ("until", ends.upper, window.upper)):
            if here != there and BAD not in (here, there):
                end = "from" if path == "since" else "to"
                walk.add(path, f"differs from queries.window.{end}", Code.WINDOW_CONFLICT)


def given_window(given: Mapping[str, Any]) -> PlanWindow | None:
    """The window that sound, walked arguments give in either place."""
    return window_of({"from": given["since"], "to": given["until"]}) or window_of(given["queries"]["window"])


def window_days(given: PlanWindow | None, start_day: date) -> ScanWindow:
    """The days of a window; without one, from the first day of the month 36 months before the start, to the start."""
    if given is None:
        first_month = start_day.year * 12 + start_day.month - 1 - DEFAULT_MONTHS
        return ScanWindow(date(first_month // 12, first_month % 12 + 1, 1), start_day)
    lower = None if given.lower is None else date(*_month(given.lower), 1)
    if given.upper is None:
        return ScanWindow(lower, start_day)
    year, month = _month(given.upper)
    return ScanWindow(lower, date(year, month, calendar.monthrange(year, month)[1]))


def scan_window(request: StartRequest, start_day: date) -> ScanWindow:
    """The window of a new scan; raises `Refused` for one that begins after the start day and has no end."""
    window = window_days(request.window, start_day)
    if window.lower is not None and window.lower > window.upper:
        path = "queries.window.from" if request.since is None else "since"
        raise Refused(Code.WINDOW_CONFLICT, (f"{path}: is after the day of the start, where the window ends",))
    return window


def _month(text: str) -> tuple[int, int]:
    # The form allows a year 0000, which no calendar here has; nothing was published in either.
    return max(1, int(text[:4])), int(text[5:])


def _check_order(walk: Walk, window: PlanWindow, lower: str, upper: str) -> None:
    if isinstance(window.lower, str) and isinstance(window.upper, str) and window.lower > window.upper:
        walk.add(lower, f"must not be after {upper}", Code.WINDOW_CONFLICT)


def _is_given(window: PlanWindow) -> bool:
    return window.lower is not None or window.upper is not None
