"""The last part of `evidence.md`: what the scan covers, and what it could not (scan contract 7.15)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.scan.rendering.escaping import inline


def coverage_lines(coverage: Mapping[str, Any] | None, failed_sources: Sequence[str]) -> Iterator[str]:
    """A table of sub-criteria, with a column for the gap round where there was one, and what is missing."""
    yield "## Coverage"
    yield ""
    rounds: Sequence[Mapping[str, Any]] = coverage["rounds"] if coverage else ()
    if not rounds:
        yield "Nothing was counted."
    else:
        yield from _table(rounds[0], rounds[-1] if len(rounds) > 1 else None)
    yield ""
    yield f"- Failed sources: {', '.join(map(inline, failed_sources)) or 'none'}"
    if rounds:
        latest = rounds[-1]
        thin = ", ".join(_name(each) for each in latest["criteria"] if each["thin"])
        yield f"- Thin criteria: {thin or 'none'}"
        yield f"- Relevant works that name no criterion: {latest['unattributed_ge2']}"


def _table(first: Mapping[str, Any], second: Mapping[str, Any] | None) -> Iterator[str]:
    """`second` is the round after the gap queries."""
    latest = second or first
    columns = ["Criterion", "Hits", "Thin", *(["Gain"] if second else [])]
    yield f"| {' | '.join(columns)} |"
    yield f"| {' | '.join('---' for _ in columns)} |"
    before = {each["id"]: each["hits"] for each in first["criteria"]}
    for row in latest["criteria"]:
        cells = [_name(row), str(row["hits"]), "yes" if row["thin"] else "no"]
        gain = [f"{row['hits'] - before.get(row['id'], 0):+d}"] if second else []
        yield f"| {' | '.join((*cells, *gain))} |"


def _name(row: Mapping[str, Any]) -> str:
    return inline(f"{row['id']} {row['name']}")
