"""What a tool and a toolset are: schemas built once, arguments checked, results cleaned, every failure worded.

A toolset states its tools and its dialect; bound to its room's services it answers calls. Nothing here knows HTTP.
"""

import inspect
import logging
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import anyio
from pydantic import BaseModel

from core.clock import Clock
from core.errors import PaperdeskError, SourceTimeout
from server.arguments import bind, near, without_surrogates
from server.schemas import DateText, UnportableSchema, input_schema, output_schema

__all__ = [
    "BoundToolset",
    "DateText",
    "Dialect",
    "Failure",
    "Success",
    "Tool",
    "ToolOutcome",
    "Toolset",
    "UnknownTool",
    "UnportableSchema",
]

MAX_DEADLINE_S = 55.0
"""No tool may run longer, whatever its toolset declares (hosting contract 2.6)."""

_ANNOTATIONS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": True}

_log = logging.getLogger("paperdesk.tools")


@dataclass(frozen=True, slots=True)
class Tool:
    """One public function. Its name, docstring, parameters (after `services`) and return model are the wire."""

    function: Callable[..., Awaitable[BaseModel]]
    title: str
    budgets: tuple[str, ...] = ()
    synonyms: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The function's own name."""
        return self.function.__name__

    @property
    def description(self) -> str:
        """The function's docstring, dedented."""
        return inspect.getdoc(self.function) or ""


@dataclass(frozen=True, slots=True)
class Success:
    """A result as a family words it: JSON-ready structured content and its text blocks."""

    structured: dict[str, Any]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure as a family words it; `details` holds JSON-ready `retry_after_s`, `candidates`, `suggestions`."""

    code: str
    message: str
    retryable: bool
    details: Mapping[str, Any] = field(default_factory=dict)


class Dialect(Protocol):
    """How one family words what happened."""

    def success(self, tool: str, result: BaseModel) -> Success:
        """Structured content within the family's ceilings and its text; may raise `ResultTooLarge`."""
        ...

    def failure(self, error: BaseException) -> Failure:
        """The family's failure for any exception, unexpected ones included."""
        ...

    def failure_meta(self, failure: Failure) -> dict[str, Any]:
        """The `_meta` object of an error result."""
        ...


@dataclass(frozen=True, slots=True)
class Toolset:
    """One endpoint's worth of tools, in the order shown; `deadline_s` holds for each call."""

    id: str
    title: str
    description: str
    path: str
    instructions: str
    dialect: Dialect
    tools: tuple[Tool, ...]
    deadline_s: float = 25.0


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a call came to. `structured` is None and `code` is set exactly when `is_error`.

    `ending` is `ok`, `failed`, `timeout` (the deadline passed) or `crashed` (an unexpected exception).
    """

    structured: dict[str, Any] | None
    texts: tuple[str, ...]
    is_error: bool = False
    meta: dict[str, Any] | None = None
    code: str | None = None
    elapsed_s: float = 0.0
    ending: str = "ok"


class UnknownTool(LookupError):
    """No tool of this toolset has that name; `near` holds the names most like it."""

    def __init__(self, name: str, near: tuple[str, ...]) -> None:
        super().__init__("no such tool")
        self.name = name
        self.near = near


@dataclass(frozen=True, slots=True)
class _Prepared:
    tool: Tool
    schema: dict[str, Any]


class BoundToolset:
    """A toolset with the services that its tools take as their first argument."""

    def __init__(self, toolset: Toolset, services: Any, *, clock: Clock) -> None:
        if not 0 < toolset.deadline_s <= MAX_DEADLINE_S:
            raise ValueError(f"{toolset.id}: a deadline lies above 0 and at most {MAX_DEADLINE_S} s")
        self.toolset = toolset
        self.tools_list: list[dict[str, Any]] = []
        self._services = services
        self._clock = clock
        self._prepared: dict[str, _Prepared] = {}
        for tool in toolset.tools:
            if tool.name in self._prepared:
                raise ValueError(f"{toolset.id}: two tools are called {tool.name}")
            schema = input_schema(tool.function)
            unknown = set(tool.synonyms.values()) - set(schema["properties"])
            if unknown:
                raise ValueError(f"{tool.name}: synonyms for no parameter: {', '.join(sorted(unknown))}")
            self._prepared[tool.name] = _Prepared(tool, schema)
            self.tools_list.append(_wire(tool, schema))

    @property
    def names(self) -> tuple[str, ...]:
        """The tools' names in the order shown."""
        return tuple(self._prepared)

    def tool(self, name: str) -> Tool | None:
        """The tool of that name, or None."""
        prepared = self._prepared.get(name)
        return None if prepared is None else prepared.tool

    def input_schema(self, name: str) -> dict[str, Any] | None:
        """The schema of a tool's arguments, or None when there is no such tool."""
        prepared = self._prepared.get(name)
        return None if prepared is None else prepared.schema

    async def call(self, name: str, arguments: Mapping[str, Any] | None) -> ToolOutcome:
        """Runs a tool under its deadline; every failure comes back as an outcome. Raises `UnknownTool`."""
        prepared = self._prepared.get(name)
        if prepared is None:
            raise UnknownTool(name, tuple(near(name, self.names)))
        started_s = self._clock.monotonic_s()
        try:
            values = bind(name, prepared.schema, arguments or {}, prepared.tool.synonyms)
            result: BaseModel | None = None
            with anyio.move_on_after(self.toolset.deadline_s):
                result = await prepared.tool.function(self._services, **values)
            if result is None:
                return self._timed_out(name, self._clock.monotonic_s() - started_s)
            success = self.toolset.dialect.success(name, result)
        except Exception as error:
            return self.outcome_of(error, tool=name, elapsed_s=self._clock.monotonic_s() - started_s)
        texts = tuple(without_surrogates(text) for text in success.texts)
        return ToolOutcome(_clean(success.structured), texts, elapsed_s=self._clock.monotonic_s() - started_s)

    def outcome_of(self, error: Exception, *, tool: str, elapsed_s: float = 0.0) -> ToolOutcome:
        """An exception in the family's words; an unexpected one is logged by class and place, never by its text."""
        ending = "failed"
        if not isinstance(error, PaperdeskError):
            ending = "crashed"
            _log.error("tool_crashed tool=%s error=%s at=%s", tool, type(error).__name__, _place(error))
        failure = self.toolset.dialect.failure(error)
        meta = _clean(self.toolset.dialect.failure_meta(failure))
        text = without_surrogates(f"{failure.code}: {failure.message}")
        return ToolOutcome(None, (text,), True, meta, failure.code, elapsed_s, ending)

    def _timed_out(self, tool: str, elapsed_s: float) -> ToolOutcome:
        limit_s = self.toolset.deadline_s
        text = f"{tool} did not finish within {limit_s:g} seconds; try again, or ask for less."
        return replace(
            self.outcome_of(SourceTimeout(text, source=self.toolset.id), tool=tool, elapsed_s=elapsed_s),
            ending="timeout",
        )


def _wire(tool: Tool, schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": schema,
        "outputSchema": output_schema(tool.function),
        "annotations": {"title": tool.title, **_ANNOTATIONS},
    }


def _place(error: BaseException) -> str:
    """The innermost own module and line that an exception passed through."""
    root = Path(__file__).resolve().parent.parent
    place = "outside"
    trace = error.__traceback__
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if path.is_relative_to(root):
            place = f"{path.relative_to(root)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


def _clean(value: Any) -> Any:
    """JSON without what one wire breaks on: a NaN or infinity is left out, an unpaired surrogate is replaced."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, dict):
        return {without_surrogates(key): _clean(item) for key, item in value.items() if not _is_not_finite(item)}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value if not _is_not_finite(item)]
    return value


def _is_not_finite(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)
