"""Connections to checked addresses only: a name is resolved once, and what was checked is what is dialled.

TLS and the `Host` field go on naming the host that was asked for (references contract 5.4).
"""

import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import anyio
import httpcore
import httpx

from core.http.addresses import is_public

MAX_CONNECTIONS = 64
MAX_IDLE_CONNECTIONS = 16

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Gives the addresses of a host name, best first; raises `OSError` where there are none."""

SocketOptions = Iterable[Any] | None


class AddressRefused(Exception):
    """A name resolves to an address that may not be asked; says neither which name nor which address."""


async def system_resolve(host: str, port: int) -> Sequence[str]:
    """The addresses that this machine's own resolver gives."""
    found = await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class CheckedBackend(httpcore.AsyncNetworkBackend):
    """Resolves, checks every address found, and dials them in turn; `dial` makes the connections themselves."""

    def __init__(
        self,
        resolve: Resolve = system_resolve,
        *,
        admits: Callable[[str], bool] = is_public,
        dial: httpcore.AsyncNetworkBackend | None = None,
    ) -> None:
        self._resolve = resolve
        self._admits = admits
        self._dial = dial or httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109, the library's name
        local_address: str | None = None,
        socket_options: SocketOptions = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to the first address that takes one; raises `AddressRefused` before any is dialled."""
        started_s = anyio.current_time()
        addresses = await self._addresses(host, port, timeout)
        for place, address in enumerate(addresses):
            share_s = None
            if timeout is not None:
                # Each address gets its part of the time, so that a dead one leaves some for the next.
                share_s = max(timeout - (anyio.current_time() - started_s), 0.0) / (len(addresses) - place)
            try:
                return _Stream(await self._dial.connect_tcp(address, port, share_s, local_address, socket_options))
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if place == len(addresses) - 1:
                    raise
        raise httpcore.ConnectError("the name has no address")

    async def _addresses(self, host: str, port: int, limit_s: float | None) -> Sequence[str]:
        try:
            with anyio.fail_after(limit_s):
                addresses = await self._resolve(host, port)
        except TimeoutError as error:
            raise httpcore.ConnectTimeout from error
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError from error
        # One bad address refuses all: which of them is dialled is the resolver's choice, not ours.
        if not all(map(self._admits, addresses)):
            raise AddressRefused
        return addresses


class _Stream(httpcore.AsyncNetworkStream):
    """A connection that is closed when its caller leaves during the handshake: the library's own stays open then."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        """As the library's."""
        return await self._stream.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """As the library's."""
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        """As the library's."""
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> httpcore.AsyncNetworkStream:
        """As the library's, and closed whatever ends it."""
        try:
            return await self._stream.start_tls(ssl_context, server_hostname, timeout)
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._stream.aclose()
            raise

    def get_extra_info(self, info: str) -> Any:
        """As the library's."""
        return self._stream.get_extra_info(info)


class CheckedTransport(httpx.AsyncBaseTransport):
    """A pool of connections over a network backend, in httpx's terms; takes nothing from the environment."""

    def __init__(self, backend: httpcore.AsyncNetworkBackend, *, tls: ssl.SSLContext | None = None) -> None:
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls or httpx.create_ssl_context(trust_env=False),
            max_connections=MAX_CONNECTIONS,
            max_keepalive_connections=MAX_IDLE_CONNECTIONS,
            network_backend=backend,
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """One exchange, its body still to be read."""
        url = request.url
        asked = httpcore.Request(
            method=request.method,
            url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            extensions=request.extensions,
        )
        with _in_httpx_terms():
            found = await self._pool.handle_async_request(asked)
        return httpx.Response(found.status, headers=found.headers, stream=_Body(found), extensions=found.extensions)

    async def aclose(self) -> None:
        """Closes all connections."""
        await self._pool.aclose()


class _Body(httpx.AsyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _in_httpx_terms():
            async for chunk in self._response.aiter_stream():
                yield chunk

    async def aclose(self) -> None:
        await self._response.aclose()


_FAILURES: tuple[tuple[type[Exception], type[httpx.TransportError]], ...] = (
    (httpcore.ConnectTimeout, httpx.ConnectTimeout),
    (httpcore.TimeoutException, httpx.ReadTimeout),
    (httpcore.ConnectError, httpx.ConnectError),
    (httpcore.NetworkError, httpx.ReadError),
    (httpcore.ProtocolError, httpx.RemoteProtocolError),
    (httpcore.UnsupportedProtocol, httpx.UnsupportedProtocol),
)


@contextmanager
def _in_httpx_terms() -> Iterator[None]:
    try:
        yield
    except tuple(ours for ours, _ in _FAILURES) as error:
        named = next(theirs for ours, theirs in _FAILURES if isinstance(error, ours))
        # The text of the library may hold what the upstream sent.
        raise named("the exchange failed") from error
