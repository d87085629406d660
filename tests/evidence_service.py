"""The whole service over a catalog with evidence, in this process, at a time that stands still."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from core.clock import ManualClock
from server.app import create_app
from server.bootstrap import compose, front_of, open_catalog
from server.settings import parse_settings

PEER = "203.0.113.9"
NOON_S = 1_790_000_000.0
MODERN = "2026-07-28"


@dataclass
class Served:
    """One service; `post` sends one message from an address."""

    app: Any
    clock: ManualClock

    async def post(
        self, body: Any, *, path: str = "/mcp/evidence", peer: str = PEER, headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        transport = httpx.ASGITransport(app=self.app, client=(peer, 4711))
        sent = {"content-type": "application/json", **(headers or {})}
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:7860") as client:
            if isinstance(body, bytes):
                return await client.post(path, content=body, headers=sent)
            return await client.post(path, json=body, headers=sent)

    async def get(self, path: str) -> httpx.Response:
        transport = httpx.ASGITransport(app=self.app, client=(PEER, 4711))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:7860") as client:
            return await client.get(path)

    async def call(self, name: str, arguments: Any = None, **more: Any) -> httpx.Response:
        params = {"name": name, "arguments": arguments or {}}
        return await self.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, **more)

    async def seek(self, query: str, **more: Any) -> httpx.Response:
        """One search by meaning."""
        return await self.call("semantic_search", {"query": query}, **more)


@asynccontextmanager
async def served(directory: Path, **settings: str) -> AsyncIterator[Served]:
    """A service of both toolsets; settings without their prefix."""
    environment = {f"PAPERDESK_{name.upper()}": value for name, value in settings.items()}
    clock = ManualClock(NOON_S)
    overrides = {"catalog_url": f"file:{directory}"}
    parsed = parse_settings(environment, overrides=overrides, serving=False)
    service = compose(parsed, open_catalog(parsed), clock)
    app = create_app(service, front_of(parsed))
    async with app.router.lifespan_context(app):
        yield Served(app, clock)
