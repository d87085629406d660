"""The tools on windows, tasks, methods and communities through the registry."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from core.catalog.embedded.store import EmbeddedCatalog
from core.catalog.models import PaperRow
from core.catalog.results import CatalogReference, PaperSummary
from core.catalog.taxonomy_models import TaskPageParts
from core.catalog.taxonomy_results import TaskDetail, TaskResult
from core.errors import SourceUnreachable
from server.toolsets.catalog.dialect import STRUCTURED_MAX_BYTES, CatalogDialect
from tests.catalog_desk import Desk, Json, build
from tests.odd_catalog import BUSY_TASK
from tests.odd_papers import TWIN_IDS, TWIN_TITLE

QUILLFISH_ID = "1905.90001"
COVERAGE_NOTE = (
    "Only links that a source of this catalog states are listed; an empty list does not prove that there is none."
)
SHARED_NOTE = "Related by shared methods, tasks, authors and benchmarks; this catalog holds no vector of the paper."


def without_data(structured: Json) -> Json:
    return {name: value for name, value in structured.items() if name != "data"}


# Windows: catalog A48, A49


async def test_recent_papers_in_text_and_structure(odd: Desk) -> None:  # catalog A49
    assert await odd.text("list_recent_papers", limit=2) == (
        "2 papers.\n"
        "- 2506.90000 — Sparse Lantern Tracking No. 0 (2025) · official code\n"
        "- 2506.90001 — Patient Harbour Reading No. 1 (2025)\n"
        "list_papers with order_by=date_published continues this list."
    )
    found = await odd.result("list_recent_papers", limit=1)
    (item,) = found["items"]
    assert without_data(found) == {
        "schema_version": "v1",
        "notes": ["list_papers with order_by=date_published continues this list."],
        "items": [item],
        "as_of": "2025-06-30",
    }
    assert item == {
        "id": item["id"],
        "arxiv_id": "2506.90000",
        "title": "Sparse Lantern Tracking No. 0",
        "authors": ["Ada Quill", "Author 0"],
        "author_count": 2,
        "published": "2025-06-30",
        "url": "https://arxiv.org/abs/2506.90000",
        "has_official_implementation": True,
        "code_repository_count": 1,
        "slug": "sparse-lantern-tracking-no-0",
    }


async def test_trending_papers_in_text(odd: Desk, sample: Desk) -> None:  # catalog A48
    assert await odd.text("list_trending_papers", limit=2) == (
        "2 papers (max_age_days 180).\n"
        "- 2501.90015 — Modular Bramble Reading No. 15 (2025)\n"
        "- 2505.90005 — Contrastive Otter Translation No. 5 (2025)\n"
        "list_papers with order_by=trending and published_after=2025-01-01 continues this list."
    )
    assert await odd.text("list_trending_papers", limit=1, min_velocity="0.5") == (
        "1 paper (max_age_days 180; min_velocity 0.5).\n"
        "- 2501.90015 — Modular Bramble Reading No. 15 (2025)\n"
        "list_papers with order_by=trending and published_after=2025-01-01 goes on, without min_velocity."
    )
    assert await odd.text("list_trending_papers", max_age_days=1, min_velocity=2) == (
        "0 papers (max_age_days 1; min_velocity 2).\n"
        "No paper of these days passes; raise max_age_days or lower min_velocity."
    )
    unmeasured = "This catalog holds no measured attention; trending goes by citations for a paper's age, then by date."
    assert (await sample.result("list_trending_papers"))["notes"] == [unmeasured]
    assert (await sample.result("list_trending_papers", min_velocity=1))["notes"] == [
        f"{unmeasured} min_velocity therefore leaves nothing.",
        "No paper of these days passes; raise max_age_days.",
    ]


async def test_the_list_that_continues_trending_papers_begins_with_them(odd: Desk) -> None:
    window = await odd.result("list_trending_papers")
    listed = await odd.result("list_papers", order_by="trending", published_after="2025-01-01", limit=20)
    assert window["items"] == listed["items"]


async def test_related_papers_in_text_and_what_made_them_so(odd: Desk) -> None:
    assert await odd.text("get_related_papers", paper=QUILLFISH_ID, limit=2) == (
        "2 papers.\n"
        "- 2401.90002 — A Short Text (2024)\n"
        "- 2401.90001 — Lanterns at Length (2024)\n"
        f"{SHARED_NOTE}\n"
        "search_papers with the paper's topic finds more."
    )
    alone = await odd.result("get_related_papers", paper=900001)
    assert alone == {
        "schema_version": "v1",
        "notes": [SHARED_NOTE, "No other paper here shares any of these; search_papers finds papers by topic."],
        "items": [],
        "as_of": "2025-06-30",
        "resolution": {"reference": "900001", "paper": "900001", "matched_by": "catalog_id"},
        "data": alone["data"],
    }


async def test_related_papers_of_a_catalog_with_vectors_go_by_meaning(meaning: Desk) -> None:
    every = await meaning.result("list_papers", limit=25)
    found = await meaning.result("get_related_papers", paper=every["items"][0]["title"], limit=3)
    assert found["notes"][0] == "Related by the meaning of title and abstract."
    ids = [item["id"] for item in found["items"]]
    assert len(set(ids)) == 3 and every["items"][0]["id"] not in ids


async def test_lineage_in_text_and_structure(odd: Desk) -> None:
    assert await odd.text("get_paper_lineage", paper="Lanterns at Length") == (
        "2401.90001 — Lanterns at Length: 1 predecessor, 0 successors.\n"
        "Builds on:\n"
        "- 1905.90001 — QUILLFISH: Writing Networks Under Water\n"
        "The reference was read as 2401.90001 (by title).\n"
        f"{COVERAGE_NOTE}"
    )
    found = await odd.result("get_paper_lineage", paper=QUILLFISH_ID)
    assert (found["coverage"], found["coverage_note"]) == ("explicit_catalog_links_only", COVERAGE_NOTE)
    assert found["notes"] == ["The first 50 of 61 successors are shown."]
    assert [paper["reference"] for paper in found["predecessors"]] == ["math.GT/0309136", "900001"]
    assert len(found["successors"]) == len(found["data"]["successors"]) == 50


# Tasks: catalog A50, A55


async def test_a_task_in_text(odd: Desk) -> None:
    part = ", ".join(f"Lantern Tracking, Part {n}" for n in (1, *range(10, 20), 2, 20, 21, 22))
    methods = ", ".join(f"Method 0{n} (1)" for n in range(8))
    title = f"Long{' and longer' * 14}…"
    assert await odd.text("get_task", task="lantern tracking part 0") == (
        "lantern-tracking-part-0 — Lantern Tracking, Part 0 (Computer Vision): 1 paper.\n"
        "Parents: Lantern Tracking\n"
        "Subtasks: Lantern Tracking at Dusk\n"
        f"Sisters: {part}\n"
        f"Common methods in 1 paper: {methods}\n"
        "Benchmarks:\n"
        "- wide-board — Wide Board (7 evaluations, 1 paper)\n"
        "Papers:\n"
        f"- 2403.90002 — {title} (2024)\n"
        "task 'lantern tracking part 0' was read as Lantern Tracking, Part 0.\n"
        "The first 15 of 29 sisters are shown."
    )


async def test_a_task_is_cut_to_its_caps_and_says_so(odd: Desk) -> None:  # catalog A55
    found = await odd.result("get_task", task="LT", benchmark_limit=3)
    task = found["task"]
    assert (task["name"], task["paper_count"], task["benchmark_count"]) == (BUSY_TASK, 73, 60)
    assert task["area"] == {"id": "11", "name": "Computer Vision"}
    assert task["description"].endswith("…") and len(task["description"]) <= 4_000
    lengths = ("parents", "children", "benchmarks", "sisters", "recommended_frameworks", "subtask_benchmarks", "papers")
    assert {name: len(task[name]) for name in lengths} == {
        "parents": 0,
        "children": 25,
        "benchmarks": 3,
        "sisters": 0,
        "recommended_frameworks": 10,
        "subtask_benchmarks": 5,
        "papers": 10,
    }
    assert found["notes"] == [
        "The first 3 of 60 benchmarks are shown; list_benchmarks with this task pages through all of them.",
        "The first 25 of 30 children are shown.",
        "The first 10 of 12 recommended frameworks are shown.",
        "The first 5 of 7 subtasks with benchmarks are shown.",
    ]
    assert task["recommended_frameworks"][0] == {
        "id": "lantern/kit-0",
        "name": "kit-0",
        "owner": "lantern",
        "url": "https://example.org/kit-0",
        "num_stars": 100,
    }
    assert (task["paper_sample_size"], len(task["common_methods"])) == (73, 8)
    counts = [method["count"] for method in task["common_methods"]]
    assert counts == sorted(counts, reverse=True)
    listed = await odd.result("list_papers", task=BUSY_TASK, limit=10)
    assert task["papers"] == listed["items"]


async def test_the_data_of_a_task_is_cut_like_its_detail(odd: Desk) -> None:
    found = await odd.result("get_task", task=BUSY_TASK)
    data, task = found["data"], found["task"]
    assert list(data) == [
        "task", "area", "parents", "sisters", "children", "recommended_frameworks", "benchmarks", "subtask_benchmarks",
        "common_methods", "paper_sample_size", "paper_count", "papers",
    ]  # fmt: skip
    for name in ("parents", "sisters", "children", "recommended_frameworks", "benchmarks", "papers", "common_methods"):
        assert [row["id"] for row in data[name]] == [row["id"] for row in task[name]]
    assert data["task"]["description"] == task["description"]
    assert data["task"]["research_trends"] == ["smaller lanterns"]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A catalog without any date, whose task recommends a framework that it holds."""
    records: dict[str, list[Json]] = {
        "tasks": [
            {"key": "top", "name": "Top", "recommended_frameworks": [{"name": "KIT-one"}, {"name": "Kit Two"}]},
            {"key": "under", "name": "Under", "parents": ["top"]},
        ],
        "frameworks": [{"key": "one", "name": "Kit One", "id": 41}],
        "benchmarks": [{"key": f"b{n}", "name": f"Board {n}", "tasks": ["under"]} for n in range(4)],
        "papers": [{"key": "p", "title": "A Paper Without a Date", "tasks": ["top"], "velocity": 2.0}],
    }
    backend = EmbeddedCatalog.open(build(tmp_path_factory.mktemp("small"), records), kind="file")
    yield Desk(backend)
    backend.close()


async def test_a_recommended_framework_that_the_catalog_holds_has_its_id(small: Desk) -> None:
    found = await small.result("get_task", task="Top")
    assert found["task"]["recommended_frameworks"] == [
        {"id": "41", "name": "KIT-one"},
        {"id": "Kit Two", "name": "Kit Two"},
    ]
    ((under, boards),) = [each.values() for each in found["task"]["subtask_benchmarks"]]
    assert (under["name"], [board["name"] for board in boards]) == ("Under", ["Board 0", "Board 1", "Board 2"])
    assert found["notes"] == ["The first 3 benchmarks of each subtask are shown."]


async def test_without_an_as_of_date_nothing_is_trending(small: Desk) -> None:
    found = await small.result("list_trending_papers")
    assert without_data(found) == {
        "schema_version": "v1",
        "notes": ["No paper of these days passes; raise max_age_days."],
        "items": [],
        "applied_filters": {"max_age_days": "180"},
    }
    assert len((await small.result("list_recent_papers"))["items"]) == 1


class Cellar(EmbeddedCatalog):
    """A catalog whose pages of tasks cannot be read just now."""

    async def task_page(self, task_id: str) -> TaskPageParts:
        raise SourceUnreachable("The catalog's records could not be read. Try again later.", source="catalog")


async def test_without_the_task_itself_the_call_fails(odd_directory: Path) -> None:
    backend = Cellar.open(odd_directory, kind="file")
    outcome = await Desk(backend).call("get_task", task=BUSY_TASK)
    backend.close()
    assert (outcome.code, outcome.texts) == (
        "upstream_error",
        ("upstream_error: The catalog's records could not be read. Try again later.",),
    )


class Shelf(EmbeddedCatalog):
    """A catalog whose listing of a task's papers cannot be read just now."""

    async def task_papers(self, task_id: str, limit: int) -> tuple[PaperRow, ...]:
        raise SourceUnreachable("The catalog's text index could not be read. Try again later.", source="catalog")


async def test_a_part_of_a_task_that_fails_is_left_out_and_named(odd_directory: Path, odd: Desk) -> None:
    # catalog A55: what holds on every backend
    backend = Shelf.open(odd_directory, kind="file")
    found = await Desk(backend).result("get_task", task="lantern-tracking-at-dusk")
    backend.close()
    whole = await odd.result("get_task", task="lantern-tracking-at-dusk")
    assert found["notes"] == ["The task's papers could not be read; they are left out, not empty."]
    gone = {"papers", "common_methods", "paper_sample_size"}
    assert found["task"] == {name: value for name, value in whole["task"].items() if name not in gone}
    assert {found["data"][name] for name in gone} == {None}


def test_a_task_over_the_ceiling_loses_parts_in_order_and_says_so() -> None:
    papers = [
        PaperSummary(
            id=str(n), title="t" * 500, authors=["a" * 150] * 10, url="u" * 500, has_official_implementation=False
        )
        for n in range(10)
    ]
    sisters = [CatalogReference(id=str(n), name="n" * 150, slug="s" * 150) for n in range(15)]
    task = TaskDetail(
        id="1",
        name="Task",
        slug="task",
        description="d" * 45_000,
        parents=[],
        children=[],
        benchmarks=[],
        sisters=sisters,
        papers=papers,
    )
    success = CatalogDialect().success("get_task", TaskResult(task=task, notes=["A note."], data={"x": "y" * 50_000}))
    note = "Left out to keep the answer small: sisters, papers."
    assert len(orjson.dumps(success.structured)) <= STRUCTURED_MAX_BYTES
    assert (success.structured["data_omitted"], success.structured["notes"]) == ("size", ["A note.", note])
    assert {"sisters", "papers"}.isdisjoint(success.structured["task"])
    assert success.texts[0].endswith(note)


@pytest.mark.parametrize("order_by", ["name", "created_at", "level", "paper_count"])
@pytest.mark.parametrize("direction", ["asc", "desc"])
async def test_grouping_gives_the_tasks_of_the_flat_list_by_area(odd: Desk, order_by: str, direction: str) -> None:
    # catalog A50
    chosen: Json = {"search": "lantern", "level": 1, "order_by": order_by, "order_direction": direction, "limit": 5}
    flat = await odd.result("list_tasks", **chosen, page=2)
    grouped = await odd.result("list_tasks", **chosen, page=2, group_by_area=True)
    (group,) = grouped["groups"]
    assert group == {"area": {"id": "11", "name": "Computer Vision"}, "tasks": flat["items"]}
    assert grouped["items"] == flat["items"] and len(flat["items"]) == 5
    assert (grouped["count"], grouped["next_page"]) == (flat["count"], flat["next_page"]) == (30, 3)


async def test_all_pages_of_a_grouped_list_hold_every_task_once_by_area(odd: Desk) -> None:
    grouped = await odd.pages("list_tasks", group_by_area=True, limit=4)
    flat = await odd.pages("list_tasks", limit=25)
    rows = [row for page in grouped for row in page["items"]]
    assert [row for page in grouped for group in page["groups"] for row in group["tasks"]] == rows
    areas = [name for name, _ in itertools.groupby(row.get("area", {}).get("name") for row in rows)]
    assert areas == ["Computer Vision", "Games", "Natural Language Processing", "Speech", None]
    order = [row["id"] for page in flat for row in page["items"]]
    assert sorted(order) == sorted(row["id"] for row in rows)
    for area in areas:
        within = [row["id"] for row in rows if row.get("area", {}).get("name") == area]
        assert within == [id_ for id_ in order if id_ in within]
    assert grouped[-1]["groups"][-1]["area"] == {"id": "0", "name": "No area"}


async def test_grouped_tasks_in_text(odd: Desk) -> None:
    assert await odd.text("list_tasks", search="segmentation", group_by_area="true") == (
        "2 tasks (search segmentation).\n"
        "**Computer Vision**\n"
        "- segmentation-vision — Segmentation (0 papers, 1 benchmark)\n"
        "**Speech**\n"
        "- segmentation-speech — Segmentation (0 papers, 1 benchmark)"
    )


# Paging: catalog A38, A42, A53


@pytest.mark.parametrize(
    ("tool", "arguments", "count"),
    [
        ("list_tasks", {}, 41),
        ("list_tasks", {"visible_only": True, "order_by": "paper_count", "order_direction": "desc"}, 40),
        ("list_methods", {"order_by": "introduced_year", "order_direction": "desc"}, 44),
        ("list_conferences", {}, 4),
        ("list_organizations", {}, 37),
        ("list_frameworks", {}, 32),
        ("list_frameworks", {"domain": "speech-kits"}, 16),
    ],
)
@pytest.mark.parametrize("limit", [3, 25])
async def test_pages_hold_every_row_once(odd: Desk, tool: str, arguments: Json, count: int, limit: int) -> None:
    pages = await odd.pages(tool, **arguments, limit=limit)
    ids = [row["id"] for page in pages for row in page["items"]]
    assert len(ids) == len(set(ids)) == count
    assert [page["page"] for page in pages] == list(range(1, -(-count // limit) + 1))
    assert {page["count"] for page in pages} == {count}
    assert {len(page["items"]) for page in pages[:-1]} <= {limit}
    past = await odd.result(tool, **arguments, limit=limit, page=99)
    assert (past["items"], past["count"], "next_page" in past) == ([], count, False)
    assert past["notes"] == [f"Page 99 is past the end; the last page is {len(pages)}."]


async def test_pages_of_a_papers_results_hold_every_row_once(odd: Desk) -> None:
    pages = await odd.pages("get_paper_evaluations", paper="2506.90000", limit=1)
    ids = [row["id"] for page in pages for row in page["evaluations"]]
    assert len(ids) == len(set(ids)) == pages[0]["merged_count"] > 1
    assert {(page["evaluation_count"], page["complete"]) for page in pages} == {(pages[0]["evaluation_count"], True)}


# Details


async def test_a_method_is_whole_and_its_links_are_absolute(odd: Desk) -> None:
    found = await odd.result("get_method", method="quill network")
    description = ("Writes. " * 700)[:3_999].rstrip() + "…"
    assert found["method"] == {
        "id": found["method"]["id"],
        "name": "QuillNet",
        "slug": "quillnet",
        "full_name": "Quill Network",
        "description": description,
        "introduced_year": 2019,
        "source_paper_id": QUILLFISH_ID,
        "source_url": "https://paperswithcode.co/paper/quillfish",
        "source_title": "QUILLFISH",
        "paper_count": 1,
        "area": {"id": "11", "name": "Computer Vision"},
    }
    assert list(found["data"]) == ["method", "area"]
    assert found["data"]["method"]["description"] == description
    assert await odd.text("get_method", method="601") == "tide — Tidal Image Encoder\n0 papers"


async def test_a_conference_in_text_and_structure(odd: Desk) -> None:
    found = await odd.result("get_conference", conference="FOG-2022")
    assert without_data(found) == {
        "schema_version": "v1",
        "conference": {
            "id": found["conference"]["id"],
            "name": "Fog and Harbour",
            "slug": "fog-2022",
            "year": 2022,
            "location": "Skagen",
            "paper_count": 5,
            "start_date": "2022-06-01",
            "end_date": "2022-06-04",
            "venue": "Lighthouse",
            "tier": "A",
            "url": "https://example.org/fog",
        },
    }
    assert await odd.text("get_conference", conference="fog-2022") == (
        "fog-2022 — Fog and Harbour (2022)\n"
        "Skagen\n"
        "Lighthouse\n"
        "2022-06-01 to 2022-06-04\n"
        "https://example.org/fog\n"
        "5 papers"
    )
    assert await odd.text("list_conferences", limit=3) == (
        "4 conferences. Page 1 of 2.\n"
        "- fog-2023 — Fog and Harbour (2023, 4 papers)\n"
        "- fog-2022 — Fog and Harbour (2022, 5 papers)\n"
        "- fog-2021 — Fog and Harbour (2021, 6 papers)\n"
        "Next page: page=2."
    )
    assert await odd.text("list_conferences", year=1990) == "0 conferences (year 1990). Loosen year first."


async def test_an_organization_in_text_and_structure(odd: Desk) -> None:
    found = await odd.result("get_organization", organization="lighthouse institute")
    assert found["organization"] == {
        "id": found["organization"]["id"],
        "name": "Lighthouse Institute",
        "slug": "lighthouse-institute",
        "paper_count": 1,
        "is_featured": True,
        "trending_rank": 1,
        "first_paper_year": 2019,
        "latest_paper_year": 2019,
        "description": "Keeps the light.",
        "website_url": "https://example.org/lighthouse",
    }
    assert await odd.text("get_organization", organization="lighthouse-institute") == (
        "lighthouse-institute — Lighthouse Institute\n"
        "Keeps the light.\n"
        "https://example.org/lighthouse\n"
        "Papers from 2019\n"
        "1 paper"
    )
    assert await odd.text("list_organizations", featured_only=True) == (
        "1 organization (featured_only true).\n- lighthouse-institute — Lighthouse Institute (1 paper)"
    )


async def test_a_framework_in_text_and_structure(odd: Desk) -> None:
    found = await odd.result("get_framework", framework="Framework 00")
    assert found["framework"] == {
        "id": found["framework"]["id"],
        "name": "Framework 00",
        "slug": "framework-00",
        "platforms": ["Web"],
        "paper_count": 3,
        "domain_slug": "vision-kits",
        "domain_name": "Vision Kits",
        "category_slug": "training",
        "category_name": "Training",
        "organization_name": "Lighthouse Institute",
        "github_url": "https://example.org/framework-0",
        "when_to_use": "Whenever it fits.",
        "introducing_paper_arxiv_id": QUILLFISH_ID,
    }
    assert await odd.text("list_frameworks", domain="vision kits", category="DATA", limit=2) == (
        "5 frameworks (domain vision kits; category DATA). Page 1 of 3.\n"
        "- framework-02 — Framework 02 (Vision Kits, Data)\n"
        "- framework-08 — Framework 08 (Vision Kits, Data)\n"
        "Next page: page=2."
    )


async def test_the_results_of_a_paper_in_text_and_structure(odd: Desk) -> None:
    found = await odd.result("get_paper_evaluations", paper="2404.90007")
    (row,) = found["evaluations"]
    assert row == {
        "id": row["id"],
        "model_name": "Dusk",
        "metrics": {"mAP@0.5": 0.5},
        "best_metric": "mAP@0.5",
        "best_rank": 1,
        "task": "Lantern Tracking at Dusk",
        "paper_id": row["paper_id"],
        "paper_title": "Slow\u2013Wave Attention \u2014 Don\u2019t Blink",
        "paper_arxiv_id": "2404.90007",
        "paper_published": "2024-04-07",
        "rank_scopes": [row["rank_scopes"][0] | {"task_name": "Lantern Tracking at Dusk", "rank": 1}],
        "benchmark": row["benchmark"] | {"name": "Dusk Board", "slug": "dusk-board"},
    }
    assert found["metric_directions"] == {"mAP@0.5": "higher"}
    assert await odd.text("get_paper_evaluations", paper="2404.90007") == (
        "1 result of 2404.90007. Page 1.\n- dusk-board — Dusk Board: Dusk (rank 1 · mAP@0.5 0.5)"
    )


# Failures: catalog A3, A4, A16, A27, A28, A34


@pytest.mark.parametrize(
    ("tool", "argument", "kind", "wrong", "near"),
    [
        ("get_task", "task", "task", "lantern traking", "lantern-tracking"),
        ("get_method", "method", "method", "QuilNet", "quillnet"),
        ("get_conference", "conference", "conference", "Undated Gatherin", "undated-gathering"),
        ("get_organization", "organization", "organization", "Lighthouse Institut", "lighthouse-institute"),
        ("get_framework", "framework", "framework", "Framewrk 07", "framework-07"),
    ],
)
async def test_a_misspelt_name_is_not_found_and_has_near_ones(
    odd: Desk, tool: str, argument: str, kind: str, wrong: str, near: str
) -> None:  # catalog A34
    error = await odd.failure(tool, **{argument: wrong})
    assert error["code"] == "not_found"
    assert error["suggestions"][0]["id"] == near and len(error["suggestions"]) <= 3
    assert error["message"].startswith(f"No {kind} is called '{wrong}'. Near: {near} (")


@pytest.mark.parametrize("tool", ["list_tasks", "list_methods"])
async def test_an_unknown_area_lists_the_areas(odd: Desk, tool: str) -> None:
    error = await odd.failure(tool, area="Vision")
    assert error["code"] == "not_found"
    assert [found["name"] for found in error["suggestions"]] == [
        "Computer Vision",
        "Games",
        "Natural Language Processing",
        "Speech",
    ]


async def test_names_of_several_things_are_ambiguous_with_ids_to_pass_on(odd: Desk) -> None:  # catalog A34
    assert await odd.failure("get_task", task="Segmentation") == {
        "code": "ambiguous",
        "message": (
            "Several tasks are called 'Segmentation'; pass the id of one."
            " Candidates: 81 (Segmentation, Computer Vision), 82 (Segmentation, Speech)."
        ),
        "retryable": False,
        "candidates": [
            {"id": "81", "name": "Segmentation", "note": "Computer Vision"},
            {"id": "82", "name": "Segmentation", "note": "Speech"},
        ],
    }
    assert (await odd.result("get_task", task="82"))["task"]["area"]["name"] == "Speech"
    editions = await odd.failure("get_conference", conference="fog and harbour")
    assert {found["note"] for found in editions["candidates"]} == {"2021", "2022", "2023"}


@pytest.mark.parametrize("tool", ["get_related_papers", "get_paper_lineage", "get_paper_evaluations"])
async def test_a_paper_that_is_not_one_held_paper_is_an_error(odd: Desk, tool: str) -> None:  # catalog A27, A28
    error = await odd.failure(tool, paper="2501.00001")
    assert error["code"] == "not_found"
    assert error["message"].startswith("No paper here has the arXiv id 2501.00001.")
    twins = await odd.failure(tool, paper=TWIN_TITLE)
    assert (twins["code"], [found["id"] for found in twins["candidates"]]) == ("ambiguous", list(TWIN_IDS))
    for reference in ("   ", "https://github.com/a/b"):
        refused = await odd.failure(tool, paper=reference)
        assert refused["code"] == "invalid_argument"


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("list_recent_papers", {"limit": 26}, "limit must be a whole number from 1 to 25."),
        ("list_trending_papers", {"max_age_days": 0}, "max_age_days must be a whole number from 1 to 365."),
        ("list_trending_papers", {"max_age_days": 366}, "max_age_days must be a whole number from 1 to 365."),
        ("list_trending_papers", {"min_velocity": -0.1}, "min_velocity must be a number of at least 0."),
        ("get_related_papers", {"paper": "1", "limit": 21}, "limit must be a whole number from 1 to 20."),
        ("get_task", {"task": "x", "benchmark_limit": 11}, "benchmark_limit must be a whole number from 1 to 10."),
        ("list_tasks", {"level": 21}, "level must be a whole number from 0 to 20."),
        ("list_tasks", {"page": 101}, "page must be a whole number from 1 to 100."),
        ("list_methods", {"introduced_year": 1899}, "introduced_year must be a whole number from 1900 to 2100."),
        ("list_conferences", {"year": "2e3"}, "year must be a whole number from 1900 to 2100."),
        ("list_recent_papers", {"page": 2}, "list_recent_papers has no argument 'page'. It takes limit."),
        (
            "list_conferences",
            {"years": 2021},
            "list_conferences has no argument 'years'. It takes year, page, limit. Near: year.",
        ),
        (
            "list_frameworks",
            {"max_results": 3},
            "list_frameworks has no argument 'max_results'. It takes domain, category, platform, page, limit."
            " Near: limit.",
        ),
    ],
)
async def test_a_wrong_argument_is_refused_with_what_is_allowed(
    odd: Desk, tool: str, arguments: Json, message: str
) -> None:  # catalog A3, A4
    error = await odd.failure(tool, **arguments)
    assert (error["code"], error["message"]) == ("invalid_argument", message)
