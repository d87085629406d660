"""What a tool and a toolset are: schemas built once, arguments checked, results cleaned, every failure worded.

A toolset states its tools, resources and prompts and its dialect; bound to its room's services it answers for them.
Nothing here knows HTTP.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from pydantic import BaseModel

from core.clock import Clock
from core.deadline import Deadline, deadline
from core.errors import SourceTimeout
from server.arguments import Arguments
from server.completions import Completer, Completion, complete
from server.dialect import (
    Block,
    Dialect,
    ErrorCode,
    Failure,
    FailuresAsResults,
    OwnArguments,
    Success,
    clean,
    cleaned,
    log_crash,
)
from server.metering import owe_reserved
from server.prompts import BoundPrompts, Prompt
from server.resources import BoundResources, HeldAs, ResourceTemplate
from server.running import DeadlinePassed, within
from server.schemas import DateText, UnportableSchema, input_schema, output_schema
from server.spelling import near, without_surrogates

__all__ = [
    "Block",
    "BoundToolset",
    "BudgetUse",
    "Completer",
    "Completion",
    "DateText",
    "Dialect",
    "ErrorCode",
    "Failure",
    "FailuresAsResults",
    "HeldAs",
    "ItemsOf",
    "OwnArguments",
    "Prompt",
    "ResourceTemplate",
    "Success",
    "Tool",
    "ToolOutcome",
    "Toolset",
    "UnknownTool",
    "UnportableSchema",
    "owe_reserved",
    "without_surrogates",
]

MAX_DEADLINE_S = 55.0
"""No tool may run longer, whatever its toolset declares (hosting contract 2.6)."""

_ANNOTATIONS: Mapping[str, bool] = MappingProxyType(
    {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": True}
)


_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class BudgetUse:
    """A budget that each call of a tool draws on, except one whose argument `unless[0]` is exactly `unless[1]`."""

    budget: str
    unless: tuple[str, str] | None = None

    def counts(self, arguments: Mapping[str, Any]) -> bool:
        """Whether a call with these arguments, as they were sent, draws on the budget."""
        return self.unless is None or arguments.get(self.unless[0]) != self.unless[1]


ItemsOf = Callable[[Mapping[str, Any]], int]
"""How many items a batch has, by its arguments as they were sent, whatever their form."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One public function. Its name, docstring, parameters (after `services`) and return model are the wire.

    `example` holds arguments that the sample catalog answers, for the documents. `deadline_s` is the tool's own where
    the toolset's does not suit it; `hints` are what differs from a read-only tool. `items` counts those of a batch.
    `text` is the description where the mode that is running has another one than the docstring. `own_schema` is the
    schema of a tool that checks its arguments itself, all problems of a call at once: it takes them as one mapping.
    """

    function: Callable[..., Awaitable[BaseModel]]
    title: str
    budgets: tuple[BudgetUse, ...] = ()
    items: ItemsOf | None = None
    synonyms: Mapping[str, str] = field(default_factory=dict)
    example: Mapping[str, Any] | None = None
    deadline_s: float | None = None
    hints: Mapping[str, bool] = field(default_factory=dict)
    text: str | None = None
    own_schema: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        """The function's own name."""
        return self.function.__name__

    @property
    def input_schema(self) -> dict[str, Any]:
        """The schema of its arguments."""
        return input_schema(self.function) if self.own_schema is None else dict(self.own_schema)

    @property
    def description(self) -> str:
        """The function's docstring, dedented, or the text in its place."""
        return self.text or inspect.getdoc(self.function) or ""


@dataclass(frozen=True, slots=True)
class Toolset:
    """One endpoint's worth of tools, resources and prompts, in the order shown.

    `errors` is the closed set of codes that its dialect speaks. `deadline_s` holds for each call and each reading.
    `unlisted` are tools that are answered and not offered.
    """

    id: str
    title: str
    description: str
    path: str
    instructions: str
    dialect: Dialect
    tools: tuple[Tool, ...]
    resources: tuple[ResourceTemplate, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    errors: tuple[ErrorCode, ...] = ()
    deadline_s: float = 25.0
    unlisted: tuple[Tool, ...] = ()

    @property
    def server_name(self) -> str:
        """What its MCP server is called."""
        return f"paperdesk-{self.id}"

    @property
    def completes(self) -> bool:
        """Whether any argument of a prompt or variable of a resource template can be completed."""
        return any(template.completers for template in self.resources) or any(
            prompt.completers for prompt in self.prompts
        )


class ToolOutcome(NamedTuple):
    """What a call came to. `code` is set exactly when it failed; `encoded` is the JSON of `structured`, which an error
    has none of, and a failure that the family words as a result has.

    `ending` is `ok`, `failed`, `timeout` (the deadline passed) or `crashed` (an unexpected exception).
    """

    structured: dict[str, Any] | None
    texts: tuple[str, ...]
    is_error: bool = False
    meta: dict[str, Any] | None = None
    code: str | None = None
    ending: str = "ok"
    encoded: bytes = b""
    blocks: tuple[Block, ...] = ()


class UnknownTool(LookupError):
    """No tool of this toolset has that name; `near` holds the names most like it."""

    def __init__(self, name: str, near: tuple[str, ...]) -> None:
        super().__init__("no such tool")
        self.name = name
        self.near = near


class Binding(Protocol):
    """The parameters of one function, made ready."""

    def bind(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The named values; raises `InvalidInput`."""
        ...


@dataclass(frozen=True, slots=True)
class _Prepared:
    tool: Tool
    schema: dict[str, Any]
    arguments: Binding
    deadline_s: float


class BoundToolset:
    """A toolset with the services that its tools take as their first argument.

    `deadline_max_s` is how long a tool may run at all, whatever is declared.
    """

    def __init__(
        self, toolset: Toolset, services: Any, *, clock: Clock, deadline_max_s: float = MAX_DEADLINE_S
    ) -> None:
        deadlines = [toolset.deadline_s, *(tool.deadline_s for tool in toolset.tools if tool.deadline_s is not None)]
        if not all(0 < each <= deadline_max_s for each in deadlines):
            raise ValueError(f"{toolset.id}: a deadline lies above 0 and at most {deadline_max_s} s")
        self.toolset = toolset
        self.tools_list: list[dict[str, Any]] = []
        self.resources = BoundResources(
            toolset.resources, services, dialect=toolset.dialect, deadline_s=toolset.deadline_s, clock=clock
        )
        self.prompts = BoundPrompts(toolset.prompts)
        self._services = services
        self._clock = clock
        self._prepared: dict[str, _Prepared] = {}
        for tool in (*toolset.tools, *toolset.unlisted):
            if tool.name in self._prepared:
                raise ValueError(f"{toolset.id}: two tools are called {tool.name}")
            schema = tool.input_schema
            arguments = _binding(toolset.dialect, tool, schema)
            _check(tool, schema, arguments)
            self._prepared[tool.name] = _Prepared(tool, schema, arguments, tool.deadline_s or toolset.deadline_s)
            if tool in toolset.tools:
                self.tools_list.append(_wire(tool, schema))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools that are offered, in the order shown."""
        return tuple(tool["name"] for tool in self.tools_list)

    def tool(self, name: str) -> Tool | None:
        """The tool of that name, or None."""
        prepared = self._prepared.get(name)
        return None if prepared is None else prepared.tool

    def input_schema(self, name: str) -> dict[str, Any] | None:
        """The schema of a tool's arguments, or None when there is no such tool."""
        prepared = self._prepared.get(name)
        return None if prepared is None else prepared.schema

    def budgets_of(self, name: str, arguments: Mapping[str, Any] | None) -> tuple[str, ...]:
        """The budgets that a call draws on, by what it asks for and not by whether it can be done."""
        prepared = self._prepared.get(name)
        if prepared is None or not prepared.tool.budgets:
            return ()
        return tuple(use.budget for use in prepared.tool.budgets if use.counts(arguments or {}))

    def cost_of(self, name: str, arguments: Mapping[str, Any] | None) -> int:
        """What a call costs its caller: a batch as much as it has items, any other call 1."""
        prepared = self._prepared.get(name)
        if prepared is None or prepared.tool.items is None:
            return 1
        return max(prepared.tool.items(arguments or {}), 1)

    async def call(self, name: str, arguments: Mapping[str, Any] | None) -> ToolOutcome:
        """Runs a tool under its deadline; every failure comes back as an outcome. Raises `UnknownTool`."""
        prepared = self._prepared.get(name)
        if prepared is None:
            raise UnknownTool(name, tuple(near(name, self.names)))
        try:
            values = prepared.arguments.bind(arguments or {})
            with deadline(prepared.deadline_s, self._clock) as ends:
                result = await within(prepared.deadline_s, prepared.tool.function(self._services, **values))
            success = self.toolset.dialect.success(name, result)
            structured, encoded = cleaned(success.structured, success.encoded)
        except DeadlinePassed:
            return self._timed_out(prepared, arguments or {}, ends)
        except Exception as error:
            return self.outcome_of(error, tool=name, arguments=arguments or {})
        texts = tuple(map(without_surrogates, success.texts))
        # Nearly all results are text alone.
        blocks = tuple(clean(success.blocks)) if success.blocks else ()
        ending = "ok" if success.code is None else "failed"
        return ToolOutcome(structured, texts, code=success.code, ending=ending, encoded=encoded, blocks=blocks)

    async def complete_prompt(self, name: str, argument: str, value: str) -> Completion:
        """What an argument of a prompt may become; raises `NothingToComplete`."""
        return await complete(self.prompts.by_name, "prompt", name, argument, value, self._services)

    async def complete_resource(self, uri_template: str, variable: str, value: str) -> Completion:
        """What a variable of a resource template may become; raises `NothingToComplete`."""
        things = self.resources.by_template
        return await complete(things, "resource template", uri_template, variable, value, self._services)

    def outcome_of(self, error: Exception, *, tool: str, arguments: Mapping[str, Any] = _NOTHING) -> ToolOutcome:
        """An exception in the family's words; an unexpected one is logged by class and place, never by its text."""
        ending = "crashed" if log_crash("tool", tool, error) else "failed"
        dialect = self.toolset.dialect
        failure = dialect.failure(error)
        if isinstance(dialect, FailuresAsResults):
            success = dialect.failed(tool, arguments, error)
            structured, encoded = cleaned(success.structured, success.encoded)
            texts = tuple(map(without_surrogates, success.texts))
            return ToolOutcome(structured, texts, code=failure.code, ending=ending, encoded=encoded)
        meta = clean(dialect.failure_meta(failure))
        text = without_surrogates(f"{failure.code}: {failure.message}")
        return ToolOutcome(None, (text,), True, meta, failure.code, ending)

    def _timed_out(self, prepared: _Prepared, arguments: Mapping[str, Any], ends: Deadline) -> ToolOutcome:
        tool, limit_s = prepared.tool.name, prepared.deadline_s
        text = f"{tool} did not finish within {limit_s:g} seconds; try again, or ask for less."
        error = ends.witnessed(SourceTimeout(text, source=self.toolset.id))
        outcome = self.outcome_of(error, tool=tool, arguments=arguments)
        return outcome._replace(ending="timeout")


class _AsSent:
    """The arguments of a tool with a schema of its own: nothing is checked here, so that all of it is checked there."""

    def bind(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {"arguments": arguments}


def _binding(dialect: Dialect, tool: Tool, schema: Mapping[str, Any]) -> Binding:
    if tool.own_schema is not None:
        return _AsSent()
    if isinstance(dialect, OwnArguments):
        own: Binding = dialect.arguments(tool.name, schema)
        return own
    return Arguments(tool.name, schema, tool.synonyms)


def _check(tool: Tool, schema: Mapping[str, Any], arguments: Binding) -> None:
    parameters = set(schema["properties"])
    if unknown := set(tool.synonyms.values()) - parameters:
        raise ValueError(f"{tool.name}: synonyms for no parameter: {', '.join(sorted(unknown))}")
    if unknown := {use.unless[0] for use in tool.budgets if use.unless} - parameters:
        raise ValueError(f"{tool.name}: budgets go by no parameter: {', '.join(sorted(unknown))}")
    if len({use.budget for use in tool.budgets}) != len(tool.budgets):
        raise ValueError(f"{tool.name}: a budget is named twice")
    if tool.example is not None and not isinstance(arguments, _AsSent) and arguments.bind(tool.example) != tool.example:
        raise ValueError(f"{tool.name}: the example is not written as its parameters are")


def _wire(tool: Tool, schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": schema,
        "outputSchema": output_schema(tool.function),
        "annotations": {**_ANNOTATIONS, **tool.hints},
    }
