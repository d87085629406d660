"""One window a scan, in months, and the days that it means."""

from datetime import date
from typing import Any

import pytest

from core.scan.checking import scan_window, start, window_days
from core.scan.days import ScanWindow
from core.scan.models import PlanWindow
from tests.core.scan.checking.refusing import refused
from tests.core.scan.sent import sent_plan, sent_start

START = date(2026, 12, 1)


@pytest.mark.parametrize(
    ("given", "lower", "upper"),
    [
        (None, date(2023, 12, 1), START),
        (PlanWindow("2024-02", "2024-02"), date(2024, 2, 1), date(2024, 2, 29)),
        (PlanWindow("2024-02", None), date(2024, 2, 1), START),
        (PlanWindow(None, "2025-12"), None, date(2025, 12, 31)),
        (PlanWindow("0000-01", "9999-12"), date(1, 1, 1), date(9999, 12, 31)),
    ],
)
def test_months_become_days(given: PlanWindow | None, lower: date | None, upper: date) -> None:
    assert window_days(given, START) == ScanWindow(lower, upper)


def test_the_default_window_begins_36_months_before_the_month_of_the_start() -> None:
    assert window_days(None, date(2024, 2, 29)) == ScanWindow(date(2021, 2, 1), date(2024, 2, 29))
    assert window_days(None, date(2024, 1, 1)) == ScanWindow(date(2021, 1, 1), date(2024, 1, 1))


@pytest.mark.parametrize(
    ("window", "ends", "taken"),
    [
        ({"from": "2024-01"}, {"since": "2024-01"}, PlanWindow("2024-01")),
        ({"from": "2024-01", "to": "2024-06"}, {}, PlanWindow("2024-01", "2024-06")),
        ({}, {"until": "2024-06"}, PlanWindow(None, "2024-06")),
        (None, {"since": "2024-06", "until": "2024-06"}, PlanWindow("2024-06", "2024-06")),
        ({"from": None}, {}, None),
    ],
)
def test_one_place_gives_the_window(window: Any, ends: dict[str, str], taken: PlanWindow | None) -> None:
    # scan A10
    assert start(sent_start(queries=sent_plan(window=window), **ends)).window == taken


@pytest.mark.parametrize(
    ("window", "ends", "lines"),
    [
        ({"from": "2024-01"}, {"since": "2024-02"}, ["since: differs from queries.window.from"]),
        (
            {"from": "2024-01", "to": "2024-06"},
            {"until": "2024-07"},
            ["since: differs from queries.window.from", "until: differs from queries.window.to"],
        ),
        (None, {"since": "2024-02", "until": "2024-01"}, ["since: must not be after until"]),
        (
            {"from": "2024-02", "to": "2024-01"},
            {},
            ["queries.window.from: must not be after queries.window.to"],
        ),
    ],
)
def test_two_windows_and_reversed_ones_are_refused(window: Any, ends: dict[str, str], lines: list[str]) -> None:
    # scan A9 scan A10
    assert refused(start, sent_start(queries=sent_plan(window=window), **ends)) == ("window_conflict", lines)


def test_a_broken_end_is_not_compared() -> None:
    # scan A9
    plan = sent_plan(window={"from": "2024-01", "to": "x"})
    assert refused(start, sent_start(queries=plan, since="2024-13"))[1] == [
        "queries.window.to: must be a month such as 2024-03",
        "since: must be a month such as 2024-03",
    ]
    assert refused(start, sent_start(queries=sent_plan(window=3), since="2024-01")) == (
        "schema_violation",
        ["queries.window: must be an object"],
    )


def test_a_window_that_begins_after_the_start_is_reversed() -> None:
    assert scan_window(start(sent_start()), START) == window_days(None, START)
    assert refused(scan_window, start(sent_start(since="2027-01")), START) == (
        "window_conflict",
        ["since: is after the day of the start, where the window ends"],
    )
    later = start(sent_start(queries=sent_plan(window={"from": "2027-01"})))
    assert refused(scan_window, later, START)[1] == [
        "queries.window.from: is after the day of the start, where the window ends"
    ]
