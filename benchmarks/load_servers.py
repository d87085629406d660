"""The servers that `benchmarks.load` measures, each in a process: `python -m benchmarks.load_servers KIND PORT`.

`sdk`, `lean` and `constant` are the production application with a toolset of one trivial tool beside the catalog, each
with the dispatcher of its name; `constant` answers each request with the same bytes. `bare` is a Starlette route that
reads the body and answers with equal JSON, `lowlevel` the protocol's SDK alone; a file tells them what to answer.
"""

import asyncio
import json
import os
import sys
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import mcp_types as types
import orjson
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Scope

from core.clock import SystemClock
from server.answers import Answer, result_bytes
from server.app import create_app
from server.bootstrap import DISPATCHERS, compose, front_of, open_catalog
from server.envelope import Message
from server.fields import Fields
from server.limits.budgets import Budgets
from server.limits.counting import counting_here
from server.logs import configure_logging
from server.registry import BoundToolset, Failure, Success, Tool, Toolset
from server.serving import listen, run, uvicorn_config
from server.settings import parse_settings

TRIVIAL_PATH = "/mcp/trivial"
ENDLESS = 10**9


class Sum(BaseModel):
    total: int


async def wait(services: None) -> Sum:
    """Waits until it is told to stop."""
    await asyncio.Event().wait()
    return Sum(total=0)


async def add(services: None, a: int, b: int) -> Sum:
    """Adds two whole numbers."""
    return Sum(total=a + b)


class Plain:
    """Success without ceilings, and no failure that a benchmark would accept."""

    def success(self, tool: str, result: BaseModel) -> Success:
        structured = result.model_dump()
        return Success(structured, (str(structured["total"]),))

    def failure(self, error: BaseException) -> Failure:
        return Failure("failed", type(error).__name__, False)

    def failure_meta(self, failure: Failure) -> dict[str, Any]:
        return {}


TRIVIAL = Toolset(
    id="trivial",
    title="paperdesk trivial",
    description="A tool that does nearly nothing, and one that waits.",
    path=TRIVIAL_PATH,
    instructions="Adds numbers.",
    dialect=Plain(),
    tools=(Tool(add, "Add"), Tool(wait, "Wait")),
)


class Constant:
    """A dispatcher that costs nothing: what is left is the cost of our own layers (hosting A85)."""

    def __init__(self, bound: BoundToolset, elsewhere: Mapping[str, str]) -> None:
        text = {"content": [{"type": "text", "text": "3"}], "structuredContent": {"total": 3}, "isError": False}
        self._result = orjson.dumps(text)

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        yield

    async def answer(self, message: Message, *, modern: bool, fields: Fields, scope: Scope) -> Answer:
        return result_bytes(message.id, self._result)


def serve_paperdesk(kind: str, port: int) -> None:
    settings = parse_settings(os.environ, overrides={"port": str(port)})
    configure_logging(settings.log_level, batched=True)
    service = compose(settings, open_catalog(settings), SystemClock())
    bound = BoundToolset(TRIVIAL, None, clock=SystemClock())
    dispatcher = Constant if kind == "constant" else DISPATCHERS[kind]
    service = replace(service, toolsets=(*service.toolsets, bound), dispatcher=dispatcher)
    if os.environ.get("LOAD_ENDLESS_BUDGETS"):
        # More than any setting allows, for one caller that sends all there is.
        budgets = Budgets(anonymous={"per_minute": ENDLESS, "concurrent": 64})
        service = replace(service, limits=counting_here(SystemClock(), budgets))
    with listen("127.0.0.1", port) as listener:
        run(create_app(service, front_of(settings)), listener, service.drain, on_ready=_answer_questions)


def _answer_questions() -> None:
    """For each line on standard input a line on standard output: how many tasks live on the loop that serves."""
    loop = asyncio.get_running_loop()

    async def tasks() -> int:
        # The one that counts is no task of the service.
        return len(asyncio.all_tasks()) - 1

    def answer() -> None:
        for _ in sys.stdin:
            print(asyncio.run_coroutine_threadsafe(tasks(), loop).result(10), flush=True)

    threading.Thread(target=answer, daemon=True).start()


def bare(answers: Mapping[str, Any]) -> ASGIApp:
    async def answer(request: Request) -> JSONResponse:
        await request.body()
        return JSONResponse(answers[request.path_params["name"]])

    return Starlette(routes=[Route("/{name}", answer, methods=["POST"])])


def lowlevel(answers: Mapping[str, Any]) -> ASGIApp:
    """Two servers, since one with many tools lists them all for every modern call."""
    trivial = {"tools": [{"name": "add", "inputSchema": {"type": "object"}}]}
    managers = {
        "/trivial": _manager(trivial, answers["trivial"]["result"]),
        "/list": _manager(answers["list"]["result"], {}),
        "/search": _manager(trivial, answers["search"]["result"]),
    }

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for manager in managers.values():
                await stack.enter_async_context(manager.run())
            yield

    routes = [Route(path, StreamableHTTPASGIApp(manager)) for path, manager in managers.items()]
    return Starlette(routes=routes, lifespan=lifespan)


def _manager(listed: Mapping[str, Any], called: Mapping[str, Any]) -> StreamableHTTPSessionManager:
    async def list_tools(_: Any, params: types.PaginatedRequestParams | None) -> Any:
        return {**listed, "resultType": "complete", "ttlMs": 1, "cacheScope": "public"}

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> Any:
        return {**called, "resultType": "complete"}

    server: Server[Any] = Server("lowlevel", version="1", on_list_tools=list_tools, on_call_tool=call_tool)
    return StreamableHTTPSessionManager(server, stateless=True, json_response=True)


def serve_other(kind: str, port: int, answers: Path) -> None:
    app = {"bare": bare, "lowlevel": lowlevel}[kind](json.loads(answers.read_text()))
    config = uvicorn_config(app)
    with listen("127.0.0.1", port) as listener, asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        runner.run(uvicorn.Server(config).serve(sockets=[listener]))


def main() -> None:
    kind, port = sys.argv[1], int(sys.argv[2])
    core = os.environ.get("LOAD_SERVER_CORE")
    if core is not None:
        os.sched_setaffinity(0, {int(core)})
    if kind in ("bare", "lowlevel"):
        serve_other(kind, port, Path(sys.argv[3]))
    else:
        serve_paperdesk(kind, port)


if __name__ == "__main__":
    main()
