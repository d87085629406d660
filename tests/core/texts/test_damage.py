"""Which fields are damaged, and what another copy can restore."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.texts import cleaned, quality, restored


def test_quality_names_damage_and_field() -> None:
    # references A37
    fields = {"title": cleaned("MÃ¼ller"), "venue": cleaned("Caf\ufffd"), "publisher": cleaned("Wiley")}
    assert quality(fields) == ("mojibake:title", "replacement_char:venue")
    assert quality({"publisher": cleaned("Wiley")}) == ()


# references A37
@pytest.mark.parametrize(
    ("damaged", "whole"),
    [
        ("M\ufffdller", "Müller"),
        ("M\ufffd\ufffdller", "Müller"),
        ("\ufffdber", "Über"),
        ("caf\ufffd", "café"),
        ("a\ufffdb\ufffd\ufffdc", "axbyc"),
        ("\ufffd\ufffd", "é"),
    ],
)
def test_lost_characters_come_from_a_value_that_is_equal_elsewhere(damaged: str, whole: str) -> None:
    assert restored(damaged, whole) == whole


# references A37
@pytest.mark.parametrize(
    ("damaged", "other"),
    [
        ("M\ufffdller", "Mller"),
        ("M\ufffdller", "Muuller"),
        ("M\ufffdller", "Müller, J."),
        ("M\ufffdller", "Müllar"),
        ("M\ufffdller", "müller"),
        ("M\ufffdller", "M\ufffdller"),
        ("Müller", "Müller"),
        ("\ufffdber", "ber"),
        ("caf\ufffd", "caf"),
        ("caf\ufffd", "cafés"),
        ("a\ufffdb", "axxb"),
        ("\ufffd", ""),
    ],
)
def test_nothing_is_taken_from_a_value_that_differs_elsewhere(damaged: str, other: str) -> None:
    assert restored(damaged, other) is None


@settings(deadline=None)
@given(st.text("abü", min_size=1, max_size=20), st.data())
def test_a_text_is_restored_from_its_own_original(whole: str, data: st.DataObject) -> None:
    lost = data.draw(st.sets(st.integers(0, len(whole) - 1), min_size=1))
    damaged = "".join("\ufffd" if place in lost else character for place, character in enumerate(whole))
    assume(not any({place, place + 1} <= lost for place in lost))
    # Where what follows a loss occurs at once, the first of several readings may be the wrong one: then none is taken.
    assert restored(damaged, whole) in (whole, None)
    if len(lost) == 1:
        assert restored(damaged, whole) == whole
