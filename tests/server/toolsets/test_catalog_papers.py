"""`get_paper_info` and `list_papers` through the registry: references, records, filters, orders and pages."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.catalog.embedded.store import EmbeddedCatalog
from tests.catalog_desk import CountingBackend, Desk, build, ids
from tests.odd_papers import (
    DASH_TITLE,
    DOI_TEXT_DOI,
    EXTERNAL_ID,
    LONG_NAMES_ID,
    LONG_TEXT_ID,
    MANY_AUTHORS_ID,
    NAMESAKE,
    NAMESAKE_IDS,
    OLD_STYLE_ID,
    RETRACTED_ID,
    SHARED_SHORT_NAME,
    SICI_DOI,
    SUPERSEDED_ID,
    TWIN_IDS,
    TWIN_TITLE,
    UNIQUE_SHORT_NAME,
    VERSION_TITLES,
)

QUILLFISH_ID = "1905.90001"
NOT_ASKED = "Nothing was looked up outside this catalog."
HOSTS = ("arxiv.org/abs", "alphaxiv.org/abs", "ar5iv.org/abs", "huggingface.co/papers", "hf.co/papers",
         "semanticscholar.org/arxiv", "ar5iv.labs.arxiv.org/html", "export.arxiv.org/pdf", "arxiv.org/html",
         "arxiv.org/format", "paperswithcode.co/paper", "paperswithcode.com/paper", "doi.org/10.48550")  # fmt: skip
PROPERTY = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True
)


# References


@pytest.mark.parametrize("version", ["", "v7"])
@pytest.mark.parametrize("scheme", ["", "https://", "http://www."])
@pytest.mark.parametrize("host", HOSTS)
async def test_every_url_of_an_arxiv_paper_names_it_without_a_lookup(
    counted: Desk, counting: CountingBackend, host: str, scheme: str, version: str
) -> None:  # catalog A22
    if host.startswith(("ar5iv.labs", "export")) and "www" in scheme:
        scheme = "http://"
    last = f"arXiv.{LONG_TEXT_ID}" if host.startswith("doi.org") else LONG_TEXT_ID
    found = await counted.result("get_paper_info", paper=f"{scheme}{host}/{last}{version}")
    assert found["paper"]["arxiv_id"] == found["resolution"]["paper"] == LONG_TEXT_ID
    assert found["resolution"]["matched_by"] == "arxiv_id"
    assert found["resolution"].get("requested_version", "") == version
    assert counting.calls == {"paper": 1}


@pytest.mark.parametrize(
    "reference",
    [
        LONG_TEXT_ID,
        f"{LONG_TEXT_ID}v7",
        f"arXiv:{LONG_TEXT_ID}",
        f"arxiv: {LONG_TEXT_ID}v2",
        f"10.48550/arXiv.{LONG_TEXT_ID}",
        f"doi:10.48550/ARXIV.{LONG_TEXT_ID}",
        f"({LONG_TEXT_ID}).",
        f"https://arxiv.org/pdf/{LONG_TEXT_ID}v3.pdf?download=1#page=2",
    ],
)
async def test_every_spelling_of_an_arxiv_id_reads_the_paper_in_one_call(
    counted: Desk, counting: CountingBackend, reference: str
) -> None:  # catalog A22
    assert (await counted.result("read_paper", paper=reference))["canonical"] == LONG_TEXT_ID
    assert counting.calls == {"read": 1}


@pytest.mark.parametrize(
    "reference",
    [
        OLD_STYLE_ID,
        f"{OLD_STYLE_ID}v1",
        f"arXiv:{OLD_STYLE_ID}",
        f"https://arxiv.org/abs/{OLD_STYLE_ID}v2",
        f"arxiv.org/pdf/{OLD_STYLE_ID}.pdf",
        "math/0309136",
    ],
)
async def test_an_old_style_id_keeps_its_archive(odd: Desk, reference: str) -> None:  # catalog A23
    found = await odd.result("get_paper_info", paper=reference)
    assert found["paper"]["arxiv_id"] == found["resolution"]["paper"] == OLD_STYLE_ID
    assert found["resolution"]["matched_by"] == "arxiv_id"
    assert found["paper"]["published"] == "2003-09"


@pytest.mark.parametrize(("title", "arxiv_id"), [(VERSION_TITLES[0], "2404.90005"), (VERSION_TITLES[1], "2404.90006")])
async def test_a_title_ending_in_a_version_is_a_title(odd: Desk, title: str, arxiv_id: str) -> None:  # catalog A24
    found = await odd.result("get_paper_info", paper=title)
    assert found["resolution"] == {"reference": title, "paper": arxiv_id, "matched_by": "title"}
    assert "notes" not in found


async def test_a_version_is_set_aside_with_a_note(odd: Desk) -> None:
    found = await odd.result("get_paper_info", paper=f"{LONG_TEXT_ID}v3")
    assert found["notes"] == ["The catalog holds papers, not versions: v3 was left aside."]


async def test_a_catalog_id_becomes_the_arxiv_id_where_there_is_one(odd: Desk) -> None:  # catalog A25
    number = (await odd.result("get_paper_info", paper=LONG_TEXT_ID))["paper"]["id"]
    assert number.isdigit()
    by_number = await odd.result("get_paper_info", paper=number)
    assert by_number["resolution"] == {"reference": number, "paper": LONG_TEXT_ID, "matched_by": "catalog_id"}
    external = await odd.result("get_paper_info", paper=EXTERNAL_ID)
    assert external["resolution"] == {"reference": EXTERNAL_ID, "paper": EXTERNAL_ID, "matched_by": "catalog_id"}
    assert external["paper"]["id"] == EXTERNAL_ID and "arxiv_id" not in external["paper"]


@pytest.mark.parametrize("tool", ["get_paper_info", "read_paper"])
async def test_a_json_number_is_the_same_reference(odd: Desk, tool: str) -> None:  # catalog A7
    assert await odd.result(tool, paper=int(EXTERNAL_ID)) == await odd.result(tool, paper=EXTERNAL_ID)


@pytest.mark.parametrize("reference", [True, 12.5, ["1"], {"id": "1"}, None, "", "x" * 501, "a\x00b"])
async def test_what_is_no_text_is_refused_as_a_reference(
    counted: Desk, counting: CountingBackend, reference: Any
) -> None:
    said = await counted.failure("get_paper_info", paper=reference)
    assert said["code"] == "invalid_argument" and said["message"].startswith("paper ")
    assert not counting.calls


@pytest.mark.parametrize(
    ("reference", "title", "matched_by"),
    [
        (SICI_DOI, "Nerve Fibres of the Harbour Seal", "doi"),
        (f"https://doi.org/{quote(SICI_DOI)}", "Nerve Fibres of the Harbour Seal", "doi"),
        (f"({DOI_TEXT_DOI}).", "Harbour Notes", "doi"),
        (f"{DOI_TEXT_DOI})", "Harbour Notes", "doi"),
        (f"doi: {DOI_TEXT_DOI.upper()}", "Harbour Notes", "doi"),
        ("PMID:8923456", "Nerve Fibres of the Harbour Seal", "pmid"),
        ("https://pubmed.ncbi.nlm.nih.gov/8923456/", "Nerve Fibres of the Harbour Seal", "pmid"),
        ("PMC3531190", "Nerve Fibres of the Harbour Seal", "pmcid"),
        ("W2741809807", "Nerve Fibres of the Harbour Seal", "openalex_id"),
        ("https://openalex.org/W2741809807", "Nerve Fibres of the Harbour Seal", "openalex_id"),
        ("a" * 40, "Nerve Fibres of the Harbour Seal", "semantic_scholar_id"),
        ("https://paperswithcode.com/paper/quillfish", "QUILLFISH: Writing Networks Under Water", "slug"),
    ],
)  # fmt: skip
async def test_other_identifiers_find_their_paper(
    odd: Desk, reference: str, title: str, matched_by: str
) -> None:  # catalog A26
    found = await odd.result("get_paper_info", paper=reference)
    assert (found["paper"]["title"], found["resolution"]["matched_by"]) == (title, matched_by)
    assert found["resolution"]["paper"] == found["paper"].get("arxiv_id", found["paper"]["id"])


async def test_a_question_is_looked_up_as_it_stands(odd: Desk) -> None:  # catalog A26
    said = await odd.failure("get_paper_info", paper="Is Attention All You Need?")
    assert said["code"] == "not_found"
    assert said["message"].startswith("No paper is titled 'Is Attention All You Need?' here.")


@pytest.mark.parametrize("reference", ["   ", "https://github.com/a/b", '""', "https://example.org/x"])
@pytest.mark.parametrize("tool", ["get_paper_info", "read_paper"])
async def test_an_empty_or_foreign_reference_is_refused_unasked(
    counted: Desk, counting: CountingBackend, tool: str, reference: str
) -> None:  # catalog A27
    assert (await counted.failure(tool, paper=reference))["code"] == "invalid_argument"
    assert not counting.calls


@pytest.mark.parametrize("reference", [TWIN_TITLE, TWIN_TITLE.upper(), "The Art of Measuring–Fog"])
async def test_a_title_of_two_papers_is_ambiguous(odd: Desk, reference: str) -> None:  # catalog A28
    said = await odd.failure("get_paper_info", paper=reference)
    named = f"{TWIN_IDS[0]} ({TWIN_TITLE}, 2024), {TWIN_IDS[1]} ({TWIN_TITLE}, 2024)"
    assert said == {
        "code": "ambiguous",
        "retryable": False,
        "candidates": [{"id": number, "title": TWIN_TITLE, "year": 2024} for number in TWIN_IDS],
        "message": f"Several papers match '{reference}'; pass the id of one. Candidates: {named}.",
    }
    for candidate in said["candidates"]:
        assert (await odd.result("get_paper_info", paper=candidate["id"]))["paper"]["title"] == TWIN_TITLE


async def test_a_title_is_found_through_other_dashes_quotes_and_case(odd: Desk) -> None:  # catalog A29
    exact = await odd.result("get_paper_info", paper=DASH_TITLE.upper())
    assert exact["resolution"]["matched_by"] == "title" and "notes" not in exact
    reference = "slow-wave attention - DON'T blink"
    folded = await odd.result("get_paper_info", paper=reference)
    assert folded["resolution"] == {"reference": reference, "paper": "2404.90007", "matched_by": "normalized_title"}
    assert folded["notes"] == [f"'{reference}' was read as the title of this paper."]


async def test_a_short_name_is_found_where_it_is_unique(odd: Desk) -> None:  # catalog A29
    unique = await odd.result("get_paper_info", paper="quillfish")
    assert unique["resolution"] == {"reference": "quillfish", "paper": QUILLFISH_ID, "matched_by": "short_name"}
    assert unique["notes"][0] == "'quillfish' was read as the short name of this paper."
    said = await odd.failure("get_paper_info", paper=SHARED_SHORT_NAME)
    assert (said["code"], [each["id"] for each in said["candidates"]]) == ("ambiguous", ["2404.90002", "2404.90001"])
    assert UNIQUE_SHORT_NAME.lower() == "quillfish"


@pytest.mark.parametrize("reference", ["Heron", "HERON", "heron!"])
async def test_an_exact_title_beats_a_short_name(odd: Desk, reference: str) -> None:  # catalog A30
    assert (await odd.result("get_paper_info", paper=reference))["paper"]["arxiv_id"] == "2404.90003"


async def test_a_miss_says_what_was_tried_and_what_is_near(odd: Desk) -> None:  # catalog A32, catalog A33
    by_title = await odd.failure("get_paper_info", paper="Lanterns at Lengthh")
    assert by_title["suggestions"][0] == {"id": LONG_TEXT_ID, "title": "Lanterns at Length", "year": 2024}
    assert len(by_title["suggestions"]) <= 3
    assert by_title["message"].startswith(
        f"No paper is titled 'Lanterns at Lengthh' here. {NOT_ASKED} Try search_papers, or pass an arXiv id or DOI."
    )
    assert await odd.failure("get_paper_info", paper="1905.12345") == {
        "code": "not_found",
        "retryable": False,
        "message": f"No paper here has the arXiv id 1905.12345. {NOT_ASKED} Try search_papers with words of its title.",
    }
    assert (await odd.failure("read_paper", paper="10.5555/held.nowhere"))["message"] == (
        f"No paper here has the DOI 10.5555/held.nowhere. {NOT_ASKED} Try search_papers with words of its title."
    )


@pytest.mark.parametrize(
    ("reference", "sent", "hint"),
    [
        ("9711200", "9711200", True),
        ("0309136", "0309136", True),
        ("(0309136).", "0309136", True),
        ("0000000", "0000000", True),
        ("00309136", "00309136", False),
        ("4711471", "4711471", True),
        ("catalog:0309136", "0309136", False),
        ("paperswithcode.co/paper/0309136", "0309136", False),
    ],
)
async def test_a_missed_number_is_repeated_as_it_was_sent(
    odd: Desk, reference: str, sent: str, hint: bool
) -> None:  # catalog 8.1, on bare seven digits
    why = f" A bare number is a catalog id; an old arXiv id needs its archive, as in hep-th/{sent}." if hint else ""
    assert (await odd.failure("get_paper_info", paper=reference))["message"] == (
        f"No paper here has the catalog id {sent}.{why} {NOT_ASKED} Try search_papers with words of its title."
    )


async def test_a_title_or_short_name_of_one_letter_names_its_paper(tmp_path: Path) -> None:  # catalog 8.1
    titles = ("M6", "S4: Structured State Spaces", "T5: Text to Text", "R", "H₂O", "七")
    papers = [{"key": title, "title": title, "arxiv_id": f"2401.0000{at}"} for at, title in enumerate(titles)]
    backend = EmbeddedCatalog.open(build(tmp_path, {"papers": papers}), kind="file")
    desk = Desk(backend)
    for at, (name, matched_by) in enumerate(
        [("M6", "title"), ("s4", "short_name"), ("T5", "short_name"), ("R", "title"), ("h₂o", "title"), ("七", "title")]
    ):
        found = await desk.result("get_paper_info", paper=name)
        assert found["resolution"] == {"reference": name, "paper": f"2401.0000{at}", "matched_by": matched_by}
    assert (await desk.failure("get_paper_info", paper="M7"))["message"].startswith("No paper is titled 'M7' here.")
    assert (await desk.failure("get_paper_info", paper="?!"))["code"] == "invalid_argument"
    backend.close()


SPELLINGS = {
    LONG_TEXT_ID: ("{}", "arXiv:{}", "ARXIV: {}", "10.48550/arXiv.{}", "https://arxiv.org/abs/{}", "hf.co/papers/{}"),
    OLD_STYLE_ID: ("{}", "arXiv:{}", "arxiv.org/abs/{}", "https://export.arxiv.org/pdf/{}.pdf"),
    DOI_TEXT_DOI: ("{}", "doi:{}", "DOI: {}", "https://doi.org/{}", "http://dx.doi.org/{}"),
    "PMID:8923456": ("{}", "pmid 8923456", "https://pubmed.ncbi.nlm.nih.gov/8923456"),
}


@PROPERTY
@given(
    written=st.sampled_from([(id, spelling) for id in sorted(SPELLINGS) for spelling in SPELLINGS[id]]),
    around=st.sampled_from(("{}", " {}  ", "({})", "[{}]", '"{}"', "{}.", "<{}>", "{},", "“{}”")),
)
async def test_any_spelling_of_an_identifier_is_the_same_paper(  # catalog A22
    odd: Desk, written: tuple[str, str], around: str
) -> None:
    identifier, spelling = written[0], written[1].format(written[0])
    plain = await odd.result("get_paper_info", paper=identifier)
    found = await odd.result("get_paper_info", paper=around.format(spelling))
    assert found["paper"] == plain["paper"]
    assert found["resolution"]["paper"] == plain["resolution"]["paper"]


# Records


async def test_a_record_is_told_whole(odd: Desk) -> None:
    found = await odd.result("get_paper_info", paper=QUILLFISH_ID)
    paper = found["paper"]
    successors = paper.pop("successors")
    assert len(successors) == 50
    assert successors[0] == {"id": successors[0]["id"], "reference": "2309.90059",
                             "title": "Contrastive Bramble Forecasting No. 59"}  # fmt: skip
    links = {name: paper.pop(name) for name in ("tasks", "methods", "organizations", "conference", "predecessors")}
    assert [(link["name"], link["slug"]) for link in links["tasks"]] == [
        ("Lantern Tracking", "lantern-tracking"),
        ("Reading Comprehension", "reading-comprehension"),
    ]
    assert [link["name"] for link in links["methods"]] == ["QuillNet"]
    assert [link["name"] for link in links["organizations"]] == ["Lighthouse Institute"]
    assert (links["conference"]["name"], links["conference"]["slug"]) == ("Fog and Harbour", "fog-2021")
    assert [link["reference"] for link in links["predecessors"]] == [OLD_STYLE_ID, EXTERNAL_ID]
    framework = paper["repositories"][0]["framework"]
    assert paper == {
        "id": paper["id"],
        "arxiv_id": QUILLFISH_ID,
        "title": "QUILLFISH: Writing Networks Under Water",
        "abstract": "A network that writes. It is significant (P<0.001) and naïve; see 灯籠.",
        "authors": [NAMESAKE, "Bo Härön", "Cy Moth"],
        "author_count": 3,
        "published": "2019-05-01",
        "citation_count": 900,
        "url": "https://example.org/quillfish/abs",
        "pdf_url": "https://example.org/quillfish.pdf",
        "code_repository_count": 12,
        "repositories": [{"url": "https://example.org/code/5", "is_official": True, "framework": framework}],
        "project_pages": [],
        "hf_models": [],
        "hf_datasets": [],
        "hf_spaces": [],
        "in_catalog": True,
        "has_markdown": False,
    }
    assert found["notes"] == ["The first 50 of 61 successors are shown."]
    assert (await odd.text("get_paper_info", paper=QUILLFISH_ID)).splitlines() == [
        "1905.90001 — QUILLFISH: Writing Networks Under Water (2019-05-01)",
        "Ada Quill, Bo Härön, Cy Moth",
        "900 citations · https://example.org/quillfish/abs",
        "A network that writes. It is significant (P<0.001) and naïve; see 灯籠.",
        "Tasks: Lantern Tracking, Reading Comprehension",
        "Methods: QuillNet",
        "Official code: https://example.org/code/5",
        "12 code repositories are known in all.",
        "Builds on: math.GT/0309136 (Knots in Old Ropes), 900001 (Held Nowhere Else)",
        "Continued by: 2309.90059 (Contrastive Bramble Forecasting No. 59), "
        "2310.90058 (Causal Foghorn Retrieval No. 58), 2310.90057 (Recurrent Tide Reading No. 57), "
        "2310.90056 (Gated Harbour Tracking No. 56), 2311.90055 (Patient Lantern Planning No. 55)",
        "The first 50 of 61 successors are shown.",
    ]


async def test_resources_come_when_asked_official_first_and_cut(odd: Desk) -> None:
    found = await odd.result("get_paper_info", paper=QUILLFISH_ID, include_resources="true", repo_limit=3)
    paper = found["paper"]
    assert [(each["url"], each["is_official"]) for each in paper["repositories"]] == [
        ("https://example.org/code/5", True),
        ("https://example.org/code/0", False),
        ("https://example.org/code/1", False),
    ]
    assert paper["project_pages"] == ["https://example.org/quillfish"]
    assert paper["hf_models"] == ["quill/model-0", "quill/model-1", "quill/model-2"]
    assert (paper["hf_datasets"], paper["hf_spaces"]) == (["quill/ink"], ["quill/desk"])
    assert paper["code_repository_count"] == 12
    assert "The first 3 of 7 hf_models are shown." in found["notes"]
    assert found["data"]["hf_models"] == paper["hf_models"]
    default = await odd.result("get_paper_info", paper=QUILLFISH_ID, include_resources=True)
    assert len(default["paper"]["repositories"]) == len(default["paper"]["hf_models"]) == 5
    for limit in (0, 11):
        said = await odd.failure("get_paper_info", paper=QUILLFISH_ID, repo_limit=limit)
        assert said["message"] == "repo_limit must be a whole number from 1 to 10."


async def test_evaluations_come_when_asked_with_their_true_number(odd: Desk) -> None:
    bare = await odd.result("get_paper_info", paper=QUILLFISH_ID)
    assert "evaluations" not in bare and "evaluation_count" not in bare
    found = await odd.result("get_paper_info", paper=QUILLFISH_ID, include_evaluations=True)
    assert found["evaluation_count"] == len(found["evaluations"]) == 5
    row = next(row for row in found["evaluations"] if row["model_name"] == "Horn 1")
    assert row == {
        "id": row["id"],
        "benchmark": "Foghorn Speech",
        "task": "Speech Recognition",
        "model_name": "Horn 1",
        "metrics": {"Acc, top=1:x": 89, "Frobnication": 1, "WER": 3.5, "wer": 4},
        "best_rank": 2,
        "is_open": True,
    }  # catalog A68: what is known is said, all else is left out
    assert (await odd.result("get_paper_info", paper=RETRACTED_ID, include_evaluations=True))["evaluations"] == []
    wide = await odd.result("get_paper_info", paper=LONG_NAMES_ID, include_evaluations=True)
    assert {len(row["metrics"]) for row in wide["evaluations"]} == {20}
    assert "At most 20 of up to 25 metrics of a row are shown." in wide["notes"]


async def test_a_paper_with_more_than_fifty_results_points_to_all_of_them(tmp_path: Path) -> None:
    row = {"task": "t", "model_name": "M", "paper": "p", "metrics": {"F1": 1}}
    records = {
        "papers": [{"key": "p", "title": "Busy", "arxiv_id": "2401.00001"}],
        "tasks": [{"key": "t", "name": "T"}],
        "benchmarks": [{"key": f"b{number}", "name": f"Board {number}", "tasks": ["t"]} for number in range(60)],
        "evaluations": [{"benchmark": f"b{number}", **row} for number in range(60)],
    }
    backend = EmbeddedCatalog.open(build(tmp_path, records), kind="file")
    found = await Desk(backend).result("get_paper_info", paper="2401.00001", include_evaluations=True)
    backend.close()
    assert (found["evaluation_count"], len(found["evaluations"])) == (60, 50)
    assert found["notes"] == [
        "The first 50 of 60 evaluations are shown; get_paper_evaluations pages through all of them."
    ]


async def test_a_crowd_of_authors_is_counted(odd: Desk) -> None:  # catalog A13
    listed = await odd.result("search_papers", query="A Crowd Looks at One Lantern", mode="keyword", limit=1)
    detail = (await odd.result("get_paper_info", paper=MANY_AUTHORS_ID))["paper"]
    assert (len(listed["items"][0]["authors"]), listed["items"][0]["author_count"]) == (10, 1_300)
    assert (len(detail["authors"]), detail["author_count"]) == (100, 1_300)
    assert "Crowd Member 0009 and 1290 more" in await odd.text("get_paper_info", paper=MANY_AUTHORS_ID)


async def test_long_texts_and_lists_are_cut_and_said_to_be(odd: Desk) -> None:
    found = await odd.result("get_paper_info", paper=LONG_NAMES_ID)
    paper = found["paper"]
    assert len(paper["title"]) == 500 and paper["title"].endswith("…")
    assert len(paper["abstract"]) <= 8_000 and paper["abstract"].endswith("…")
    assert len(paper["authors"][0]) <= 150 and paper["authors"][0].endswith("…")
    assert [len(paper[name]) for name in ("tasks", "methods", "organizations")] == [25, 25, 25]
    # The URL of over 500 characters is left out, not cut; the one on arXiv takes its place where it is known.
    assert paper.get("url", "https://arxiv.org/abs/2403.90002") == "https://arxiv.org/abs/2403.90002"
    assert found["notes"] == [
        "The first 25 of 31 tasks are shown.",
        "The first 25 of 30 methods are shown.",
        "The first 25 of 31 organizations are shown.",
    ]


async def test_a_retracted_paper_says_so(odd: Desk) -> None:
    found = await odd.result("get_paper_info", paper=RETRACTED_ID)
    assert found["paper"]["is_retracted"] is True
    assert found["notes"] == ["This paper is marked as retracted."]
    assert "is_retracted" not in (await odd.result("get_paper_info", paper=LONG_TEXT_ID))["paper"]
    assert await odd.text("get_paper_info", paper=RETRACTED_ID) == (
        "2403.90003 — Cold Light (2024-03-03)\nhttps://arxiv.org/abs/2403.90003\nThis paper is marked as retracted."
    )


@pytest.mark.parametrize(
    ("reference", "published"),
    [(EXTERNAL_ID, "2019"), (OLD_STYLE_ID, "2003-09"), (DOI_TEXT_DOI, "2021-03-05"), ("2401.90003", "2024")],
)
async def test_a_date_is_printed_as_precisely_as_it_is_known(odd: Desk, reference: str, published: str) -> None:
    # catalog A94, as the tools show it
    found = await odd.result("get_paper_info", paper=reference)
    assert found["paper"]["published"] == published
    assert f"({published})" in (await odd.text("get_paper_info", paper=reference)).splitlines()[0]


# Lists


async def everything(odd: Desk, **filters: Any) -> list[dict[str, Any]]:
    return [row for page in await odd.pages("list_papers", **filters, limit=25) for row in page["items"]]


@pytest.mark.parametrize("search", ["-foo", "a AND b:c*(", "P<0.001", '"that writes"'])
async def test_a_value_may_hold_anything(odd: Desk, search: str) -> None:  # catalog A9
    found = await odd.result("list_papers", search=search)
    assert found["count"] == 1 and found["applied_filters"] == {"search": search}


async def test_a_list_in_json_text_is_a_list(odd: Desk, counted: Desk, counting: CountingBackend) -> None:  # catalog A8
    as_text = await odd.result("list_papers", authors='["Bo Härön"]')
    assert as_text == await odd.result("list_papers", authors=["Bo Härön"])
    assert as_text["applied_filters"] == {"authors": "Bo Härön"}
    assert as_text["data"]["applied_filters"]["authors"][0]["hf_username"] == "boheron"
    said = await counted.failure("list_papers", authors=[f"Author {number}" for number in range(11)])
    assert said["message"].startswith("authors must be a list of at most 10 entries")
    assert not counting.calls


async def test_all_authors_must_have_written_the_paper(odd: Desk) -> None:
    ada, both = await everything(odd, authors=["@AdaQ"]), await everything(odd, authors=["@AdaQ", "Cy Moth"])
    assert {row["arxiv_id"] for row in ada} == {QUILLFISH_ID, LONG_TEXT_ID, "2401.90002"}
    assert [row["arxiv_id"] for row in both] == [QUILLFISH_ID]


async def test_an_author_of_one_name_with_others_is_ambiguous(odd: Desk) -> None:  # catalog A45
    said = await odd.failure("list_papers", authors=[NAMESAKE.upper()])
    assert said["code"] == "ambiguous"
    assert said["candidates"][:2] == [
        {"id": NAMESAKE_IDS[0], "name": NAMESAKE, "note": "@AdaQ, 3 papers"},
        {"id": NAMESAKE_IDS[1], "name": NAMESAKE, "note": "50 papers"},
    ]
    by_name = [await odd.result("list_papers", authors=[name]) for name in ("@AdaQ", "@adaq", NAMESAKE_IDS[0])]
    assert by_name[0] == by_name[1] == by_name[2]
    assert by_name[0]["count"] == 3
    unknown = await odd.failure("list_papers", authors=["Bo Haron"])
    assert (unknown["code"], unknown["suggestions"]) == ("not_found", [{"id": "Bo Härön", "name": "Bo Härön"}])
    assert (await odd.failure("list_papers", authors=["@nobody-here"]))["code"] == "not_found"


@pytest.mark.parametrize("kind", ["task", "method", "framework", "organization", "conference"])
async def test_an_unknown_name_is_not_found_and_not_an_empty_list(odd: Desk, kind: str) -> None:  # catalog A46
    said = await odd.failure("list_papers", **{kind: "Zzyzx Qwfp"})
    assert said["code"] == "not_found" and said["message"].startswith(f"No {kind} is called 'Zzyzx Qwfp'.")


async def test_a_name_of_two_things_is_ambiguous(odd: Desk) -> None:  # catalog A34
    assert await odd.failure("list_papers", task="segmentation") == {
        "code": "ambiguous",
        "retryable": False,
        "candidates": [
            {"id": "81", "name": "Segmentation", "note": "Computer Vision"},
            {"id": "82", "name": "Segmentation", "note": "Speech"},
        ],
        "message": "Several tasks are called 'segmentation'; pass the id of one. "
        "Candidates: 81 (Segmentation, Computer Vision), 82 (Segmentation, Speech).",
    }
    for name in ("81", "segmentation-vision", "82", "segmentation-speech"):
        assert (await odd.result("list_papers", task=name))["applied_filters"] == {"task": "Segmentation"}


async def test_a_misspelt_name_is_not_found_with_near_ones(odd: Desk) -> None:  # catalog A34
    said = await odd.failure("list_papers", task="lantern trackin")
    assert said["code"] == "not_found" and len(said["suggestions"]) == 3
    assert said["suggestions"][0] == {"id": "lantern-tracking", "name": "Lantern Tracking", "note": "Computer Vision"}
    editions = await odd.failure("list_papers", conference="Fog and Harbour")
    assert sorted(each["note"] for each in editions["candidates"]) == ["2021", "2022", "2023"]


@pytest.mark.parametrize("name", ["Speech Recognition", "speech-recognition", "SPEECH  recognition", "ASR", "asr"])
async def test_a_task_goes_by_name_slug_and_alias(odd: Desk, name: str) -> None:
    found = await odd.result("list_papers", task=name)
    assert (found["count"], found["applied_filters"]) == (140, {"task": "Speech Recognition"})
    assert "notes" not in found


async def test_a_name_read_through_other_punctuation_is_noted(odd: Desk) -> None:
    found = await odd.result("list_papers", task="Speech-Recognition!")
    assert found["notes"] == ["task 'Speech-Recognition!' was read as Speech Recognition."]


async def test_every_filter_holds_alone_and_together(odd: Desk) -> None:
    papers = {row["id"]: row for row in await everything(odd, all_versions=True)}
    quillfish = {
        "task": "Reading Comprehension",
        "method": "Quill Network",
        "framework": "Framework 00",
        "organization": "lighthouse-institute",
        "conference": "fog-2021",
        "authors": ["Cy Moth"],
        "published_after": "2019-05-01",
        "published_before": "2019-05-01",
        "has_official_implementation": True,
        "search": "naïve writing",
    }
    for name, value in quillfish.items():
        rows = await everything(odd, **{name: value})
        assert QUILLFISH_ID in [row.get("arxiv_id") for row in rows], name
        assert len(rows) < len(papers), name
    found = await odd.result("list_papers", **quillfish)
    assert ids(found) == [QUILLFISH_ID]
    assert found["applied_filters"] == {
        "search": "naïve writing",
        "task": "Reading Comprehension",
        "method": "QuillNet",
        "framework": "Framework 00",
        "organization": "Lighthouse Institute",
        "conference": "Fog and Harbour (2021)",
        "authors": "Cy Moth",
        "published_after": "2019-05-01",
        "published_before": "2019-05-01",
        "has_official_implementation": "true",
    }
    assert found["data"]["applied_filters"]["start_date"] == "2019-05-01"
    nothing = await odd.text("list_papers", **{**quillfish, "published_before": "2019-12-31", "search": "unwritten"})
    assert nothing.splitlines()[0].endswith("has_official_implementation true). Loosen search first.")


async def test_only_the_latest_record_is_listed_unless_asked(odd: Desk) -> None:
    latest, all_versions = await everything(odd), await everything(odd, all_versions=True)
    assert {row["id"] for row in all_versions} - {row["id"] for row in latest} == {SUPERSEDED_ID}
    found = await odd.result("list_papers", all_versions=True, limit=1)
    assert found["applied_filters"] == {"all_versions": "true"}
    assert found["data"]["applied_filters"] == {"latest_only": "false"}


def first_day(published: str) -> str:
    return published + "-01-01"[: 10 - len(published)] if len(published) == 4 else (published + "-01")[:10]


@pytest.mark.parametrize("direction", ["asc", "desc"])
@pytest.mark.parametrize(("order", "field"), [("citation_count", "citation_count"), ("date_published", "published")])
async def test_missing_values_come_last_in_both_directions(
    odd: Desk, order: str, field: str, direction: str
) -> None:  # catalog A47
    rows = await everything(odd, order_by=order, order_direction=direction, all_versions=True)
    sign = -1 if direction == "desc" else 1

    def key(row: Mapping[str, Any]) -> tuple[Any, ...]:
        number = int(row["id"])
        day = int(first_day(row["published"]).replace("-", "")) if "published" in row else None
        cited = row.get("citation_count")
        late = (day is None, -(day or 0))
        much = (cited is None, -(cited or 0))
        if field == "published":
            return (day is None, sign * (day or 0), *much, number)
        return (cited is None, sign * (cited or 0), *late, number)

    assert [row["id"] for row in rows] == [row["id"] for row in sorted(rows, key=key)]
    known = [field in row for row in rows]
    assert known == sorted(known, reverse=True)
    assert False in known or field == "published"


async def test_trending_starts_with_the_fastest_and_turns_round(odd: Desk) -> None:
    rows = await everything(odd)
    assert rows[0]["arxiv_id"] == QUILLFISH_ID  # velocity 3.5 is the highest
    assert rows == await everything(odd, order_by="trending", order_direction="desc")
    turned = await everything(odd, order_by="trending", order_direction="asc")
    assert {row["id"] for row in turned} == {row["id"] for row in rows}
    assert turned[-1]["arxiv_id"] == QUILLFISH_ID


async def test_resources_are_added_to_data_only_when_asked(odd: Desk) -> None:
    plain = await odd.result("list_papers", method="QuillNet")
    (row,) = plain["data"]["results"]
    assert "methods" not in row and "repositories" not in row
    asked = await odd.result("list_papers", method="QuillNet", include_resources=True)
    (full,) = asked["data"]["results"]
    assert [method["name"] for method in full["methods"]] == ["QuillNet"]
    assert len(full["repositories"]) == 12
    assert {**asked, "data": None} == {**plain, "data": None}


async def test_a_list_is_told_line_by_line(odd: Desk) -> None:  # catalog A12
    text = await odd.text("list_papers", conference="fog-2022", order_by="date_published", limit=2)
    assert text == (
        "5 papers (conference Fog and Harbour (2022)). Page 1 of 3.\n"
        "- 2503.90010 — Patient Thistle Forecasting No. 10 (2025)\n"
        "- 2404.90040 — Causal Moth Translation No. 40 (2024)\n"
        "Next page: page=2."
    )
    last = await odd.text("list_papers", conference="fog-2022", order_by="date_published", limit=2, page=3)
    assert last.splitlines()[0] == "5 papers (conference Fog and Harbour (2022)). Page 3 of 3."
    assert len(last.splitlines()) == 2


async def test_a_page_past_the_end_of_a_list_is_empty_with_a_note(odd: Desk) -> None:  # catalog A42
    past = await odd.result("list_papers", limit=25, page=99)
    assert (past["items"], past["count"], "next_page" in past) == ([], 165, False)
    assert past["notes"] == ["Page 99 is past the end; the last page is 7."]
    assert (await odd.text("list_papers", limit=25, page=99)).splitlines()[0] == "165 papers. Page 99."
    bound = await odd.result("list_papers", limit=1, page=100)
    assert len(bound["items"]) == 1 and "next_page" not in bound
    assert bound["notes"][0].startswith("Only the first 100 of 165 rows can be paged by 1;")
    assert (await odd.text("list_papers", limit=1, page=100)).splitlines()[0] == "165 papers. Page 100 of 100."


FILTERS = st.fixed_dictionaries(
    {},
    optional={
        "task": st.sampled_from(("Lantern Tracking", "Reading Comprehension", "ASR")),
        "method": st.sampled_from(("Method 03", "Method 08", "QuillNet")),
        "organization": st.sampled_from(("Harbour Lab 03", "Harbour Lab 10")),
        "conference": st.sampled_from(("fog-2021", "fog-2023")),
        "authors": st.sampled_from((["Bo Härön"], [NAMESAKE_IDS[1]], ["Author 3", "Bo Härön"])),
        "published_after": st.sampled_from(("2022-01-01", "2024-06-01")),
        "published_before": st.sampled_from(("2024-06-01", "2025-01-01")),
        "has_official_implementation": st.booleans(),
        "all_versions": st.booleans(),
        "search": st.sampled_from(("lantern", "series models", "zzz")),
    },
)


@PROPERTY
@given(
    filters=FILTERS,
    order=st.sampled_from(("trending", "date_published", "citation_count")),
    direction=st.sampled_from(("asc", "desc")),
    limit=st.integers(3, 25),
)
async def test_pages_join_to_the_whole_for_any_filter_and_order(
    odd: Desk, filters: dict[str, Any], order: str, direction: str, limit: int
) -> None:  # catalog A38, catalog A42
    asked = {**filters, "order_by": order, "order_direction": direction}
    pages = await odd.pages("list_papers", **asked, limit=limit)
    rows = [row for page in pages for row in page["items"]]
    assert {page["count"] for page in pages} == {len(rows)} == {len({row["id"] for row in rows})}
    assert all(len(page["items"]) == limit for page in pages[:-1])
    assert rows == await everything(odd, **asked)
