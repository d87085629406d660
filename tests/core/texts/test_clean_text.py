"""Text from upstream made plain: markup, entities, line breaks of pretty-printers, encodings."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.texts import Damage, clean_text, cleaned

BREAK = "\n            "


# references A37
@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("P <scp>y</scp> SCF", "PySCF"),
        (f"P{BREAK}<scp>y</scp>{BREAK}SCF: the Python‐based framework", "PySCF: the Python‐based framework"),
        ("T<Tc and H>Hc2", "T<Tc and H>Hc2"),
        ("Resistivity for T<Tc in samples with field H>Hc2", "Resistivity for T<Tc in samples with field H>Hc2"),
        ("P<0.001", "P<0.001"),
        ("CSR&amp;amp;D", "CSR&D"),
        ("&#38 Hepatology", "& Hepatology"),
    ],
)
def test_title_reads_as_its_author_wrote_it(text: str, plain: str) -> None:
    assert clean_text(text) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("The <i>ab initio</i> method", "The ab initio method"),
        ("H<sub>2</sub>O and 10<sup>−3</sup>", "H2O and 10−3"),
        ("a <jats:italic>b</jats:italic> c", "a b c"),
        ('<span class="x">y</span> and <font size=2>z</font>', "y and z"),
        ("<b>never closed", "never closed"),
        ("an <unknown>x</unknown> y", "an x y"),
        ("an <unknown/> y", "an y"),
        ("an <unknown> y", "an <unknown> y"),
        ("an </unknown> y", "an </unknown> y"),
        ("the regime x<y>z", "the regime x<y>z"),
        ("a<b and c>d", "a<b and c>d"),
        ("for L<M, the <unclosed", "for L<M, the <unclosed"),
        ("T<Tc for <i>x</i> > 0", "T<Tc for x > 0"),
        ("<jats:title>Aim</jats:title><jats:p>One.</jats:p><jats:p>Two.</jats:p>", "Aim One. Two."),
        ("one<br/>two", "one two"),
        ("<i>a<b>c</i>d</b>", "acd"),
        ("</i>a</i>", "a"),
    ],
)
def test_inline_markup_is_reduced_and_comparisons_stay(text: str, plain: str) -> None:
    assert clean_text(text) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Pr1−|<i>x</i>|Ca|<i>x</i>|MnO3/SrTiO3", "Pr1−xCaxMnO3/SrTiO3"),
        ("transport in|<b>|  <i>γ</i>|</b>|-InSe", "transport in γ-InSe"),
        ("Phys. Plasmas|<b>31</b>|, 042509", "Phys. Plasmas 31, 042509"),
        ("Appl. Phys. Lett.|<b>117</b>|, 092101", "Appl. Phys. Lett. 117, 092101"),
        ("1/|<i>f</i>|noise model", "1/f noise model"),
        ("in|<i>Z’</i>|&amp;gt; 1 Structures", "in Z’ > 1 Structures"),
        ("in|<i>Z’</i>|&gt;1 Structures", "in Z’>1 Structures"),
        ("for T <|<i>T</i>|", "for T < T"),
        ("for T<|<i>T</i>|", "for T<T"),
        ("coupling in 2|<i>H</i>|-VSe2", "coupling in 2H-VSe2"),
        ("isomers|<i>cis</i>|- and|<i>trans</i>|-HNCHO", "isomers cis- and trans-HNCHO"),
        ("insights into|<i>Escherichia coli</i>|O32:H37", "insights into Escherichia coli O32:H37"),
        ("non-commutative|<i>L</i>|<i>p</i>|-spaces", "non-commutative Lp-spaces"),
        ("of|<i>Homo</i>|<b>sapiens</b>|today", "of Homo sapiens today"),
        ("CO|<sub>2</sub>|emission", "CO2 emission"),
        ("CO|<sub>2</sub>|Reduction", "CO2 Reduction"),
        ("H|<sub>2</sub>|O", "H2O"),
        ("P|<scp>si</scp>|4N|<scp>um</scp>|P|<scp>y</scp>|: an environment", "Psi4NumPy: an environment"),
        ("the|<scp>DNA</scp>|(new)", "the DNA (new)"),
        ("(see above)|<i>Mus musculus</i>|", "(see above) Mus musculus"),
        ("one|two", "one two"),
        ("an|<unknown/>|y", "an y"),
        ("of|<mml:math>|<mml:mi>x</mml:mi>|<mml:mo>=</mml:mo>|<mml:mn>2</mml:mn>|</mml:math>|in", "of x=2 in"),
    ],
)
def test_line_breaks_of_a_pretty_printer_become_what_stood_there(text: str, plain: str) -> None:
    assert clean_text(text.replace("|", BREAK)) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (
            "<mml:math><mml:mfrac><mml:mn>1</mml:mn><mml:mi>n</mml:mi></mml:mfrac><mml:mo>&lt;</mml:mo>"
            "<mml:mi>T</mml:mi></mml:math>",
            "1/n<T",
        ),
        ("<math><mfrac><mn>1</mn><mn></mn></mfrac><mi>n</mi></math>", "1n"),
        ('<math><mi>x</mi><annotation encoding="application/x-tex">x_{1}</annotation></math> rays', "x rays"),
        ("<math><mi>x</mi><mtext> for </mtext><mi>y</mi></math>", "x for y"),
        (
            "<alternatives><tex-math>$x$</tex-math><mml:math><mml:mi>x</mml:mi></mml:math></alternatives>-ray",
            "x-ray",
        ),
        (r"<tex-math>\documentclass{minimal}\begin{document}$$x^2$$\end{document}</tex-math> law", "$$x^2$$ law"),
        ("<tex-math>$y$</tex-math> law", "$y$ law"),
        (r"The $T\bar{T}$ deformation", r"The $T\bar{T}$ deformation"),
    ],
)
def test_a_formula_occurs_once_and_tex_stays(text: str, plain: str) -> None:
    assert clean_text(text) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Q&A at AT&T, R&Dept", "Q&A at AT&T, R&Dept"),
        ("a &lt; b &gt; c", "a < b > c"),
        ("caf&eacute; &eacute &unknown; x", "café &eacute &unknown; x"),
        ("x&amp y, ?a=1&lt=2", "x& y, ?a=1&lt=2"),
        ("&#x3b1;-&#945;-&#150;", "α-α-–"),
        ("&lt;i&gt;E. coli&lt;/i&gt; and a&lt;b&gt;c", "E. coli and a<b>c"),
        ("a&nbsp;b", "a b"),
    ],
)
def test_entities_are_decoded_where_they_can_be_nothing_else(text: str, plain: str) -> None:
    assert clean_text(text) == plain


@pytest.mark.parametrize(
    ("text", "plain", "damage"),
    [
        ("co\u00adoper\u00adation", "cooperation", ()),
        ("Cafe\u0301  \t x\u2003y", "Café x y", ()),
        ("a\x00b\x07c", "abc", ()),
        ("\ud83d\ude00 and \ud800", "😀 and \ufffd", (Damage.REPLACEMENT_CHAR,)),
        ("MÃ¼ller â€“ x", "Müller – x", (Damage.MOJIBAKE,)),
        ("ErdÅ‘s", "Erdős", (Damage.MOJIBAKE,)),
        ("RodrÃ\u00adguez", "Rodríguez", (Damage.MOJIBAKE,)),
        ("&Atilde;&frac14;ber", "über", (Damage.MOJIBAKE,)),
        ("ÃƒÂ©tude", "étude", (Damage.MOJIBAKE,)),
        # A blank where a byte was: the repair would be a guess.
        ("voilÃ  le travail", "voilÃ le travail", (Damage.MOJIBAKE,)),
        # An emoji in two halves, each encoded alone: no encoding of the whole gives that again.
        ("í\xa0½í¸\x80", "í ½í¸", (Damage.MOJIBAKE,)),
        ("M\ufffdller", "M\ufffdller", (Damage.REPLACEMENT_CHAR,)),
        ("MÃ¼ller \ufffd", "Müller \ufffd", (Damage.MOJIBAKE, Damage.REPLACEMENT_CHAR)),
        ("naïve Ångström", "naïve Ångström", ()),
        ("", None, ()),
        (" \n <i> </i>\u00ad", None, ()),
    ],
)
def test_broken_encodings_are_repaired_when_that_can_be_undone_and_reported(
    text: str, plain: str | None, damage: tuple[Damage, ...]
) -> None:
    # references A37
    found = cleaned(text)
    assert (found.text, found.damage) == (plain, damage)


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=()), max_size=200))
def test_any_text_becomes_one_line_that_can_be_serialised(text: str) -> None:
    plain = clean_text(text)
    if plain is not None:
        assert plain == " ".join(plain.split())
        plain.encode()


@settings(deadline=None)
@given(st.text("ab <>/&;=\"'i\n", max_size=60))
def test_markup_of_any_form_is_survived(text: str) -> None:
    assert clean_text(text) is None or clean_text(text) != ""


@settings(deadline=None)
@given(st.text(st.characters(categories=("Lu", "Ll", "Nd"), max_codepoint=0x24F), max_size=60))
def test_words_without_markup_are_left_alone(words: str) -> None:
    found = cleaned(words)
    if not found.damage:
        assert (found.text or "") == words


@pytest.mark.parametrize(
    "piece",
    ["<i>", "<i>x", "</i>", "<a b='", "&amp;", "\n<i>", "<x y=", "$", "<tex-math>\\begin{document}", "A <scp>", "Ã¼"],
)
def test_a_long_text_takes_no_longer_than_its_length(piece: str) -> None:
    text = piece * 40_000
    start = time.process_time()
    clean_text(text)
    # Minutes, if each piece looked at all the others.
    assert time.process_time() - start < 5
