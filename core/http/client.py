"""The pool of connections that every upstream request goes through, and what one exchange comes to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import httpx

from core.http.body import BodyTooLarge, BodyUnreadable, read_body

MAX_CONNECTIONS = 64
MAX_IDLE_CONNECTIONS = 16
MAX_REDIRECTS = 5


class TimedOut(Exception):
    """No connection, no answer or no end of one in time."""


class Broken(Exception):
    """A failure of the network: no connection, or one that ended too early."""


class Unreadable(Exception):
    """An answer that cannot be taken: over its bound, badly packed, or a redirect to elsewhere."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A status, headers by lower-case name, and a body."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


class HttpClient:
    """One pool for a process: GET only, no cookies, no proxies of the environment, no redirect it was not told of."""

    def __init__(self, *, user_agent: str, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._client = httpx.AsyncClient(
            headers={"User-Agent": user_agent, "Accept-Encoding": "gzip"},
            limits=httpx.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=MAX_IDLE_CONNECTIONS),
            cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=[])),
            follow_redirects=False,
            trust_env=False,
            transport=transport,
        )

    async def aclose(self) -> None:
        """Closes all connections."""
        await self._client.aclose()

    async def get(self, url: str, *, headers: Mapping[str, str], timeout_s: float, max_body_bytes: int) -> Exchange:
        """One exchange, redirects on the same host followed; raises `TimedOut`, `Broken` and `Unreadable`.

        `timeout_s` bounds each wait on the network; the caller bounds the whole. Bodies of server errors are not read.
        """
        try:
            target = httpx.URL(url)
            for _ in range(MAX_REDIRECTS + 1):
                request = self._client.build_request("GET", target, headers=dict(headers), timeout=timeout_s)
                found = await self._exchange(request, max_body_bytes)
                if isinstance(found, Exchange):
                    return found
                target = found
        except httpx.TimeoutException as error:
            raise TimedOut from error
        except httpx.TransportError as error:
            raise Broken from error
        except (BodyTooLarge, BodyUnreadable, httpx.InvalidURL) as error:
            raise Unreadable from error
        raise Unreadable

    async def _exchange(self, request: httpx.Request, max_body_bytes: int) -> Exchange | httpx.URL:
        """The answer, or where it points to on the same host."""
        response = await self._client.send(request, stream=True)
        try:
            if response.has_redirect_location:
                return _same_host(request.url, response.headers["location"])
            headers: dict[str, Any] = {name.lower(): value for name, value in response.headers.items()}
            if response.status_code >= httpx.codes.INTERNAL_SERVER_ERROR:
                return Exchange(response.status_code, headers)
            body = await read_body(
                response.aiter_raw(),
                content_length=headers.get("content-length"),
                content_encoding=headers.get("content-encoding"),
                max_bytes=max_body_bytes,
            )
            return Exchange(response.status_code, headers, body)
        finally:
            await response.aclose()


def _same_host(asked: httpx.URL, location: str) -> httpx.URL:
    """Where a redirect leads, if that is the same host and no less safe; raises `Unreadable`."""
    target = asked.join(location)
    same_port = target.port == asked.port
    upgraded = (asked.scheme, target.scheme) == ("http", "https")
    if target.host != asked.host or target.userinfo or not (upgraded or (target.scheme == asked.scheme and same_port)):
        raise Unreadable
    return target
