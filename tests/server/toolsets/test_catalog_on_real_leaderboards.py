"""The tools on a catalog built from real leaderboards: order, directions, merging, numbers and paging."""

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from jsonschema import Draft202012Validator

from core.catalog.embedded.store import EmbeddedCatalog
from core.clock import ManualClock, SystemClock
from core.ingest.build import BuildOptions, build_catalog
from core.ingest.sources import parse_source
from server.registry import BoundToolset
from server.toolsets.catalog import TOOLSET
from tests.catalog_desk import CODES, Desk, Json

pytestmark = [pytest.mark.anyio, pytest.mark.shared_data]

BERT = "1810.04805"
SCHEMAS = {tool["name"]: tool["outputSchema"] for tool in BoundToolset(TOOLSET, None, clock=ManualClock()).tools_list}
# What each tool answers on this catalog: a result, or the code of its own failure where nothing of the kind is held.
CALLS: list[tuple[str, Json, str | None]] = [
    ("search_papers", {"query": "reading comprehension"}, None),
    ("get_paper_info", {"paper": BERT, "include_evaluations": True, "include_resources": True}, None),
    ("get_paper_evaluations", {"paper": f"https://arxiv.org/abs/{BERT}"}, None),
    ("read_paper", {"paper": BERT}, "no_markdown"),
    ("list_papers", {"task": "Natural Language Inference", "order_by": "date_published"}, None),
    ("list_recent_papers", {}, None),
    ("list_trending_papers", {"max_age_days": 365}, None),
    ("get_related_papers", {"paper": BERT}, None),
    ("get_paper_lineage", {"paper": BERT}, None),
    ("get_task", {"task": "Question Answering"}, None),
    ("list_tasks", {"search": "parsing"}, None),
    ("get_method", {"method": "Transformer"}, "not_found"),
    ("list_methods", {}, None),
    ("get_conference", {"conference": "NeurIPS 2017"}, "not_found"),
    ("list_conferences", {}, None),
    ("get_organization", {"organization": "Google"}, "not_found"),
    ("list_organizations", {}, None),
    ("get_framework", {"framework": "pytorch"}, "not_found"),
    ("list_frameworks", {}, None),
    ("get_benchmark", {"benchmark": "SNLI"}, None),
    ("list_benchmarks", {"task": "Question Answering"}, None),
]


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> Iterator[Desk]:
    out = tmp_path_factory.mktemp("real") / "catalog"
    build_catalog([parse_source(f"pwc:{shared_data / 'leaderboards'}")], out, options=BuildOptions(clock=SystemClock()))
    backend = EmbeddedCatalog.open(out, kind="file")
    yield Desk(backend)
    backend.close()


async def structured(desk: Desk, tool: str, **arguments: object) -> Json:
    outcome = await desk.call(tool, **arguments)
    assert outcome.structured is not None, outcome.texts
    return outcome.structured


def test_every_tool_is_called() -> None:  # catalog A1
    assert [tool for tool, _, _ in CALLS] == [tool.name for tool in TOOLSET.tools]


@pytest.mark.parametrize(("tool", "arguments", "code"), CALLS, ids=[tool for tool, _, _ in CALLS])
async def test_every_tool_answers_validly_or_says_what_is_not_held(
    real: Desk, tool: str, arguments: Json, code: str | None
) -> None:  # catalog A10, A11, A15, A16
    outcome = await real.call(tool, **arguments)
    assert outcome.code == code
    if code is not None:
        assert code in CODES and outcome.texts[0].startswith(f"{code}: ")
        return
    assert outcome.structured is not None
    Draft202012Validator(SCHEMAS[tool]).validate(outcome.structured)
    assert len(orjson.dumps(outcome.structured)) <= 66_000 and len("".join(outcome.texts).encode()) <= 6_000
    again = await real.call(tool, **arguments)
    assert (again.structured, again.texts) == (outcome.structured, outcome.texts)


async def test_squad_has_its_models_in_order_with_the_right_directions(real: Desk) -> None:
    first = await structured(real, "get_benchmark", benchmark="SQuAD1.1", limit=3)
    assert first["metric_directions"] == {"EM": "higher", "F1": "higher"}
    assert [(row["model_name"], row["best_rank"], row["metrics"]) for row in first["evaluations"]] == [
        ("LUKE (single model)", 1, {"EM": 90.202, "F1": 95.379}),
        ("XLNet (single model)", 2, {"EM": 89.898, "F1": 95.08}),
        ("XLNET-123++ (single model)", 3, {"EM": 89.856, "F1": 94.903}),
    ]


async def test_every_leaderboard_pages_to_its_whole_in_rank_order(real: Desk) -> None:  # catalog A42, A57, A58
    benchmarks, page = [], 1
    while page:
        answer = await structured(real, "list_benchmarks", page=page)
        benchmarks += answer["items"]
        page = answer.get("next_page", 0)
    assert len(benchmarks) == answer["count"] == 110
    for benchmark in benchmarks:
        ids, ranks, page = [], [], 1
        while page:
            board = await structured(real, "get_benchmark", benchmark=benchmark["slug"], page=page, limit=25)
            ids += [row["id"] for row in board["evaluations"]]
            ranks += [row.get("best_rank") or float("inf") for row in board["evaluations"]]
            assert board["evaluation_count"] >= board["merged_count"] >= board["matched_count"]
            page = board.get("next_page", 0)
        assert len(ids) == len(set(ids)) == board["matched_count"] == board["merged_count"]
        assert ranks == sorted(ranks)
        assert board["evaluation_count"] == benchmark["evaluation_count"]


async def test_text_metrics_are_numbers_where_the_contract_reads_them_so(real: Desk) -> None:  # catalog A61
    board = await structured(real, "get_benchmark", benchmark="SNLI", limit=25)
    accuracies = [value for row in board["evaluations"] for name, value in row["metrics"].items() if "Accuracy" in name]
    assert accuracies and all(isinstance(value, int | float) for value in accuracies)
    # A size with a unit is no plain decimal: it stays text as a metric and is read as the row's size.
    sized = [row for row in board["evaluations"] if row["metrics"].get("Parameters") == "110m"]
    assert sized and {row["num_parameters"] for row in sized} == {110_000_000}
    bounded = await structured(
        real, "get_benchmark", benchmark="SQuAD2.0", minimum_metrics={"EM": 90.0}, sort_metric="F1"
    )
    scores = [row["metrics"]["F1"] for row in bounded["evaluations"]]
    assert scores == sorted(scores, reverse=True) and 0 < bounded["matched_count"] < bounded["merged_count"]
    assert min(row["metrics"]["EM"] for row in bounded["evaluations"]) >= 90.0
