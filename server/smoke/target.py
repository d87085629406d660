"""The service under test, as a client meets it: its documents, its endpoints and one message at a time."""

import json
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx

from server.envelope import CAPABILITIES_KEY, MODERN_VERSION, NAMED_BY, OLD_VERSIONS, VERSION_KEY
from server.smoke.verdict import Failed, NotRun, json_of, require, require_status

Era = Literal["2025", "2026"]
Json = dict[str, Any]

ANSWER_LIMIT_S = 20.0
PUBLIC_INTERVAL_S = 0.07
DESCRIPTION_PATH = "/.well-known/mcp"
TAG_HEADER = "X-PwC-MCP-Client"
ERROR_KEY = "org.paperdesk/error"


@dataclass(frozen=True, slots=True)
class Listed:
    """One endpoint as the service's description lists it; `url` is the public one, `path` where it is asked here."""

    toolset: str
    url: str
    path: str
    tools: int


@dataclass(frozen=True, slots=True)
class Options:
    """What the operator said: `public` means through the proxy, where tags and forwarding headers are not ours.

    With a `key` the whole run is its holder's, whatever else it says of itself.
    """

    url: str
    public: bool = False
    expect_version: str | None = None
    paper: str | None = None
    log: str | None = None
    key: str | None = field(default=None, repr=False)

    @property
    def has_one_caller(self) -> bool:
        """Whether all requests are counted against one caller, so that the run cannot name others."""
        return self.public or self.key is not None


class Target:
    """A service and the run's own name for itself. Every group of calls has a tag of its own, so none uses up another's
    budget, and no real client's.
    """

    def __init__(
        self,
        options: Options,
        client: httpx.Client,
        *,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.options = options
        self.base = options.url.rstrip("/")
        self.run = secrets.token_hex(6)
        self.clock = clock
        self.pause = pause
        self.is_ready = False
        self.called: dict[str, Any] = {}
        """What each toolset's cheap call gave in the older era, for the newer one to equal."""
        self._next_s = clock()
        self._client = client
        self._origin = "{0.scheme}://{0.netloc}".format(urlsplit(self.base))

    def here(self, url: str) -> str:
        """A public address of the service as it is asked here: an instance is tested before its name points to it."""
        parts = urlsplit(url)
        return f"{self._origin}{parts.path}" + (f"?{parts.query}" if parts.query else "")

    def tag(self, group: str) -> dict[str, str]:
        """The header that says who is calling, fresh for each run and group."""
        return {TAG_HEADER: f"smoke-{self.run}-{group}"}

    def get(self, path: str, headers: Mapping[str, str] | None = None, *, method: str = "GET") -> httpx.Response:
        """A document, by path below the service's address or by whole address."""
        url = path if "://" in path else f"{self.base}{path}"
        self._pace()
        return self._client.request(method, url, headers=headers or {}, timeout=ANSWER_LIMIT_S)

    def post(
        self, endpoint: Listed, content: bytes, headers: Mapping[str, str], *, path: str | None = None
    ) -> httpx.Response:
        """Raw bytes to an endpoint."""
        url = f"{self._origin}{path or endpoint.path}"
        key = self.options.key
        credential = {} if key is None else {"Authorization": f"Bearer {key}"}
        whole = {"Content-Type": "application/json", **credential, **headers}
        self._pace()
        return self._client.post(url, content=content, headers=whole, timeout=ANSWER_LIMIT_S)

    def ask(
        self, endpoint: Listed, method: str, params: Json | None = None, *, era: Era, headers: Mapping[str, str]
    ) -> httpx.Response:
        """One request in one era."""
        message, routing = _message(method, params or {}, era)
        return self.post(endpoint, _bytes({**message, "id": 1}), {**routing, **headers})

    def notify(self, endpoint: Listed, method: str, *, headers: Mapping[str, str]) -> httpx.Response:
        """One notification of the older era."""
        message, routing = _message(method, {}, "2025")
        return self.post(endpoint, _bytes(message), {**routing, **headers})

    def result(
        self, endpoint: Listed, method: str, params: Json | None = None, *, era: Era, headers: Mapping[str, str]
    ) -> Json:
        """A request's result; anything else is a failure of the check."""
        where = f"{endpoint.path} {method}"
        answer = self.ask(endpoint, method, params, era=era, headers=headers)
        require_status(answer, 200, where)
        result = json_of(answer, where).get("result")
        if not isinstance(result, dict):
            raise Failed(f"{where}: an error instead of a result")
        return result

    @cached_property
    def description(self) -> Json:
        """The service's description of itself."""
        answer = self.get(DESCRIPTION_PATH)
        require_status(answer, 200, DESCRIPTION_PATH)
        return json_of(answer, DESCRIPTION_PATH)

    @cached_property
    def listed(self) -> tuple[Listed, ...]:
        """The endpoints of the description, or `Failed`."""
        rows = self.description.get("endpoints")
        require(isinstance(rows, list) and bool(rows), f"{DESCRIPTION_PATH}: no list of endpoints")
        return tuple(self._listed(row) for row in rows or ())

    @property
    def endpoints(self) -> tuple[Listed, ...]:
        """The endpoints, for checks other than that of the documents."""
        try:
            return self.listed
        except (Failed, httpx.HTTPError):
            raise NotRun("the service's list of endpoints cannot be read") from None

    def endpoint(self, toolset: str) -> Listed:
        """The endpoint of one toolset, where it is served."""
        for one in self.endpoints:
            if one.toolset == toolset:
                return one
        raise NotRun(f"the toolset {toolset} is not served")

    def _pace(self) -> None:
        """A proxy bounds how many requests a second one address may send; a run through it stays below that."""
        if not self.options.public:
            return
        wait_s = self._next_s - self.clock()
        if wait_s > 0:
            self.pause(wait_s)
        self._next_s = self.clock() + PUBLIC_INTERVAL_S

    def _listed(self, row: Any) -> Listed:
        try:
            toolset, url, tools = str(row["toolset"]), str(row["url"]), int(row["tools"])
        except (KeyError, TypeError, ValueError):
            raise Failed(f"{DESCRIPTION_PATH}: an endpoint without toolset, url or number of tools") from None
        require(urlsplit(url).scheme in ("http", "https"), f"{DESCRIPTION_PATH}: {toolset} has no absolute url")
        return Listed(toolset, url, urlsplit(url).path, tools)


def error_code(result: Json) -> str | None:
    """The code of a tool's failure."""
    failure = result.get("_meta", {}).get(ERROR_KEY, {})
    return str(failure["code"]) if "code" in failure else None


def _message(method: str, params: Json, era: Era) -> tuple[Json, dict[str, str]]:
    """A message and the headers that its era wants beside it."""
    if era == "2025":
        return {"jsonrpc": "2.0", "method": method, "params": params}, {"MCP-Protocol-Version": OLD_VERSIONS[0]}
    meta = {VERSION_KEY: MODERN_VERSION, CAPABILITIES_KEY: {}}
    headers = {"MCP-Protocol-Version": MODERN_VERSION, "Mcp-Method": method}
    if method in NAMED_BY:
        headers["Mcp-Name"] = str(params[NAMED_BY[method]])
    return {"jsonrpc": "2.0", "method": method, "params": {**params, "_meta": meta}}, headers


def _bytes(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
