"""`evidence.json`: the emitted papers with all that is known and was said of them (scan contract 7.15)."""

from collections.abc import Mapping
from typing import Any

from core.scan.documents import candidate_json, entry_json, verification_json
from core.scan.models import Packet
from core.scan.selection import Selection


def evidence_json(run: Mapping[str, Any], selection: Selection) -> dict[str, Any]:
    """The whole document; alternates have neither rank nor reason."""
    return {
        "run": dict(run),
        "packets": [packet_json(each) for each in selection.packets],
        "alternates": [packet_json(each) for each in selection.alternates],
    }


def packet_json(packet: Packet) -> dict[str, Any]:
    """One paper: the candidate, the entry, the verdict, and why it is here."""
    return {
        **candidate_json(packet.shortlisted.candidate),
        **entry_json(packet.entry),
        "verification": verification_json(packet.verification),
        "rank": packet.rank,
        "selection_reason": packet.reason,
        "url": packet.url,
    }
