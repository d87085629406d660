"""The pool of connections that every upstream request goes through, and what one exchange comes to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import httpx

from core.http.body import BodyCut, BodyTooLarge, BodyUnreadable, read_body, read_start
from core.http.dialling import MAX_CONNECTIONS, MAX_IDLE_CONNECTIONS

MAX_REDIRECTS = 5

_SENT = "http11.send_request_headers.complete"


class TimedOut(Exception):
    """No connection, no answer or no end of one in time."""


class Broken(Exception):
    """A failure of the network: no connection, or one that ended too early."""


class Unreadable(Exception):
    """An answer that cannot be taken: over its bound, badly packed, or a redirect to elsewhere."""


class Cut(Unreadable):
    """A packed answer that ends too early."""


class TooLarge(Unreadable):
    """An answer over its bound of `cap` bytes; `actual` is what was announced, or seen until it was cut."""

    def __init__(self, *, cap: int, actual: int) -> None:
        super().__init__()
        self.cap = cap
        self.actual = actual


@dataclass(frozen=True, slots=True)
class Exchange:
    """A status, headers by lower-case name, and a body."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds to connect, to wait for more of an answer, and for a whole request."""

    connect_s: float
    idle_s: float
    whole_s: float


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of a body is read: as sent, unpacked, and of an answer from status 400 on (None: like any other)."""

    max_bytes: int
    max_unpacked_bytes: int | None = None
    error_bytes: int | None = None


class HttpClient:
    """One pool for a process: GET only, no cookies, no proxies of the environment, no redirect it was not told of.

    It speaks to the transport itself: httpx's own client would log every address with its query.
    """

    def __init__(self, *, user_agent: str, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._headers = {"User-Agent": user_agent, "Accept-Encoding": "gzip"}
        self._transport = transport or httpx.AsyncHTTPTransport(
            limits=httpx.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=MAX_IDLE_CONNECTIONS),
            trust_env=False,
        )

    async def aclose(self) -> None:
        """Closes all connections."""
        await self._transport.aclose()

    async def get(self, url: str, *, headers: Mapping[str, str], timeout_s: float, max_body_bytes: int) -> Exchange:
        """One exchange, redirects on the same host followed; raises `TimedOut`, `Broken` and `Unreadable`.

        `timeout_s` bounds each wait on the network; the caller bounds the whole. Bodies of server errors are not read.
        """
        timeouts = Timeouts(timeout_s, timeout_s, timeout_s)
        try:
            target = httpx.URL(url)
            for _ in range(MAX_REDIRECTS + 1):
                found = await self.exchange(target, headers=headers, timeouts=timeouts, bounds=Bounds(max_body_bytes))
                location = redirect_location(found)
                if location is None:
                    return found
                target = _same_host(target, location)
        except httpx.InvalidURL as error:
            raise Unreadable from error
        raise Unreadable

    async def exchange(
        self,
        target: httpx.URL,
        *,
        headers: Mapping[str, str],
        timeouts: Timeouts,
        bounds: Bounds,
        when_sent: Callable[[], None] = lambda: None,
    ) -> Exchange:
        """One request and its answer, a redirect as it is; raises `TimedOut`, `Broken` and `Unreadable`.

        The caller bounds the whole. `when_sent` is called when the request has left. A redirect's body is not read.
        """

        async def trace(event: str, info: object) -> None:
            if event == _SENT:
                when_sent()

        limits = {"connect": timeouts.connect_s, "read": timeouts.idle_s, "write": timeouts.idle_s}
        request = httpx.Request(
            "GET",
            target,
            headers={**self._headers, **headers},
            extensions={"timeout": {**limits, "pool": timeouts.whole_s}, "trace": trace},
        )
        try:
            response = await self._transport.handle_async_request(request)
            try:
                return await _taken(response, bounds)
            finally:
                await response.aclose()
        except httpx.TimeoutException as error:
            raise TimedOut from error
        except httpx.TransportError as error:
            raise Broken from error
        except BodyTooLarge as error:
            raise TooLarge(cap=error.cap, actual=error.actual) from error
        except BodyCut as error:
            raise Cut from error
        except BodyUnreadable as error:
            raise Unreadable from error


def redirect_location(found: Exchange) -> str | None:
    """Where an answer points to instead, if it is a redirect and says where."""
    return found.headers.get("location") if found.status in _REDIRECTS else None


_REDIRECTS = frozenset({301, 302, 303, 307, 308})


async def _taken(response: httpx.Response, bounds: Bounds) -> Exchange:
    headers = {name.lower(): value for name, value in response.headers.items()}
    found = Exchange(response.status_code, headers)
    if response.status_code >= httpx.codes.INTERNAL_SERVER_ERROR or redirect_location(found) is not None:
        return found
    encoding = headers.get("content-encoding")
    if bounds.error_bytes is not None and response.status_code >= httpx.codes.BAD_REQUEST:
        start = await read_start(response.aiter_raw(), content_encoding=encoding, max_bytes=bounds.error_bytes)
        return Exchange(response.status_code, headers, start)
    body = await read_body(
        response.aiter_raw(),
        content_length=headers.get("content-length"),
        content_encoding=encoding,
        max_bytes=bounds.max_bytes,
        max_unpacked_bytes=bounds.max_unpacked_bytes,
    )
    return Exchange(response.status_code, headers, body)


def _same_host(asked: httpx.URL, location: str) -> httpx.URL:
    """Where a redirect leads, if that is the same host and no less safe; raises `Unreadable`."""
    target = asked.join(location)
    same_port = target.port == asked.port
    upgraded = (asked.scheme, target.scheme) == ("http", "https")
    if target.host != asked.host or target.userinfo or not (upgraded or (target.scheme == asked.scheme and same_port)):
        raise Unreadable
    return target
