"""The one form of every answer about a scan: six keys in one order (scan contract 3)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from core.scan.answers.refusals import Refused
from core.scan.vocabulary import Action, Phase, Status

RECEIVED_ID_CHARS = 100
ENVELOPE_KEYS = ("scan_id", "phase", "status", "next_action", "progress", "payload")


@dataclass(frozen=True, slots=True)
class Envelope:
    """One answer; `next_action` is None while the server works, after a failed stage, and where there is no scan."""

    scan_id: str
    phase: Phase
    status: Status = "ok"
    next_action: Action | None = None
    progress: Mapping[str, Any] = field(default_factory=dict)
    payload: Mapping[str, Any] = field(default_factory=dict)

    def json(self) -> dict[str, Any]:
        """The six keys in their order."""
        told: dict[str, Any] = {key: getattr(self, key) for key in ENVELOPE_KEYS}
        return {**told, "progress": dict(self.progress), "payload": dict(self.payload)}

    def size_bytes(self) -> int:
        """The length of its compact JSON in UTF-8."""
        return len(orjson.dumps(self.json()))


def refusal(
    scan_id: str,
    refused: Refused,
    *,
    phase: Phase = "unknown",
    next_action: Action | None = None,
    progress: Mapping[str, Any] | None = None,
    payload: Mapping[str, Any] | None = None,
) -> Envelope:
    """The answer to a refused call.

    Of a living scan it keeps `phase`, `next_action` and `progress`; `payload` is what else it says, such as the
    payload of a `scan_result`.
    """
    held = {**(payload or {}), **refused.payload()}
    return Envelope(scan_id, phase, refused.code.status, next_action, progress or {}, held)


def received_id(arguments: object) -> str:
    """The `scan_id` as the caller sent it, cut to 100 characters; empty where it is missing or no string."""
    given = arguments.get("scan_id") if isinstance(arguments, Mapping) else None
    return given[:RECEIVED_ID_CHARS].encode("utf-8", "replace").decode() if isinstance(given, str) else ""
