"""How titles are compared (scan contract 7.1, 7.5 rule 4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.scan.titles import differ_in_kind, differ_in_sense, normalised_title, sense_of, title_ratio


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Attention Is All You Need", "attention is all you need"),
        ("  Naïve — Bayes:\tRésumé? ", "naive bayes resume"),
        ("BERT_base (v2)", "bert base v2"),
        ("Straße ﬁne CO₂", "strasse fine co2"),
        ("İstanbul", "istanbul"),
        ("深度学习", "深度学习"),
        ("…", ""),
    ],
)
def test_a_title_keeps_letters_and_digits_only(text: str, expected: str) -> None:
    assert normalised_title(text) == expected


@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalised_title(text)
    assert normalised_title(once) == once
    assert once == " ".join(once.split())


def test_ratio_is_the_indel_similarity_of_normalised_titles() -> None:
    assert title_ratio("Attention is all you need", "ATTENTION IS ALL YOU NEED!") == 100.0
    # Six signs of 24 and 18 are in one title only.
    assert title_ratio("abcdefghijklmnopqr", "abcdefghijklmnopqrstuvwx") == pytest.approx(100 * (1 - 6 / 42))
    assert title_ratio("", "") == 0.0
    assert title_ratio("?!", "Something") == 0.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # scan A48
        ("A theory of everything, Part I", "A theory of everything, Part II"),
        ("Scaling is what you need", "Scaling is not what you need"),
        ("Learning with labels at scale", "Learning without labels at scale"),
        ("Results of the 2023 challenge", "Results of the 2024 challenge"),
        ("A theory of everything, part one", "A theory of everything, part two"),
        ("Never say never again, ever", "Never say again, ever, dear"),
        ("Proceedings volume XIV of all", "Proceedings volume XVI of all"),
    ],
)
def test_other_numbers_or_negation_keep_titles_apart(one: str, other: str) -> None:
    assert differ_in_sense(one, other)
    assert differ_in_sense(other, one)
    assert differ_in_kind(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A theory of everything, Part II", "A theory of everything: part 2"),
        ("The 007 effect in movies", "The 7 effect in the movies"),
        ("A mixture of civil experts", "Mixtures of civil experts"),
    ],
)
def test_the_same_number_in_another_spelling_is_no_difference(one: str, other: str) -> None:
    assert not differ_in_kind(one, other)


def test_a_short_title_may_not_join_works_but_agrees_with_itself() -> None:
    assert differ_in_kind("Editorial", "Editorial")
    assert not differ_in_sense("Editorial", "Editorial")
    assert differ_in_kind("a" * 11, "a" * 12)
    assert not differ_in_kind("a" * 12, "a" * 12)


def test_sense_holds_numbers_and_negation_in_one_order() -> None:
    assert sense_of("not 12 no iv gpt3 mcmxc") == (("12", "1990", "3", "4"), ("no", "not"))
    assert sense_of("mild dim vivid iiii") == ((), ())
