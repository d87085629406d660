"""Papers out of the records: rows for lists, whole records, and lookups by id, identifier and title."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import orjson

from core.catalog.embedded.connection import Connection, bindable
from core.catalog.models import (
    Link,
    MatchLevel,
    PaperLink,
    PaperRecord,
    PaperRow,
    Repository,
    TitleMatches,
)
from core.errors import NotFound
from core.folds import fold_hash, key_fold, plain_fold
from core.identifiers import Identifier, IdentifierKind

MAX_LISTED_AUTHORS = 10
UNTITLED = "Untitled paper"

_MAX_ID = 2**63 - 1
_ARCHIVE_CLASS = re.compile(r"\.[a-z-]+(?=/)")
_IN_LIST = "IN (SELECT value FROM json_each(?))"
_ROW_COLUMNS = (
    "p.pid, p.id, p.title, p.arxiv_id, p.slug, p.authors, p.author_count, p.published, p.citation_count, "
    "p.url_abs, p.source_url, p.has_official, p.repository_count"
)

V = TypeVar("V")


def numeric_id(text: str) -> int | None:
    """The catalog id that a text of digits spells, in the one spelling that it has; None for anything else."""
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(_MAX_ID)):
        return None
    number = int(text)
    return number if number <= _MAX_ID and str(number) == text else None


def pid_of(connection: Connection, paper_id: str) -> int | None:
    """The paper of a canonical or catalog id."""
    number = numeric_id(paper_id)
    if number is not None:
        return _one(connection, "SELECT pid FROM paper WHERE id = ?", number)
    found = _one(connection, "SELECT pid FROM paper WHERE arxiv_id = ?", paper_id)
    return found if found is not None else _by_identifier(connection, "arxiv", folded_arxiv_id(paper_id))


def required_pid(connection: Connection, paper_id: str) -> int:
    """As `pid_of`; raises `NotFound`."""
    pid = pid_of(connection, paper_id)
    if pid is None:
        raise NotFound(f"No paper in this catalog has the id {paper_id[:200]!r}. Check it, or search by title.")
    return pid


def folded_arxiv_id(arxiv_id: str) -> str:
    """An arXiv id as the identifier table holds it: folded, an old one without its subject class."""
    return _ARCHIVE_CLASS.sub("", arxiv_id.lower())


def find_pid(connection: Connection, identifier: Identifier) -> int | None:
    """The paper that an identifier names, by its own spelling or, after a miss, by an alternate one."""
    if not identifier.plausible:
        return None
    for value in (identifier.value, *(_folded(each, identifier.kind) for each in identifier.alternates)):
        pid = _find_value(connection, identifier.kind, value)
        if pid is not None:
            return pid
    return None


def _folded(alternate: str, kind: IdentifierKind) -> str:
    return alternate.removeprefix(f"{kind}:").casefold()


def _find_value(connection: Connection, kind: IdentifierKind, value: str) -> int | None:
    if kind is IdentifierKind.CATALOG:
        number = numeric_id(value)
        return None if number is None else _one(connection, "SELECT pid FROM paper WHERE id = ?", number)
    if kind is IdentifierKind.SLUG:
        found = _one(connection, "SELECT pid FROM paper WHERE slug = ?", value)
        return found if found is not None else _by_identifier(connection, "slug", value)
    return _by_identifier(connection, kind.value, value)


def _by_identifier(connection: Connection, scheme: str, value: str) -> int | None:
    return _one(connection, "SELECT pid FROM identifier WHERE scheme = ? AND value = ?", scheme, value)


def _one(connection: Connection, statement: str, *values: object) -> int | None:
    bound = [bindable(value) if isinstance(value, str) else value for value in values]
    row = connection.execute(statement, bound).fetchone()
    return None if row is None else int(row[0])


def _paper_row(row: Sequence[Any]) -> tuple[int, PaperRow, tuple[str, ...]]:
    pid, id_, title, arxiv_id, slug, authors, author_count, published, citations, url, source_url, official, code = row
    names = tuple(orjson.loads(authors))
    paper = PaperRow(
        id=str(id_),
        title=title or UNTITLED,
        arxiv_id=arxiv_id,
        slug=slug,
        authors=names[:MAX_LISTED_AUTHORS],
        author_count=author_count,
        published=published,
        citation_count=citations,
        url_abs=url,
        source_url=source_url,
        has_official_implementation=bool(official),
        code_repository_count=code,
    )
    return pid, paper, names


def rows(connection: Connection, pids: Sequence[int], *, with_resources: bool = False) -> tuple[PaperRow, ...]:
    """Rows of papers in the order given; methods and repositories are filled when asked for."""
    chosen = orjson.dumps(pids).decode()
    found = {
        pid: row
        for pid, row, _ in map(
            _paper_row,
            connection.execute(f"SELECT {_ROW_COLUMNS} FROM paper p WHERE p.pid {_IN_LIST}", (chosen,)),  # noqa: S608
        )
    }
    if with_resources:
        methods = _grouped(_links(connection, "method", chosen), Link)
        repositories = _grouped(_repositories(connection, chosen), _repository)
        found = {
            pid: _with_resources(row, methods.get(pid, ()), repositories.get(pid, ())) for pid, row in found.items()
        }
    return tuple(found[pid] for pid in pids if pid in found)


def _with_resources(row: PaperRow, methods: tuple[Link, ...], repositories: tuple[Repository, ...]) -> PaperRow:
    values = {name: getattr(row, name) for name in PaperRow.__dataclass_fields__}
    return PaperRow(**{**values, "methods": methods, "repositories": repositories})


def _links(connection: Connection, kind: str, chosen: str) -> Iterable[tuple[int, str, str, str]]:
    """Links of papers to tasks, methods or organizations, in the papers' own order of them."""
    statement = (
        f"SELECT l.pid, CAST(e.id AS TEXT), e.name, e.slug FROM paper_{kind} l JOIN {kind} e ON e.id = l.{kind}_id "  # noqa: S608
        f"WHERE l.pid {_IN_LIST} ORDER BY l.pid, l.position"
    )
    return connection.execute(statement, (chosen,))


def _repositories(connection: Connection, chosen: str) -> Iterable[tuple[int, str, int, str | None]]:
    columns = "pid, url, is_official, framework"
    statement = f"SELECT {columns} FROM repository WHERE pid {_IN_LIST} ORDER BY pid, position"  # noqa: S608
    return connection.execute(statement, (chosen,))


def _repository(url: str, is_official: int, framework: str | None) -> Repository:
    return Repository(url, bool(is_official), framework)


def _grouped(found: Iterable[tuple[Any, ...]], value: Callable[..., V]) -> dict[int, tuple[V, ...]]:
    groups: defaultdict[int, list[V]] = defaultdict(list)
    for pid, *columns in found:
        groups[pid].append(value(*columns))
    return {pid: tuple(values) for pid, values in groups.items()}


def record(connection: Connection, paper_id: str) -> PaperRecord:
    """All that the records hold on one paper; raises `NotFound`."""
    pid = required_pid(connection, paper_id)
    chosen = f"[{pid}]"
    statement = (
        f"SELECT {_ROW_COLUMNS}, p.abstract, p.url_pdf, p.doi, p.venue, p.source, p.is_retracted, p.conference_id, "  # noqa: S608
        "c.name, c.slug, EXISTS (SELECT 1 FROM fulltext f WHERE f.pid = p.pid) "
        "FROM paper p LEFT JOIN conference c ON c.id = p.conference_id WHERE p.pid = ?"
    )
    *row, abstract, url_pdf, doi, venue, source, retracted, conference, name, slug, has_text = connection.execute(
        statement, (pid,)
    ).fetchone()
    _, paper, authors = _paper_row(row)
    resources = _resources(connection, pid)
    return PaperRecord(
        row=paper,
        authors=authors,
        abstract=abstract,
        url_pdf=url_pdf,
        doi=doi,
        venue=venue,
        conference=None if name is None else Link(str(conference), name, slug),
        tasks=_grouped(_links(connection, "task", chosen), Link).get(pid, ()),
        methods=_grouped(_links(connection, "method", chosen), Link).get(pid, ()),
        organizations=_grouped(_links(connection, "organization", chosen), Link).get(pid, ()),
        repositories=_grouped(_repositories(connection, chosen), _repository).get(pid, ()),
        project_pages=resources.get("project_page", ()),
        hf_models=resources.get("hf_model", ()),
        hf_datasets=resources.get("hf_dataset", ()),
        hf_spaces=resources.get("hf_space", ()),
        predecessors=linked_papers(connection, pid, wanted="predecessor", given="successor"),
        successors=linked_papers(connection, pid, wanted="successor", given="predecessor"),
        identifiers=_identifiers(connection, pid),
        source=source,
        has_markdown=bool(has_text),
        is_retracted=None if retracted is None else bool(retracted),
    )


def _resources(connection: Connection, pid: int) -> dict[str, tuple[str, ...]]:
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for kind, value in connection.execute(
        "SELECT kind, value FROM resource WHERE pid = ? ORDER BY kind, position", (pid,)
    ):
        groups[kind].append(value)
    return {kind: tuple(values) for kind, values in groups.items()}


def _identifiers(connection: Connection, pid: int) -> tuple[tuple[str, str], ...]:
    statement = "SELECT scheme, value FROM identifier WHERE pid = ? ORDER BY scheme, value"
    return tuple(connection.execute(statement, (pid,)))


def linked_papers(connection: Connection, pid: int, *, wanted: str, given: str) -> tuple[PaperLink, ...]:
    """Papers at one end of lineage links by published date (missing last), then id."""
    statement = (
        f"SELECT p.id, p.title, p.arxiv_id, p.published FROM lineage l JOIN paper p ON p.pid = l.{wanted} "  # noqa: S608
        f"WHERE l.{given} = ? ORDER BY p.published_day IS NULL, p.published_day, p.pid"
    )
    return tuple(
        PaperLink(str(id_), title or UNTITLED, arxiv_id or str(id_), published)
        for id_, title, arxiv_id, published in connection.execute(statement, (pid,))
    )


def title_pids(connection: Connection, text: str, level: MatchLevel) -> list[int]:
    """Papers whose title matches at one level, by published desc (missing last), then id."""
    found: dict[int, tuple[bool, int, int]] = {}
    for column, fold, part in _TITLE_FOLDS[level]:
        folded = fold(text)
        if not folded:
            continue
        statement = f"SELECT pid, title, published_day FROM paper WHERE {column} = ?"  # noqa: S608
        for pid, title, day in connection.execute(statement, (fold_hash(folded),)):
            if fold(part(title)) == folded:
                found[pid] = (day is None, -(day or 0), pid)
        if found:
            break
    return sorted(found, key=found.__getitem__)


def _whole(title: str) -> str:
    return title


def _before_colon(title: str) -> str:
    return title.partition(":")[0]


_TITLE_FOLDS: dict[MatchLevel, tuple[tuple[str, Callable[[str], str], Callable[[str], str]], ...]] = {
    MatchLevel.TITLE: (("title_plain", plain_fold, _whole),),
    MatchLevel.NORMALIZED_TITLE: (("title_key", key_fold, _whole),),
    MatchLevel.SHORT_NAME: (("short_plain", plain_fold, _before_colon), ("short_key", key_fold, _before_colon)),
}
TITLE_LEVELS = tuple(_TITLE_FOLDS)


def find_titles(connection: Connection, text: str) -> TitleMatches:
    """Papers of the first title level with a hit (catalog contract 8.2, step 6)."""
    for level in TITLE_LEVELS:
        pids = title_pids(connection, text, level)
        if pids:
            return TitleMatches(level, rows(connection, pids))
    return TitleMatches(None, ())


def titles(connection: Connection, pids: Sequence[int]) -> dict[int, str]:
    """Titles of some papers."""
    statement = f"SELECT pid, title FROM paper WHERE title IS NOT NULL AND pid {_IN_LIST}"  # noqa: S608
    return dict(connection.execute(statement, (orjson.dumps(pids).decode(),)))
