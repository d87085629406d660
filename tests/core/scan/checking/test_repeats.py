"""Whether a start says the same as the one before it."""

from typing import Any

import pytest

from core.scan.checking import conflicts, fingerprints, refuse_conflict, start
from tests.core.scan.checking.refusing import refused
from tests.core.scan.sent import SCAN_ID, sent_plan, sent_start

SECRET = b"a secret of this deployment"


def sealed(**changes: Any) -> dict[str, str]:
    return dict(fingerprints(start(sent_start(**changes)), SECRET))


@pytest.mark.parametrize(
    "same",
    [
        {"brief": " How do agents search?\n"},
        {"profile": "standard", "top": "10", "foundational": 2.0, "force_gap_round": False},
        {"slug": "scan-5f0c954e", "max_candidates": 450, "per_query": 40},
        {"since": None, "until": "", "slug": None},
        {"queries": sent_plan(must_not=[], anchors=None, round2=[], window={"from": ""})},
    ],
)
def test_defaults_written_out_and_null_compare_equal(same: dict[str, Any]) -> None:
    # scan A11 scan A13
    assert conflicts(sealed(), sealed(**same)) == ()
    refuse_conflict(sealed(), sealed(**same))


def test_the_pool_cap_of_deep_compares_equal_where_it_is_known() -> None:
    request, written = (start(sent_start(profile="deep", **more)) for more in ({}, {"max_candidates": 675}))
    assert fingerprints(request, SECRET, default_cap=675) == fingerprints(written, SECRET, default_cap=675)
    assert fingerprints(request, SECRET, default_cap=450) == fingerprints(request, SECRET, default_cap=675)
    assert conflicts(fingerprints(request, SECRET), fingerprints(written, SECRET)) == ("max_candidates",)


def test_differing_arguments_are_named_in_order_and_never_told() -> None:
    # scan A14
    assert refused(refuse_conflict, sealed(), sealed(top=3, brief="Something else")) == (
        "scan_id_conflict",
        ["differs: brief", "differs: top"],
    )


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("brief", "How do  agents search?"),
        ("queries", sent_plan(must_not=["AI"])),
        ("profile", "quick"),
        ("foundational", 3),
        ("since", "2024-01"),
        ("until", "2024-01"),
        ("slug", "other"),
        ("max_candidates", 449),
        ("per_query", 39),
        ("force_gap_round", True),
    ],
)
def test_each_argument_is_compared_for_itself(name: str, other: Any) -> None:
    assert conflicts(sealed(), sealed(**{name: other})) == (name,)


def test_seals_depend_on_the_secret_and_the_argument_and_hold_no_text() -> None:
    request = start(sent_start(since="2024-01", until="2024-01"))
    seals = fingerprints(request, SECRET)
    assert len(set(seals.values())) == len(seals) == 11
    assert {len(each) for each in seals.values()} == {64}
    assert conflicts(seals, fingerprints(request, b"another")) == tuple(sorted(seals))
    assert SCAN_ID not in "".join(seals.values())
