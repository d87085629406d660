"""Entries of the store that a person wrote amiss: answered without the amiss part, or refused as the store's."""

from pathlib import Path

import orjson
import pytest

from tests.core.sources.answered import CROSSREF
from tests.references_desk import Tools, outcomes
from tests.scripted_upstream import answer

DOI = "10.1234/foo"
CROSSREF_AT = "api.crossref.org/works/10.1234%2Ffoo"
YEARS = ("0", "-5", "10000", "99999", "9" * 30, "0x" + "f" * 5000, "nan", "inf", "true", '"2020"', "2020-01-01")
TOO_DEEP = ("[" * 40 + "]" * 40, "[" * 300 + "]" * 300, "{a" + ".a" * 3000 + " = 1}")


def written(papers: Path, year: str, more: str = "0") -> None:
    folder = papers / ".metadata"
    folder.mkdir(parents=True)
    (folder / "doi_10.1234_foo.toml").write_text(
        f'schema_version = "1.0"\nauthors = ["Doe, Jane"]\ndoi = "{DOI}"\ntitle = "By hand"\n'
        f'year = {year}\nmine = {more}\n[doiget]\nsource = "crossref"\n'
    )


@pytest.mark.parametrize("year", YEARS)
async def test_a_year_that_no_calendar_has_is_left_out(local: Tools, papers: Path, year: str) -> None:
    written(papers, year)
    # Without a year the entry says too little, so the registration agency is asked.
    local.world.scripts = {CROSSREF_AT: answer({"status": "ok", "message": {**CROSSREF, "DOI": DOI}})}
    found = await local.good("resolve_paper", ref=DOI)
    assert (found["source"], outcomes(found)["store"]) == ("crossref", "consulted_no_record")
    assert [row["year"] for row in (await local.good("list_recent"))["entries"]] == [None]
    info = await local.good("info", ref=DOI)
    assert info["metadata"]["title"] == "By hand" and orjson.dumps(info)
    exported = await local.good("csl_export", refs=[DOI])
    assert "issued" not in orjson.dumps(exported).decode()


@pytest.mark.parametrize("more", TOO_DEEP)
async def test_what_nests_too_deeply_is_an_error_of_the_store(local: Tools, papers: Path, more: str) -> None:
    written(papers, "2020", more)
    for name in ("info", "paper_pdf_path"):
        assert (await local.bad(name, ref=DOI))["code"] == "STORE_ERROR"
    assert (await local.bad("tag", ref=DOI, add=["mine"]))["code"] == "STORE_ERROR"
    assert (await local.good("list_recent"))["entries"] == []
