"""The text index of a built catalog: written once by a build, then opened read-only."""

from dataclasses import dataclass
from pathlib import Path

import tantivy

from core.catalog.embedded.paper_columns import ColumnsBuilder, tie_key
from core.catalog.embedded.text_analysis import ANALYZER, analyzer, normalised

DEFAULT_MEMORY_BYTES = 128 * 2**20
"""What a writer holds before it writes a segment; four times as much was measured to be no faster."""

_FILE_MODE = 0o644
_ID_FIELDS = ("task", "method", "conference", "framework", "organization", "author")
_RANK_FIELDS = (
    "trending_rank",
    "trending_rank_asc",
    "published_rank",
    "published_rank_asc",
    "citation_rank",
    "citation_rank_asc",
)


@dataclass(frozen=True, slots=True)
class IndexDocument:
    """A paper as the text index holds it. Ids are catalog ids below 2^52; ranks count from 0 and are unique."""

    pid: int
    title: str
    abstract: str
    authors: str
    published_day: int | None
    has_official: bool
    is_latest: bool
    task_ids: tuple[int, ...]
    method_ids: tuple[int, ...]
    conference_id: int | None
    framework_ids: tuple[int, ...]
    organization_ids: tuple[int, ...]
    author_ids: tuple[int, ...]
    trending_rank: int
    trending_rank_asc: int
    published_rank: int
    published_rank_asc: int
    citation_rank: int
    citation_rank_asc: int


def text_schema() -> tantivy.Schema:
    """Fields of the index. `order` is the tie order of searches: published desc (missing last), then id."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("title", tokenizer_name=ANALYZER)
    builder.add_text_field("abstract", tokenizer_name=ANALYZER)
    builder.add_text_field("authors", tokenizer_name=ANALYZER)
    builder.add_unsigned_field("pid", indexed=True, fast=True)
    builder.add_unsigned_field("order", fast=True)
    builder.add_unsigned_field("published_day", indexed=True, fast=True)
    builder.add_boolean_field("has_official", indexed=True)
    builder.add_boolean_field("is_latest", indexed=True)
    for name in _ID_FIELDS:
        builder.add_unsigned_field(name, indexed=True)
    for name in _RANK_FIELDS:
        builder.add_unsigned_field(name, fast=True)
    return builder.build()


def _fields(document: IndexDocument) -> dict[str, object]:
    fields: dict[str, object] = {
        "title": normalised(document.title),
        "abstract": normalised(document.abstract),
        "authors": normalised(document.authors),
        "pid": document.pid,
        "order": tie_key(document.pid, document.published_day),
        "has_official": document.has_official,
        "is_latest": document.is_latest,
        "task": list(document.task_ids),
        "method": list(document.method_ids),
        "conference": [] if document.conference_id is None else [document.conference_id],
        "framework": list(document.framework_ids),
        "organization": list(document.organization_ids),
        "author": list(document.author_ids),
    }
    if document.published_day is not None:
        fields["published_day"] = document.published_day
    for name in _RANK_FIELDS:
        fields[name] = getattr(document, name)
    return fields


class TextIndexBuilder:
    """Writes the index into an empty or new directory; documents may come in any order, each pid once."""

    def __init__(self, directory: Path, memory_bytes: int = DEFAULT_MEMORY_BYTES) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._directory = directory
        self._schema = text_schema()
        self._index = tantivy.Index(self._schema, path=str(directory), reuse=False)
        self._index.register_tokenizer(ANALYZER, analyzer())
        self._columns = ColumnsBuilder()
        self._writer = self._index.writer(heap_size=memory_bytes, num_threads=1)

    def add(self, document: IndexDocument) -> None:
        """Queues one paper for indexing."""
        self._writer.add_document(tantivy.Document.from_dict(_fields(document), self._schema))
        self._columns.add(document.pid, document.published_day, document.has_official, document.is_latest)

    def abandon(self) -> None:
        """Stops all work, so that nothing writes into the directory any more."""
        self._writer.rollback()
        self._writer.wait_merging_threads()

    def finish(self) -> None:
        """Commits and waits until all merges of segments are done."""
        self._writer.commit()
        self._writer.wait_merging_threads()
        self._columns.write(self._directory)
        for lock in self._directory.glob(".tantivy-*.lock"):
            lock.unlink()
        for path in self._directory.iterdir():
            # The library keeps its own two files to their owner; a catalog is often served by another user.
            path.chmod(_FILE_MODE)
