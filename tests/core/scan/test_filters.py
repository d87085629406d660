"""Why candidates are left out (scan contract 7.7)."""

from typing import Any

import pytest

from core.scan.filters import drop_reason
from core.scan.models import Origin
from tests.scan_works import candidate


def left_out(*phrases: str, in_expansion: bool = False, outside_window: bool = False, **values: Any) -> str | None:
    return drop_reason(candidate("a" * 12, outside_window=outside_window, **values), phrases, in_expansion=in_expansion)


@pytest.mark.parametrize(
    ("phrase", "title", "is_held"),
    [
        # scan A53
        ("AI", "Living with AIDS", False),
        ("AI", "Paid maintenance", False),
        ("AI", "What ai is", True),
        ("AI", "Beyond AIDS: AI", True),
        ("AI", "AI_safety", False),
        ("p-value", "The p-value, at last", True),
        ("p-value", "The p‑value at last", True),
        ("p-value", "All p-values", False),
        ("p-value", "a p value", False),
        ("mouse model", "A mouse  model", True),
        ("mouse model", "Mouse models", False),
        ("C++", "Rust or C++?", True),
        ("(c)", "x (C)", True),
        ("STRASSE", "Die Straße lang", True),
        (" ", "Anything at all", False),
    ],
)
def test_an_excluded_phrase_counts_only_whole(phrase: str, title: str, is_held: bool) -> None:
    assert left_out("absent words", phrase, title=title) == ("must_not" if is_held else None)
    assert left_out(phrase, title="Another title", abstract=title) == ("must_not" if is_held else None)


@pytest.mark.parametrize(
    "raw_type", ["paratext", "Erratum", "dataset", "Peer_Review", "libguides", "supplementary materials"]
)
def test_what_is_no_paper_is_left_out(raw_type: str) -> None:
    assert left_out(raw_type=raw_type) == "type"


def test_the_first_reason_is_told() -> None:
    every: dict[str, Any] = {"is_retracted": True, "title": "On AI", "raw_type": "dataset", "outside_window": True}
    assert left_out("AI", **every) == "retracted"
    assert left_out("AI", **every | {"is_retracted": False}) == "must_not"
    assert left_out(**every | {"is_retracted": False}) == "type"
    assert left_out(outside_window=True, raw_type="article") == "window"
    assert left_out("AI", raw_type="article") is None


def test_expansion_keeps_what_lies_outside_the_window() -> None:
    assert left_out(outside_window=True, in_expansion=True) is None


def test_an_anchor_is_left_out_only_when_retracted() -> None:
    anchor = Origin("crossref", "anchor", None, None, 0)
    every: dict[str, Any] = {"title": "On AI", "raw_type": "dataset"}
    assert drop_reason(candidate("a", anchor, outside_window=True, **every), ("AI",), in_expansion=False) is None
    assert drop_reason(candidate("a", anchor, is_retracted=True), (), in_expansion=True) == "retracted"
