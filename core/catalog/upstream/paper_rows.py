"""Papers and evaluations of `/api/v1` as catalog values (catalog contract 7 and 16.4)."""

from core.catalog.models import Author, EvaluationRow, Link, PaperLink, PaperRecord, PaperRow
from core.catalog.present import SUMMARY_AUTHORS_MAX
from core.catalog.taxonomy_models import Lineage
from core.catalog.upstream.values import (
    Json,
    arxiv_id,
    count,
    day,
    first_text,
    flag,
    identifier,
    integer,
    link,
    links,
    metrics,
    objects,
    repositories,
    slug_text,
    text,
    texts,
)

_DATES = ("published", "date_published")


def paper_row(row: Json) -> PaperRow | None:
    """PaperRow; None for a row without any id."""
    arxiv = arxiv_id(row.get("arxiv_id"))
    id_ = identifier(row.get("id")) or arxiv or identifier(row.get("route_identifier"))
    if id_ is None:
        return None
    authors = texts(row.get("authors"), "name")
    return PaperRow(
        id=id_,
        title=text(row.get("title")) or "",
        arxiv_id=arxiv,
        slug=slug_text(row.get("slug")),
        authors=authors[:SUMMARY_AUTHORS_MAX],
        author_count=max(count(row.get("author_count")) or 0, len(authors)),
        published=next((found for name in _DATES if (found := day(row.get(name)))), None),
        citation_count=count(row.get("citation_count")),
        url_abs=text(row.get("url_abs")),
        source_url=text(row.get("source_url")),
        has_official_implementation=row.get("has_official_implementation") is True,
        code_repository_count=count(row.get("code_repository_count")),
        methods=links(row["methods"]) if isinstance(row.get("methods"), list) else None,
        repositories=repositories(row["repositories"]) if isinstance(row.get("repositories"), list) else None,
    )


def paper_record(row: Json) -> PaperRecord | None:
    """PaperRecord; None for a record without any id."""
    listed = paper_row({**row, "methods": None, "repositories": None})
    if listed is None:
        return None
    conference = link(row.get("conference")) if isinstance(row.get("conference"), dict) else None
    name = first_text(row, "conference_name", "conference")
    held = row.get("identifiers")
    return PaperRecord(
        row=listed,
        authors=texts(row.get("authors"), "name"),
        abstract=text(row.get("abstract")),
        url_pdf=text(row.get("url_pdf")),
        doi=text(row.get("doi")),
        venue=text(row.get("venue")),
        conference=conference or (Link(name, name) if name else None),
        tasks=links(row.get("tasks")),
        methods=links(row.get("methods")),
        organizations=links(row.get("organizations")),
        repositories=repositories(row.get("repositories")),
        project_pages=texts(row.get("project_pages"), "url"),
        hf_models=texts(row.get("hf_models"), "id", "name", "url"),
        hf_datasets=texts(row.get("hf_datasets"), "id", "name", "url"),
        hf_spaces=texts(row.get("hf_spaces"), "id", "name", "url"),
        predecessors=paper_links(row.get("predecessor_papers")),
        successors=paper_links(row.get("successor_papers")),
        identifiers=tuple((scheme, value) for scheme, value in held.items() if isinstance(value, str))
        if isinstance(held, dict)
        else (),
        source="external" if text(row.get("source")) == "external" or not listed.arxiv_id else "arxiv",
        has_markdown=flag(row.get("has_markdown")),
        is_retracted=flag(row.get("is_retracted")),
    )


def paper_link(row: object) -> PaperLink | None:
    """A paper that another one points to: `{id, reference, title}` or `{title, route_identifier, published}`."""
    if not isinstance(row, dict):
        return None
    reference = arxiv_id(row.get("reference")) or arxiv_id(row.get("route_identifier")) or arxiv_id(row.get("arxiv_id"))
    id_ = identifier(row.get("id")) or reference
    if id_ is None:
        return None
    return PaperLink(id_, text(row.get("title")) or "", reference or id_, day(row.get("published")))


def paper_links(value: object) -> tuple[PaperLink, ...]:
    """The papers of a list."""
    return tuple(found for row in objects(value) if (found := paper_link(row)))


def lineage(answer: Json) -> Lineage | None:
    """`{paper, predecessors, successors}`; None when the paper itself is missing."""
    paper = paper_link(answer.get("paper"))
    if paper is None:
        return None
    return Lineage(paper, paper_links(answer.get("predecessors")), paper_links(answer.get("successors")))


def evaluation_row(row: Json) -> EvaluationRow | None:
    """EvaluationRow; None for a row without an id or a benchmark."""
    id_, benchmark = identifier(row.get("id")), identifier(row.get("dataset_id"))
    if id_ is None or benchmark is None:
        return None
    task, size = identifier(row.get("task_id")), integer(row.get("num_parameters"))
    task_name, task_slug = text(row.get("task_name")), text(row.get("task_slug"))
    slug = text(row.get("dataset_slug"))
    return EvaluationRow(
        id=id_,
        benchmark=Link(benchmark, text(row.get("dataset_name")) or slug or "Unknown", slug),
        task=Link(task, task_name or task_slug or "Unknown", task_slug) if task else None,
        model_name=text(row.get("model_name")) or "Unknown",
        metrics=metrics(row.get("metrics")),
        paper_id=identifier(row.get("paper_id")),
        paper_title=text(row.get("paper_title")),
        paper_arxiv_id=arxiv_id(row.get("paper_arxiv_id")),
        paper_published=day(row.get("paper_published_date")),
        harness=text(row.get("harness")),
        best_metric=text(row.get("best_metric")),
        best_rank=count(row.get("best_rank")),
        is_open=flag(row.get("is_open")),
        num_parameters=size if size is not None and size > 0 else None,
        split=first_text(row, "split_name", "split", "evaluated_on"),
        methodology=text(row.get("methodology")),
        result_url=text(row.get("result_url")),
        source_url=text(row.get("source_url")),
        external_source_url=text(row.get("external_source_url")),
        code_url=text(row.get("code_url")),
        hf_model_url=text(row.get("hf_model_url")),
        updated_at=text(row.get("updated_at")),
        uses_additional_data=flag(row.get("uses_additional_data")),
    )


def author(row: Json) -> Author | None:
    """An author as `applied_filters` shows one: a digit-only id and a name that is not blank."""
    id_, name = identifier(row.get("id")), text(row.get("name"))
    if id_ is None or not (id_.isascii() and id_.isdecimal()) or name is None:
        return None
    return Author(id_, name, text(row.get("hf_username")), count(row.get("paper_count")))
