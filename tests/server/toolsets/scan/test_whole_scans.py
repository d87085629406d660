"""Whole scans over HTTP: the sample catalog, a scripted judge and nothing outside."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.scan_service import GAP_QUERY, MODERN, OLD, Judge, ScanClient, fresh_id, serve_scans

ENGINE_TIME_MAX_S = 10.0


def document(client: ScanClient, scan_id: str, name: str) -> Any:
    [content] = client.read(f"scan-run://{scan_id}/{name}")["result"]["contents"]
    return orjson.loads(content["text"])


@pytest.mark.parametrize(
    ("profile", "dispatcher", "era", "is_file"), [("quick", "sdk", OLD, True), ("deep", "lean", MODERN, False)]
)
def test_a_scan_over_the_sample_is_completed_by_its_own_directions(
    sample_directory: Path, tmp_path: Path, profile: str, dispatcher: str, era: str, is_file: bool
) -> None:
    # scan A65, A4
    store = f"sqlite:{tmp_path / 'scans.db'}" if is_file else "memory:"
    with serve_scans(sample_directory, scan_store=store, dispatcher=dispatcher) as service:
        check_a_scan(ScanClient(service, era), profile)


def check_a_scan(client: ScanClient, profile: str) -> None:
    scan_id = fresh_id()
    judge = Judge(client, scan_id, gap_queries=(GAP_QUERY,))
    last = judge.play(client.start(scan_id, profile=profile, top=50))
    assert last["phase"] == "complete"
    assert ("write_gap_queries" in judge.actions) == (profile == "deep")
    result = client.call("scan_result", scan_id=scan_id)
    counts = result["progress"]["counts"]
    assert counts["emitted"] == len(result["payload"]["top"]) > 0
    assert counts["ranked"] == counts["shortlisted"] > 0
    asked = {name: health["queried"] > 0 for name, health in result["payload"]["source_health"].items()}
    assert {name for name, was in asked.items() if was} == {"catalog"}
    assert all(health["failed"] == 0 for health in result["payload"]["source_health"].values())
    assert "verification_offline" in {warning["code"] for warning in result["payload"]["warnings"]}
    manifest = document(client, scan_id, "manifest.json")
    spans = [
        section["duration_s"] for section in manifest.values() if isinstance(section, dict) and "duration_s" in section
    ]
    assert len(spans) >= (6 if profile == "deep" else 4)
    assert sum(spans) < ENGINE_TIME_MAX_S
