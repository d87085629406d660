"""What each MCP method of a toolset answers, whoever speaks the protocol around it: plain values, words of ours.

Lists and what an endpoint says of itself never change and are in `results`.
"""

import logging
from collections.abc import Mapping
from typing import Any

from core.errors import InvalidInput
from server.completions import NothingToComplete
from server.dialect import clean
from server.envelope import INTERNAL_ERROR, INVALID_PARAMS
from server.exchange import current_exchange
from server.prompts import UnknownPrompt
from server.registry import BoundToolset, ToolOutcome, UnknownTool
from server.resources import ResourceContent, ResourceFailed
from server.spelling import printable, without_surrogates

BAD_FORM = "The parameters do not have the form that MCP gives this method."

_CALLER_CODES = frozenset(
    {"not_found", "ambiguous", "no_markdown", "invalid_argument", "unknown_scan", "schema_violation"}
)
"""Failures of a reading that are the caller's to mend; all others are the service's (catalog contract 19.1)."""

_NAMED_TOOLS_MAX = 10
"""Where there are more, a message does not name them all."""

_log = logging.getLogger("paperdesk.endpoint")


class MethodError(Exception):
    """A request that is answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class Methods:
    """The methods that do something; `elsewhere` maps tools of other endpoints to their paths.

    Each raises `MethodError` for what the protocol words as an error, and says how it ended for the log line.
    """

    def __init__(self, bound: BoundToolset, elsewhere: Mapping[str, str]) -> None:
        self._bound = bound
        self._elsewhere = elsewhere

    async def call_tool(self, name: str, arguments: Mapping[str, Any] | None) -> ToolOutcome:
        """A tool's outcome; a failure that the family words is one too."""
        try:
            outcome = await self._bound.call(name, arguments)
        except UnknownTool as unknown:
            raise refused(INVALID_PARAMS, self._unknown_tool(unknown)) from None
        _note(outcome.ending, outcome.code)
        return outcome

    async def read_resource(self, uri: str) -> dict[str, Any]:
        """What stands at an address, with how long it may be kept, which only modern results say."""
        try:
            found = await self._bound.resources.read(uri)
        except ResourceFailed as failed:
            raise _resource_error(failed) from None
        _note("ok", None)
        return {"contents": [found.wire], "ttlMs": found.ttl_ms, "cacheScope": _scope(found)}

    def get_prompt(self, name: str, arguments: Mapping[str, Any] | None) -> dict[str, Any]:
        """A prompt's message."""
        try:
            written = self._bound.prompts.write(name, arguments)
        except UnknownPrompt as unknown:
            raise refused(INVALID_PARAMS, _unknown_prompt(unknown)) from None
        except InvalidInput as error:
            raise refused(INVALID_PARAMS, without_surrogates(error.message)) from None
        _note("ok", None)
        return written

    async def complete(self, kind: str, name: str, argument: str, typed: str) -> dict[str, Any]:
        """What an argument may become; `kind` is the protocol's `ref/prompt` or `ref/resource`."""
        of = self._bound.complete_prompt if kind == "ref/prompt" else self._bound.complete_resource
        try:
            found = await of(name, argument, typed)
        except NothingToComplete as nothing:
            raise refused(INVALID_PARAMS, nothing.message) from None
        values = [without_surrogates(value) for value in found.values]
        _note("ok", None)
        return {"completion": {"values": values, "total": found.total, "hasMore": found.total > len(values)}}

    def _unknown_tool(self, unknown: UnknownTool) -> str:
        text = f"There is no tool '{printable(unknown.name)}' here."
        if unknown.name in self._elsewhere:
            return f"{text} The endpoint {self._elsewhere[unknown.name]} has it."
        names = self._bound.names
        known = f"Its tools: {', '.join(names)}." if len(names) <= _NAMED_TOOLS_MAX else "tools/list names the tools."
        return f"{text} Near: {', '.join(unknown.near)}. {known}" if unknown.near else f"{text} {known}"


def _scope(found: ResourceContent) -> str:
    return "private" if found.is_private else "public"


def refused(code: int, message: str) -> MethodError:
    """The error of a request that the caller has to mend, noted for the log line."""
    exchange = current_exchange.get()
    if exchange is not None and exchange.code == "-":
        exchange.code = str(code)
    return MethodError(code, message)


def crashed(error: Exception) -> MethodError:
    """The error for an exception that nobody planned: logged by its class, never by its text."""
    _log.error("method_crashed error=%s", type(error).__name__)
    _note("crashed", "internal_error")
    return MethodError(INTERNAL_ERROR, "paperdesk failed to answer; the same request may succeed later.")


def went_well() -> None:
    """Notes for the log line that a request was answered."""
    _note("ok", None)


def _note(outcome: str, code: str | None) -> None:
    exchange = current_exchange.get()
    if exchange is not None:
        exchange.outcome, exchange.code = outcome, code or "-"


def _resource_error(failed: ResourceFailed) -> MethodError:
    failure = failed.failure
    _note(failed.ending, failure.code)
    data = {"uri": failed.uri, "code": failure.code, "retryable": failure.retryable, **failure.details}
    code = INVALID_PARAMS if failure.code in _CALLER_CODES else INTERNAL_ERROR
    return MethodError(code, without_surrogates(f"{failure.code}: {failure.message}"), clean(data))


def _unknown_prompt(unknown: UnknownPrompt) -> str:
    text = f"There is no prompt '{printable(unknown.name)}' here."
    return f"{text} Near: {', '.join(unknown.near)}." if unknown.near else f"{text} prompts/list names the prompts."
