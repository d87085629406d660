"""Papers like one paper: by their vectors, else by what they share (catalog contract 10.5)."""

from collections.abc import Iterator

import numpy as np
import orjson
from numpy.typing import NDArray

from core.catalog.embedded.connection import Connection
from core.catalog.embedded.papers import required_pid, rows
from core.catalog.embedded.text_search import DocumentFilters, TextIndex
from core.catalog.embedded.vectors import Vectors
from core.catalog.taxonomy_models import RelatedBasis, RelatedRows

MAX_SHARERS = 20_000
"""Papers read of one shared thing, the most cited ones: an upper bound on the work for a method that everyone uses."""

MAX_LINKS = 100
"""Methods, tasks and authors of a paper that are looked at, each: the first ones."""

_WEIGHTS = {"method": 3, "task": 2, "author": 1}
_BENCHMARK_WEIGHT = 1
_LATEST = DocumentFilters(latest_only=True)
_SAME_BENCHMARK = (
    "SELECT DISTINCT p.citation_rank, p.pid FROM evaluation e JOIN paper p ON p.pid = e.pid "
    "WHERE e.benchmark_id IN (SELECT benchmark_id FROM evaluation WHERE pid = ?) AND p.is_latest "
    "ORDER BY p.citation_rank LIMIT ?"
)
_RANKS = "SELECT pid, citation_rank FROM paper WHERE pid IN (SELECT value FROM json_each(?))"

Pids = NDArray[np.int64]


class Related:
    """Likeness in one opened catalog; blocking, for worker threads."""

    def __init__(self, text: TextIndex, vectors: Vectors | None) -> None:
        self._text = text
        self._vectors = vectors

    def run(self, connection: Connection, paper_id: str, limit: int) -> RelatedRows:
        """The papers most like one, latest records only; ties by citations desc, published desc, id.

        With a vector of the paper by cosine over all vectors. Else by 3 for each shared method, 2 for each shared
        task, 1 for each shared author and 1 for a benchmark in common. To bound the work, the first `MAX_LINKS`
        methods, tasks and authors of the paper count, and of each the `MAX_SHARERS` most cited papers. Raises
        `NotFound`.
        """
        pid = required_pid(connection, paper_id)
        vector = None if self._vectors is None else self._vectors.of(pid)
        if self._vectors is None or vector is None:
            found, basis = self._sharing(connection, pid, limit), RelatedBasis.SHARED
        else:
            found, basis = _by_vector(connection, self._text, self._vectors, pid, vector, limit), RelatedBasis.VECTORS
        return RelatedRows(rows(connection, found), basis)

    def _sharing(self, connection: Connection, pid: int, limit: int) -> list[int]:
        shared = [(weight, pids[pids != pid]) for weight, pids in self._shared(connection, pid)]
        if not any(len(pids) for _, pids in shared):
            return []
        scores = np.zeros(1 + max(int(pids.max()) for _, pids in shared if len(pids)), dtype=np.int64)
        for weight, pids in shared:
            scores[pids] += weight
        known = scores[scores > 0]
        least = int(np.partition(known, len(known) - limit)[len(known) - limit]) if len(known) > limit else 1
        chosen: set[int] = set()
        for _, pids in shared:
            # Each list runs from the most cited paper on, so its first few at the cut are all that can get in.
            chosen.update(pids[scores[pids] > least].tolist(), pids[scores[pids] == least][:limit].tolist())
        ranks = _citation_ranks(connection, list(chosen))
        return sorted(chosen, key=lambda each: (-int(scores[each]), ranks[each]))[:limit]

    def _shared(self, connection: Connection, pid: int) -> Iterator[tuple[int, Pids]]:
        """For each thing that a paper may share, its weight and its papers, most cited first."""
        for kind, weight in _WEIGHTS.items():
            statement = f"SELECT {kind}_id FROM paper_{kind} WHERE pid = ? ORDER BY position LIMIT {MAX_LINKS}"  # noqa: S608
            for number in {number for (number,) in connection.execute(statement, (pid,))}:
                chosen = DocumentFilters(latest_only=True, ids=((kind, number),))
                pids = self._text.first(chosen, "citation_rank", MAX_SHARERS)
                yield weight, np.array(pids, dtype=np.int64)
        benchmarked = connection.execute(_SAME_BENCHMARK, (pid, MAX_SHARERS)).fetchall()
        yield _BENCHMARK_WEIGHT, np.array([each for _, each in benchmarked], dtype=np.int64)


def _by_vector(
    connection: Connection, text: TextIndex, vectors: Vectors, pid: int, vector: NDArray[np.float32], limit: int
) -> list[int]:
    mask = text.passing_mask(_LATEST, vectors.pids) & (vectors.pids != pid)
    scored = vectors.nearest(vector, limit, mask)
    ranks = _citation_ranks(connection, [each for each, _ in scored])
    return [each for each, _ in sorted(scored, key=lambda found: (-found[1], ranks[found[0]]))][:limit]


def _citation_ranks(connection: Connection, pids: list[int]) -> dict[int, int]:
    """Places by citations desc, published desc (missing last both), id."""
    return dict(connection.execute(_RANKS, (orjson.dumps(pids).decode(),)))
