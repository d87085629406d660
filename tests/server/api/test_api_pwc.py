"""What the public `pwc` command asks of an API, request by request as it writes them, and what it reads in the answers.

The command sends no request of its own for a catalog of ours: it gets `PWC_API_URL` and joins paths to it. Parameters
without a value are left out, booleans are `true` and `false`, path parts come both quoted and as they are.
"""

import json
import urllib.parse
import urllib.request
from typing import Any

import pytest

HEADERS = {"Accept": "application/json, text/plain;q=0.9", "User-Agent": "pwc-cli/0.1.8"}
ANSWER_BYTES_MAX = 2 * 1024 * 1024


class Command:
    """Requests as the command makes them."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")

    def body(self, path: str, **params: Any) -> bytes:
        sent = {
            name: str(value).lower() if isinstance(value, bool) else value
            for name, value in params.items()
            if value is not None
        }
        query = f"?{urllib.parse.urlencode(sent)}" if sent else ""
        request = urllib.request.Request(f"{self._url}/{path}{query}", headers=HEADERS)
        with urllib.request.urlopen(request, timeout=30) as answer:
            body: bytes = answer.read(ANSWER_BYTES_MAX + 1)
            assert answer.url == request.full_url, "the command must not be redirected"
        assert len(body) <= ANSWER_BYTES_MAX
        return body

    def get(self, path: str, **params: Any) -> Any:
        return json.loads(self.body(path, **params))

    def exact(self, name: str, rows: list[Any], *fields: str) -> Any:
        """The first row whose field is the name, field by field, ignoring case."""
        target = name.strip().casefold()
        return next(row for field in fields for row in rows if str(row.get(field) or "").strip().casefold() == target)


@pytest.fixture(scope="module")
def pwc(sample_url: str) -> Command:
    return Command(sample_url)


def quoted(text: str) -> str:
    return urllib.parse.quote(text, safe="")


def test_pwc_search(pwc: Command) -> None:
    found = pwc.get(
        "papers/search", q="attention", page=1, page_size=10, mode="hybrid", start_date="2017-01-01", end_date=None,
        has_official_implementation=None,
    )  # fmt: skip
    assert isinstance(found["count"], int) and len(found["results"]) == 10
    for row in found["results"]:
        assert row["title"] and (row["arxiv_id"] or row["id"]) and row["published"] >= "2017"
    official = pwc.get("papers/search", q="attention", page=1, page_size=10, has_official_implementation=True)
    assert official["applied_filters"]["has_official_implementation"] == "true"


def test_pwc_paper_info_by_title(pwc: Command) -> None:
    title = "attention is all you need"
    found = pwc.get("papers/search", q=title, page=1, page_size=20, mode="keyword")
    same = {row["arxiv_id"] for row in found["results"] if " ".join(row["title"].split()).casefold() == title}
    assert same == {"1706.03762"}
    paper = pwc.get("papers/1706.03762", include_resources=True)
    assert (paper["arxiv_id"], paper["published"], paper["title"]) == (
        "1706.03762",
        "2017-06-12",
        "Attention Is All You Need",
    )
    assert paper["abstract"] and "Ashish Vaswani" in paper["authors"] and len(paper["authors"]) == 8
    for field in ("organizations", "repositories", "project_pages", "hf_models", "hf_datasets", "hf_spaces"):
        assert isinstance(paper[field], list)
    for field in ("predecessor_papers", "successor_papers"):
        assert all(each["title"] and each["route_identifier"] for each in paper[field])
    evaluations = pwc.get("evaluations/", page=1, page_size=100, paper_id=paper["id"], ordering="-benchmark_popularity")
    assert evaluations["count"] == len(evaluations["results"]) > 0
    assert all(row["dataset_name"] and row["metrics"] for row in evaluations["results"])
    assert set(pwc.get("papers/1706.03762", include_resources=False)) < set(paper)


def test_pwc_paper_read(pwc: Command) -> None:
    text = pwc.body("research/papers/1706.03762/read").decode()
    assert text.startswith("#") and len(text) > 40_000


def test_pwc_paper_list_confirms_every_filter(pwc: Command) -> None:
    asked = {"task": "machine translation", "start_date": "2014-01-01", "end_date": "2020-12-31"}
    found = pwc.get(
        "papers/", page=1, page_size=20, search=None, **asked, method=None, conference=None, framework=None,
        organization=None, latest_only=True, order_by="trending", order_dir="desc", include_resources=False,
    )  # fmt: skip
    assert found["results"]
    assert all(str(found["applied_filters"][name]).casefold() == value.casefold() for name, value in asked.items())


def test_pwc_windows_and_relatives(pwc: Command) -> None:
    assert len(pwc.get("papers/recent", limit=20)) == 20
    assert isinstance(pwc.get("papers/trending", limit=20, max_age_days=180, min_velocity=None), list)
    assert len(pwc.get("papers/1706.03762/related", limit=4)["results"]) == 4
    lineage = pwc.get("research/papers/1706.03762/lineage")
    assert lineage["paper"]["reference"] == "1706.03762"
    assert all(each["reference"] and each["title"] for each in lineage["successors"])


@pytest.mark.parametrize("name", ["Machine Translation", "machine-translation"])
def test_pwc_task_by_name(pwc: Command, name: str) -> None:
    rows = pwc.get("tasks/", q=name, page=1, page_size=100)["results"]
    summary = pwc.exact(name, rows, "name", "slug", "id")
    assert pwc.get(f"tasks/{summary['id']}") == summary
    page = pwc.get(f"tasks/{summary['id']}/page")
    assert page["task"]["name"] == "Machine Translation" and isinstance(page["benchmarks"], list)
    assert all(each["subtask_id"] for each in page["subtask_benchmarks"])
    trends = pwc.get(f"tasks/{summary['id']}/trending-benchmarks", limit=100, min_recent_papers=0)["results"]
    assert {row["id"] for row in trends} == {row["id"] for row in page["benchmarks"]}
    papers = pwc.get(
        f"tasks/{summary['id']}/papers", page=1, page_size=100, order_by="trending", order_dir="desc",
        include_resources=True,
    )  # fmt: skip
    assert papers["count"] >= len(papers["results"]) > 0
    assert all(isinstance(row["methods"], list) for row in papers["results"])
    areas = pwc.get("areas/", page=1, page_size=500, ordering="name")["results"]
    assert summary["area_id"] in {area["id"] for area in areas}


def test_pwc_task_list(pwc: Command) -> None:
    flat = pwc.get("tasks/", page=1, page_size=50, area_id=None, level=None, visible_only=False, ordering="name")
    assert len(flat["results"]) == 50
    grouped = pwc.get("areas/with-tasks/")["results"]
    assert sum(len(area["tasks"]) for area in grouped) == flat["count"]


def test_pwc_benchmark_list(pwc: Command) -> None:
    flat = pwc.get(
        "datasets/", page=1, page_size=50, q=None, task=None, include_descendants=False, min_eval_count=None,
        is_open=None, ordering="name",
    )  # fmt: skip
    assert len(flat["results"]) == 50 < flat["count"]
    of_task = pwc.get(
        f"tasks/{quoted('Machine Translation')}/trending-benchmarks", limit=100, min_recent_papers=0,
        include_descendants=False, is_open=None,
    )  # fmt: skip
    assert of_task["results"]
    for row in of_task["results"]:
        assert {"recent_paper_count", "support_weighted_score", "best_model_name", "best_code_url"} <= set(row)
    grouped = pwc.get("areas/with-task-benchmarks/", benchmarks_per_task=3, min_eval_count=2)["results"]
    assert all(row["evaluation_count"] >= 2 for area in grouped for task in area["tasks"] for row in task["benchmarks"])


@pytest.mark.parametrize("name", ["SQuAD2.0", "squad2-0"])
def test_pwc_benchmark_by_name(pwc: Command, name: str) -> None:
    rows = pwc.get("datasets/", q=name, page=1, page_size=100)["results"]
    benchmark = pwc.exact(name, rows, "name", "full_name", "slug", "id")
    board = pwc.get(
        f"datasets/{benchmark['id']}/evaluations/", page=1, page_size=100, ordering="best_rank", is_open=None
    )
    assert board["count"] == len(board["results"]) == benchmark["evaluation_count"]
    assert {row["dataset_id"] for row in board["results"]} == {benchmark["id"]}
    small = pwc.get(
        "evaluations/", page=1, page_size=100, dataset_id=benchmark["id"], ordering="best_rank",
        max_parameters_exclusive=500_000_001,
    )  # fmt: skip
    assert small["parameter_coverage_known"] <= small["parameter_coverage_total"]
    assert all(row["num_parameters"] <= 500_000_000 for row in small["results"])


def test_pwc_methods_conferences_organizations_frameworks(pwc: Command) -> None:
    rows = pwc.get("methods/", q="Transformer", page=1, page_size=100)["results"]
    method = pwc.exact("Transformer", rows, "name", "full_name", "slug", "id")
    assert pwc.get(f"methods/{method['id']}")["name"] == "Transformer"
    conferences = pwc.get("conferences/")
    assert conferences["count"] == len(conferences["results"])
    assert pwc.get(f"conferences/{conferences['results'][0]['slug']}") == conferences["results"][0]
    organizations = pwc.get("organizations/", featured_only=False)["results"]
    assert pwc.get(f"organizations/{organizations[0]['slug']}")["name"] == organizations[0]["name"]
    tree = pwc.get("frameworks/")
    assert all(category["frameworks"] for domain in tree["domains"] for category in domain["categories"])


def test_pwc_names_old_papers_with_a_plain_slash(odd_url: str) -> None:
    command = Command(odd_url)
    assert command.get("papers/math.GT/0309136", include_resources=False)["arxiv_id"] == "math.GT/0309136"
    assert command.body("research/papers/math.GT/0309136/read").startswith(b"# Knots")
