"""How texts are compared."""

import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.folds import fold_hash, key_fold, plain_fold, slug

any_text = st.text(st.characters(exclude_categories=()), max_size=40)


@pytest.mark.parametrize(
    ("text", "plain", "key", "slug_"),
    [
        ("", "", "", ""),
        ("  Attention\tIs\n All You  Need ", "attention is all you need", "attention is all you need",
         "attention-is-all-you-need"),
        ("BERT: Pre-training", "bert: pre-training", "bert pre training", "bert-pre-training"),
        ("Pre\u2010training \u2014 why\u2013how\u2212so", "pre\u2010training \u2014 why\u2013how\u2212so",
         "pre training why how so", "pre-training-why-how-so"),
        ('“Why Should I Trust You?”', "“why should i trust you?”", "why should i trust you", "why-should-i-trust-you"),
        ("Don't, don’t, donʼt, don´t, don＇t", "don't, don’t, donʼt, don´t, don＇t", "dont dont dont dont dont",
         "dont-dont-dont-dont-dont"),
        ("«Guillemets» ‹and› „low“ `ticks`", "«guillemets» ‹and› „low“ `ticks`", "guillemets and low ticks",
         "guillemets-and-low-ticks"),
        ("ﬁne Ⅳ x² ＡＢ", "fine ⅳ x² ａｂ", "fine iv x2 ab", "fine-iv-x2-ab"),
        ("Straße ΟΔΟΣ", "strasse οδοσ", "strasse οδοσ", "strasse"),
        ("Cafe\u0301 Ünder", "café ünder", "café ünder", "caf-nder"),
        ("snake_case/path.ext", "snake_case/path.ext", "snake case path ext", "snake-case-path-ext"),
        ("深度学习", "深度学习", "深度学习", ""),
        ("?!", "?!", "", ""),
    ],
)  # fmt: skip
def test_text_has_its_folds(text: str, plain: str, key: str, slug_: str) -> None:
    assert (plain_fold(text), key_fold(text), slug(text)) == (plain, key, slug_)


@given(any_text)
@example("A\u03aa\u0301")
@example("A\u1e9e\u0301")
@example("α\u0345\u0301")
def test_fold_of_a_fold_is_itself(text: str) -> None:
    assert plain_fold(plain_fold(text)) == plain_fold(text)
    assert key_fold(key_fold(text)) == key_fold(text)
    assert slug(slug(text)) == slug(text)


# Latin, Greek, Cyrillic and their marks, less the two letters whose upper case is another letter's: a dotless i, and
# the iota subscript, which `str.upper` moves before the marks that follow it.
cased_text = st.text(st.characters(max_codepoint=0x52F, exclude_characters="ı\u0345\u037a"), max_size=40)


@given(cased_text)
@example("ΐ")
@example("a\u1ffdb")
@example("ß\u0301")
def test_case_and_canonical_form_make_no_difference(text: str) -> None:
    for other in (text.upper(), text.lower(), unicodedata.normalize("NFD", text), unicodedata.normalize("NFC", text)):
        assert plain_fold(other) == plain_fold(text)
        assert key_fold(other) == key_fold(text)


@given(any_text)
def test_folds_have_single_inner_blanks_only(text: str) -> None:
    for folded in (plain_fold(text), key_fold(text)):
        assert folded == " ".join(folded.split())


@given(any_text)
def test_key_fold_keeps_letters_and_digits_only(text: str) -> None:
    assert all(c.isalnum() or c == " " for c in key_fold(text))


@given(any_text)
def test_key_fold_sees_no_more_than_the_plain_fold(text: str) -> None:
    assert key_fold(plain_fold(text)) == key_fold(text)


@given(any_text)
def test_slug_is_safe_in_a_url(text: str) -> None:
    assert re.fullmatch(r"(?:[a-z0-9]+(?:-[a-z0-9]+)*)?", slug(text))


@given(st.text(st.characters(max_codepoint=127)))
def test_short_way_of_ascii_agrees_with_the_long_one(text: str) -> None:
    assert plain_fold(text + "é") == (plain_fold(text + "e")[:-1] + "é")
    assert key_fold(text + "é") == (key_fold(text + "e")[:-1] + "é")


@pytest.mark.parametrize("dash", "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\uff0d\u30fb_/")
def test_every_dash_is_a_blank_in_the_key_fold(dash: str) -> None:
    assert key_fold(f"pre{dash}training") == "pre training"


def test_fold_hash_is_the_start_of_a_blake2b_digest() -> None:
    # python -c "import hashlib; print(hashlib.blake2b(b'abc', digest_size=8).hexdigest())"
    assert fold_hash("abc").to_bytes(8, "big", signed=True).hex() == "d8bb14d833d59559"


@given(any_text)
def test_fold_hash_fits_a_signed_64_bit_column(text: str) -> None:
    assert -(2**63) <= fold_hash(text) < 2**63
    assert fold_hash(text) == fold_hash("".join(text))
