"""The protocol's own server for one toolset: what each MCP method answers, in words of ours."""

import logging
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from core.errors import InvalidInput
from server.arguments import printable, without_surrogates
from server.completions import NothingToComplete
from server.dialect import clean
from server.endpoint.results import COMPLETE, TTLS_MS, call_result, lists_of, server_info
from server.envelope import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND
from server.exchange import current_exchange
from server.prompts import UnknownPrompt
from server.registry import BoundToolset, UnknownTool
from server.resources import ResourceFailed

_CALLER_CODES = frozenset({"not_found", "ambiguous", "no_markdown", "invalid_argument"})
"""Failures of a reading that are the caller's to mend; all others are the service's (catalog contract 19.1)."""

_log = logging.getLogger("paperdesk.endpoint")

_Context = ServerRequestContext[Any]


def build_server(bound: BoundToolset, *, elsewhere: Mapping[str, str] | None = None) -> Server[Any]:
    """The SDK server of a toolset; `elsewhere` maps tools of other endpoints to their paths."""
    toolset = bound.toolset
    hints = {method: CacheHint(ttl_ms=ttl_ms, scope="public") for method, ttl_ms in TTLS_MS.items()}
    info = server_info(bound)
    handlers = _tool_handlers(bound, elsewhere or {})
    if toolset.resources:
        handlers |= _resource_handlers(bound)
    if toolset.prompts:
        handlers |= _prompt_handlers(bound)
    if toolset.completes:
        handlers["on_completion"] = _completion_handler(bound)
    server: Server[Any] = Server(
        info["name"],
        version=info["version"],
        title=info["title"],
        instructions=toolset.instructions,
        cache_hints=hints,
        # No tool mirrors an argument in a header, so there is nothing for the SDK to compare.
        get_tool_input_schema=lambda _: None,
        **handlers,
    )
    # The SDK's own tracing layer puts client text into span names.
    server.middleware[:] = [_own_words]
    return server


async def serve_stdio(server: Server[Any]) -> None:
    """Serves one client over standard input and output until it closes them."""
    async with stdio_server() as (read_stream, write_stream):
        await server.run(read_stream, write_stream, server.create_initialization_options())


def _tool_handlers(bound: BoundToolset, elsewhere: Mapping[str, str]) -> dict[str, Any]:
    async def call_tool(_: _Context, params: types.CallToolRequestParams) -> Any:
        try:
            outcome = await bound.call(params.name, params.arguments)
        except UnknownTool as unknown:
            raise MCPError(INVALID_PARAMS, _unknown_tool_text(unknown, elsewhere)) from None
        _note(outcome.ending, outcome.code)
        return {**call_result(outcome), **COMPLETE}

    return {"on_list_tools": _list_handler(bound, "tools/list"), "on_call_tool": call_tool}


def _resource_handlers(bound: BoundToolset) -> dict[str, Any]:
    async def read_resource(_: _Context, params: types.ReadResourceRequestParams) -> Any:
        try:
            found = await bound.resources.read(params.uri)
        except ResourceFailed as failed:
            raise _resource_error(failed) from None
        content = {"uri": found.uri, "mimeType": found.mime_type, "text": found.text}
        return {"contents": [content], **COMPLETE}

    return {
        "on_list_resources": _list_handler(bound, "resources/list"),
        "on_list_resource_templates": _list_handler(bound, "resources/templates/list"),
        "on_read_resource": read_resource,
    }


def _prompt_handlers(bound: BoundToolset) -> dict[str, Any]:
    async def get_prompt(_: _Context, params: types.GetPromptRequestParams) -> Any:
        try:
            prompt, text = bound.prompts.write(params.name, params.arguments)
        except UnknownPrompt as unknown:
            raise MCPError(INVALID_PARAMS, _unknown_prompt_text(unknown)) from None
        except InvalidInput as error:
            raise MCPError(INVALID_PARAMS, without_surrogates(error.message)) from None
        message = {"role": "user", "content": {"type": "text", "text": without_surrogates(text)}}
        return {"description": prompt.description, "messages": [message], **COMPLETE}

    return {"on_list_prompts": _list_handler(bound, "prompts/list"), "on_get_prompt": get_prompt}


def _completion_handler(bound: BoundToolset) -> Any:
    async def complete(_: _Context, params: types.CompleteRequestParams) -> Any:
        argument = params.argument
        try:
            if isinstance(params.ref, types.PromptReference):
                found = await bound.complete_prompt(params.ref.name, argument.name, argument.value)
            else:
                found = await bound.complete_resource(params.ref.uri, argument.name, argument.value)
        except NothingToComplete as nothing:
            raise MCPError(INVALID_PARAMS, nothing.message) from None
        values = [without_surrogates(value) for value in found.values]
        return {
            "completion": {"values": values, "total": found.total, "hasMore": found.total > len(values)},
            **COMPLETE,
        }

    return complete


def _list_handler(bound: BoundToolset, method: str) -> Any:
    result = {**lists_of(bound)[method], **COMPLETE}

    async def handler(_: _Context, params: types.PaginatedRequestParams | None) -> Any:
        if params is not None and params.cursor:
            raise MCPError(INVALID_PARAMS, "This list has one page; leave the cursor out.")
        return result

    return handler


async def _own_words(ctx: ServerRequestContext[Any], call_next: CallNext) -> HandlerResult:
    """Errors leave in words of ours, without what a validator or an exception said."""
    try:
        result = await call_next(ctx)
    except MCPError as error:
        _note_refusal(error.code)
        if error.code == METHOD_NOT_FOUND:
            raise MCPError(METHOD_NOT_FOUND, "This endpoint has no such method.") from None
        raise
    except ValidationError:
        _note_refusal(INVALID_PARAMS)
        raise MCPError(INVALID_PARAMS, "The parameters do not have the form that MCP gives this method.") from None
    except Exception as error:
        _log.error("method_crashed error=%s", type(error).__name__)
        _note("crashed", "internal_error")
        raise MCPError(INTERNAL_ERROR, "paperdesk failed to answer; the same request may succeed later.") from None
    if ctx.method != "tools/call":
        _note("ok", None)
    return result


def _note(outcome: str, code: str | None) -> None:
    """What the log line of the running request will say."""
    exchange = current_exchange.get()
    if exchange is not None:
        exchange.outcome, exchange.code = outcome, code or "-"


def _note_refusal(code: int) -> None:
    """As `_note`, unless a failure in the family's words was noted before."""
    exchange = current_exchange.get()
    if exchange is not None and exchange.code == "-":
        exchange.code = str(code)


def _resource_error(failed: ResourceFailed) -> MCPError:
    failure = failed.failure
    _note(failed.ending, failure.code)
    data = {"uri": failed.uri, "code": failure.code, "retryable": failure.retryable, **failure.details}
    code = INVALID_PARAMS if failure.code in _CALLER_CODES else INTERNAL_ERROR
    return MCPError(code, without_surrogates(f"{failure.code}: {failure.message}"), clean(data))


def _unknown_tool_text(unknown: UnknownTool, elsewhere: Mapping[str, str]) -> str:
    text = f"There is no tool '{printable(unknown.name)}' here."
    if unknown.name in elsewhere:
        return f"{text} The endpoint {elsewhere[unknown.name]} has it."
    return f"{text} Near: {', '.join(unknown.near)}." if unknown.near else f"{text} tools/list names the tools."


def _unknown_prompt_text(unknown: UnknownPrompt) -> str:
    text = f"There is no prompt '{printable(unknown.name)}' here."
    return f"{text} Near: {', '.join(unknown.near)}." if unknown.near else f"{text} prompts/list names the prompts."
