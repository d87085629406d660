"""From staged rows to the records and the text index of a catalog, in the order that their links demand."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import numpy as np

from core.catalog.embedded.text_index import TextIndexBuilder
from core.folds import plain_fold
from core.ingest import counts
from core.ingest.authors import Authors
from core.ingest.entities import Entities, merged_entities
from core.ingest.entities_writer import EntitiesWriter, inherit_areas
from core.ingest.evaluations_writer import EvaluationsWriter
from core.ingest.links_writer import write_identifiers, write_lineage, write_texts
from core.ingest.paper_lookup import PaperLookup
from core.ingest.papers_writer import PapersWriter
from core.ingest.ranks import paper_ranks
from core.ingest.records import Records
from core.ingest.report import FileReport
from core.ingest.staging import Staging
from core.ingest.unite import PaperNumbers, unite

_LINKS_SHAPE = "links-between-papers-and-code"


class Assembly:
    """Writes `catalog.sqlite` and `text/` into a folder. The steps are called in the order in which they stand here."""

    def __init__(
        self, folder: Path, staging: Staging, files: Sequence[FileReport], *, as_of: str | None, today: date
    ) -> None:
        self._staging = staging
        self._files = files
        self._today = today
        self._index = TextIndexBuilder(folder / "text")
        self.records = Records(folder / "catalog.sqlite")
        self.records.connection.create_function("fold", 1, plain_fold, deterministic=True)
        self.as_of = as_of
        self.papers = 0
        self.paper_rows = staging.docs
        self.content_id = ""
        self.counts: dict[str, int] = {}
        self.conflicts: Counter[str] = Counter()
        self._entities = Entities()
        self._numbers: PaperNumbers

    def unite(self) -> None:
        """Decides which rows are one paper or one thing, and numbers them."""
        connection = self._staging.connection
        unite(connection, self._staging.docs)
        self._numbers = PaperNumbers(connection, self._staging.docs)
        self.papers = self._numbers.count
        self._entities = merged_entities(connection, self.conflicts)
        inherit_areas(self._entities)
        if self.as_of is None:
            self.as_of = self._latest_day()

    def _latest_day(self) -> str | None:
        """The latest paper date; a date after today is a slip in a source and does not count."""
        days = self._numbers.published_day
        days = days[(days > 0) & (days <= self._today.toordinal())]
        return date.fromordinal(int(np.max(days))).isoformat() if len(days) else None

    def write_papers(self, advanced: Callable[[int], None]) -> None:
        """Writes papers and authors."""
        numbers = self._numbers
        as_of_day = None if self.as_of is None else date.fromisoformat(self.as_of).toordinal()
        authors = Authors(self._staging.connection)
        writer = PapersWriter(
            self._staging,
            self.records,
            self._index,
            entities=self._entities,
            authors=authors,
            ranks=paper_ranks(numbers.published_day, numbers.citation_count, numbers.velocity, as_of_day),
            archive_has_links=any(file.shape == _LINKS_SHAPE for file in self._files),
        )
        writer.write(advanced)
        self.conflicts += writer.conflicts
        authors.write(self.records)
        self.records.flush()

    def write_others(self) -> None:
        """Writes results, entities, lineage and full texts, then everything that is computed from records."""
        records, staging = self.records, self._staging
        files_by_input = {file.input: file for file in self._files}
        lookup = PaperLookup(staging, records, self._numbers)
        write_identifiers(staging, records)
        EvaluationsWriter(
            staging, records, entities=self._entities, papers=lookup, files_by_input=files_by_input
        ).write()
        EntitiesWriter(records, self._entities, lookup).write()
        write_lineage(staging, records, lookup, files_by_input)
        write_texts(staging, records, lookup, files_by_input)
        records.flush()
        lookup.finish()
        counts.compute(records.connection, self.as_of)
        records.create_indexes()
        self.counts = counts.totals(records.connection)
        self.content_id = records.content_id()

    def finish(self) -> None:
        """Completes the text index and the database."""
        self._index.finish()
        self.records.finish()

    def abandon(self) -> None:
        """Stops all writing, so that the folder can be removed."""
        self._index.abandon()
        self.records.close()
