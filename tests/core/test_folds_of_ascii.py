import re

from hypothesis import given
from hypothesis import strategies as st

from core.folds import key_fold, plain_fold, slug

ASCII = st.text(alphabet=st.characters(codec="ascii")) | st.text(alphabet="aB 1_-'\"`\t\n\x1c.")


@given(ASCII)
def test_the_quick_folds_of_ascii_follow_the_rules(text: str) -> None:
    assert plain_fold(text) == re.sub(r"\s+", " ", text).strip().lower()
    assert key_fold(text) == re.sub(r"[\W_]+", " ", re.sub(r"[\"'`]", "", text.lower())).strip()
    assert slug(text) == re.sub(r"[^a-z0-9]+", "-", key_fold(text)).strip("-")


@given(st.text())
def test_a_slug_is_the_key_fold_in_ascii(text: str) -> None:
    assert slug(text) == re.sub(r"[^a-z0-9]+", "-", key_fold(text)).strip("-")
