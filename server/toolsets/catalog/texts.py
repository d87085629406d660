"""Which function writes the text of which result."""

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from core.catalog.results import (
    BenchmarkPage,
    BenchmarkResult,
    EvaluationPage,
    PaperInfoResult,
    PaperLineageResult,
    PaperPage,
    PaperReadResult,
    PaperWindow,
    RelatedPapers,
    SearchPage,
)
from core.catalog.taxonomy_results import (
    ConferencePage,
    ConferenceResult,
    FrameworkPage,
    FrameworkResult,
    MethodPage,
    MethodResult,
    OrganizationPage,
    OrganizationResult,
    TaskPage,
    TaskResult,
)
from server.toolsets.catalog import leaderboard_text, taxonomy_text, text

_WRITERS: dict[type[BaseModel], Callable[[Any], tuple[str, ...]]] = {
    PaperReadResult: text.paper_read,
    SearchPage: text.search_page,
    PaperPage: text.paper_page,
    PaperWindow: text.paper_window,
    RelatedPapers: text.paper_window,
    PaperInfoResult: text.paper_info,
    BenchmarkPage: text.benchmark_page,
    BenchmarkResult: leaderboard_text.benchmark,
    EvaluationPage: taxonomy_text.evaluation_page,
    PaperLineageResult: taxonomy_text.paper_lineage,
    TaskPage: taxonomy_text.task_page,
    TaskResult: taxonomy_text.task,
    MethodPage: taxonomy_text.method_page,
    MethodResult: taxonomy_text.method,
    ConferencePage: taxonomy_text.conference_page,
    ConferenceResult: taxonomy_text.conference,
    OrganizationPage: taxonomy_text.organization_page,
    OrganizationResult: taxonomy_text.organization,
    FrameworkPage: taxonomy_text.framework_page,
    FrameworkResult: taxonomy_text.framework,
}


def render(result: BaseModel) -> tuple[str, ...]:
    """The text blocks of a result."""
    return _WRITERS[type(result)](result)
