"""Papers of the catalog that is being built, as evidence knows them."""

import sqlite3
from dataclasses import dataclass
from typing import Any

import orjson

from core.catalog.embedded.papers import find_pid
from core.errors import InvalidReference
from core.evidence.identity import PaperNames, is_https, read_reference
from core.evidence.vocabulary import UNTITLED

_PAPER = (
    "SELECT id, arxiv_id, doi, title, abstract, authors, published, published_day, url_abs, source_url, url_pdf, "
    "is_retracted FROM paper WHERE pid = ?"
)
_TASKS = "SELECT t.name FROM paper_task l JOIN task t ON t.id = l.task_id WHERE l.pid = ? ORDER BY l.position"


@dataclass(frozen=True, slots=True)
class CatalogPaper:
    """One paper with its ids; `subjects` are the tasks it works on."""

    pid: int
    names: PaperNames
    title: str
    authors: tuple[str, ...]
    abstract: str | None
    published: str | None
    published_day: int | None
    pdf_url: str | None
    is_retracted: bool
    subjects: tuple[str, ...]
    identifiers: tuple[tuple[str, str], ...]

    @property
    def year(self) -> int | None:
        """The year, where it is known."""
        return None if self.published is None else int(self.published[:4])


class CatalogPapers:
    """Finds and reads papers; each is read once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._pids: dict[str, int | str] = {}
        self._papers: dict[int, CatalogPaper] = {}

    def find(self, reference: str) -> int | str:
        """The number of the paper that a reference names, or what is wrong with the reference."""
        if reference not in self._pids:
            self._pids[reference] = self._find(reference)
        return self._pids[reference]

    def _find(self, reference: str) -> int | str:
        try:
            identifier = read_reference(reference, titles=False)
        except InvalidReference:
            return f"{reference[:200]!r} is no id of a paper"
        pid = find_pid(self._connection, identifier)
        return f"{reference[:200]!r} is not in the catalog" if pid is None else pid

    def get(self, pid: int) -> CatalogPaper:
        """One paper."""
        if pid not in self._papers:
            self._papers[pid] = self._read(pid)
        return self._papers[pid]

    def _read(self, pid: int) -> CatalogPaper:
        execute = self._connection.execute
        row: tuple[Any, ...] = execute(_PAPER, (pid,)).fetchone()
        number, arxiv, doi, title, abstract, authors, published, day, url, source_url, pdf, retracted = row
        statement = "SELECT scheme, value FROM identifier WHERE pid = ? ORDER BY scheme, value"
        identifiers = tuple(execute(statement, (pid,)).fetchall())
        first: dict[str, str] = {}
        for scheme, value in identifiers:
            first.setdefault(scheme, value)
        hashes = [value for scheme, value in identifiers if scheme == "s2" and not value.startswith("corpusid")]
        own = [each for each in (url, source_url) if each and is_https(each)]
        names = PaperNames(
            arxiv=arxiv,
            doi=doi or first.get("doi"),
            openalex=first.get("openalex"),
            s2=hashes[0] if hashes else first.get("s2"),
            catalog=str(number),
            record_url=own[0] if own else None,
        )
        return CatalogPaper(
            pid=pid,
            names=names,
            title=title or UNTITLED,
            authors=tuple(orjson.loads(authors)),
            abstract=abstract,
            published=published,
            published_day=day,
            pdf_url=pdf,
            is_retracted=bool(retracted),
            subjects=tuple(name for (name,) in execute(_TASKS, (pid,))),
            identifiers=(*identifiers, ("catalog", str(number))),
        )

    def text(self, pid: int) -> str | None:
        """The stored full text."""
        row = self._connection.execute("SELECT body FROM fulltext WHERE pid = ?", (pid,)).fetchone()
        return None if row is None else bytes(row[0]).decode()
