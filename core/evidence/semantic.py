"""Searching by meaning: cosines of stored vectors with that of the query (contract 4.5 and 5.4)."""

import hashlib
from collections.abc import Callable
from typing import Any, Final, Protocol

import anyio
import numpy as np
from anyio.to_thread import run_sync
from numpy.typing import NDArray

from core.cache import Tier, TierCache
from core.catalog.embedded.connection import Connection
from core.catalog.embedded.embedding import Embedder
from core.catalog.embedded.vectors import Vectors
from core.clock import Clock
from core.errors import SourceTimeout
from core.evidence.claims import checked_units
from core.evidence.folding import folded_text
from core.evidence.listing import ceiling, cut, fitted, narrowing_note
from core.evidence.ranking import least_of_best
from core.evidence.results import ClaimRow, Degraded, PaperRow, SemanticPage
from core.evidence.rows import PaperHit, Rows
from core.evidence.service import SEMANTIC_LIMIT
from core.evidence.snippets import opening
from core.evidence.stored.evidence_set import IN_LIST, EvidenceSet
from core.evidence.vocabulary import SearchType

FLOOR: Final = 0.20
TIME_LIMIT_S: Final = 10.0
_BY_SIMILARITY = {"papers": "similarity desc, paper_id asc", "claims": "similarity desc, claim_id asc"}
_TIER = Tier("query_vectors", fresh_s=3600.0, max_entries=10_000, max_bytes=32 * 2**20)
_INSTEAD = {"papers": "search_papers", "claims": "search_claims"}

Vector = NDArray[np.float32]


class QueryEmbedder(Protocol):
    """Turns a query into a unit vector of the space `model`; gets the text and nothing about the caller."""

    @property
    def model(self) -> str:
        """Name of the vector space."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of every vector."""
        ...

    async def embed(self, text: str, reached: Callable[[], None]) -> Vector:
        """One vector; calls `reached` once the text goes out, or the local model runs. Raises `SourceError`."""
        ...


class LocalEmbedder:
    """The catalog's embedder as one that is asked a query at a time."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def model(self) -> str:
        """Name of the vector space."""
        return self._embedder.model

    @property
    def dimensions(self) -> int:
        """Length of every vector."""
        return self._embedder.dimensions

    async def embed(self, text: str, reached: Callable[[], None]) -> Vector:
        """One vector, computed in a worker thread."""
        reached()
        rows = await run_sync(self._embedder.embed, [text], abandon_on_cancel=True)
        return np.asarray(rows[0], dtype=np.float32)


class Semantic:
    """Searches the vectors of one evidence set."""

    def __init__(
        self,
        stored: EvidenceSet,
        rows: Rows,
        embedder: QueryEmbedder | None,
        *,
        clock: Clock,
        floor: float = FLOOR,
        time_limit_s: float = TIME_LIMIT_S,
    ) -> None:
        self._time_limit_s = time_limit_s
        self._stored = stored
        self._rows = rows
        self._embedder = embedder
        self._floor = floor
        self._vectors: TierCache[Vector] = TierCache(_TIER, clock, lambda vector: int(vector.nbytes))

    async def search(
        self, query: str, search_type: SearchType, limit: int, reached: Callable[[], None]
    ) -> SemanticPage:
        """One page; raises `InvalidInput` for a query without a token, and `SourceError` of the embedder."""
        checked_units(query)
        vectors = self._stored.vectors.get(search_type)
        embedder = self._embedder
        if vectors is None or not vectors.count:
            return self._degraded(search_type, limit, "no_vectors", "There are no vectors")
        if embedder is None:
            return self._degraded(search_type, limit, "no_embedder", "This deployment has no embedder")
        if (embedder.model, embedder.dimensions) != (vectors.model, vectors.dimensions):
            return self._degraded(search_type, limit, "no_vectors", "The vectors are of another model")
        vector = await self._vector(embedder, query, reached)
        work = self._papers if search_type == "papers" else self._claims
        return await self._stored.run(lambda connection: work(connection, vectors, vector, limit))

    async def _vector(self, embedder: QueryEmbedder, query: str, reached: Callable[[], None]) -> Vector:
        text = f"{embedder.model}\n{folded_text(query)}"
        key = hashlib.sha256(text.encode(errors="surrogatepass")).digest()

        async def load() -> Vector:
            try:
                with anyio.fail_after(self._time_limit_s):
                    return await embedder.embed(query, reached)
            except TimeoutError as error:
                raise SourceTimeout("The embedder took too long. Try again later.", source="embedder") from error

        return (await self._vectors.get(key, load)).value

    def _degraded(self, search_type: SearchType, limit: int, how: Degraded, why: str) -> SemanticPage:
        note = f"{why}, so nothing was searched by meaning. Use {_INSTEAD[search_type]}, which searches by words."
        return self._page(search_type, 0, limit, [note]).model_copy(update={"degraded": how})

    def _page(self, search_type: SearchType, total: int, limit: int, notes: list[str]) -> SemanticPage:
        return SemanticPage(
            results=(),
            total=total,
            returned=0,
            limit=limit,
            has_more=False,
            order=_BY_SIMILARITY[search_type],
            filters_applied={},
            notes=notes,
            corpus_version=self._stored.corpus_version,
        )

    def _claims(self, connection: Connection, vectors: Vectors, query: Vector, limit: int) -> SemanticPage:
        cosines = vectors.deciding_cosines(query, floor=self._floor, count=limit)
        total, places = self._nearest(cosines, self._stored.claims["claim_id"], vectors.pids, limit)
        numbers = vectors.pids[places].tolist()
        scores = [_shown(cosines[place]) for place in places]
        rows: list[ClaimRow] = self._rows.claims(connection, numbers, scores, "vector", vectors.model)
        return fitted(self._page("claims", total, limit, _notes(total, limit)), rows, ceiling(limit, SEMANTIC_LIMIT))

    def _papers(self, connection: Connection, vectors: Vectors, query: Vector, limit: int) -> SemanticPage:
        chunk_papers = self._stored.chunk_papers[vectors.pids]
        of_chunks = vectors.deciding_cosines(query, floor=self._floor, count=limit, owners=chunk_papers)
        cosines = np.full(len(self._stored.papers["id_rank"]), -np.inf)
        np.maximum.at(cosines, chunk_papers, of_chunks)
        total, numbers = self._nearest(cosines, self._stored.papers["id_rank"], np.arange(len(cosines)), limit)
        best: dict[int, int] = {}
        for no in numbers:
            own = np.flatnonzero(chunk_papers == no)
            best[no] = int(vectors.pids[own[np.argmax(of_chunks[own])]])
        chunks = _chunks(connection, list(best.values()))
        hits = {}
        for no in numbers:
            chunk_id, section, text = chunks[best[no]]
            snippets = ({"field": "chunk", "text": opening(text)},)
            chunk = {"chunk_id": chunk_id, "section": None if section is None else cut(section, 200)}
            hits[no] = PaperHit(_shown(cosines[no]), "vector", ("chunk",), snippets, chunk)
        rows: list[PaperRow] = self._rows.papers(connection, hits, vectors.model)
        return fitted(self._page("papers", total, limit, _notes(total, limit)), rows, ceiling(limit, SEMANTIC_LIMIT))

    def _nearest(
        self, cosines: NDArray[np.float64], ids: NDArray[Any], numbers: NDArray[Any], limit: int
    ) -> tuple[int, list[int]]:
        """How many are at or above the floor, and the places of the first by cosine desc, id asc.

        `numbers` say of each place which of the ids is its own.
        """
        is_near = cosines >= self._floor
        total = int(np.count_nonzero(is_near))
        if total > limit:
            is_near = cosines >= least_of_best(cosines, limit)
        places = np.flatnonzero(is_near)
        order = np.lexsort((ids[numbers[places]], -cosines[places]))
        return total, places[order[:limit]].tolist()


def _shown(cosine: float) -> float:
    return round(min(1.0, max(0.0, float(cosine))), 4)


def _notes(total: int, limit: int) -> list[str]:
    return [narrowing_note(total, limit, (), {}) + " Say more in query to narrow."] if total > limit else []


def _chunks(connection: Connection, numbers: list[int]) -> dict[int, tuple[str, str | None, str]]:
    statement = f"SELECT no, chunk_id, section, text FROM chunk WHERE no {IN_LIST}"  # noqa: S608
    wanted = "[" + ",".join(map(str, numbers)) + "]"
    return {no: (chunk_id, section, text) for no, chunk_id, section, text in connection.execute(statement, (wanted,))}
