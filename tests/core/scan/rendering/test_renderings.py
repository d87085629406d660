"""The evidence as JSON, Markdown and BibTeX (scan contract 7.15)."""

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pybtex.database import parse_string

from core.scan.documents import candidate_of, entry_of, verification_of
from core.scan.models import Candidate, FoundWork, Ids, Packet, ScanAuthor, Shortlisted, SubCriterion, Verification
from core.scan.rendering.bibtex import citation_key, evidence_bibtex
from core.scan.rendering.escaping import flat
from core.scan.rendering.evidence import evidence_json
from core.scan.rendering.markdown import evidence_markdown
from core.scan.selection import Selection, url_of
from tests.core.scan.judged import entry
from tests.core.scan.rendering.reading import bibtex_text, read_markdown

RUN = {"run_dir": "scan-run://x/", "slug": "agents-2026", "date": "2026-08-20"}
CRITERIA = (SubCriterion("C1", "Design", "Which?"), SubCriterion("C2", "Baseline", "What?"))
GOOD = Verification("verified", ("crossref", "s2"), "2026-08-20", 100.0, (), True, (), ("crossref", "s2"))
HOSTILE = [
    "A | B || C \\| D",
    "line\nbreak\r\nand\u2028more\ttab",
    "{braces} un}balanced{ {{",
    "<script>alert(1)</script> <b>bold</b> &amp; &lt; <!-- x",
    r"50% of $x_1$ & #1 ~ ^ \input{/etc/passwd} \\ %",
    "[click](javascript:alert(1)) ![img](http://e.example/x.png) <http://e.example>",
    "# heading #",
    "*a* _b_ **c** `d` ~~e~~ ---",
    "1. one - two + three > four",
    "\u202ereversed\u202c title",
    "Ünïcödé 深層学習 — “quotes”",
    "$5 and $6",
    "@article{x, title={y}}",
    "``",
]


def packet(rank: int | None = 1, *, verification: Verification = GOOD, judged: Any = None, **values: Any) -> Packet:
    told: dict[str, Any] = {
        "title": "Deep agents at work",
        "authors": (ScanAuthor("Ada Lovelace"), ScanAuthor("Kurt Gödel")),
        "year": 2025,
        "venue": "Nature",
        "type": "article",
        "ids": Ids(doi="10.1234/abc"),
        **values,
    }
    work = FoundWork(**told)
    cid = f"{rank or 0:012}"
    reason = None if rank is None else "score"
    return Packet(
        Shortlisted(Candidate(cid, work), 3), judged or entry(cid, 3), verification, rank, reason, url_of(work)
    )


def markdown(*packets: Packet, alternates: tuple[Packet, ...] = (), **values: Any) -> str:
    told: dict[str, Any] = {"coverage": None, "failed_sources": (), "sub_criteria": CRITERIA, **values}
    return evidence_markdown(RUN, Selection(packets, alternates), **told)


def criterion(name: str, hits: int) -> dict[str, Any]:
    return {"id": name, "name": f"About {name}", "hits": hits, "thin": hits < 5}


def test_json_holds_all_that_is_known_of_a_paper_and_reads_back() -> None:
    paper, other = packet(), packet(None)
    document = evidence_json(RUN, Selection((paper,), (other,)))
    assert list(document) == ["run", "packets", "alternates"]
    [row] = document["packets"]
    assert (candidate_of(row), entry_of(row), verification_of(row["verification"])) == (
        paper.shortlisted.candidate,
        paper.entry,
        paper.verification,
    )
    assert list(row)[-4:] == ["verification", "rank", "selection_reason", "url"]
    assert (row["rank"], row["selection_reason"], row["url"]) == (1, "score", "https://doi.org/10.1234/abc")
    assert (document["alternates"][0]["rank"], document["alternates"][0]["selection_reason"]) == (None, None)


def test_markdown_has_its_form_to_the_letter() -> None:
    judged = replace(
        entry("0" * 12, 3, methods_paper=True, relation="closely-related", criteria={"C2": 3, "C1": 3, "C3": 0}),
        limitations=("Small sample.", "One site."),
    )
    text = markdown(
        packet(judged=judged),
        alternates=(packet(None, title="Next one", ids=Ids(), verification=Verification("unverifiable")),),
        coverage={"rounds": [{"criteria": [criterion("C1", 12), criterion("C2", 3)], "unattributed_ge2": 2}]},
        failed_sources=("openalex", "s2"),
    )
    assert text == (
        "# agents-2026\n"
        "\n"
        "Run `scan-run://x/` · 2026-08-20\n"
        "\n"
        "| # | Paper | Year | Venue | Evidence | Verified |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
        "| 1 | [Deep agents at work](https://doi.org/10.1234/abc) doi:10.1234/abc | 2025 | Nature | experimental "
        "| yes |\n"
        "\n"
        "## 1. Deep agents at work\n"
        "\n"
        "Ada Lovelace, Kurt Gödel · 2025 · Nature · experimental · overall 3/3 · [link](https://doi.org/10.1234/abc)\n"
        "\n"
        "**Key finding.** It works.\n"
        "\n"
        "**Why it was chosen.** closely-related · selected by score · strongest on C1 Design (3/3). "
        "It asks the same question.\n"
        "\n"
        "**Why it matters.** It changes the design.\n"
        "\n"
        "**Method.** A trial.\n"
        "\n"
        "**Limitations.**\n"
        "\n"
        "- Small sample.\n"
        "- One site.\n"
        "\n"
        "Selected: score · criteria: C2 3/3, C1 3/3, C3 0/3 · flags: methods\\_paper · "
        "verified 2026-08-20 by crossref, s2\n"
        "\n"
        "## Coverage\n"
        "\n"
        "| Criterion | Hits | Thin |\n"
        "| --- | --- | --- |\n"
        "| C1 About C1 | 12 | no |\n"
        "| C2 About C2 | 3 | yes |\n"
        "\n"
        "- Failed sources: openalex, s2\n"
        "- Thin criteria: C2 About C2\n"
        "- Relevant works that name no criterion: 2\n"
        "\n"
        "## Alternates\n"
        "\n"
        "- Next one · 2025 · overall 3/3 · **UNVERIFIED**\n"
    )


def test_a_gap_round_has_its_gain_in_the_table() -> None:
    rounds = [
        {"criteria": [criterion("C1", 12), criterion("C2", 3)], "unattributed_ge2": 0},
        {"criteria": [criterion("C1", 12), criterion("C2", 9)], "unattributed_ge2": 0},
    ]
    text = markdown(packet(), coverage={"rounds": rounds})
    assert "| Criterion | Hits | Thin | Gain |\n" in text
    assert "| C1 About C1 | 12 | no | +0 |\n| C2 About C2 | 9 | no | +6 |\n" in text
    assert "- Thin criteria: none\n" in text


def test_unverified_and_mismatched_rows_are_marked_and_counted() -> None:
    mismatched = Verification("mismatched", (), "2026-08-20", 40.0, ("title", "doi_unresolved"), True)
    alone = Verification("unverifiable", (), "2026-08-20", None, (), False, ("crossref",), ("openalex",))
    text = markdown(packet(1), packet(2, verification=mismatched), packet(3, verification=alone))
    assert "> **Warning:** 2 of 3 papers are not verified." in text
    assert [row[5] for row in read_markdown(text).rows] == ["yes", "MISMATCHED: title, doi_unresolved", "UNVERIFIED"]
    assert "mismatched 2026-08-20; title, doi unresolved" in text
    assert "unverifiable 2026-08-20; not asked: crossref; no independent record" in text
    bare = markdown(packet(verification=Verification("unverifiable")))
    assert "\nSelected: score · criteria: C1 1/3, C2 1/3, C3 1/3 · unverifiable no day\n" in bare


def test_a_paper_of_which_little_is_known_is_rendered_too() -> None:
    bare = packet(title="", authors=(), year=None, venue=None, ids=Ids(), judged=entry("0" * 12, 0, criteria={}))
    text = markdown(bare, alternates=(packet(None),))
    assert "| 1 | (no title) | — | — | experimental | yes |" in text
    assert "no authors · no year · no venue · experimental · overall 0/3\n" in text
    assert "**Why it was chosen.** selected by score. It asks" in text
    assert "· overall 3/3 · verified\n" in text
    many = packet(authors=tuple(ScanAuthor(f"Author {n}") for n in range(5)))
    assert "Author 0, Author 1, Author 2, Author 3 et al. · 2025" in markdown(many)


def test_an_empty_scan_is_rendered_with_its_coverage() -> None:
    # scan A25
    assert markdown() == (
        "# agents-2026\n\nRun `scan-run://x/` · 2026-08-20\n\nNo papers were emitted.\n\n"
        "## Coverage\n\nNothing was counted.\n\n- Failed sources: none\n"
    )
    assert evidence_bibtex(Selection()) == ""


TITLES = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=["Cs"]), max_size=60))


@settings(max_examples=40)
@given(TITLES, TITLES, TITLES)
@example(HOSTILE[0], HOSTILE[3], HOSTILE[5])
@example("\\", "|", "](x)")
@example("a\\", "`|`", "C#")
def test_hostile_texts_stay_text_in_markdown(title: str, venue: str, prose: str) -> None:
    # scan A64
    judged = replace(entry("0" * 12, 3), key_finding=prose, relevance_reason=prose, limitations=(prose, "Small."))
    read = read_markdown(markdown(packet(title=title, venue=venue, judged=judged), packet(2)))
    plain = read_markdown(markdown(packet(), packet(2)))
    assert not read.has_html
    assert read.blocks == plain.blocks
    assert read.links == plain.links
    assert [len(row) for row in read.rows] == [6, 6]
    assert read.rows[0][1] == f"{flat(title) or '(no title)'} doi:10.1234/abc"
    assert read.rows[0][3] == (flat(venue) or "—")
    assert read.headings[1] == ("h2", f"1. {flat(title) or '(no title)'}")


@pytest.mark.parametrize("title", HOSTILE)
def test_what_looks_like_markdown_reads_as_it_was(title: str) -> None:
    # scan A64
    alternate = packet(None, title=title, ids=Ids(), oa_url="https://e.example/a(b)|c<d>\\`*_")
    read = read_markdown(markdown(packet(), alternates=(alternate,)))
    assert not read.has_html
    assert read.links[-1] == "https://e.example/a%28b%29%7Cc%3Cd%3E%5C%60%2A%5F"


@settings(max_examples=40)
@given(TITLES, TITLES, TITLES)
@example(HOSTILE[2], HOSTILE[4], HOSTILE[12])
@example("}", "{", "\\")
def test_hostile_texts_stay_text_in_bibtex(title: str, venue: str, name: str) -> None:
    # scan A64
    paper = packet(title=title, venue=venue, authors=(ScanAuthor(name), ScanAuthor("Ada Lovelace")))
    entries = parse_string(evidence_bibtex(Selection((paper, packet(2)))), "bibtex").entries
    assert len(entries) == 2
    fields = {key.lower(): value for key, value in next(iter(entries.values())).fields.items()}
    assert bibtex_text(fields.get("title", "")) == spaced(title)
    assert bibtex_text(fields.get("journal", "")) == spaced(venue)
    people = next(iter(entries.values())).persons["author"]
    assert len(people) == (2 if spaced(name) else 1)


def spaced(text: str) -> str:
    """Control characters and white space as single blanks, all else as it is."""
    return " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", text).split())


def test_bibtex_has_its_form_to_the_letter() -> None:
    mismatched = Verification("mismatched", (), "2026-08-20", 40.0, ("title",), True)
    preprint = packet(
        2,
        title="On {GPT-4} & the 50% rule",
        authors=(ScanAuthor("Łukasz van der Öst"), ScanAuthor("The Team and Friends")),
        venue=None,
        type="preprint",
        ids=Ids(arxiv="2401.00001"),
        verification=mismatched,
    )
    assert evidence_bibtex(Selection((packet(), preprint))) == (
        "@article{lovelace2025deep,\n"
        "  title = {Deep agents at work},\n"
        "  author = {Lovelace, Ada and Gödel, Kurt},\n"
        "  year = {2025},\n"
        "  journal = {Nature},\n"
        "  doi = {10.1234/abc},\n"
        "  url = {https://doi.org/10.1234/abc},\n"
        "  verified = {true},\n"
        "  verified_by = {crossref, s2},\n"
        "  verified_on = {2026-08-20}\n"
        "}\n"
        "\n"
        "@misc{vanderost2025rule,\n"
        "  title = {On {\\textbraceleft{}GPT-4\\textbraceright{}} \\& the 50\\% rule},\n"
        "  author = {van der Öst, Łukasz and {The Team and Friends}},\n"
        "  year = {2025},\n"
        "  eprint = {2401.00001},\n"
        "  url = {https://arxiv.org/abs/2401.00001},\n"
        "  verified = {false},\n"
        "  verified_on = {2026-08-20},\n"
        "  verification_note = {mismatched 2026-08-20; title}\n"
        "}\n"
    )


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("article", "article"),
        ("review", "article"),
        ("preprint", "misc"),
        ("book-chapter", "incollection"),
        ("other", "misc"),
    ],
)
def test_the_type_of_an_entry_follows_the_type_of_the_work(kind: str, expected: str) -> None:
    assert evidence_bibtex(Selection((packet(type=kind),))).startswith(f"@{expected}{{")


@pytest.mark.parametrize(
    ("authors", "year", "title", "expected"),
    [
        (("Jürgen Schmidhuber",), 1997, "On the LSTM, again", "schmidhuber1997lstm"),
        (("Søren Łoś",), None, "A Straße", "losndstrasse"),
        ((), 2020, "To be", "anon2020"),
        (("深層",), 2020, "学習学習 learning", "anon2020learning"),
    ],
)
def test_keys_are_ascii(authors: tuple[str, ...], year: int | None, title: str, expected: str) -> None:
    assert citation_key(FoundWork(title, authors=tuple(map(ScanAuthor, authors)), year=year)) == expected


def test_equal_keys_get_suffixes() -> None:
    # scan A64
    entries = parse_string(evidence_bibtex(Selection(tuple(packet(n) for n in range(1, 29)))), "bibtex").entries
    keys = list(entries)
    assert (keys[0], keys[1], keys[25], keys[26], keys[27]) == tuple(
        f"lovelace2025deep{suffix}" for suffix in ("a", "b", "z", "aa", "ab")
    )
    assert len(set(keys)) == 28
