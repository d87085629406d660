"""Settings of sources: what stops a start, and that a service asks the sources that they name."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import httpx
import pytest

from core.clock import SystemClock
from core.errors import SettingsError
from server.app import create_app
from server.bootstrap import compose, open_catalog
from server.settings import parse_settings
from tests.core.sources.answered import CROSSREF
from tests.loopback import serving
from tests.server.live import front

CONTACT = "desk@papers.test"
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


# references A76, A65
@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"PAPERDESK_CONTACT_EMAIL": "me@example.org"}, "PAPERDESK_CONTACT_EMAIL"),
        ({"PAPERDESK_CONTACT_EMAIL": "root@localhost"}, "PAPERDESK_CONTACT_EMAIL"),
        ({"PAPERDESK_SOURCES_OFF": "crosref"}, "PAPERDESK_SOURCES_OFF"),
        ({"PAPERDESK_SOURCES_ON": "elsevier"}, "PAPERDESK_SOURCES_ON"),
        ({"PAPERDESK_SOURCE_CROSSREF_URL": "http://mirror.papers.test"}, "PAPERDESK_SOURCE_CROSSREF_URL"),
        ({"PAPERDESK_SOURCE_CROSSREF_URL": "http://127.0.0.1:9"}, "PAPERDESK_SOURCE_CROSSREF_URL"),
        ({"PAPERDESK_SOURCE_ARXIV_API_MIN_GAP_MS": "10"}, "PAPERDESK_SOURCE_ARXIV_API_MIN_GAP_MS"),
        ({"PAPERDESK_OA_HOST_CLASSES": "shadow"}, "PAPERDESK_OA_HOST_CLASSES"),
    ],
)
def test_a_bad_choice_stops_the_start_and_is_named(environment: dict[str, str], named: str) -> None:
    with pytest.raises(SettingsError) as raised:
        parse_settings(environment)
    (problem,) = raised.value.problems
    assert problem.startswith(f"{named}: ") and problem.endswith(".")


def test_keys_and_the_contact_are_in_no_repr() -> None:
    secrets = {
        "PAPERDESK_CONTACT_EMAIL": CONTACT,
        "PAPERDESK_OPENALEX_API_KEY": "key-of-openalex",
        "PAPERDESK_NCBI_API_KEY": "key-of-ncbi",
        "PAPERDESK_S2_API_KEY": "key-of-s2",
    }
    shown = repr(parse_settings(secrets))
    assert not any(secret in shown for secret in secrets.values())


class Crossref(BaseHTTPRequestHandler):
    """Answers every request with one work, and notes it."""

    asked: ClassVar[list[tuple[str, str]]] = []

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers["user-agent"]))
        body = json.dumps({"status": "ok", "message": {**CROSSREF, "DOI": "10.1234/X"}}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing is logged."""


@pytest.fixture
def upstream() -> Iterator[str]:
    Crossref.asked.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Crossref) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def url(sample_directory: Path, upstream: str) -> Iterator[str]:
    """A service whose Crossref lies on loopback."""
    overrides: dict[str, str] = {"catalog_url": f"file:{sample_directory}", "embedder": "none"}
    environment = {
        "PAPERDESK_CONTACT_EMAIL": CONTACT,
        "PAPERDESK_SOURCE_CROSSREF_URL": upstream,
        "PAPERDESK_ALLOW_LOOPBACK_SOURCES": "true",
    }
    settings = parse_settings(environment, overrides=overrides, serving=False)
    opened = open_catalog(settings)
    with serving(create_app(compose(settings, opened, SystemClock()), front())) as served:
        yield served.url


def test_a_service_asks_the_source_that_its_settings_name(url: str) -> None:
    params: Any = {"name": "doiget_resolve_paper", "arguments": {"ref": "10.1234/x"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    with httpx.Client(base_url=url) as client:
        answer = client.post("/mcp/references", json=body, headers=JSON)
        metrics = client.get("/metrics")
    found = answer.json()["result"]["structuredContent"]
    assert (found["ok"], found["source"]) == (True, "crossref")
    assert CONTACT not in answer.text + metrics.text
    ((path, agent),) = Crossref.asked
    assert path == "/works/10.1234%2Fx?mailto=desk%40papers.test"
    assert agent.startswith("paperdesk/")
