"""What a client sends to the tools of a scan, sound unless a test breaks it."""

from typing import Any

SCAN_ID = "5f0c954e-3f9c-4d54-9a29-8f6a2b1c0d3e"


def sent_plan(**changes: Any) -> dict[str, Any]:
    types = ("direct", "terminology", "contradictory", "review", "mechanism", "method")
    return {
        "brief_summary": "Build: how agents search literature",
        "domain": "cs",
        "sub_criteria": [{"id": f"c{n}", "name": f"Question {n}", "text": f"Answers question {n}"} for n in (1, 2, 3)],
        "queries": [{"id": f"Q{n}", "type": kind, "text": f"words {n}"} for n, kind in enumerate(types, 1)],
        **changes,
    }


def sent_start(**changes: Any) -> dict[str, Any]:
    return {"scan_id": SCAN_ID, "brief": "How do agents search?", "queries": sent_plan(), **changes}


def sent_score(cid: str = "0" * 12, score: Any = 2, **changes: Any) -> dict[str, Any]:
    return {"cid": cid, "score": score, "reason": "fits the question", **changes}


def sent_gap(name: str = "G1", **changes: Any) -> dict[str, Any]:
    return {"id": name, "type": "gap", "text": "more words", "target_criterion": "c1", **changes}


def sent_entry(cid: str = "0" * 12, **changes: Any) -> dict[str, Any]:
    return {
        "cid": cid,
        "criteria": {"c1": 3, "c2": 0, "c3": 1},
        "overall": 2,
        "evidence_level": "other",
        "key_finding": "It works",
        "methodology": "A test",
        "limitations": ["Small"],
        "why_it_matters": "It bears on the design",
        "relevance_reason": "It is near",
        **changes,
    }
