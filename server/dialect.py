"""How a family words what happened, and the last cleaning of what leaves: shared by tools, resources and prompts."""

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import orjson
from pydantic import BaseModel

from core.defects import place_of
from core.errors import PaperdeskError
from server.spelling import without_surrogates

_log = logging.getLogger("paperdesk.tools")

Block = Mapping[str, Any]
"""One content block as the wire has it: an image, a sound, an embedded resource or a link to one."""


@dataclass(frozen=True, slots=True)
class Success:
    """A result as a family words it: JSON-ready structured content, its text blocks, and other blocks after them.

    `encoded` is the JSON of the structured content where it was made already, to measure it. `code` is that of a result
    that says in its own form that the call failed.
    """

    structured: dict[str, Any]
    texts: tuple[str, ...]
    blocks: tuple[Block, ...] = ()
    encoded: bytes | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure as a family words it; `details` holds JSON-ready `retry_after_s`, `candidates`, `suggestions`."""

    code: str
    message: str
    retryable: bool
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """One code of a family's closed set; `retryable` says that some failures of it may pass by themselves."""

    code: str
    retryable: bool
    meaning: str


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


@runtime_checkable
class FailuresAsResults(Protocol):
    """A dialect whose failures are results like any other, never errors of the protocol."""

    def failed(self, tool: str, arguments: Mapping[str, Any], error: BaseException) -> Success:
        """The result that says so; `arguments` as they were sent."""
        ...


@runtime_checkable
class OwnArguments(Protocol):
    """A dialect with rules of its own for what is sent; what `arguments` gives has a method `bind`."""

    def arguments(self, tool: str, schema: Mapping[str, Any]) -> Any:
        """The parameters of one tool, made ready from their schema."""
        ...


def log_crash(kind: str, name: str, error: BaseException) -> bool:
    """Whether an exception is a defect; one is logged by class and place, never by its text."""
    if isinstance(error, PaperdeskError):
        return False
    _log.error("%s_crashed %s=%s error=%s at=%s", kind, kind, name, type(error).__name__, place_of(error))
    return True


def cleaned(value: dict[str, Any], encoded: bytes | None = None) -> tuple[dict[str, Any], bytes]:
    """`clean` and its JSON, which may be known already.

    What is clean is not copied: the encoder refuses surrogates, and writes a number that is none as null.
    """
    try:
        encoded = orjson.dumps(value) if encoded is None else encoded
    except orjson.JSONEncodeError:
        encoded = None
    if encoded is None or (b"null" in encoded and _holds_no_number(value)):
        value = clean(value)
        encoded = orjson.dumps(value)
    return value, encoded


def clean(value: Any) -> Any:
    """JSON without what one wire breaks on: a NaN or infinity is left out, an unpaired surrogate is replaced."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, dict):
        return {without_surrogates(key): clean(item) for key, item in value.items() if not _is_not_finite(item)}
    if isinstance(value, list | tuple):
        return [clean(item) for item in value if not _is_not_finite(item)]
    return value


def _is_not_finite(value: Any) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


def _holds_no_number(value: Any) -> bool:
    """Whether a NaN or an infinity lies somewhere in JSON."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        for item in node.values() if isinstance(node, dict) else node:
            kind = type(item)
            if kind is str or kind is int or item is None:
                continue
            if isinstance(item, (dict, list, tuple)):
                waiting.append(item)
            elif _is_not_finite(item):
                return True
    return False
