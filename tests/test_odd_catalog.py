"""The input of the test catalog is whole: same bytes every time, every key known, every promised case there."""

import json
from pathlib import Path
from typing import Any

from core.catalog.merging import merge_leaderboard
from core.catalog.models import EvaluationRow, Link
from tests.odd_boards import BIG_BENCHMARK, BIG_BENCHMARK_MERGED, BIG_BENCHMARK_ROWS
from tests.odd_catalog import write_odd_catalog
from tests.odd_papers import LONG_TEXT_ID

FIELDS = {
    "areas": "key name id",
    "tasks": "key name id slug description area parents aliases visible created_at research_trends "
    "recommended_frameworks",
    "methods": "key name id slug full_name description area introduced_year source_paper source_url source_title "
    "created_at",
    "conferences": "key name id slug year location start_date end_date venue description tier url hf_url",
    "organizations": "key name id slug is_featured trending_rank description website_url github_url hf_url",
    "frameworks": "key name id slug description platforms domain category organization github_url docs_url when_to_use "
    "introducing_paper",
    "authors": "key name id hf_username orcid",
    "papers": "key title id arxiv_id doi slug identifiers abstract authors published venue conference url pdf_url "
    "citation_count velocity is_retracted version is_latest tasks methods organizations frameworks repositories "
    "project_pages hf_models hf_datasets hf_spaces",
    "benchmarks": "key name id slug full_name description hf_url aliases tasks metrics created_at",
    "evaluations": "benchmark task model_name metrics paper paper_title harness split protocol rank best_metric "
    "is_open num_parameters result_url source_url code_url hf_model_url updated_at uses_additional_data",
    "lineage": "predecessor successor",
}


def read(folder: Path) -> dict[str, list[dict[str, Any]]]:
    write_odd_catalog(folder)
    return {path.stem: [json.loads(line) for line in path.read_bytes().splitlines()] for path in folder.glob("*.jsonl")}


def test_two_writes_give_the_same_bytes(tmp_path: Path) -> None:
    written = []
    for name in ("one", "two"):
        write_odd_catalog(tmp_path / name)
        files = sorted(path for path in (tmp_path / name).rglob("*") if path.is_file())
        written.append([(path.relative_to(tmp_path / name), path.read_bytes()) for path in files])
    assert written[0] == written[1]
    assert len(written[0]) == 17


def test_records_use_only_the_fields_of_the_format_and_keys_that_exist(tmp_path: Path) -> None:
    files = read(tmp_path)
    assert files.keys() == FIELDS.keys()
    for name, records in files.items():
        assert {field for record in records for field in record} <= set(FIELDS[name].split())
    keys = {name: {record["key"] for record in records if "key" in record} for name, records in files.items()}
    for name, known in keys.items():
        assert name in ("evaluations", "lineage") or len(known) == len(files[name])
    references = {
        "areas": [("tasks", "area"), ("methods", "area")],
        "tasks": [("tasks", "parents"), ("papers", "tasks"), ("benchmarks", "tasks"), ("evaluations", "task")],
        "methods": [("papers", "methods")],
        "conferences": [("papers", "conference")],
        "organizations": [("papers", "organizations"), ("frameworks", "organization")],
        "frameworks": [("papers", "frameworks")],
        "authors": [("papers", "authors")],
        "papers": [
            ("methods", "source_paper"),
            ("frameworks", "introducing_paper"),
            ("evaluations", "paper"),
            ("lineage", "predecessor"),
            ("lineage", "successor"),
        ],
        "benchmarks": [("evaluations", "benchmark")],
    }
    for target, uses in references.items():
        for name, field in uses:
            found = [record[field] for record in files[name] if field in record]
            flat = [key for value in found for key in (value if isinstance(value, list) else [value])]
            assert {key for key in flat if isinstance(key, str)} <= keys[target]


def test_big_benchmark_merges_to_the_promised_number_of_rows(tmp_path: Path) -> None:
    records = [record for record in read(tmp_path)["evaluations"] if record["benchmark"] == "big"]
    rows = [
        EvaluationRow(
            id=str(number),
            benchmark=Link("1", BIG_BENCHMARK),
            task=Link(record["task"], record["task"]),
            model_name=record["model_name"],
            metrics=record["metrics"],
            paper_id=record.get("paper"),
            paper_title=record.get("paper_title"),
            harness=record.get("harness"),
            methodology=record.get("protocol"),
        )
        for number, record in enumerate(records)
    ]
    merged = merge_leaderboard(rows)
    assert (len(rows), len(merged)) == (BIG_BENCHMARK_ROWS, BIG_BENCHMARK_MERGED)
    assert sum(len(one.rank_scopes) == 2 for one in merged) == 30


def test_texts_are_as_long_as_promised(tmp_path: Path) -> None:
    write_odd_catalog(tmp_path)
    sizes = {path.name: path.stat().st_size for path in (tmp_path / "fulltext").iterdir()}
    assert sizes[f"{LONG_TEXT_ID}.md"] > 200 * 1024
    assert sizes["math.GT_0309136.md"] > 65_536
    assert sizes["named-inside.md"] < 32 * 1024
    assert "doi_10.5555%2Fharbour.2021.17.md" in sizes
