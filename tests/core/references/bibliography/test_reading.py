"""Reading bibliographies: formats, whole-file refusals, plain lists, and what both structured formats share."""

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InvalidInput, InvalidReference, Unsupported
from core.references.bibliography.entries import BadEntry, Bibliography
from core.references.bibliography.reading import CONTENT_BYTES_MAX, read_bibliography


def keys(bibliography: Bibliography) -> list[str]:
    return [entry.identifier.key for entry in bibliography.entries]


BIBTEX = "@article{a, doi={10.1000/1}}"
CSL = '[{"id": "a", "DOI": "10.1000/1"}]'
REFS = "10.1000/1"


@pytest.mark.parametrize(
    ("content", "format", "ending"),
    [
        (BIBTEX, "auto", None),
        (CSL, "auto", None),
        (REFS, "auto", None),
        (f"\n  # comment\n\n  {BIBTEX}", "auto", None),
        (f"\ufeff{BIBTEX}", "auto", None),
        (f"# list\n{REFS}", "auto", ".txt"),
        (f"% written by hand\n{BIBTEX}", "auto", ".bib"),
        (f"% written by hand\n{BIBTEX}", "auto", ".BIBLATEX"),
        (CSL, "auto", ".json"),
        (CSL, "auto", ".csl"),
        (BIBTEX, "BibTeX", None),
        (BIBTEX, "biblatex", ".json"),
        (CSL, "CSL-JSON", ".bib"),
        (CSL, "csl_json", None),
        (REFS, "refs", ".bib"),
        (BIBTEX.encode(), "auto", None),
        (b"\xef\xbb\xbf10.1000/1", "auto", ".refs"),
    ],
)
def test_the_format_is_told_by_name_by_ending_or_by_the_first_mark(
    content: str | bytes, format: str, ending: str | None
) -> None:
    found = read_bibliography(content, format=format, ending=ending)
    assert (keys(found), found.bad_entries) == (["doi:10.1000/1"], ())


# references A91
@pytest.mark.parametrize(
    ("content", "format"),
    [
        ('{"id": "a", "DOI": "10.1000/1"}', "auto"),
        ("[{]", "auto"),
        ('"10.1000/1"', "csl-json"),
        (b"\xff\xfe10.1000/1", "auto"),
        ("10.1000/\ud800", "refs"),
        ("\n".join(f"10.1000/{n}" for n in range(101)), "auto"),
        (orjson.dumps([{"DOI": f"10.1000/{n}"} for n in range(101)]), "auto"),
        ("".join(f"@article{{k{n}, doi={{10.1000/{n}}}}}\n" for n in range(101)), "auto"),
        ("no entry at all", "bibtex"),
        ("@article{cut, title={off", "bibtex"),
        ("", "bibtex"),
        (REFS, "ris"),
        ("[" * 5000, "auto"),
    ],
)
def test_what_cannot_be_read_as_a_whole_fails_the_call(content: str | bytes, format: str) -> None:
    with pytest.raises(InvalidInput):
        read_bibliography(content, format=format)


def test_too_many_references_are_named_as_such() -> None:
    # references A91
    with pytest.raises(InvalidInput, match="TOO_MANY_REFS"):
        read_bibliography("\n".join(f"10.1000/{n}" for n in range(101)))
    assert len(read_bibliography("\n".join(f"10.1000/{n}" for n in range(100))).entries) == 100


@pytest.mark.parametrize(
    "content",
    [
        "?\n" * 1001,
        orjson.dumps([{}] * 1001),
        "".join(f"@article{{k{n}, doi={{?}}}}\n" for n in range(1001)),
        "@article{k, doi={10.1\n" * 40_000,
    ],
)
def test_entries_that_cannot_be_followed_have_an_end_too(content: str | bytes) -> None:
    with pytest.raises(InvalidInput, match="TOO_MANY_REFS"):
        read_bibliography(content)


def test_a_byte_more_than_a_mebibyte_is_refused() -> None:
    # references A92
    largest = "#" * (CONTENT_BYTES_MAX - len(REFS) - 1) + "\n" + REFS
    assert len(largest.encode()) == 1024 * 1024
    assert keys(read_bibliography(largest)) == ["doi:10.1000/1"]
    with pytest.raises(InvalidInput, match="1024 KiB"):
        read_bibliography(f"#{largest}")
    with pytest.raises(InvalidInput, match="1024 KiB"):
        read_bibliography("ü" * (512 * 1024 + 1), format="refs")
    assert keys(read_bibliography(f"#{largest}", bytes_max=2 * CONTENT_BYTES_MAX)) == ["doi:10.1000/1"]


def test_a_list_has_one_reference_a_line() -> None:
    lines = ("# mine", "10.1000/182.\r", "", "  arXiv:1706.03762v7  ", "pmid:9659853", "Smith 2020, doi:10.1000/183.")
    content = "\n".join((*lines, "nonsense", "9659853", ""))
    found = read_bibliography(content)
    assert keys(found) == ["doi:10.1000/182", "arxiv:1706.03762", "pmid:9659853", "doi:10.1000/183"]
    assert [entry.key for entry in found.entries] == [None] * 4
    assert [(bad.raw, reason(bad)) for bad in found.bad_entries] == [
        ("nonsense", "not_an_identifier"),
        ("9659853", "bare_digits"),
    ]


def reason(bad: BadEntry) -> str | None:
    return bad.error.reason if isinstance(bad.error, InvalidReference) else None


def test_a_long_line_is_refused_and_echoed_no_further_than_it_helps() -> None:
    [bad] = read_bibliography("10.1000/" + "x" * 3000).bad_entries
    assert (bad.raw, reason(bad)) == ("10.1000/" + "x" * 192, "too_long")


# references A92
@pytest.mark.parametrize(
    "content",
    [
        "https://github.com/huggingface/transformers",
        "github.com/huggingface/transformers",
        '[{"id": "hf", "URL": "https://github.com/huggingface/transformers"}]',
        "@misc{hf, url={https://gitlab.com/a/b}}",
        r"@software{hf, howpublished={\url{https://www.github.com/a/b}}, title={x}}",
        "@misc{hf, url={https://git.sr.ht/~a/b}}",
    ],
)
def test_software_on_a_code_host_is_not_fetched(content: str) -> None:
    [bad] = read_bibliography(content).bad_entries
    assert isinstance(bad.error, Unsupported)


@pytest.mark.parametrize("address", ["https://notgithub.com/a/b", "https://github.com.example.org/a", "https://[x/a"])
def test_another_host_is_no_code_host(address: str) -> None:
    [bad] = read_bibliography(orjson.dumps([{"id": 1, "URL": address}])).bad_entries
    assert (type(bad.error), bad.raw, bad.key) == (InvalidInput, None, 1)


def test_an_identifier_beside_the_address_of_software_wins() -> None:
    found = read_bibliography("@misc{hf, url={https://github.com/a/b}, doi={10.5281/zenodo.1}}")
    assert keys(found) == ["doi:10.5281/zenodo.1"]


# references A92
@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("10.1000/1\nnonsense\n10.123/abc", InvalidReference),
        ('[{"DOI": "10.1000/1"}, {"title": "x"}, {"DOI": "10.123/abc"}]', InvalidInput),
        ("@misc{a, doi={10.1000/1}}\n@misc{b, url={https://github.com/a/b}}\n@misc{c, doi={10.123/a}}", Unsupported),
    ],
)
def test_strict_reading_stops_at_the_first_entry_that_cannot_be_followed(content: str, error: type[Exception]) -> None:
    first = read_bibliography(content).bad_entries[0]
    with pytest.raises(error) as raised:
        read_bibliography(content, strict=True)
    assert str(raised.value) == str(first.error)
    assert keys(read_bibliography("10.1000/1\n10.1000/2", strict=True)) == ["doi:10.1000/1", "doi:10.1000/2"]


def test_nothing_of_a_file_but_a_refused_identifier_is_echoed() -> None:
    # references A93
    content = (
        "@article{secret-key, title={Secret title}, note={Secret note}, doi={10.123/refused}}\n"
        "@article{other, title={Secret too}}\n@article{damaged, title={Secret end\n@article{x, doi={10.1000/1}}"
    )
    found = read_bibliography(content)
    assert [(bad.key, bad.raw) for bad in found.bad_entries] == [
        ("secret-key", "10.123/refused"), ("other", None), (None, None),
    ]  # fmt: skip
    assert all("ecret" not in str(bad.error) for bad in found.bad_entries)


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=200), st.sampled_from(["auto", "refs", "csl-json", "bibtex"]))
def test_any_text_is_read_or_refused(content: str, format: str) -> None:
    try:
        found = read_bibliography(content, format=format)
    except InvalidInput:
        return
    assert all(len(bad.raw or "") <= 200 for bad in found.bad_entries)


@settings(deadline=None)
@given(st.text('@{}(),=#"\\ab1\n ', max_size=80))
def test_any_damage_to_bibtex_is_survived(damage: str) -> None:
    found = read_bibliography(
        f"@misc{{first, doi={{10.1000/1}}}}\n{damage}\n@misc{{last, doi={{10.1000/2}}}}\n", format="bibtex"
    )
    assert keys(found)[0] == "doi:10.1000/1"
