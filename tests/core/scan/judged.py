"""Scores, entries and verdicts of a scan in few words."""

from collections.abc import Mapping
from typing import Any

from core.scan.models import Candidate, Flags, RankedEntry, ScreenScore, Shortlist, Shortlisted, Verification


def scored(**scores: int) -> Mapping[str, ScreenScore]:
    """A score for each cid."""
    return {cid: ScreenScore(cid, score, "fits") for cid, score in scores.items()}


def hitting(cid: str, score: int, *criteria: str) -> ScreenScore:
    """A score with the sub-criteria that are met."""
    return ScreenScore(cid, score, "fits", criteria)


def entry(cid: str, overall: int = 2, **values: Any) -> RankedEntry:
    """An entry; flags are given by their names."""
    flags = Flags(**{name: values.pop(name) for name in ("review", "contradicts", "methods_paper") if name in values})
    told: dict[str, Any] = {
        "criteria": {"C1": 1, "C2": 1, "C3": 1},
        "evidence_level": "experimental",
        "key_finding": "It works.",
        "methodology": "A trial.",
        "why_it_matters": "It changes the design.",
        "relevance_reason": "It asks the same question.",
        "limitations": ("Small sample.",),
        **values,
    }
    return RankedEntry(cid=cid, overall=overall, flags=flags, **told)


def verified(*cids: str) -> Mapping[str, Verification]:
    """A good verdict for each cid."""
    return {cid: Verification("verified", ("crossref",), "2026-08-20", 100.0, (), True) for cid in cids}


def shortlisted(*candidates: Candidate, score: int = 2) -> Shortlist:
    """The candidates on their sides of the window."""
    rows = [Shortlisted(each, score) for each in candidates]
    return Shortlist(
        tuple(each for each in rows if not each.candidate.outside_window),
        tuple(each for each in rows if each.candidate.outside_window),
    )
