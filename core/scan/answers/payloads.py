"""What an answer hands to the client for each action (scan contract 6.1 to 6.3)."""

from collections.abc import Container, Mapping, Sequence
from typing import Any

from core.scan.answers.pages import page_records
from core.scan.models import Shortlist
from core.scan.profiles import THIN_HITS

OPEN_BATCHES_SHOWN = 100


def screen_candidates(
    batch: Mapping[str, Any], open_batches: Sequence[str], rubric: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """One batch to score, as the document that it was handed out as, and the ids of all that are open."""
    return _with_rubric({"screen_batch": batch, "open_batches": list(open_batches[:OPEN_BATCHES_SHOWN])}, rubric)


def write_gap_queries(
    advice: Mapping[str, Any], coverage: Mapping[str, Any], rubric: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Why queries are asked for, with the latest round of coverage and the ids of its thin criteria."""
    thin = [each["id"] for each in coverage["criteria"] if each["hits"] < THIN_HITS]
    gap_round = {key: advice[key] for key in ("should_run", "profile", "forced")}
    gap_round["reasons"] = list(advice["reasons"])
    return _with_rubric({"gap_round": gap_round, "coverage": coverage, "thin": thin}, rubric)


def rank_shortlist(
    shortlist: Shortlist, ranked: Container[str], rubric: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The page to rank; `ranked` are the surviving cids with an entry."""
    return _with_rubric({"shortlist_records": page_records(shortlist, ranked)}, rubric)


def without_decision(rubric: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The payload of `verify_ranked` and `complete`."""
    return _with_rubric({}, rubric)


def _with_rubric(payload: dict[str, Any], rubric: Mapping[str, str] | None) -> dict[str, Any]:
    return payload if rubric is None else {**payload, "rubric": {key: rubric[key] for key in _RUBRIC_KEYS}}


_RUBRIC_KEYS = ("prompt", "uri", "version")
