"""The rules of references on real records: exports that read back, citations that find their own paper, a real file."""

import unicodedata
from pathlib import Path
from typing import Any

import orjson
import pytest
from pybtex.database import parse_string
from pylatexenc.latex2text import LatexNodes2Text

from core.errors import InvalidInput, InvalidReference
from core.identifiers import parse
from core.records import Author, Work
from core.references.bibliography.reading import read_bibliography
from core.references.citations.ranking import Found, rank
from core.references.exports.entries import bibtex_entries
from core.references.exports.keys import Exportable
from core.references.safekeys import safekey
from core.texts import clean_text
from core.works.merging import merge_all
from core.works.pages import page_range

pytestmark = pytest.mark.shared_data


def candidate(row: dict[str, Any]) -> Work | None:
    """A recorded search result as a record; None when it has neither DOI nor arXiv id."""
    for text in (row["ids"]["arxiv"], row["ids"]["doi"]):
        try:
            found = parse(text or "", titles=False, bare_digits="refuse")
        except InvalidReference:
            continue
        names = {"arxiv_id": found.value} if found.kind == "arxiv" else {"doi": found.value, "doi_registered": found.id}
        authors = tuple(Author(each["name"]) for each in row["authors"] if (each["name"] or "").strip())
        return Work(
            found.key, title=clean_text(row["title"]), authors=authors, year=row["year"], venue=row["venue"],
            sources=("openalex",), **names,
        )  # fmt: skip
    return None


@pytest.fixture(scope="module")
def works(shared_data: Path) -> list[Work]:
    rows = orjson.loads((shared_data / "scan-run" / "candidates.json").read_bytes())["candidates"]
    return list(merge_all(work for work in map(candidate, rows) if work))


def test_every_record_survives_its_export(works: list[Work]) -> None:
    # references A86, A87
    assert len(works) > 300
    items = [Exportable(safekey(parse(work.key, titles=False, bare_digits="refuse"), work), work) for work in works]
    entries = bibtex_entries(items, key_style="author-year", chars_max=10**7)
    assert len({entry.partition(",")[0] for entry in entries if entry}) == len(works)
    for work, entry in zip(works, entries, strict=True):
        [parsed] = parse_string(entry, "bibtex").entries.values()
        read = LatexNodes2Text(math_mode="verbatim").latex_to_text(parsed.fields["title"])
        assert letters(read) == letters(work.title or "")
        assert len(parsed.persons["author"]) == min(len(work.authors), 101)


def letters(text: str) -> str:
    return "".join(character for character in unicodedata.normalize("NFKC", text) if character.isalnum())


def test_a_citation_of_a_paper_finds_it_among_all_others(works: list[Work]) -> None:
    # references A78
    found = [Found(work, "crossref") for work in works]
    for work in works[:60]:
        query = f"{work.authors[0].name} et al. {work.title}. {work.year}"
        best = rank(query, found, limit=5).best
        assert best is not None
        assert best.found.work.key == work.key


def test_a_real_bibliography_is_read_whole(shared_data: Path) -> None:
    # references A91
    content = (shared_data / "scan-run" / "evidence.bib").read_bytes()
    found = read_bibliography(content, ending=".bib")
    assert found.bad_entries == ()
    assert len(found.entries) == content.count(b"\n@") + content.startswith(b"@")
    with pytest.raises(InvalidInput, match="TOO_MANY_REFS"):
        read_bibliography(content * 20, ending=".bib")


def test_crossref_titles_and_pages_are_left_as_they_are(shared_data: Path) -> None:
    # references A36
    for number in range(1, 8):
        message = orjson.loads((shared_data / "api" / f"crossref_work_{number}.json").read_bytes())["message"]
        assert clean_text(message["title"][0]) == message["title"][0]
        if "page" in message:
            assert page_range(message["page"]) == message["page"]
