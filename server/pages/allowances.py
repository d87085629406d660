"""Limits and bounds in words: what each number of the documents counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from server.registry import BoundToolset, BudgetUse

_WORDS: Mapping[str, str] = {
    "per_minute": "requests in any 60 seconds, over all endpoints together; a batch counts as many as it has items",
    "catalog_semantic_per_minute": "catalog searches by meaning in any 60 seconds",
    "semantic_per_minute": "evidence searches by meaning in any 60 seconds",
    "semantic_daily": "evidence searches by meaning in a day (UTC)",
    "concurrent": "requests in progress at once",
    "api_per_minute": "requests to /api/v1 in any 60 seconds",
    "global": "requests in progress at once, of all callers together",
    "request_headers_bytes": "size of all request headers",
    "request_headers_fields": "number of request headers",
    "request_body_bytes": "size of a request body",
    "upstream_answer_bytes": "size of an answer that is read from a source",
    "tool_result_bytes": "size of a tool's whole answer",
    "resources_read_bytes": "size of a resource that is read",
    "any_answer_bytes": "size of any answer of the service",
}
_UNITS = ((1024 * 1024, "MiB"), (1024, "KiB"))


@dataclass(frozen=True, slots=True)
class Allowance:
    """One row: `tools` are those that draw on it, each with its toolset's id and how it does."""

    name: str
    amount: str
    meaning: str
    tools: tuple[tuple[str, str, BudgetUse], ...]


def allowances(limits: Mapping[str, int], toolsets: Sequence[BoundToolset]) -> list[Allowance]:
    """The rows of the limits, in their order."""
    return [
        Allowance(name, _amount(name, value), _WORDS.get(name, name.replace("_", " ")), _drawing(name, toolsets))
        for name, value in limits.items()
    ]


def _drawing(budget: str, toolsets: Sequence[BoundToolset]) -> tuple[tuple[str, str, BudgetUse], ...]:
    return tuple(
        (bound.toolset.id, tool.name, use)
        for bound in toolsets
        for tool in bound.toolset.tools
        for use in tool.budgets
        if use.budget == budget
    )


def _amount(name: str, value: int) -> str:
    if name.endswith("_bytes"):
        for size, unit in _UNITS:
            if value % size == 0:
                return f"{value // size:,} {unit}"
        return f"{value:,} bytes"
    return f"{value:,}"
