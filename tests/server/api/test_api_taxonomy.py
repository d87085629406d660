"""Tasks, methods, areas, conferences, organizations, frameworks and `about` over `/api/v1`."""

from itertools import groupby
from typing import Any

import httpx
from rows import CONFERENCE, DATASET_ROW, FRAMEWORK, METHOD_RECORD, METHOD_ROW, ORGANIZATION, PAPER_ROW, TASK_ROW

from server import __version__
from tests.odd_boards import BUSY_TASK_BENCHMARKS


def got(client: httpx.Client, path: str, **params: Any) -> Any:
    answer = client.get(path, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def status(client: httpx.Client, path: str, **params: Any) -> int:
    return client.get(path, params=params).status_code


def test_about_says_what_is_here(odd: httpx.Client) -> None:
    about = got(odd, "about")
    counts = about.pop("counts")
    assert about == {
        "service": "paperdesk",
        "api_version": "v1",
        "version": __version__,
        "as_of": "2025-06-30",
        "capabilities": [
            "datasets.detail",
            "datasets.names",
            "papers.identifiers",
            "papers.titles",
            "tasks.by_area",
            "sizes",
            "velocities",
        ],
    }
    assert set(counts) == {"papers", "tasks", "methods", "benchmarks", "evaluations", "fulltexts"}
    assert counts["tasks"] == got(odd, "tasks/")["count"]
    assert counts["benchmarks"] == got(odd, "datasets/")["count"]
    assert counts["papers"] == got(odd, "papers/", latest_only="false")["count"]


def test_tasks_are_filtered_and_the_filters_echoed(odd: httpx.Client) -> None:
    found = got(odd, "tasks/", q="lantern", area_id="11", level=1, visible_only="true", ordering="-name", page_size=3)
    assert found["applied_filters"] == {"q": "lantern", "area_id": "11", "level": "1", "visible_only": "true"}
    assert [set(row) for row in found["results"]] == [TASK_ROW] * 3
    assert {(row["area_id"], row["level"]) for row in found["results"]} == {("11", 1)}
    names = [row["name"] for row in found["results"]]
    assert names == sorted(names, reverse=True)
    assert status(odd, "tasks/", area_id="999") == 404
    assert got(odd, "tasks/", visible_only="false")["applied_filters"] == {}


def test_tasks_by_area_come_by_area_name_first(odd: httpx.Client) -> None:
    names = {row["id"]: row["name"] for row in got(odd, "areas/")["results"]}
    rows = got(odd, "tasks/", by_area="true", page_size=100)["results"]
    areas = [names.get(row["area_id"]) for row in rows]
    known = [area for area in areas if area]
    assert known == sorted(known) and areas[len(known) :] == [None] * (len(areas) - len(known))
    flat = got(odd, "tasks/", page_size=100)["results"]
    assert sorted(row["id"] for row in rows) == sorted(row["id"] for row in flat) and rows != flat


def test_a_task_its_page_and_its_papers(odd: httpx.Client) -> None:
    row = got(odd, "tasks/lantern-tracking")
    assert row == got(odd, f"tasks/{row['id']}") and set(row) == TASK_ROW
    page = got(odd, f"tasks/{row['id']}/page")
    assert list(page) == [
        "task", "parents", "sisters", "children", "recommended_frameworks", "benchmarks", "subtask_benchmarks",
    ]  # fmt: skip
    assert page["task"] == row | {
        "description": ("Following lanterns. " * 300).strip(),
        "research_trends": ["smaller lanterns"],
    }
    assert (len(page["children"]), len(page["recommended_frameworks"])) == (30, 12)
    assert page["recommended_frameworks"][0] == {
        "id": page["recommended_frameworks"][0]["id"],
        "name": "kit-0",
        "owner": "lantern",
        "url": "https://example.org/kit-0",
        "num_stars": 100,
    }
    assert len(page["benchmarks"]) == BUSY_TASK_BENCHMARKS
    assert all(set(each) == DATASET_ROW for each in page["benchmarks"])
    assert {each["subtask_id"] for each in page["subtask_benchmarks"]} <= {each["id"] for each in page["children"]}
    assert [each["name"] for each in page["subtask_benchmarks"][0]["benchmarks"]] == ["Wide Board"]
    papers = got(odd, f"tasks/{row['id']}/papers", page_size=5, include_resources="true")
    assert papers["count"] == row["paper_count"]
    assert [set(each) for each in papers["results"]] == [PAPER_ROW | {"methods", "repositories"}] * 5
    assert papers["results"] == got(odd, "papers/", task=row["id"], page_size=5, include_resources="true")["results"]
    child = got(odd, f"tasks/{page['children'][0]['id']}/page")
    assert [each["slug"] for each in child["parents"]] == ["lantern-tracking"] and len(child["sisters"]) == 29
    for path in ("tasks/1", "tasks/1/page", "tasks/nothing/papers", "tasks/nothing/trending-benchmarks"):
        assert status(odd, path) == 404
    assert status(odd, "tasks/Segmentation/trending-benchmarks") == 422


def test_methods_are_listed_and_one_is_whole(odd: httpx.Client) -> None:
    found = got(odd, "methods/", area_id="12", introduced_year=2001, page_size=500)
    assert found["applied_filters"] == {"area_id": "12", "introduced_year": "2001"}
    assert [row["name"] for row in found["results"]] == ["Method 01", "Method 21"]
    assert [set(row) for row in found["results"]] == [METHOD_ROW] * 2
    record = got(odd, "methods/quillnet")
    assert set(record) == METHOD_RECORD
    assert (record["source_paper_id"], record["source_url"]) == ("1905.90001", "/paper/quillfish")
    assert record == got(odd, f"methods/{record['id']}")
    assert [row["name"] for row in got(odd, "methods/", q="tid")["results"]] == ["TIDE", "TIDE"]
    years = [
        row["introduced_year"] for row in got(odd, "methods/", ordering="-introduced_year", page_size=500)["results"]
    ]
    known = [year for year in years if year is not None]
    assert known == sorted(known, reverse=True) and years[len(known) :] == [None] * (len(years) - len(known))
    assert status(odd, "methods/Quill%20Network") == 404
    assert status(odd, "methods/", page_size=501) == 422


def test_areas_alone_and_with_what_they_hold(odd: httpx.Client) -> None:
    areas = got(odd, "areas/", page=1, page_size=500, ordering="name")
    names = ["Computer Vision", "Games", "Natural Language Processing", "Speech"]
    assert [row["name"] for row in areas["results"]] == names
    assert [set(row) for row in areas["results"]] == [{"id", "name"}] * 4
    assert [row["name"] for row in got(odd, "areas/", ordering="-name", page_size=1)["results"]] == ["Speech"]
    tree = got(odd, "areas/with-tasks/")
    assert [area["name"] for area in tree["results"]] == [*names, "No area"]
    flat = [task for area in tree["results"] for task in area["tasks"]]
    assert flat == got(odd, "tasks/", by_area="true", page_size=100)["results"]


def test_grouped_benchmarks_are_a_tree(odd: httpx.Client) -> None:
    tree = got(odd, "areas/with-task-benchmarks/")
    tasks = {task["slug"]: task for area in tree["results"] for task in area["tasks"]}
    assert set(tree["results"][0]) == {"id", "name", "tasks"}
    assert set(tasks["lantern-tracking"]) == {"id", "name", "slug", "paper_count", "benchmarks"}
    assert len(tasks["lantern-tracking"]["benchmarks"]) == 3
    assert all(row["evaluation_count"] >= 2 for task in tasks.values() for row in task["benchmarks"])
    wider = got(odd, "areas/with-task-benchmarks/", benchmarks_per_task=10, min_eval_count=0)
    tasks = {task["slug"]: task for area in wider["results"] for task in area["tasks"]}
    assert len(tasks["lantern-tracking"]["benchmarks"]) == 10
    assert wider["results"][-1] == {
        "id": "0",
        "name": "No area",
        "tasks": [tasks[wider["results"][-1]["tasks"][0]["slug"]]],
    }
    assert status(odd, "areas/with-task-benchmarks/", benchmarks_per_task=11) == 422


def test_conferences_come_whole_newest_first(odd: httpx.Client) -> None:
    found = got(odd, "conferences/")
    assert (list(found), found["count"]) == (["count", "results"], 4)
    assert [row["year"] for row in found["results"]] == [2023, 2022, 2021, None]
    assert all(set(row) == CONFERENCE for row in found["results"])
    assert (
        got(odd, "conferences/fog-2021") == found["results"][2] == got(odd, f"conferences/{found['results'][2]['id']}")
    )
    assert status(odd, "conferences/Fog%20and%20Harbour") == 404


def test_organizations_come_whole_or_only_featured_ones(odd: httpx.Client) -> None:
    found, featured = got(odd, "organizations/"), got(odd, "organizations/", featured_only="true")
    assert (found["count"], len(found["results"])) == (37, 37)
    assert all(set(row) == ORGANIZATION for row in found["results"])
    assert [row["name"] for row in featured["results"]] == ["Lighthouse Institute"]
    one = got(odd, "organizations/lighthouse-institute")
    assert one == featured["results"][0]
    assert (one["first_paper_year"], one["description"], one["is_featured"]) == (2019, "Keeps the light.", True)
    assert status(odd, "organizations/nothing") == 404


def test_frameworks_come_as_a_tree_of_domains_and_categories(odd: httpx.Client) -> None:
    tree = got(odd, "frameworks/")
    assert [domain["slug"] for domain in tree["domains"]] == ["speech-kits", "vision-kits"]
    rows = []
    for domain in tree["domains"]:
        assert set(domain) == {"slug", "name", "categories"}
        slugs = [category["slug"] for category in domain["categories"]]
        assert slugs == [slug for slug, _ in groupby(sorted(slugs))]
        rows += [row for category in domain["categories"] for row in category["frameworks"]]
    assert len(rows) == 32 and all(set(row) == FRAMEWORK for row in rows)
    first = next(row for row in rows if row["slug"] == "framework-00")
    assert (first["introducing_paper_arxiv_id"], first["when_to_use"]) == ("1905.90001", "Whenever it fits.")
    assert (first["platforms"], first["organization_name"]) == (["Web"], "Lighthouse Institute")
