"""Tasks and methods in the shape of the `/api/v1` rows (catalog contract 16.4)."""

from collections.abc import Sequence
from dataclasses import replace

from core.catalog.api_rows import Json, dataset_row, link, paper_row
from core.catalog.models import Benchmark, BenchmarkRows, PaperRow
from core.catalog.present import ROW_DESCRIPTION_MAX, cut_or_none
from core.catalog.taxonomy_models import Method, Task, TaskPageParts
from core.catalog.taxonomy_results import CountedReference

_SAMPLE_SHOWN = 10


def task_row(task: Task) -> Json:
    """TaskRow."""
    return {
        "id": task.id,
        "slug": task.slug,
        "name": task.name,
        "area_id": task.area.id if task.area else None,
        "level": task.level,
        "paper_count": task.paper_count,
        "benchmark_count": task.benchmark_count,
        "evaluation_count": task.evaluation_count,
    }


def task_data(
    page: TaskPageParts,
    benchmarks: BenchmarkRows | None,
    papers: Sequence[PaperRow] | None,
    common_methods: Sequence[CountedReference] | None,
) -> Json:
    """One object with a task's page and what belongs to it; a part that could not be read is null."""
    task = page.task
    return {
        "task": task_row(task) | {"description": task.description, "research_trends": list(task.research_trends)},
        "area": {"id": task.area.id, "name": task.area.name} if task.area else None,
        "parents": [link(found) for found in page.parents],
        "sisters": [link(found) for found in page.sisters],
        "children": [link(found) for found in page.children],
        "recommended_frameworks": [
            {"id": found.id, "name": found.name, "owner": found.owner, "url": found.url, "num_stars": found.num_stars}
            for found in page.recommended_frameworks
        ],
        "benchmarks": None if benchmarks is None else [_benchmark(row) for row in benchmarks.rows],
        "subtask_benchmarks": [
            {"subtask": link(found), "benchmarks": [_benchmark(row) for row in rows]}
            for found, rows in page.subtask_benchmarks
        ],
        "common_methods": None if common_methods is None else [found.model_dump() for found in common_methods],
        "paper_sample_size": None if papers is None else len(papers),
        "paper_count": task.paper_count,
        "papers": None if papers is None else [paper_row(row) for row in papers[:_SAMPLE_SHOWN]],
    }


def _benchmark(benchmark: Benchmark) -> Json:
    """DatasetRow with its description as rows show it."""
    return dataset_row(replace(benchmark, description=cut_or_none(benchmark.description, ROW_DESCRIPTION_MAX)))


def method_row(method: Method) -> Json:
    """MethodRow."""
    return {
        "id": method.id,
        "slug": method.slug,
        "name": method.name,
        "full_name": method.full_name,
        "area_id": method.area.id if method.area else None,
        "introduced_year": method.introduced_year,
        "paper_count": method.paper_count,
    }


def method_record(method: Method) -> Json:
    """MethodRecord."""
    return method_row(method) | {
        "description": method.description,
        "source_paper_id": method.source_paper_id,
        "source_url": method.source_url,
        "source_title": method.source_title,
    }
