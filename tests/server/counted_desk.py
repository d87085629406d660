"""A small counted endpoint: the real layers of identity and limits around one that parses and draws, without tools."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import anyio
import httpx
import orjson
from starlette.types import ASGIApp, Receive, Scope, Send

from core.clock import ManualClock
from server.answers import Answer, refuse, result_bytes, send_answer
from server.body import BodyBounds, BodyRefused, read_body
from server.envelope import EnvelopeError, parse_message
from server.exchange import Exchange, exchange_of
from server.limits.admission import Limiter
from server.limits.budgets import PER_MINUTE, Budgets
from server.limits.callers import Callers
from server.limits.identity import Identities
from server.limits.key_file import FollowedKeys
from server.limits.memory import MemoryWindows
from server.middleware.identity import Identity
from server.middleware.limits import Limits
from server.middleware.outgoing import Outgoing
from server.middleware.request_id import RequestIds
from server.peers import PeerTrust
from server.registry import BoundToolset
from server.setting_values import shared_egress
from server.toolsets.catalog import TOOLSET

BODY_BYTES_MAX = 10_000
PEER = "203.0.113.9"
PROXY = "10.9.0.2"
BOUND = BoundToolset(TOOLSET, None, clock=ManualClock())


@dataclass
class Desk:
    """What a test holds of it. Calls of the method `wait` go on until `may_end` is set."""

    clock: ManualClock
    limiter: Limiter
    callers: Callers
    app: ASGIApp
    bound: BoundToolset
    at_once: bool
    exchanges: list[Exchange] = field(default_factory=list)
    seen_headers: list[list[tuple[bytes, bytes]]] = field(default_factory=list)
    may_end: anyio.Event = field(default_factory=anyio.Event)
    waiting: int = 0

    @asynccontextmanager
    async def client(self, peer: str = PEER) -> AsyncIterator[httpx.AsyncClient]:
        """A client at an address."""
        transport = httpx.ASGITransport(app=self.app, client=(peer, 4711))
        async with httpx.AsyncClient(transport=transport, base_url="http://desk") as made:
            yield made

    async def post(self, body: Any = None, *, peer: str = PEER, **headers: str) -> httpx.Response:
        """One message, a list of tools where none is given; names of headers are written with underscores."""
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"} if body is None else body
        content = message if isinstance(message, bytes) else orjson.dumps(message)
        lines = {name.replace("_", "-"): value for name, value in headers.items()}
        async with self.client(peer) as client:
            return await client.post("/mcp", content=content, headers=lines)

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The endpoint: step 11 and on of hosting contract 3.1, as far as they concern the limits."""
        exchange = exchange_of(scope)
        self.exchanges.append(exchange)
        self.seen_headers.append([*scope["headers"], *exchange.fields.without(b"")])
        assert exchange.ticket is not None
        try:
            message = parse_message(await read_body(receive, BodyBounds(max_bytes=BODY_BYTES_MAX)))
        except (BodyRefused, EnvelopeError) as error:
            await refuse(scope, send, error.answer)
            return
        if message.method == "crash":
            raise ValueError
        named = message.params.get("name", "") if message.method == "tools/call" else ""
        if not self.at_once:
            await exchange.ticket.take(self.bound.budgets_of(named, message.params.get("arguments")))
        if message.method == "wait":
            self.waiting += 1
            await self.may_end.wait()
        await send_answer(send, Answer(202) if message.is_notification else result_bytes(message.id, b"{}"))


def desk(
    *,
    clock: ManualClock | None = None,
    keys: Path | None = None,
    anonymous: bool = True,
    ceiling: int = 128,
    window: str = PER_MINUTE,
    limits: Mapping[str, int] | None = None,
) -> Desk:
    """A desk with the limits of anonymous callers that are given."""
    clock = clock or ManualClock()
    peers = PeerTrust([ip_network("10.9.0.0/24")])
    tiers = shared_egress("anthropic=160.79.104.0/21")
    identities = Identities(peers=peers, tiers=tiers, secret=b"s" * 32)
    followed = None if keys is None else FollowedKeys(keys, clock)
    callers = Callers(identities, clock, keys=followed, anonymous=anonymous)
    limiter = Limiter(Budgets(anonymous=limits, ceiling=ceiling), MemoryWindows(clock))
    made = Desk(clock, limiter, callers, _unset, BOUND, at_once=window != PER_MINUTE)
    inner = Limits(made.serve, limiter=limiter, window=window, at_once=made.at_once)
    made.app = RequestIds(Outgoing(Identity(inner, callers=callers, limiter=limiter)), peers=peers)
    return made


async def _unset(scope: Scope, receive: Receive, send: Send) -> None:
    raise NotImplementedError
