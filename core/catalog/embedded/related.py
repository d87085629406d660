"""Papers like one paper: by their vectors, else by what they share (catalog contract 10.5)."""

import numpy as np
import orjson
from numpy.typing import NDArray

from core.catalog.embedded.connection import Connection
from core.catalog.embedded.papers import required_pid, rows
from core.catalog.embedded.text_search import DocumentFilters, Shared, TextIndex
from core.catalog.embedded.vectors import Vectors
from core.catalog.taxonomy_models import RelatedBasis, RelatedRows

_WEIGHTS = {"method": 3.0, "task": 2.0, "author": 1.0}
_LATEST = DocumentFilters(latest_only=True)
_SAME_BENCHMARK = (
    "SELECT DISTINCT pid FROM evaluation WHERE pid IS NOT NULL AND benchmark_id IN "
    "(SELECT benchmark_id FROM evaluation WHERE pid = ?)"
)
_RANKS = "SELECT pid, citation_rank FROM paper WHERE pid IN (SELECT value FROM json_each(?))"


class Related:
    """Likeness in one opened catalog; blocking, for worker threads."""

    def __init__(self, text: TextIndex, vectors: Vectors | None) -> None:
        self._text = text
        self._vectors = vectors

    def run(self, connection: Connection, paper_id: str, limit: int) -> RelatedRows:
        """The papers most like one, latest records only; ties by citations desc, published desc, id.

        With a vector of the paper by cosine over all vectors. Else by 3 for each shared method, 2 for each shared
        task, 1 for each shared author and 1 for a benchmark in common, see `TextIndex.sharing`. Raises `NotFound`.
        """
        pid = required_pid(connection, paper_id)
        vector = None if self._vectors is None else self._vectors.of(pid)
        if self._vectors is None or vector is None:
            found, basis = self._sharing(connection, pid, limit), RelatedBasis.SHARED
        else:
            found, basis = _nearest(connection, self._text, self._vectors, pid, vector, limit), RelatedBasis.VECTORS
        return RelatedRows(rows(connection, found), basis)

    def _sharing(self, connection: Connection, pid: int, limit: int) -> list[int]:
        things = [
            Shared(kind, number, weight)
            for kind, weight in _WEIGHTS.items()
            for (number,) in connection.execute(f"SELECT DISTINCT {kind}_id FROM paper_{kind} WHERE pid = ?", (pid,))  # noqa: S608
        ]
        benchmarked = [each for (each,) in connection.execute(_SAME_BENCHMARK, (pid,))]
        return self._text.sharing(things, benchmarked, pid, limit)


def _nearest(
    connection: Connection, text: TextIndex, vectors: Vectors, pid: int, vector: NDArray[np.float32], limit: int
) -> list[int]:
    mask = text.passing_mask(_LATEST, vectors.pids) & (vectors.pids != pid)
    scored = vectors.nearest(vector, limit, mask)
    ranks = dict(connection.execute(_RANKS, (orjson.dumps([each for each, _ in scored]).decode(),)))
    return [each for each, _ in sorted(scored, key=lambda found: (-found[1], ranks[found[0]]))][:limit]
