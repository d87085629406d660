"""Figures that gates measure are told at the end of a run, by whichever process they were taken."""

import pytest

FIGURE = "figure"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints what tests recorded with `record_property("figure", text)`."""
    reports = [
        report
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, ())
        if any(name == FIGURE for name, _ in report.user_properties)
    ]
    if reports:
        terminalreporter.section("figures")
    for report in reports:
        for name, text in report.user_properties:
            if name == FIGURE:
                terminalreporter.line(f"{report.nodeid.rpartition('::')[2]}: {text}")
