"""An internet on this machine: names, addresses and https services that a test scripts, and a client in its midst.

Names resolve to made-up public addresses; whatever is dialled on port 443 reaches one real TLS server on loopback,
which answers by host and path.
"""

import asyncio
import contextlib
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpcore
import trustme

from core.http.addresses import is_loopback
from core.http.client import HttpClient
from core.http.dialling import CheckedBackend, CheckedTransport
from core.http.hops import Wires
from tests.listening import listening
from tests.scripted_upstream import Behaviour, Writer, answer

PUBLIC = "93.184.216.34"
AGENT = "paperdesk/9.9 (+https://desk.example.org; mailto:desk@papers.test)"
HOSTS = (
    "api.crossref.org",
    "other.crossref.org",
    "api.openalex.org",
    "api.unpaywall.org",
    "api.datacite.org",
    "api.semanticscholar.org",
    "eutils.ncbi.nlm.nih.gov",
    "export.arxiv.org",
    "arxiv.org",
    "ar5iv.labs.arxiv.org",
    "elsewhere.test",
    "www.nature.com",
    "www.ebi.ac.uk",
    "doaj.org",
    "doi.org",
)


@dataclass(frozen=True)
class Asked:
    """One request as it came in."""

    host: str
    target: str
    headers: dict[str, str]

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def params(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.target).query))


Script = Behaviour | Callable[[Asked], Any]


@cache
def tls() -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """The server's side and the client's, over one authority of the test's own."""
    authority = trustme.CA()
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*HOSTS).configure_cert(server)
    client = ssl.create_default_context()
    authority.configure_trust(client)
    return server, client


@dataclass
class World:
    """`scripts` by host and path, or by path alone; `otherwise` for all else.

    `names` by host: the addresses given at each resolution, the last of them for ever. `dead` takes no connection.
    """

    scripts: dict[str, Script | list[Script]] = field(default_factory=dict)
    names: dict[str, list[list[str]]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    resolved: list[str] = field(default_factory=list)
    dialled: list[tuple[str, int]] = field(default_factory=list)
    dead: set[str] = field(default_factory=set)
    otherwise: Script | None = None
    tls_port: int = 0
    plain_port: int = 0

    @property
    def plain_url(self) -> str:
        """The same services over http on loopback, for base overrides."""
        return f"http://127.0.0.1:{self.plain_port}"

    def calls(self) -> Counter[str]:
        """How often each host and path was asked for."""
        return Counter(f"{each.host}{each.path}" for each in self.asked)

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """The next addresses of a name."""
        self.resolved.append(host)
        answers = self.names.get(host, [[host if host[0].isdecimal() else PUBLIC]])
        return answers.pop(0) if len(answers) > 1 else answers[0]

    async def serve(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        """One connection, one request."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.rstrip().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        asked = Asked(headers["host"], first.split(" ")[1], headers)
        self.asked.append(asked)
        await self._behaviour(asked)(writer)
        await writer.drain()
        writer.close()
        with contextlib.suppress(ssl.SSLError):
            await writer.wait_closed()

    def _behaviour(self, asked: Asked) -> Behaviour:
        script = self.scripts.get(f"{asked.host}{asked.path}") or self.scripts.get(asked.path, self.otherwise)
        if isinstance(script, list):
            script = script.pop(0) if len(script) > 1 else script[0]
        if script is None:
            return answer({"detail": "not found"}, 404)
        if asyncio.iscoroutinefunction(script):
            return script
        found = script(asked)  # type: ignore[arg-type]
        return found if asyncio.iscoroutinefunction(found) else answer(found)


class _Dial(httpcore.AsyncNetworkBackend):
    """Leads every public address to the one server; loopback is what it is."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._real = httpcore.AnyIOBackend()

    async def connect_tcp(self, host: str, port: int, *others: Any) -> httpcore.AsyncNetworkStream:
        self._world.dialled.append((host, port))
        if host in self._world.dead:
            raise httpcore.ConnectError
        if not is_loopback(host):
            host, port = "127.0.0.1", self._world.tls_port
        return await self._real.connect_tcp(host, port, *others)


def wires_of(world: World, agent: str = AGENT) -> Wires:
    """The client's pools in that world."""
    dial = _Dial(world)
    _, trust = tls()
    public = CheckedTransport(CheckedBackend(world.resolve, dial=dial), tls=trust)
    near = CheckedTransport(CheckedBackend(world.resolve, admits=is_loopback, dial=dial), tls=trust)
    return Wires(HttpClient(user_agent=agent, transport=public), HttpClient(user_agent=agent, transport=near))


@contextlib.asynccontextmanager
async def world_around() -> AsyncIterator[World]:
    """A world that serves until the block ends."""
    world = World()
    context, _ = tls()
    async with listening(world.serve, context) as world.tls_port, listening(world.serve) as world.plain_port:
        yield world
