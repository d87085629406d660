"""The text blocks of catalog results: short Markdown for people and for clients that show text (contract 2.2)."""

from collections.abc import Iterable, Mapping, Sequence

from core.catalog.paging import page_count
from core.catalog.present import cut
from core.catalog.results import (
    BenchmarkAreaGroup,
    BenchmarkPage,
    BenchmarkSummary,
    PagedResult,
    PaperDetail,
    PaperInfoResult,
    PaperPage,
    PaperReadResult,
    PaperSummary,
    PaperWindow,
    SearchPage,
)

TEXT_MAX_BYTES = 6_000
_ABSTRACT_SHOWN = 900
_TITLE_SHOWN = 160
_QUERY_SHOWN = 200
_NAMES_SHOWN = 10


def paper_read(result: PaperReadResult) -> tuple[str, ...]:
    """The text of PaperReadResult."""
    if not result.truncated:
        return (result.markdown,)
    end = result.offset + result.bytes
    total = f" of {result.total_bytes}" if result.total_bytes is not None else ""
    return (result.markdown, f"Bytes {result.offset} to {end}{total}. To continue: cursor={result.next_cursor}")


def search_page(result: SearchPage) -> tuple[str, ...]:
    """The text of SearchPage."""
    # All papers have some distance to a query, so the size of a pool is no number of matches.
    ranked = " ranked" if result.count_kind == "pool" else ""
    query = (result.applied_filters or {}).get("query")
    asked = f' for "{single_line(query, _QUERY_SHOWN)}"' if query else ""
    noun = "paper" if result.count == 1 else "papers"
    head = f"{_count(result)} {noun}{ranked}{asked}{_applied(result, result.search_mode_used)}{_place(result)}"
    return (compose(head, map(paper_line, result.items), tail_of(result)),)


def paper_page(result: PaperPage) -> tuple[str, ...]:
    """The text of PaperPage."""
    return (compose(listing_head(result, "paper"), map(paper_line, result.items), tail_of(result)),)


def paper_window(result: PaperWindow) -> tuple[str, ...]:
    """The text of PaperWindow and RelatedPapers."""
    ran = "; ".join(f"{name} {value}" for name, value in (result.applied_filters or {}).items())
    head = f"{counted(len(result.items), 'paper')}{f' ({ran})' if ran else ''}."
    return (compose(head, map(paper_line, result.items), [single_line(note, 400) for note in result.notes or []]),)


def benchmark_page(result: BenchmarkPage) -> tuple[str, ...]:
    """The text of BenchmarkPage."""
    rows = map(benchmark_line, result.items) if result.groups is None else _grouped_lines(result.groups)
    return (compose(listing_head(result, "benchmark"), rows, tail_of(result)),)


def paper_info(result: PaperInfoResult) -> tuple[str, ...]:
    """The text of PaperInfoResult."""
    paper = result.paper
    canonical = paper.arxiv_id or paper.id
    dated = f" ({paper.published})" if paper.published else ""
    head = f"{canonical} — {single_line(paper.title, _TITLE_SHOWN)}{dated}"
    rows = [*_detail_lines(paper)]
    if result.evaluations is not None:
        rows.append(f"Evaluations: {result.evaluation_count}.")
        rows += [
            f"- {single_line(row.benchmark or '', 80)} — {single_line(row.model_name, 80)}"
            f" ({', '.join(f'{name} {value}' for name, value in list(row.metrics.items())[:3])})"
            for row in result.evaluations
        ]
    tail = list(result.notes or [])
    if paper.has_markdown:
        tail.append(f'Full text: read_paper with paper="{canonical}".')
    return (compose(head, rows, tail),)


def compose(head: str, rows: Iterable[str], tail: Sequence[str]) -> str:
    """Head, rows and tail as lines within the ceiling; rows that do not fit are counted, never half-written."""
    lines, kept = [head], list(rows)
    budget = TEXT_MAX_BYTES - len("\n".join([head, *tail]).encode()) - 80
    for position, row in enumerate(kept):
        budget -= len(row.encode()) + 1
        if budget < 0:
            lines.append(f"… and {len(kept) - position} more lines; the structured part has all of them.")
            break
        lines.append(row)
    text = "\n".join([*lines, *tail])
    encoded = text.encode()
    return text if len(encoded) <= TEXT_MAX_BYTES else encoded[: TEXT_MAX_BYTES - 3].decode(errors="ignore") + "…"


def single_line(text: str, most: int) -> str:
    """A third party's text on one line, control characters gone, at most `most` characters."""
    if not text.isprintable():
        text = "".join(character if character.isprintable() else " " for character in text)
    return cut(" ".join(text.split()), most)


def counted(count: int, noun: str) -> str:
    """A number with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _count(result: PagedResult) -> str:
    return str(result.count) if result.count is not None else str(len(getattr(result, "items", ())))


def _applied(result: PagedResult, *more: str | None) -> str:
    """What ran, in brackets, such as ` (hybrid; published_after 2017-01-01)`."""
    ran = [text for text in more if text]
    filters = (result.applied_filters or {}).items()
    ran += [f"{name} {single_line(value, 80)}" for name, value in filters if name != "query"]
    return f" ({'; '.join(ran)})" if ran else ""


def _place(result: PagedResult) -> str:
    if result.page is None or result.count is None:
        return "."
    if not result.count:
        return f".{_loosen(result)}"
    return "." + page_of(result.page, result.next_page, result.count, len(getattr(result, "items", ())))


def page_of(page: int, following: int | None, count: int, rows: int) -> str:
    """` Page 2 of 7.`, or nothing where one page holds all; a page past the end has no place among them."""
    if not rows:
        # A page whose rows were all unreadable has no size to count pages by.
        return f" Page {page}." if page > 1 or following is not None else ""
    if following is not None:
        return f" Page {page} of {page_count(count, rows)}."
    return "" if page == 1 else f" Page {page} of {page}."


# Which filter to loosen first when nothing passed: the one that most often empties a list.
_LOOSEN_ORDER = (
    "search",
    "authors",
    "minimum_evaluations",
    "is_open",
    "has_official_implementation",
    "published_after",
    "published_before",
    "conference",
    "organization",
    "framework",
    "method",
    "level",
    "introduced_year",
    "year",
    "platform",
    "category",
    "domain",
    "featured_only",
    "visible_only",
    "area",
    "task",
)


def _loosen(result: PagedResult) -> str:
    ran = result.applied_filters or {}
    for name in _LOOSEN_ORDER:
        if name in ran:
            wider = ", or set include_descendants" if _has_subtasks_left(result, name, ran) else ""
            return f" Loosen {name} first{wider}."
    return " Try other or fewer words." if isinstance(result, PaperPage) else ""


def _has_subtasks_left(result: PagedResult, loosen: str, ran: Mapping[str, str]) -> bool:
    return isinstance(result, BenchmarkPage) and loosen == "task" and "include_descendants" not in ran


def tail_of(result: PagedResult) -> list[str]:
    """Notes, and how to get the next page."""
    tail = [single_line(note, 400) for note in result.notes or []]
    if result.next_page is not None:
        tail.append(f"Next page: page={result.next_page}.")
    return tail


def row_line(identity: str, name: str, figure: str) -> str:
    """`- <id to pass on> — <name> (<key figure>)`."""
    return f"- {identity} — {name}" + (f" ({figure})" if figure else "")


def listing_head(result: PagedResult, noun: str) -> str:
    """The first line of a listing: the total and what was applied."""
    plural = noun if result.count == 1 else f"{noun}s"
    return f"{_count(result)} {plural}{_applied(result)}{_place(result)}"


def paper_line(paper: PaperSummary) -> str:
    """A paper as one row."""
    official = " · official code" if paper.has_official_implementation else ""
    year = paper.published[:4] if paper.published else ""
    return row_line(paper.arxiv_id or paper.id, single_line(paper.title, _TITLE_SHOWN), year) + official


def benchmark_line(benchmark: BenchmarkSummary) -> str:
    """A benchmark as one row."""
    figures = []
    if benchmark.evaluation_count is not None:
        figures.append(counted(benchmark.evaluation_count, "evaluation"))
    if benchmark.paper_count is not None:
        figures.append(counted(benchmark.paper_count, "paper"))
    return row_line(benchmark.slug or benchmark.id, single_line(benchmark.name, 120), ", ".join(figures))


def _grouped_lines(groups: Sequence[BenchmarkAreaGroup]) -> list[str]:
    lines = []
    for group in groups:
        lines.append(f"**{single_line(group.area.name, 120)}**")
        for task in group.tasks:
            lines.append(f"*{single_line(task.name, 120)}*")
            lines += map(benchmark_line, task.benchmarks)
    return lines


def _detail_lines(paper: PaperDetail) -> list[str]:
    lines = []
    if paper.authors:
        count = paper.author_count or 0
        more = f" and {count - _NAMES_SHOWN} more" if count > _NAMES_SHOWN else ""
        lines.append(", ".join(single_line(name, 80) for name in paper.authors[:_NAMES_SHOWN]) + more)
    facts = [
        text
        for text in (
            single_line(paper.venue, 120) if paper.venue else None,
            counted(paper.citation_count, "citation") if paper.citation_count is not None else None,
            f"doi:{paper.doi}" if paper.doi else None,
            paper.url,
        )
        if text
    ]
    if facts:
        lines.append(" · ".join(facts))
    if paper.abstract:
        lines.append(single_line(paper.abstract, _ABSTRACT_SHOWN))
    for label, links in (("Tasks", paper.tasks), ("Methods", paper.methods)):
        if links:
            lines.append(f"{label}: " + ", ".join(single_line(found.name, 60) for found in links[:_NAMES_SHOWN]))
    repositories = paper.repositories or []
    lines += [f"{'Official code' if found.is_official else 'Code'}: {found.url}" for found in repositories]
    if paper.code_repository_count and paper.code_repository_count > len(repositories):
        lines.append(f"{paper.code_repository_count} code repositories are known in all.")
    for label, papers in (("Builds on", paper.predecessors), ("Continued by", paper.successors)):
        if papers:
            lines.append(
                f"{label}: " + ", ".join(f"{found.reference} ({single_line(found.title, 60)})" for found in papers[:5])
            )
    return lines
