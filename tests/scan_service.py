"""The scan toolset behind a real port, over a catalog and nothing else, and a client that plays whole scans."""

import contextlib
import json
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from core.clock import SystemClock
from core.scan.answers.refusals import Code
from server.app import create_app
from server.bootstrap import compose, front_of, open_catalog
from server.limits.budgets import LIMIT_MAX
from server.settings import parse_settings
from server.toolsets.scan.examples import EXAMPLE_PLAN
from tests.loopback import serving

Json = dict[str, Any]

PATH = "/mcp/scan"
MODERN = "2026-07-28"
OLD = "2025-11-25"
ERAS = (OLD, MODERN)
BRIEF = "How do language models learn from examples in their prompt?"
PLAN: Json = dict(EXAMPLE_PLAN)
KEYS = ["scan_id", "phase", "status", "next_action", "progress", "payload"]
BYTES_MAX = 36_000
RECOVERIES = {"fix_and_resend", "follow_next_action", "poll", "wait", "retry_same_call", "start_new_scan"}
CALLS_MAX = 200

_WIDE = {"limit_per_minute": str(LIMIT_MAX), "limit_concurrent": "64", "key_limit_per_minute": str(LIMIT_MAX)}


def fresh_id() -> str:
    """An id as clients make one."""
    return str(uuid.uuid4())


def checked(result: Mapping[str, Any], *, given: str = BRIEF) -> Json:
    """The envelope of a tool's result, held to what is true of every one of them (scan contract 3, 5, 6.5)."""
    # scan A2, A3, A4
    envelope: Json = result["structuredContent"]
    [block] = result["content"]
    assert list(envelope) == KEYS
    assert block["type"] == "text" and json.loads(block["text"]) == envelope
    assert list(json.loads(block["text"])) == KEYS
    assert result["isError"] is False
    assert len(block["text"].encode()) <= BYTES_MAX
    if envelope["status"] != "ok":
        code = Code(envelope["payload"]["code"])
        assert (envelope["status"], envelope["payload"]["recovery"]) == (code.status, code.recovery)
        assert envelope["payload"]["error"] == code.sentence and envelope["payload"]["recovery"] in RECOVERIES
        assert len(envelope["payload"]["errors"]) <= 51
        assert given not in block["text"]
    return envelope


@dataclass
class ScanClient:
    """One caller of one service, in one era of the protocol; `key` is its API key."""

    http: httpx.Client
    era: str = OLD
    key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    path: str = PATH

    def post(self, method: str, params: Mapping[str, Any] | None = None, **headers: str) -> httpx.Response:
        """One request."""
        body: Json = {"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params or {})}
        sent = {**self.headers, "mcp-protocol-version": self.era}
        if self.key is not None:
            sent["authorization"] = f"Bearer {self.key}"
        if self.era == MODERN:
            body["params"]["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": {},
            }
            sent["mcp-method"] = method
            named = body["params"].get("uri" if method == "resources/read" else "name")
            if isinstance(named, str):
                sent["mcp-name"] = named
        return self.http.post(self.path, json=body, headers={**sent, **headers})

    def raw(self, tool: str, arguments: Any) -> Json:
        """A tool's answer as a JSON-RPC message."""
        answer = self.post("tools/call", {"name": tool, "arguments": arguments})
        assert answer.status_code == 200, answer.text
        found: Json = answer.json()
        return found

    def call(self, tool: str, arguments: Any = None, **more: Any) -> Json:
        """A tool's envelope."""
        given = {**arguments, **more} if isinstance(arguments, Mapping) else more if arguments is None else arguments
        return checked(self.raw(tool, given)["result"])

    def start(self, scan_id: str, **more: Any) -> Json:
        """Begins a scan of the plan of the documents."""
        return self.call("scan_start", {"scan_id": scan_id, "brief": BRIEF, "queries": PLAN, **more})

    def read(self, uri: str) -> Json:
        """A resource's answer as a JSON-RPC message."""
        found: Json = self.post("resources/read", {"uri": uri}).json()
        return found

    def delete(self, scan_id: str, **headers: str) -> httpx.Response:
        """`DELETE /scans/{scan_id}`."""
        sent = {} if self.key is None else {"authorization": f"Bearer {self.key}"}
        return self.http.delete(f"/scans/{scan_id}", headers={**sent, **headers})


@dataclass
class Judge:
    """A scripted judge: what it answers follows from what it is shown alone."""

    client: ScanClient
    scan_id: str
    score: Callable[[int], int] = lambda place: 2 + place % 2 if place % 3 else 1
    gap_queries: tuple[Json, ...] = ()
    actions: list[str] = field(default_factory=list)
    seen: list[Json] = field(default_factory=list)

    def play(self, envelope: Json, *, until: str = "complete") -> Json:
        """Follows `next_action` to the end; the last envelope, which asks for `until`."""
        for _ in range(CALLS_MAX):
            self.seen.append(envelope)
            if envelope["status"] == "in_progress":
                time.sleep(0.05)
                envelope = self.client.call("scan_result", scan_id=self.scan_id)
                continue
            assert envelope["status"] == "ok", envelope
            self.actions.append(envelope["next_action"])
            if envelope["next_action"] == until:
                return envelope
            envelope = self.answer(envelope)
        raise AssertionError("the scan came to no end")

    def answer(self, envelope: Json) -> Json:
        """Does what is asked for."""
        payload, scan_id = envelope["payload"], self.scan_id
        match envelope["next_action"]:
            case "screen_candidates":
                scores = self.scores(payload["screen_batch"]["items"])
                return self.client.call("scan_continue", scan_id=scan_id, screen_scores=scores)
            case "write_gap_queries":
                return self.client.call("scan_continue", scan_id=scan_id, gap_queries=list(self.gap_queries))
            case "rank_shortlist":
                entries = [entry(place, row["cid"]) for place, row in enumerate(payload["shortlist_records"])]
                return self.client.call("scan_continue", scan_id=scan_id, ranked_entries=entries)
            case other:
                assert other == "verify_ranked"
                return self.client.call("scan_verify", scan_id=scan_id)

    def scores(self, items: list[Json]) -> list[Json]:
        """A score for each item of a batch."""
        given = [(item["cid"], self.score(place)) for place, item in enumerate(items)]
        return [
            {
                "cid": cid,
                "score": score,
                "reason": "its title says so",
                "criteria_hit": ["C1", "C2"][: max(0, score - 1)],
            }
            for cid, score in given
        ]


def entry(place: int, cid: str) -> Json:
    """A ranked entry."""
    return {
        "cid": cid,
        "criteria": {"C1": 2, "C2": place % 4, "C3": 1},
        "overall": 1 + place % 3,
        "evidence_level": "computational",
        "key_finding": "It finds | something",
        "methodology": "An experiment.",
        "why_it_matters": "It bears on the question.",
        "relevance_reason": "It measures what is asked.",
        "limitations": ["Only the abstract was read."],
    }


GAP_QUERY: Json = {"id": "G1", "type": "gap", "text": "memory of attention", "target_criterion": "C3"}


@contextlib.contextmanager
def serve_scans(directory: Path, **settings: str) -> Iterator[httpx.Client]:
    """The whole service with scans over a catalog's directory; settings without their prefix.

    Nothing outside is asked: scans look into the catalog alone.
    """
    given = {
        "toolsets": "scan",
        "embedder": "none",
        "scan_sources": "catalog",
        "scan_store": "memory:",
        **_WIDE,
        **settings,
    }
    environment = {f"PAPERDESK_{name.upper()}": value for name, value in given.items()}
    parsed = parse_settings(environment, overrides={"catalog_url": f"file:{directory}"}, serving=False)
    service = compose(parsed, open_catalog(parsed), SystemClock())
    app = create_app(service, front_of(parsed))
    with serving(app) as served, httpx.Client(base_url=served.url, timeout=60) as client:
        yield client
