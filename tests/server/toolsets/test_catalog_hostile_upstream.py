"""Every field of every answer of a catalog service, replaced by the unexpected: a valid result or a named failure.

The answers are those of the service's own API over the catalog of odd cases, recorded while each tool is called.
"""

import json
import logging
from collections.abc import Iterator
from typing import Any

import httpx
import orjson
import pytest
from jsonschema import Draft202012Validator

from core.catalog.embedded.store import EmbeddedCatalog
from core.catalog.upstream.catalog import UpstreamCatalog
from core.clock import ManualClock
from core.http.client import HttpClient
from core.http.upstream import Upstream
from server.registry import ToolOutcome
from tests.catalog_desk import CODES, Desk
from tests.live_api import api_app
from tests.server.toolsets.test_catalog_every_tool import DEFAULT_CALLS, SCHEMAS

VALIDATORS = {tool: Draft202012Validator(schema) for tool, schema in SCHEMAS.items()}
ALL_CODES = {*CODES, "upstream_error", "upstream_timeout", "rate_limited"}
PLACE = '"@place@"'
REPLACEMENTS = {
    "null": "null",
    "list of everything": '[null, true, -1, 1.5, "x", [], {}, {"id": 1.5, "name": null}, {"id": 18446744073709551615}]',
    "object": '{"id": [], "name": {}, "slug": 0}',
    "huge number": "1e300",
    "unsigned number": "18446744073709551615",
    "endless text": '"' + "SECRET" * 12_000 + '"',
    "control characters": '"a\\u0000b\\n\\r# \\u202e\\u2028"',
    "no such day": '"2024-02-31"',
    "deep list": "[" * 900 + "]" * 900,
}


class Twisted(httpx.AsyncBaseTransport):
    """The answers of an application, one field of one path replaced wherever it stands."""

    def __init__(self, app: Any) -> None:
        self._inner = httpx.ASGITransport(app=app)
        self._known: dict[str, tuple[int, bytes, bytes]] = {}
        self.answers: dict[str, Any] = {}
        self.path = self.name = ""
        self.value = "null"

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = str(request.url)
        if url not in self._known:
            answer = await self._inner.handle_async_request(request)
            kind = answer.headers["content-type"].encode()
            self._known[url] = (answer.status_code, kind, await answer.aread())
        status, kind, body = self._known[url]
        if kind != b"application/json":
            return httpx.Response(503)
        self.answers[request.url.path] = orjson.loads(body)
        if request.url.path == self.path:
            twisted = json.dumps(replaced(orjson.loads(body), self.name))
            body = twisted.replace(PLACE, self.value).encode()
        return httpx.Response(status, headers=[(b"content-type", kind)], stream=httpx.ByteStream(body))


def replaced(value: Any, name: str) -> Any:
    if isinstance(value, list):
        return [replaced(each, name) for each in value]
    if not isinstance(value, dict):
        return value
    return {key: json.loads(PLACE) if key == name else replaced(each, name) for key, each in value.items()}


def names(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield from names(each)
    if isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from names(each)


class Bench:
    """The tools over a twisted catalog, nothing remembered between calls and no breaker that opens."""

    def __init__(self, backend: EmbeddedCatalog) -> None:
        self.road = Twisted(api_app(backend))
        self._client = HttpClient(user_agent="paperdesk/test", transport=self.road)
        self._desk = Desk(self)

    def __getattr__(self, name: str) -> Any:
        clock = ManualClock()
        upstream = Upstream(self._client, "http://localhost/api/v1", source="catalog", clock=clock)
        return getattr(UpstreamCatalog(upstream, clock), name)

    async def call(self, tool: str) -> ToolOutcome:
        return await self._desk.call(tool, **DEFAULT_CALLS[tool][0])


@pytest.fixture(scope="module")
def bench(odd_backend: EmbeddedCatalog) -> Bench:
    return Bench(odd_backend)


@pytest.mark.parametrize("tool", [tool for tool in DEFAULT_CALLS if tool != "read_paper"])
async def test_no_field_of_an_upstream_breaks_a_tool(
    bench: Bench, tool: str, caplog: pytest.LogCaptureFixture
) -> None:  # catalog A10, A18
    caplog.set_level(logging.DEBUG, "paperdesk")
    bench.road.path = ""
    bench.road.answers.clear()
    assert (await bench.call(tool)).structured is not None
    places = [(path, name) for path, answer in dict(bench.road.answers).items() for name in sorted(set(names(answer)))]
    assert len(places) > 3
    values = list(REPLACEMENTS.items())
    for number, (path, name) in enumerate(places):
        # Two kinds for each field, so that all tools together meet all kinds many times over.
        for kind, value in (values[number % len(values)], values[(5 * number + 3) % len(values)]):
            bench.road.path, bench.road.name, bench.road.value = path, name, value
            outcome = await bench.call(tool)
            where = (path, name, kind, outcome.code)
            assert outcome.ending in ("ok", "failed"), where
            assert outcome.code is None or outcome.code in ALL_CODES, where
            if outcome.structured is not None:
                VALIDATORS[tool].validate(outcome.structured)
            else:
                assert "SECRET" not in "".join(outcome.texts), where
    assert "SECRET" not in caplog.text


async def test_every_count_of_an_upstream_may_be_huge(bench: Bench) -> None:
    for tool in DEFAULT_CALLS:
        bench.road.path = ""
        bench.road.answers.clear()
        await bench.call(tool)
        for path, answer in dict(bench.road.answers).items():
            for name in sorted(set(names(answer))):
                if not name.endswith(("count", "rank", "year")):
                    continue
                bench.road.path, bench.road.name, bench.road.value = path, name, "1e300"
                outcome = await bench.call(tool)
                assert outcome.ending in ("ok", "failed"), (tool, path, name)
