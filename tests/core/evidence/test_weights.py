"""Weights, caps and balances as the contract's tables have them."""

from decimal import Decimal
from typing import Any

import pytest

from core.evidence.weights import SCALE, balance, capped_grade, composite_weight
from tests.evidence_room import Room, run


@pytest.mark.parametrize(
    ("grade", "rigor", "strength", "design", "weight"),
    [  # evidence A25
        ("high", "high", "high", "rct", "1.0000"),
        ("medium", "high", "high", "review_meta", "0.8725"),
        ("medium", "high", "medium", "quasi_experimental", "0.7700"),
        ("high", None, None, "review_meta", "0.7450"),
        ("medium", None, "high", "correlational", "0.6750"),
        ("medium", "medium", "medium", "correlational", "0.6325"),
        ("low", "medium", "low", "descriptive", "0.4300"),
        ("low", None, None, "descriptive", "0.4225"),
        ("low", "low", "low", "theoretical", "0.3400"),
        ("speculative", None, None, None, "0.3075"),
        ("speculative", "low", "low", "commentary", "0.2100"),
    ],
)
def test_the_weight_table_holds(grade: Any, rigor: Any, strength: Any, design: Any, weight: str) -> None:
    assert composite_weight(grade, rigor, strength, design) == Decimal(weight)
    assert composite_weight(grade, rigor, strength, design, is_retracted=True) == 0


def test_the_lowest_of_all_caps_wins() -> None:
    assert capped_grade("high", "rct", is_located=True, is_forecast=False) == "high"
    assert capped_grade("high", "descriptive", is_located=True, is_forecast=False) == "medium"
    assert capped_grade("high", "descriptive", is_located=False, is_forecast=False) == "low"
    assert capped_grade("medium", "commentary", is_located=True, is_forecast=True) == "speculative"
    assert capped_grade("speculative", "theoretical", is_located=False, is_forecast=False) == "speculative"


def test_the_worked_balance_holds() -> None:
    assert balance([10_000, 7_700], [6_325]) == 0.3343
    assert balance([], [5_000]) == -0.3333
    assert balance([], []) is None


def test_recomputing_every_stored_claim_gives_its_stored_weight(room: Room) -> None:
    # evidence A25
    page = run(room.desk.search_claims(limit=50))
    papers = run(room.desk.search_papers(limit=50)).results
    assessed = {paper.paper_id: paper for paper in papers}
    assert page.total == 8
    for row in page.results:
        paper = assessed[row.paper_id]
        stated = paper.assessment
        weight = composite_weight(
            row.evidence_grade,
            stated and stated.methods_rigor,
            stated and stated.evidence_strength,
            stated and stated.paper_type,
            is_retracted=paper.retraction_status == "retracted",
        )
        assert row.evidence_weight == int(weight * SCALE) / SCALE
    (withdrawn,) = [row for row in page.results if row.claim_id == 11]
    assert (withdrawn.evidence_weight, withdrawn.paper.retraction_status) == (0.0, "retracted")
