import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ingest.cleaning import clean_name, clean_text


# catalog A95
@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("P<0.001", "P<0.001"),
        ("T<Tc and H>Hc2", "T<Tc and H>Hc2"),
        ("CSR&amp;D", "CSR&D"),
        ("&#38 x", "& x"),
        ("&#x26; y", "& y"),
        ("&amp;amp;", "&"),
        ("AT&T and R&Dept", "AT&T and R&Dept"),
        ("caf&eacute", "café"),
        ("soft\u00adhyphen", "softhyphen"),
        ("a\ud800b", "a\ufffdb"),
        ("&#xD800;", "\ufffd"),
        ("e\u0301", "é"),
        ("H<sub>2</sub>O and <i>x</i>", "H2O and x"),
        ("&lt;i&gt;x&lt;/i&gt;", "x"),
        ("<jats:p>One.</jats:p><jats:p>Two.</jats:p>", "One. Two."),
        ('<jats:italic toggle="yes">in vivo</jats:italic>', "in vivo"),
        ("<mml:math>x</mml:math>", "<mml:math>x</mml:math>"),
        ("  many\n  blanks\tin a   title ", "many blanks in a title"),
        ("bell\x07 and nul\x00", "bell and nul"),
    ],
)
def test_names_come_out_clean(text: str, cleaned: str) -> None:
    assert clean_name(text) == cleaned


def test_an_abstract_keeps_its_lines() -> None:
    assert clean_text(" First.\nSecond &amp; last. ") == "First.\nSecond & last."


@pytest.mark.parametrize("text", ["", "  ", "\u00ad", "<i></i>"])
def test_a_text_of_nothing_is_none(text: str) -> None:
    assert clean_name(text) is None


@given(st.text())
def test_a_clean_name_is_encodable_normal_and_on_one_line(text: str) -> None:
    cleaned = clean_name(text)
    if cleaned is not None:
        cleaned.encode("utf-8")
        assert unicodedata.is_normalized("NFC", cleaned)
        assert cleaned == " ".join(cleaned.split())


@given(st.text(alphabet=st.characters(codec="ascii", exclude_characters="<&", exclude_categories=["Cc"])))
def test_plain_ascii_is_only_trimmed(text: str) -> None:
    assert clean_text(text) == (text.strip() or None)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("CSR&ampD", "CSR&D"),
        ("R&ampd", "R&d"),
        ("Q&amp2", "Q&2"),
        ("&ampamp;", "&"),
        ("&amplt;", "<"),
        ("x &lty and y &gt0.5", "x <y and y >0.5"),
        ("&quotTitle&quot", '"Title"'),
        ("AT&T and R&Dept", "AT&T and R&Dept"),
        ("phase&amplitude, volt&ampere, &ampoule", "phase&amplitude, volt&ampere, &ampoule"),
        ("&quote and &quotient", "&quote and &quotient"),
        ("https://example.org/?a=1&gtm=2&ltv=3&ampId=4", "https://example.org/?a=1&gtm=2&ltv=3&ampId=4"),
        ("&Copyright and &notable", "&Copyright and &notable"),
    ],
)
def test_an_entity_glued_to_the_next_word_is_decoded_and_a_word_is_not(text: str, cleaned: str) -> None:
    assert clean_name(text) == cleaned
