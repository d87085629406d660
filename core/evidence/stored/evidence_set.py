"""An opened evidence set: its records, word indexes, columns and vectors; read-only and safe for several threads."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import orjson

from core.catalog.embedded.connection import Connection, Records
from core.catalog.embedded.vectors import Vectors
from core.errors import CatalogUnusable
from core.evidence.stored.about import About, located, read_about
from core.evidence.stored.columns import Column, read_columns
from core.evidence.stored.words import Words

T = TypeVar("T")
Json = dict[str, Any]

RECORDS_NAME: Final = "evidence.sqlite"
WORDS_NAME: Final = "words"
COLUMNS_NAME: Final = "columns"
VECTOR_FOLDERS: Final = {"papers": "chunk-vectors", "claims": "claim-vectors"}
CLAIM_FIELDS: Final = ("claim_text",)
PAPER_FIELDS: Final = ("title", "authors", "themes", "abstract", "summary", "claims")
CLAIM_COLUMNS: Final = ("claim_id", "weight", "direction", "effect_type", "grade", "category", "paper_type", "paper")
PAPER_COLUMNS: Final = (
    "year",
    "relevance",
    "paper_type",
    "methods_rigor",
    "evidence_strength",
    "source",
    "themes",
    "id_rank",
    "published_day",
)
IN_LIST: Final = "IN (SELECT value FROM json_each(?))"


class EvidenceSet:
    """Everything that the services read."""

    def __init__(self, directory: Path, about: About) -> None:
        self.about = about
        self.claim_words = Words(directory / WORDS_NAME, CLAIM_FIELDS)
        self.paper_words = Words(directory / WORDS_NAME, PAPER_FIELDS)
        self.claims: dict[str, Column] = read_columns(directory / COLUMNS_NAME, "claim", CLAIM_COLUMNS)
        self.papers: dict[str, Column] = read_columns(directory / COLUMNS_NAME, "paper", PAPER_COLUMNS)
        self.vectors = {
            kind: Vectors(directory / folder)
            for kind, folder in VECTOR_FOLDERS.items()
            if (directory / folder).is_dir()
        }
        self.chunk_papers: Column = read_columns(directory / COLUMNS_NAME, "chunk", ("paper",))["paper"]
        self._records = Records(directory / RECORDS_NAME)
        self.categories = self._names("SELECT slug FROM category ORDER BY no")
        self.sources = self._names("SELECT name FROM source ORDER BY no")

    @classmethod
    def open(cls, directory: Path, *, checked: bool = False) -> "EvidenceSet":
        """Opens the set that a directory is or holds; blocking. Raises `CatalogUnusable`.

        `checked` says that the files were found whole already, as those inside an opened catalog are.
        """
        found = located(directory)
        if found is None:
            raise CatalogUnusable(f"There is no evidence set at {directory}. Build one with `paperdesk catalog build`.")
        about = read_about(found, checked=checked)
        try:
            return cls(found, about)
        except (OSError, ValueError, KeyError) as error:
            raise CatalogUnusable(f"The evidence set at {found} cannot be opened. Rebuild it.") from error

    @property
    def corpus_version(self) -> str:
        """The id of this corpus."""
        return self.about.corpus_version

    def close(self) -> None:
        """Closes the records."""
        self._records.close()

    async def run(self, work: Callable[[Connection], T]) -> T:
        """What `work` answers on a connection, in a worker thread."""
        return await self._records.run(work)

    def _names(self, statement: str) -> tuple[str, ...]:
        return self._records.run_here(lambda connection: tuple(name for (name,) in connection.execute(statement)))


def bodies(connection: Connection, table: str, column: str, numbers: Sequence[int]) -> dict[int, Json]:
    """JSON columns of some rows by number."""
    statement = f"SELECT no, {column} FROM {table} WHERE no {IN_LIST}"  # noqa: S608
    rows = connection.execute(statement, (orjson.dumps(list(numbers)).decode(),))
    return {no: orjson.loads(text) for no, text in rows}
