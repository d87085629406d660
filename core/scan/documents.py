"""The values of a scan as the JSON of artifacts, in the order of keys of 8.2 (scan contract 8.2)."""

from dataclasses import asdict
from typing import Any

from core.scan.models import Candidate


def candidate_json(candidate: Candidate) -> dict[str, Any]:
    """A candidate as its document."""
    return {
        "cid": candidate.cid,
        **asdict(candidate.work),
        "outside_window": candidate.outside_window,
        "versions": list(candidate.versions),
    }
