"""What stands at the addresses `pwc://`: the result of a tool's default call without `data`, or a whole text."""

from typing import Annotated, TypeVar

from pydantic import Field

from core.catalog.results import BenchmarkResult, PaperInfoResult
from core.catalog.service import Catalog
from core.catalog.taxonomy_results import TaskResult
from server.registry import ResourceTemplate
from server.toolsets.catalog.benchmarks import get_benchmark
from server.toolsets.catalog.completion import benchmark_slugs, task_slugs
from server.toolsets.catalog.papers import get_paper_info
from server.toolsets.catalog.parameters import Name, Paper
from server.toolsets.catalog.tasks import get_task

_Result = TypeVar("_Result", PaperInfoResult, TaskResult, BenchmarkResult)


async def paper_info(services: Catalog, paper: Paper) -> PaperInfoResult:
    """One paper's record as JSON, as get_paper_info gives it by default.

    The paper may be named by an id, a DOI, a URL or its title, percent-encoded.
    """
    return _without_data(await get_paper_info(services, paper))


async def paper_markdown(services: Catalog, paper: Paper) -> str:
    """The whole stored full text of one paper as Markdown, where it is at most 65,536 bytes.

    Longer texts are read in chunks with the tool read_paper.
    """
    return await services.reader.whole(paper)


async def task_overview(
    services: Catalog, task: Annotated[Name, Field(description="Research task: name, slug or id")]
) -> TaskResult:
    """An overview of one research task as JSON, as get_task gives it by default."""
    return _without_data(await get_task(services, task))


async def leaderboard(
    services: Catalog, benchmark: Annotated[Name, Field(description="Benchmark: name, full name, slug or id")]
) -> BenchmarkResult:
    """The first rows of one benchmark's leaderboard as JSON, as get_benchmark gives it by default."""
    return _without_data(await get_benchmark(services, benchmark))


RESOURCES = (
    ResourceTemplate(
        paper_info,
        uri_template="pwc://papers/{paper}",
        name="paper-info",
        title="Paper information",
        mime_type="application/json",
    ),
    ResourceTemplate(
        paper_markdown,
        uri_template="pwc://papers/{paper}/markdown",
        name="paper-markdown",
        title="Paper Markdown",
        mime_type="text/markdown",
    ),
    ResourceTemplate(
        task_overview,
        uri_template="pwc://tasks/{task}",
        name="task",
        title="Research task",
        mime_type="application/json",
        completers={"task": task_slugs},
    ),
    ResourceTemplate(
        leaderboard,
        uri_template="pwc://benchmarks/{benchmark}",
        name="benchmark",
        title="Benchmark leaderboard",
        mime_type="application/json",
        completers={"benchmark": benchmark_slugs},
    ),
)


def _without_data(result: _Result) -> _Result:
    return result.model_copy(update={"data": None})
