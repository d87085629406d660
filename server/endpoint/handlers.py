"""The protocol's own server for one toolset, in words of ours."""

from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from server.endpoint.methods import BAD_FORM, MethodError, Methods, crashed, refused, went_well
from server.endpoint.results import COMPLETE, TTLS_MS, call_result, lists_of, server_info
from server.envelope import INVALID_PARAMS, METHOD_NOT_FOUND, NO_SUCH_METHOD, ONE_PAGE
from server.registry import BoundToolset

_Context = ServerRequestContext[Any]


def build_server(bound: BoundToolset, *, elsewhere: Mapping[str, str] | None = None) -> Server[Any]:
    """The SDK server of a toolset; `elsewhere` maps tools of other endpoints to their paths."""
    toolset = bound.toolset
    hints = {method: CacheHint(ttl_ms=ttl_ms, scope="public") for method, ttl_ms in TTLS_MS.items()}
    info = server_info(bound)
    methods = Methods(bound, elsewhere or {})
    handlers: dict[str, Any] = {"on_list_tools": _list_handler(bound, "tools/list"), "on_call_tool": _calling(methods)}
    if toolset.resources:
        handlers["on_list_resources"] = _list_handler(bound, "resources/list")
        handlers["on_list_resource_templates"] = _list_handler(bound, "resources/templates/list")
        handlers["on_read_resource"] = _reading(methods)
    if toolset.prompts:
        handlers["on_list_prompts"] = _list_handler(bound, "prompts/list")
        handlers["on_get_prompt"] = _prompting(methods)
    if toolset.completes:
        handlers["on_completion"] = _completing(methods)
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


# The SDK takes out of an older result what only modern ones say.


def _calling(methods: Methods) -> Any:
    async def call_tool(_: _Context, params: types.CallToolRequestParams) -> Any:
        return {**call_result(await methods.call_tool(params.name, params.arguments)), **COMPLETE}

    return call_tool


def _reading(methods: Methods) -> Any:
    async def read_resource(_: _Context, params: types.ReadResourceRequestParams) -> Any:
        return {**await methods.read_resource(params.uri), **COMPLETE}

    return read_resource


def _prompting(methods: Methods) -> Any:
    async def get_prompt(_: _Context, params: types.GetPromptRequestParams) -> Any:
        return {**methods.get_prompt(params.name, params.arguments), **COMPLETE}

    return get_prompt


def _completing(methods: Methods) -> Any:
    async def complete(_: _Context, params: types.CompleteRequestParams) -> Any:
        ref, argument = params.ref, params.argument
        name = ref.name if isinstance(ref, types.PromptReference) else ref.uri
        return {**await methods.complete(ref.type, name, argument.name, argument.value), **COMPLETE}

    return complete


def _list_handler(bound: BoundToolset, method: str) -> Any:
    result = {**lists_of(bound)[method], **COMPLETE}

    async def handler(_: _Context, params: types.PaginatedRequestParams | None) -> Any:
        if params is not None and params.cursor:
            raise refused(INVALID_PARAMS, ONE_PAGE)
        went_well()
        return result

    return handler


async def _own_words(ctx: ServerRequestContext[Any], call_next: CallNext) -> HandlerResult:
    """Errors leave in words of ours, without what a validator or an exception said."""
    try:
        result = await call_next(ctx)
    except MethodError as error:
        raise _worded(error) from None
    except MCPError as error:
        text = NO_SUCH_METHOD if error.code == METHOD_NOT_FOUND else error.message
        raise _worded(refused(error.code, text)) from None
    except ValidationError:
        raise _worded(refused(INVALID_PARAMS, BAD_FORM)) from None
    except Exception as error:
        raise _worded(crashed(error)) from None
    if ctx.method in ("initialize", "ping", "server/discover"):
        went_well()
    return result


def _worded(error: MethodError) -> MCPError:
    return MCPError(error.code, error.message, error.data)
