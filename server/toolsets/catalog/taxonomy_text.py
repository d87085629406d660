"""The text blocks of tasks, methods, conferences, organizations, frameworks and lineage (catalog contract 2.2)."""

from collections.abc import Iterable

from core.catalog.results import EvaluationPage, PaperLineageResult, PaperReference
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
    TaskSummary,
)
from server.toolsets.catalog.text import benchmark_line, compose, counted, paper_line, row_line, single_line, tail_of
from server.toolsets.catalog.text import listing_head as head_of

_DESCRIPTION_SHOWN = 900


def evaluation_page(result: EvaluationPage) -> tuple[str, ...]:
    """The text of EvaluationPage."""
    head = f"{counted(result.merged_count, 'result')} of {single_line(result.paper, 160)}. Page {result.page}."
    rows = []
    for row in result.evaluations:
        metrics = ", ".join(f"{name} {value}" for name, value in list(row.metrics.items())[:3])
        rank = f"rank {row.best_rank} · " if row.best_rank is not None else ""
        name = row.benchmark.name if row.benchmark else ""
        slug = (row.benchmark.slug or row.benchmark.id) if row.benchmark else row.id
        rows.append(row_line(slug, f"{single_line(name, 80)}: {single_line(row.model_name, 80)}", rank + metrics))
    tail = [single_line(note, 400) for note in result.notes or []]
    if result.next_page is not None:
        tail.append(f"Next page: page={result.next_page}.")
    return (compose(head, rows, tail),)


def paper_lineage(result: PaperLineageResult) -> tuple[str, ...]:
    """The text of PaperLineageResult."""
    paper = result.paper
    head = (
        f"{paper.reference or paper.id} — {single_line(paper.title, 160)}:"
        f" {counted(len(result.predecessors), 'predecessor')}, {counted(len(result.successors), 'successor')}."
    )
    rows = [*_linked("Builds on", result.predecessors), *_linked("Continued by", result.successors)]
    return (compose(head, rows, [*(result.notes or []), result.coverage_note]),)


def task(result: TaskResult) -> tuple[str, ...]:
    """The text of TaskResult."""
    task = result.task
    area = f" ({task.area.name})" if task.area else ""
    head = f"{task.slug} — {single_line(task.name, 120)}{area}: {_figures(papers=task.paper_count)}."
    rows = [single_line(task.description, _DESCRIPTION_SHOWN)] if task.description else []
    for label, links in (("Parents", task.parents), ("Subtasks", task.children), ("Sisters", task.sisters or [])):
        if links:
            rows.append(f"{label}: " + ", ".join(single_line(link.name, 60) for link in links))
    if task.common_methods:
        named = (f"{single_line(found.name, 60)} ({found.count})" for found in task.common_methods)
        rows.append(f"Common methods in {counted(task.paper_sample_size or 0, 'paper')}: " + ", ".join(named))
    if task.benchmarks:
        rows += ["Benchmarks:", *map(benchmark_line, task.benchmarks)]
    if task.papers:
        rows += ["Papers:", *map(paper_line, task.papers)]
    return (compose(head, rows, [single_line(note, 400) for note in result.notes or []]),)


def task_page(result: TaskPage) -> tuple[str, ...]:
    """The text of TaskPage."""
    rows = []
    if result.groups is None:
        rows = [_task_line(task) for task in result.items]
    for group in result.groups or []:
        rows += [f"**{single_line(group.area.name, 120)}**", *map(_task_line, group.tasks)]
    return (compose(head_of(result, "task"), rows, tail_of(result)),)


def method(result: MethodResult) -> tuple[str, ...]:
    """The text of MethodResult."""
    method = result.method
    year = f" ({method.introduced_year})" if method.introduced_year else ""
    head = f"{method.slug} — {single_line(method.full_name or method.name, 120)}{year}"
    rows = _facts(
        method.description,
        method.source_title
        and f"Introduced by: {method.source_paper_id or ''} {single_line(method.source_title, 160)}",
        method.source_url,
        _figures(papers=method.paper_count),
    )
    return (compose(head, rows, result.notes or []),)


def method_page(result: MethodPage) -> tuple[str, ...]:
    """The text of MethodPage."""
    rows = [
        row_line(row.slug, single_line(row.full_name or row.name, 120), _figures(row.introduced_year, row.paper_count))
        for row in result.items
    ]
    return (compose(head_of(result, "method"), rows, tail_of(result)),)


def conference(result: ConferenceResult) -> tuple[str, ...]:
    """The text of ConferenceResult."""
    found = result.conference
    year = f" ({found.year})" if found.year and str(found.year) not in found.name else ""
    head = f"{found.slug} — {single_line(found.name, 120)}{year}"
    days = " to ".join(day for day in (found.start_date, found.end_date) if day)
    rows = _facts(
        found.description, found.location, found.venue, days or None, found.url, _figures(papers=found.paper_count)
    )
    return (compose(head, rows, result.notes or []),)


def conference_page(result: ConferencePage) -> tuple[str, ...]:
    """The text of ConferencePage."""
    rows = [row_line(row.slug, single_line(row.name, 120), _figures(row.year, row.paper_count)) for row in result.items]
    return (compose(head_of(result, "conference"), rows, tail_of(result)),)


def organization(result: OrganizationResult) -> tuple[str, ...]:
    """The text of OrganizationResult."""
    found = result.organization
    years = "–".join(dict.fromkeys(str(year) for year in (found.first_paper_year, found.latest_paper_year) if year))
    rows = _facts(
        found.description,
        found.website_url,
        found.github_url,
        found.hf_url,
        years and f"Papers from {years}",
        _figures(papers=found.paper_count),
    )
    return (compose(f"{found.slug} — {single_line(found.name, 120)}", rows, result.notes or []),)


def organization_page(result: OrganizationPage) -> tuple[str, ...]:
    """The text of OrganizationPage."""
    rows = [row_line(row.slug, single_line(row.name, 120), _figures(papers=row.paper_count)) for row in result.items]
    return (compose(head_of(result, "organization"), rows, tail_of(result)),)


def framework(result: FrameworkResult) -> tuple[str, ...]:
    """The text of FrameworkResult."""
    found = result.framework
    paper = found.introducing_paper_arxiv_id
    rows = _facts(
        found.description,
        found.when_to_use and f"When to use: {found.when_to_use}",
        "Platforms: " + ", ".join(found.platforms) if found.platforms else None,
        found.github_url,
        found.docs_url,
        paper and f"Introduced by: {paper}",
        _figures(papers=found.paper_count),
    )
    return (compose(f"{found.slug} — {single_line(found.name, 120)}", rows, result.notes or []),)


def framework_page(result: FrameworkPage) -> tuple[str, ...]:
    """The text of FrameworkPage."""
    rows = [
        row_line(
            row.slug,
            single_line(row.name, 120),
            ", ".join(text for text in (row.domain_name, row.category_name) if text),
        )
        for row in result.items
    ]
    return (compose(head_of(result, "framework"), rows, tail_of(result)),)


def _task_line(task: TaskSummary) -> str:
    return row_line(
        task.slug, single_line(task.name, 120), _figures(papers=task.paper_count, benchmarks=task.benchmark_count)
    )


def _linked(label: str, papers: Iterable[PaperReference]) -> list[str]:
    rows = [row_line(paper.reference or paper.id, single_line(paper.title, 160), "") for paper in papers]
    return [f"{label}:", *rows] if rows else []


def _figures(year: int | None = None, papers: int | None = None, benchmarks: int | None = None) -> str:
    """Key figures that are known, such as `2019, 12 papers, 3 benchmarks`."""
    parts = [str(year)] if year is not None else []
    for count, noun in ((papers, "paper"), (benchmarks, "benchmark")):
        if count is not None:
            parts.append(counted(count, noun))
    return ", ".join(parts)


def _facts(*texts: str | None) -> list[str]:
    return [single_line(text, _DESCRIPTION_SHOWN) for text in texts if text]
