"""What `scan_result` tells of a scan at any time (scan contract 6.4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.scan.models import Packet, Shortlist, Verification


@dataclass(frozen=True, slots=True)
class Emitted:
    """What only a complete scan has."""

    packets: Sequence[Packet]
    evidence_md: str


@dataclass(frozen=True, slots=True)
class ScanView:
    """All that a result is made of.

    `coverage` is its document, None before there is one; `decision` the payload of the current `next_action`;
    `verdicts` are by cid, empty before `verify`; `source_health` is None before `retrieve` has ended.
    """

    scan_id: str
    versions: Mapping[str, Any]
    coverage: Mapping[str, Any] | None = None
    shortlist: Shortlist = field(default_factory=Shortlist)
    verdicts: Mapping[str, Verification] = field(default_factory=dict)
    emitted: Emitted | None = None
    decision: Mapping[str, Any] = field(default_factory=dict)
    source_health: Mapping[str, Any] | None = None


def run_uri(scan_id: str, artifact: str = "") -> str:
    """The opaque address of a scan or of one of its artifacts."""
    return f"scan-run://{scan_id}/{artifact}"


def result_payload(view: ScanView) -> dict[str, Any]:
    """The payload of `scan_result`, with that of the decision.

    The latest round of coverage, which a gap decision holds, gives way to the whole document.
    """
    payload: dict[str, Any] = {"run_dir": run_uri(view.scan_id)}
    if view.coverage is not None:
        payload["coverage"] = view.coverage
    payload["unverified"] = unverified_rows(view.shortlist, view.verdicts)
    if view.emitted is not None:
        payload["evidence_json"] = run_uri(view.scan_id, "evidence.json")
        payload["top"] = [top_row(each) for each in view.emitted.packets]
        payload["evidence_md"] = view.emitted.evidence_md
    payload |= {key: value for key, value in view.decision.items() if key not in payload}
    if view.source_health is not None:
        payload["source_health"] = view.source_health
    return {**payload, "versions": view.versions}


def top_row(packet: Packet) -> dict[str, Any]:
    """One emitted paper in short."""
    candidate, entry = packet.shortlisted.candidate, packet.entry
    return {
        "rank": packet.rank,
        "title": candidate.work.title,
        "year": candidate.work.year,
        "doi": candidate.work.ids.doi,
        "url": packet.url,
        "evidence_level": entry.evidence_level,
        "verified": packet.verification.verified,
        "selection_reason": packet.reason,
        "relation": entry.relation,
        "relevance_reason": entry.relevance_reason,
        "cid": candidate.cid,
        "verification_state": packet.verification.state,
    }


def unverified_rows(shortlist: Shortlist, verdicts: Mapping[str, Verification]) -> list[dict[str, Any]]:
    """The ranked entries that are not verified, in shortlist order."""
    rows = []
    for candidate in (each.candidate for each in shortlist.records):
        verdict = verdicts.get(candidate.cid)
        if verdict is not None and not verdict.verified:
            rows.append(
                {
                    "title": candidate.work.title,
                    "mismatches": list(verdict.mismatches),
                    "cid": candidate.cid,
                    "state": verdict.state,
                }
            )
    return rows
