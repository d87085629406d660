"""A small real toolset: what the service layer is tested with, independent of any family."""

import asyncio
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from core.errors import (
    Ambiguous,
    InvalidInput,
    NotFound,
    PaperdeskError,
    ResultTooLarge,
    SourceTimeout,
)
from server.registry import DateText, Failure, Success, Tool, Toolset

META_KEY = "org.paperdesk/error"
SECRET = "hunter2-planted-secret"


@dataclass(slots=True)
class Desk:
    """The services of the fixture toolset; it counts what its tools do."""

    calls: list[str] = field(default_factory=list)
    started: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)


class Note(BaseModel):
    text: str
    year: int | None = None
    scores: dict[str, float | str] | None = None


class Echo(BaseModel):
    """What was understood of the arguments."""

    schema_version: Literal["v1"] = "v1"
    arguments: dict[str, float | str]
    notes: list[Note] | None = None
    data: Any = None


class Sum(BaseModel):
    total: int


async def find_notes(
    services: Desk,
    query: Annotated[str, Field(min_length=1, max_length=500, description="Words or a question.")],
    mode: Annotated[Literal["hybrid", "keyword", "semantic"], Field(description="How to search.")] = "hybrid",
    limit: Annotated[int, Field(ge=1, le=25, description="Rows per page.")] = 10,
    published_after: Annotated[DateText | None, Field(description="First day, inclusive.")] = None,
    authors: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=200)]] | None,
        Field(max_length=10, description="Exact names; all must match."),
    ] = None,
    minimum_metrics: Annotated[dict[str, float] | None, Field(description="Least values by metric.")] = None,
    only_open: Annotated[bool, Field(description="Keeps open ones only.")] = False,
) -> Echo:
    """Finds notes by words.

    For sums use add.
    """
    services.calls.append(query)
    understood: dict[str, float | str] = {"query": query, "mode": mode, "limit": limit, "only_open": str(only_open)}
    if published_after is not None:
        understood["published_after"] = published_after
    if authors is not None:
        understood["authors"] = "|".join(authors)
    for name, value in (minimum_metrics or {}).items():
        understood[f"minimum {name}"] = value
    note = Note(text="Schrödinger — 量子", year=1926, scores={"Acc": 0.5, "label": "high"})
    return Echo(arguments=understood, notes=[note, Note(text="plain")], data={"kept": None, "list": [None, 1]})


async def add(services: Desk, a: int, b: int = 1) -> Sum:
    """Adds two whole numbers."""
    services.calls.append("add")
    return Sum(total=a + b)


async def wait_for_ever(services: Desk) -> Sum:
    """Never ends by itself."""
    services.started.set()
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        services.cancelled.set()
        raise
    return Sum(total=0)


async def crash(services: Desk) -> Sum:
    """Fails in a way nobody planned."""
    raise RuntimeError(SECRET)


async def miss(services: Desk, what: str) -> Sum:
    """Finds nothing."""
    raise NotFound(f"No note is called '{what}'.")


async def grow(services: Desk, size: Annotated[int, Field(ge=1, le=4_000_000)]) -> Echo:
    """Answers with a text of a given size."""
    return Echo(arguments={"text": "x" * size})


async def spoil(services: Desk) -> Echo:
    """Answers with values that JSON or a wire cannot carry."""
    return Echo.model_construct(
        arguments={"bad": float("nan"), "worse": float("inf"), "text": "a\ud800b", "good": 1.5}, data=None
    )


class DeskDialect:
    """The fixture's words: the same shape as a family's, with its own few codes."""

    def success(self, tool: str, result: BaseModel) -> Success:
        return Success(result.model_dump(mode="json", exclude_none=True), (f"{tool} answered.",))

    def failure(self, error: BaseException) -> Failure:
        match error:
            case InvalidInput(message=message, suggestions=suggestions):
                details = {"suggestions": [{"id": entry.id, "name": entry.label} for entry in suggestions]}
                return Failure("invalid_argument", message, False, details if suggestions else {})
            case NotFound(message=message):
                return Failure("not_found", message, False)
            case Ambiguous(message=message):
                return Failure("ambiguous", message, False)
            case SourceTimeout(message=message):
                return Failure("upstream_timeout", message, True)
            case ResultTooLarge(message=message):
                return Failure("result_too_large", message, False)
            case PaperdeskError(message=message):
                return Failure("other", message, False)
        return Failure("internal_error", "paperdesk failed; try again.", True)

    def failure_meta(self, failure: Failure) -> dict[str, Any]:
        return {META_KEY: {"code": failure.code, "retryable": failure.retryable, **failure.details}}


TOOLSET = Toolset(
    id="desk",
    title="paperdesk desk",
    description="Notes for tests",
    path="/mcp",
    instructions="Find notes, add numbers.",
    dialect=DeskDialect(),
    tools=(
        Tool(find_notes, "Find notes", synonyms={"max_results": "limit"}),
        Tool(add, "Add"),
        Tool(wait_for_ever, "Wait"),
        Tool(crash, "Crash"),
        Tool(miss, "Miss"),
        Tool(grow, "Grow"),
        Tool(spoil, "Spoil"),
    ),
    deadline_s=0.5,
)


async def subtract(services: Desk, a: int, b: int) -> Sum:
    """Subtracts two whole numbers."""
    return Sum(total=a - b)


OTHER = Toolset(
    id="other",
    title="paperdesk other",
    description="Another toolset",
    path="/mcp/other",
    instructions="Subtract numbers.",
    dialect=DeskDialect(),
    tools=(Tool(subtract, "Subtract"),),
)
