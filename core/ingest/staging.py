"""The temporary database of a build: every row of every input in the neutral shape, until equal things are united."""

import sqlite3
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from core.catalog.models import EntityKind
from core.folds import plain_fold, slug
from core.ingest.dates import arxiv_month, first_day
from core.ingest.facts import EntityFacts, EvaluationFacts, PaperFacts, PaperRef, Precedence, natural_key
from core.ingest.identity import Identity
from core.ingest.ids import derived_id

_SCHEMA = """
CREATE TABLE input (
  number INTEGER PRIMARY KEY, precedence INTEGER NOT NULL,
  rank INTEGER                     -- set when all is read: by precedence and content, so not by the order of sources
);
-- One row for each row of an input that describes a paper. `root` is the smallest seq of the rows that are one paper.
CREATE TABLE doc (
  seq INTEGER PRIMARY KEY, root INTEGER NOT NULL, input INTEGER NOT NULL, precedence INTEGER NOT NULL, id INTEGER,
  natural_rank INTEGER NOT NULL, natural TEXT NOT NULL, slug TEXT NOT NULL, slug_is_given INTEGER NOT NULL,
  published_day INTEGER, fallback_day INTEGER, citation_count INTEGER, velocity REAL
);
CREATE TABLE doc_facts (seq INTEGER PRIMARY KEY, facts BLOB NOT NULL);
CREATE TABLE ident (scheme TEXT NOT NULL, value TEXT NOT NULL, seq INTEGER NOT NULL);
-- Web addresses link results to papers when only one paper has them; they never unite papers.
CREATE TABLE address (url TEXT NOT NULL, seq INTEGER NOT NULL);
-- Inputs among which a result may name its paper by title alone.
CREATE TABLE source_set (name TEXT NOT NULL, input INTEGER NOT NULL, PRIMARY KEY (name, input)) WITHOUT ROWID;
-- `input` is null for what many rows say alike: it is staged once, so where it stood first must not count.
CREATE TABLE entity (
  kind TEXT NOT NULL, natural TEXT NOT NULL, precedence INTEGER NOT NULL, input INTEGER, line INTEGER NOT NULL,
  facts BLOB NOT NULL
);
CREATE TABLE author (natural TEXT NOT NULL, precedence INTEGER NOT NULL, facts BLOB NOT NULL);
CREATE TABLE own_paper (owner TEXT NOT NULL, key TEXT NOT NULL, seq INTEGER NOT NULL, line INTEGER NOT NULL);
-- Names on papers whose authors are known by nothing else, in each spelling; some more than once.
CREATE TABLE author_name (id INTEGER NOT NULL, fold TEXT NOT NULL, name TEXT NOT NULL);
-- The metrics of a table in order, as one input gives them.
CREATE TABLE scope (benchmark TEXT NOT NULL, task TEXT NOT NULL, precedence INTEGER NOT NULL, input INTEGER NOT NULL,
  line INTEGER NOT NULL, metrics BLOB NOT NULL);
CREATE TABLE evaluation (benchmark TEXT NOT NULL, task TEXT NOT NULL, input INTEGER NOT NULL, line INTEGER NOT NULL,
  facts BLOB NOT NULL);
CREATE TABLE lineage (predecessor BLOB NOT NULL, successor BLOB NOT NULL, source TEXT NOT NULL, input INTEGER NOT NULL,
  position TEXT NOT NULL);
CREATE TABLE fulltext (input INTEGER NOT NULL, name TEXT NOT NULL, paper BLOB NOT NULL, body BLOB NOT NULL);
"""

_BATCH_ROWS = 2000
_CACHE_KIB = 48 * 1024
"""Of each of a build's two databases; the system's own cache of files holds the rest."""
_REMEMBERED_MENTIONS = 200_000
_MAX_SLUG_CHARS = 150
_TABLES = {
    "doc": 13,
    "doc_facts": 2,
    "ident": 3,
    "address": 2,
    "entity": 6,
    "author": 3,
    "author_name": 3,
    "own_paper": 4,
    "scope": 6,
    "evaluation": 5,
    "lineage": 5,
    "fulltext": 4,
}
_INTERNAL_SCHEMES = frozenset({"catalog"})


def fast_connection(path: Path) -> sqlite3.Connection:
    """A connection to a database that one build writes: no journal, no syncs, since a failed build is thrown away."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA page_size = 8192")
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    connection.execute("PRAGMA temp_store = FILE")
    return connection


def is_internal(scheme: str) -> bool:
    """Whether a scheme only links rows of one build and is no identifier of the world."""
    return scheme in _INTERNAL_SCHEMES


class Staging:
    """The rows of a build on disk; written in batches."""

    def __init__(self, path: Path) -> None:
        self.connection = fast_connection(path)
        self.connection.executescript(_SCHEMA)
        self.connection.execute("BEGIN")
        self._pending: dict[str, list[tuple[Any, ...]]] = {table: [] for table in _TABLES}
        self._inserts = {
            table: f"INSERT INTO {table} VALUES ({', '.join('?' * width)})"  # noqa: S608
            for table, width in _TABLES.items()
        }
        self._inputs = 0
        self.docs = 0
        self._mentioned: set[tuple[str, str, str]] = set()
        self._author_names: set[str] = set()

    def new_input(self, precedence: Precedence) -> int:
        """Registers one input file; returns its number."""
        self.connection.execute("INSERT INTO input VALUES (?, ?, NULL)", (self._inputs, int(precedence)))
        self._inputs += 1
        return self._inputs - 1

    def rank_inputs(self, numbers: Iterable[int]) -> None:
        """Says in which order inputs are heard, best first."""
        self.connection.executemany(
            "UPDATE input SET rank = ? WHERE number = ?", [(rank, number) for rank, number in enumerate(numbers)]
        )

    def add(self, table: str, row: tuple[Any, ...]) -> None:
        """Queues one row."""
        pending = self._pending[table]
        pending.append(row)
        if len(pending) >= _BATCH_ROWS:
            self.connection.executemany(self._inserts[table], pending)
            pending.clear()

    def flush(self) -> None:
        """Writes what is queued."""
        for table, pending in self._pending.items():
            self.connection.executemany(self._inserts[table], pending)
            pending.clear()

    def is_new_mention(self, mention: tuple[str, str, str]) -> bool:
        """False for most mentions that were staged before; forgets when it has grown large."""
        if mention in self._mentioned:
            return False
        if len(self._mentioned) >= _REMEMBERED_MENTIONS:
            self._mentioned.clear()
        self._mentioned.add(mention)
        return True

    def author_name(self, name: str) -> None:
        """Notes a name on a paper."""
        if name in self._author_names:
            return
        if len(self._author_names) >= _REMEMBERED_MENTIONS:
            self._author_names.clear()
        self._author_names.add(name)
        fold = plain_fold(name)
        self.add("author_name", (derived_id("author", fold), fold, name))

    def close(self) -> None:
        """Ends all work; the file may then be removed."""
        self.connection.close()


class Input:
    """One input file's way into the staging database.

    Results may be linked by title to papers of the same `source_set`. `left_out` counts parts of rows that are lost.
    """

    def __init__(self, staging: Staging, precedence: Precedence, source_set: str, left_out: Counter[str]) -> None:
        self._staging = staging
        self.left_out = left_out
        self.precedence = precedence
        self.source_set = source_set
        self.number = staging.new_input(precedence)
        staging.connection.execute("INSERT INTO source_set VALUES (?, ?)", (source_set, self.number))

    def paper(
        self, identity: Identity, facts: PaperFacts, *, precedence: Precedence | None = None, own_key: str | None = None
    ) -> None:
        """Stages one description of a paper."""
        staging = self._staging
        seq = staging.docs
        staging.docs += 1
        rank, natural = _natural(identity, own_key)
        given_slug = facts.get("slug")
        published = facts.get("published")
        month = arxiv_month(identity.arxiv_id) if identity.arxiv_id and not published else None
        staging.add(
            "doc",
            (
                seq,
                seq,
                self.number,
                int(self.precedence if precedence is None else precedence),
                facts.get("id"),
                rank,
                natural,
                given_slug or slug(facts.get("title", ""))[:_MAX_SLUG_CHARS].strip("-") or slug(natural),
                given_slug is not None,
                first_day(published) if published else None,
                first_day(month) if month else None,
                facts.get("citation_count"),
                facts.get("velocity"),
            ),
        )
        for author in facts.get("authors", ()):
            if isinstance(author, str):
                staging.author_name(author)
        for scheme, value in identity.idents:
            staging.add("ident", (scheme, value, seq))
        row: dict[str, Any] = {**facts, "idents": identity.idents}
        if identity.arxiv_id:
            row["arxiv_id"] = identity.arxiv_id
        if identity.doi:
            row["doi"] = identity.doi
        staging.add("doc_facts", (seq, orjson.dumps(row)))

    def own_paper(self, owner: str, key: str, line: int) -> None:
        """The key by which a folder of the own format knows the paper staged last."""
        self._staging.add("own_paper", (owner, key, self._staging.docs - 1, line))

    def address(self, url: str) -> None:
        """An address of the paper staged last, for results that name it by that."""
        self._staging.add("address", (url, self._staging.docs - 1))

    def mention(self, kind: EntityKind, name: str, *, given_slug: str | None = None) -> str:
        """Makes sure that a thing which is only named exists; returns its natural key."""
        natural = natural_key(kind, name, given_slug=given_slug)
        if self._staging.is_new_mention((kind, natural, name)):
            row = (kind.value, natural, int(Precedence.MENTIONS), None, 0, orjson.dumps({"name": name}))
            self._staging.add("entity", row)
        return natural

    def repeated_entity(self, kind: EntityKind, natural: str, facts: EntityFacts, *, precedence: Precedence) -> None:
        """As `entity`, for descriptions that stand in many rows alike."""
        blob = orjson.dumps(facts)
        if self._staging.is_new_mention((kind, natural, blob.decode())):
            self._staging.add("entity", (kind.value, natural, int(precedence), None, 0, blob))

    def entity(self, kind: EntityKind, natural: str, facts: EntityFacts, *, line: int) -> None:
        """Stages one description of a thing other than a paper; `name` is required in `facts`."""
        row = (kind.value, natural, int(self.precedence), self.number, line, orjson.dumps(facts))
        self._staging.add("entity", row)

    def author(self, natural: str, facts: EntityFacts) -> None:
        """Stages what is known of one author beyond a name on a paper."""
        row = orjson.dumps(facts)
        if self._staging.is_new_mention(("author", natural, row.decode())):
            self._staging.add("author", (natural, int(self.precedence), row))

    def scope(self, benchmark: str, task: str, metrics: list[str], *, line: int) -> None:
        """The metrics of a table in order; also says that the benchmark belongs to the task."""
        row = (benchmark, task, int(self.precedence), self.number, line, orjson.dumps(metrics))
        self._staging.add("scope", row)

    def evaluation(self, benchmark: str, task: str, facts: EvaluationFacts, *, line: int) -> None:
        """Stages one result."""
        self._staging.add("evaluation", (benchmark, task, self.number, line, orjson.dumps(facts)))

    def lineage(self, predecessor: PaperRef, successor: PaperRef, source: str, position: str) -> None:
        """Stages one link between papers."""
        row = (orjson.dumps(predecessor), orjson.dumps(successor), source, self.number, position)
        self._staging.add("lineage", row)

    def fulltext(self, name: str, paper: PaperRef, body: bytes) -> None:
        """Stages the text of a paper."""
        self._staging.add("fulltext", (self.number, name, orjson.dumps(paper), body))


def _natural(identity: Identity, own_key: str | None) -> tuple[int, str]:
    """Rank and text of the natural key: arXiv id, else DOI, else source id, else slug."""
    idents = identity.idents
    for rank, wanted in enumerate(("arxiv", "doi")):
        for scheme, value in idents:
            if scheme == wanted:
                return rank, f"{scheme}:{value}"
    for scheme, value in idents:
        if scheme != "slug" and not is_internal(scheme):
            return 2, f"{scheme}:{value}"
    if identity.slug:
        return 3, f"slug:{identity.slug}"
    return 4, f"key:{own_key}"
