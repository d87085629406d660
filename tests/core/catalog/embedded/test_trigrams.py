"""Likeness of names."""

from hypothesis import given
from hypothesis import strategies as st

from core.catalog.embedded.trigrams import TrigramIndex
from core.catalog.likeness import similarity, trigrams


def test_a_misspelt_name_is_nearest_to_the_right_one() -> None:
    index = TrigramIndex(["Image Segmentation", "Image Classification", "Speech Recognition", ""])
    assert index.nearest("image clasification", 3) == [1, 0]
    assert index.nearest("???", 3) == []
    assert index.nearest("zzz", 3) == []


def test_equally_like_names_come_in_their_own_order() -> None:
    assert TrigramIndex(["lamp b", "lamp a", "lamp c"]).nearest("lamp", 2) == [0, 1]


@given(st.text(), st.text())
def test_similarity_is_symmetric_and_bounded(one: str, other: str) -> None:
    score = similarity(trigrams(one), trigrams(other))
    assert score == similarity(trigrams(other), trigrams(one))
    assert 0.0 <= score <= 1.0


@given(st.text(min_size=1))
def test_a_text_is_wholly_like_itself(text: str) -> None:
    assert similarity(trigrams(text), trigrams(text)) in (0.0, 1.0)
