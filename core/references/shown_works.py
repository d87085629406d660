"""Records as answers show them (references contract, sections 3.2 and 4.1)."""

from dataclasses import asdict
from typing import Any

from core.records import Author, Work
from core.works.names import name_parts

ABSTRACT_CHARS = 5_000
AUTHORS_SHOWN = 100


def shown_work(work: Work) -> dict[str, Any]:
    """The record as JSON: the abstract cut at 5,000 code points, at most 100 authors."""
    shown: dict[str, Any] = asdict(work)
    shown["published"] = None if work.published is None else str(work.published)
    shown["authors"] = [asdict(author) for author in work.authors[:AUTHORS_SHOWN]]
    shown["updates"] = [
        {
            "type": each.type,
            "doi": each.doi,
            "date": None if each.date is None else str(each.date),
            "source": each.source,
        }
        for each in work.updates
    ]
    shown = {name: list(value) if isinstance(value, tuple) else value for name, value in shown.items()}
    if work.abstract and len(work.abstract) > ABSTRACT_CHARS:
        shown |= {"abstract": work.abstract[:ABSTRACT_CHARS], "abstract_truncated": True}
    return shown


def family_given(author: Author) -> str:
    """`Family, Given`; a group by its name."""
    return ", ".join(part for part in name_parts(author) if part)


def title_line(work: Work, source: str | None = None) -> str:
    """One line for a person: title, year and what names the work."""
    parts = [f"**{work.title or 'Untitled'}**" + (f" ({work.year})" if work.year else "")]
    if work.doi:
        parts.append(f"doi:{work.doi}")
    if work.arxiv_id:
        parts.append(f"arXiv:{work.arxiv_id}{work.arxiv_version or ''}")
    if source:
        parts.append(source)
    return " · ".join(parts)
