"""Tasks, methods, benchmarks and communities of `/api/v1` as catalog values (catalog contract 7 and 16.4)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from core.catalog.directions import HIGHER, LOWER
from core.catalog.models import NO_AREA, Benchmark, BenchmarkGroup, BenchmarkGroupTask, Entity, EntityKind, Link
from core.catalog.taxonomy_models import (
    Conference,
    Framework,
    Method,
    Organization,
    RecommendedFramework,
    Task,
    TaskPageParts,
)
from core.catalog.upstream.values import (
    Json,
    count,
    flag,
    identifier,
    integer,
    link,
    links,
    objects,
    slug_text,
    text,
    texts,
)
from core.folds import slug as slug_of

T = TypeVar("T")

Areas = Mapping[str, Link]
"""Areas by id."""


def area(row: Json) -> Link | None:
    """An area `{id, name}`; it has no slug."""
    found = link(row)
    return Link(found.id, found.name) if found else None


def named(row: Json) -> tuple[str, str, str] | None:
    """Id, name and slug of a row, each filled in from the others; None without an id."""
    id_, name, slug = identifier(row.get("id")), text(row.get("name")), slug_text(row.get("slug"))
    id_ = id_ or slug
    if id_ is None:
        return None
    return id_, name or slug or "Unknown", slug or slug_of(name or "") or id_


def _area_of(row: Json, areas: Areas) -> Link | None:
    id_ = identifier(row.get("area_id"))
    if id_ is None:
        return area(row["area"]) if isinstance(row.get("area"), dict) else None
    return areas.get(id_) or Link(id_, text(row.get("area_name")) or "Unknown")


def task(row: Json, areas: Areas) -> Task | None:
    """TaskRow, or the task of a task's page."""
    who = named(row)
    if who is None:
        return None
    return Task(
        *who,
        description=text(row.get("description")),
        area=_area_of(row, areas),
        level=count(row.get("level")),
        paper_count=count(row.get("paper_count")),
        benchmark_count=count(row.get("benchmark_count")),
        evaluation_count=count(row.get("evaluation_count")),
        research_trends=texts(row.get("research_trends"), "name", "title"),
    )


def task_page(answer: Json, areas: Areas) -> TaskPageParts | None:
    """A task's page; None when the task itself is missing."""
    found = task(answer["task"], areas) if isinstance(answer.get("task"), dict) else None
    if found is None:
        return None
    subtasks = [
        (subtask, tuple(_kept(row.get("benchmarks"), benchmark)))
        for row in objects(answer.get("subtask_benchmarks"))
        if (subtask := link(row.get("subtask") or row.get("task")))
    ]
    return TaskPageParts(
        task=found,
        parents=links(answer.get("parents")),
        sisters=links(answer.get("sisters")),
        children=links(answer.get("children")),
        recommended_frameworks=tuple(_kept(answer.get("recommended_frameworks"), _recommended)),
        subtask_benchmarks=tuple(subtasks),
    )


def _recommended(row: Json) -> RecommendedFramework | None:
    who = named(row)
    if who is None:
        return None
    return RecommendedFramework(
        who[0], who[1], text(row.get("owner")), text(row.get("url")), count(row.get("num_stars"))
    )


def _kept(value: object, read: Callable[[Json], T | None]) -> Iterator[T]:
    return (found for row in objects(value) if (found := read(row)) is not None)


def method(row: Json, areas: Areas) -> Method | None:
    """MethodRow or MethodRecord."""
    who = named(row)
    if who is None:
        return None
    return Method(
        *who,
        full_name=text(row.get("full_name")),
        description=text(row.get("description")),
        area=_area_of(row, areas),
        introduced_year=integer(row.get("introduced_year")),
        source_paper_id=identifier(row.get("source_paper_id")),
        source_url=text(row.get("source_url")),
        source_title=text(row.get("source_title")),
        paper_count=count(row.get("paper_count")),
    )


def benchmark(row: Json) -> Benchmark | None:
    """DatasetRow or TrendRow."""
    id_, name, slug = (
        identifier(row.get("id")) or identifier(row.get("dataset_id")),
        text(row.get("name")),
        slug_text(row.get("slug")),
    )
    if id_ is None:
        return None
    papers = count(row.get("paper_count"))
    directions = row.get("metric_directions")
    return Benchmark(
        id=id_,
        name=name or text(slug) or "Unknown",
        slug=text(slug),
        full_name=text(row.get("full_name")),
        description=text(row.get("description")),
        hf_url=text(row.get("hf_url")),
        paper_count=count(row.get("all_time_paper_count")) if papers is None else papers,
        evaluation_count=count(row.get("evaluation_count")),
        metrics=texts(row.get("metrics"), "name"),
        metric_directions={name: way for name, way in directions.items() if way in (HIGHER, LOWER)}
        if isinstance(directions, dict)
        else {},
        recent_paper_count=count(row.get("recent_paper_count")),
    )


def benchmark_group(row: Json) -> BenchmarkGroup | None:
    """An area with its tasks and their benchmarks."""
    found = area(row) if row.get("id") is not None else NO_AREA
    if found is None:
        return None
    return BenchmarkGroup(found, tuple(_kept(row.get("tasks"), _group_task)))


def _group_task(row: Json) -> BenchmarkGroupTask | None:
    who = named(row)
    if who is None:
        return None
    benchmarks = tuple(_kept(row.get("benchmarks"), benchmark))
    return BenchmarkGroupTask(who[0], who[1], slug_text(row.get("slug")), count(row.get("paper_count")), benchmarks)


def _texts_of(row: Json, names: Sequence[str]) -> dict[str, Any]:
    """Optional texts of a row by field name."""
    return {name: text(row.get(name)) for name in names}


def conference(row: Json) -> Conference | None:
    """One edition of a conference, as row or as detail."""
    who = named(row)
    if who is None:
        return None
    fields = ("location", "start_date", "end_date", "venue", "description", "tier", "url", "hf_url")
    return Conference(
        *who,
        year=integer(row.get("year")),
        paper_count=count(row.get("paper_count")),
        **_texts_of(row, fields),
    )


def organization(row: Json) -> Organization | None:
    """An organization, as row or as detail."""
    who = named(row)
    if who is None:
        return None
    fields = ("description", "website_url", "github_url", "hf_url")
    return Organization(
        *who,
        is_featured=flag(row.get("is_featured")),
        trending_rank=integer(row.get("trending_rank")),
        first_paper_year=integer(row.get("first_paper_year")),
        latest_paper_year=integer(row.get("latest_paper_year")),
        paper_count=count(row.get("paper_count")),
        **_texts_of(row, fields),
    )


def frameworks(answer: Json) -> Iterator[Framework]:
    """The frameworks of the tree, each with its domain and category."""
    for domain in objects(answer.get("domains")):
        for category in objects(domain.get("categories")):
            for row in objects(category.get("frameworks")):
                found = _framework(row, domain, category)
                if found is not None:
                    yield found


def _framework(row: Json, domain: Json, category: Json) -> Framework | None:
    who = named(row)
    if who is None:
        return None
    fields = ("description", "organization_name", "github_url", "docs_url", "when_to_use", "introducing_paper_arxiv_id")
    return Framework(
        *who,
        platforms=texts(row.get("platforms"), "name"),
        domain_slug=slug_text(domain.get("slug")) or slug_text(row.get("domain_slug")),
        domain_name=text(domain.get("name")) or text(row.get("domain_name")),
        category_slug=slug_text(category.get("slug")) or slug_text(row.get("category_slug")),
        category_name=text(category.get("name")) or text(row.get("category_name")),
        paper_count=count(row.get("paper_count")),
        **_texts_of(row, fields),
    )


def entity(kind: EntityKind, row: Json, note: str | None = None) -> Entity | None:
    """Any named row, as name resolution needs it; without a better note its slug tells it from others."""
    who = named(row)
    return Entity(kind, who[0], who[1], slug_text(row.get("slug")), note or who[2]) if who else None
