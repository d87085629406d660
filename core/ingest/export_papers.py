"""Papers of a catalog as rows of the own format."""

import sqlite3
from collections.abc import Iterator
from typing import Any

import orjson

from core.folds import plain_fold
from core.ingest.ids import derived_id
from core.ingest.own_papers import RESOURCES

Row = dict[str, Any]

_PAPER = (
    "pid, id, arxiv_id, doi, slug, title, abstract, authors, published, venue, conference_id, url_abs AS url,"
    " url_pdf AS pdf_url, citation_count, velocity, is_retracted, version, is_latest, repository_count"
)
_REPOSITORIES = (
    "SELECT url, is_official, framework, stars, mentioned_in_paper, mentioned_in_repository FROM repository"
    " WHERE pid = ? ORDER BY position"
)
_LINKS = (
    ("tasks", "SELECT task_id FROM paper_task WHERE pid = ? ORDER BY position"),
    ("methods", "SELECT method_id FROM paper_method WHERE pid = ? ORDER BY position"),
    ("organizations", "SELECT organization_id FROM paper_organization WHERE pid = ? ORDER BY position"),
    ("frameworks", "SELECT framework_id FROM paper_framework WHERE pid = ? ORDER BY position"),
)
_FLAGS = ("is_retracted", "is_latest", "is_official", "mentioned_in_paper", "mentioned_in_repository")


def exported_papers(connection: sqlite3.Connection) -> Iterator[Row]:
    """Rows of `papers.jsonl`, by id."""
    for row in connection.execute(f"SELECT {_PAPER} FROM paper ORDER BY pid"):  # noqa: S608
        yield _paper(connection, dict(row))


def _stated(row: Row) -> Row:
    return {name: bool(value) if name in _FLAGS else value for name, value in row.items() if value is not None}


def _paper(connection: sqlite3.Connection, row: Row) -> Row:
    pid, names = row.pop("pid"), orjson.loads(row.pop("authors"))
    conference, repository_count = row.pop("conference_id"), row.pop("repository_count")
    paper = {"key": str(row["id"]), **_stated(row)}
    if paper["is_latest"]:
        del paper["is_latest"]
    paper.setdefault("title", "")
    paper["authors"] = _authors(connection, pid, names)
    paper["identifiers"] = _identifiers(connection, pid, row)
    if conference is not None:
        paper["conference"] = str(conference)
    for name, statement in _LINKS:
        paper[name] = [str(link[0]) for link in connection.execute(statement, (pid,))]
    if repository_count is not None:
        repositories = connection.execute(_REPOSITORIES, (pid,))
        paper["repositories"] = [_stated(dict(each)) for each in repositories]
    for name, kind in RESOURCES.items():
        values = connection.execute(
            "SELECT value FROM resource WHERE pid = ? AND kind = ? ORDER BY position", (pid, kind)
        )
        paper[name] = [value[0] for value in values]
    return {name: value for name, value in paper.items() if value not in ([], {}) or name == "repositories"}


def _authors(connection: sqlite3.Connection, pid: int, names: list[str]) -> list[str | Row]:
    """A plain name where the author follows from it, else the author's key."""
    ids = connection.execute("SELECT author_id FROM paper_author WHERE pid = ? ORDER BY position", (pid,))
    return [
        {"name": name} if number == derived_id("author", plain_fold(name)) else str(number)
        for name, (number,) in zip(names, ids, strict=True)
    ]


def _identifiers(connection: sqlite3.Connection, pid: int, row: Row) -> Row:
    """Identifiers beyond those that have a field of their own; a list where there are several of a scheme."""
    held: dict[str, list[str]] = {}
    own = {("slug", row["slug"]), ("doi", (row["doi"] or "").lower())}
    for scheme, value in connection.execute("SELECT scheme, value FROM identifier WHERE pid = ? ORDER BY 1, 2", (pid,)):
        if (scheme, value) not in own:
            held.setdefault(scheme, []).append(value)
    return {scheme: values[0] if len(values) == 1 else values for scheme, values in held.items()}
