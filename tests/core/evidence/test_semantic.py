"""Searching by meaning."""

from collections.abc import Callable
from pathlib import Path

import anyio
import numpy as np
import pytest
from numpy.typing import NDArray

from core.clock import ManualClock
from core.errors import SourceTimeout, SourceUnreachable
from core.evidence.desk import EvidenceDesk
from core.evidence.rows import Rows
from core.evidence.semantic import LocalEmbedder, Semantic
from tests.core.evidence.conftest import filled
from tests.evidence_room import NOW_S, Folder, Room, run
from tests.hashing_embedder import BrokenEmbedder, HashingEmbedder


class OtherEmbedder(HashingEmbedder):
    model = "another@1"


class Counted:
    """Counts how often the embedder was reached."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> None:
        self.count += 1


def desk(room: Room, embedder: HashingEmbedder | None, *, floor: float = 0.2) -> EvidenceDesk:
    asked = None if embedder is None else LocalEmbedder(embedder)
    return EvidenceDesk(room.stored, room.backend, clock=ManualClock(NOW_S), embedder=asked, floor=floor)


def test_papers_and_claims_come_once_each_by_falling_score(room: Room) -> None:
    # evidence A50
    for search_type in ("papers", "claims"):
        page = run(
            desk(room, HashingEmbedder(), floor=0.0).semantic_search(
                query="home staff calls", search_type=search_type, limit=20
            )
        )  # type: ignore[arg-type]
        scores = [row.score for row in page.results]
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)
        keys = [getattr(row, "claim_id", row.paper_id) for row in page.results]
        assert len(set(keys)) == len(keys) == page.total
        assert page.results[0].provenance.model == "hashed-words@1"
    claims = run(room.desk.semantic_search(query="more calls the home staff answers", search_type="claims"))
    assert claims.results[0].claim_id == 123  # type: ignore[union-attr]


def test_the_best_chunk_of_a_paper_counts(room: Room) -> None:
    page = run(room.desk.semantic_search(query="Staff at home finish more calls"))
    row = page.results[0]
    assert row.paper_id == "arxiv:2603.14558"
    assert (row.matched_fields, row.chunk.section) == (["chunk"], "Abstract")  # type: ignore[union-attr]
    assert row.snippets[0].text == "Staff at home finish more calls."  # type: ignore[union-attr]


@pytest.mark.parametrize(("embedder", "degraded"), [(OtherEmbedder(), "no_vectors"), (None, "no_embedder")])
def test_without_a_fitting_embedder_the_answer_is_degraded(
    room: Room, embedder: HashingEmbedder | None, degraded: str
) -> None:
    # evidence A51
    reached = Counted()
    page = run(desk(room, embedder).semantic_search(query="home", reached=reached))
    assert (page.results, page.total, page.degraded, reached.count) == ((), 0, degraded, 0)
    assert "search_papers" in page.notes[0]


def test_a_set_without_vectors_is_degraded(tmp_path: Path) -> None:
    # evidence A51
    room = filled(Folder(tmp_path / "sources")).opened(tmp_path / "built")
    reached = Counted()
    page = run(desk(room, HashingEmbedder()).semantic_search(query="home", search_type="claims", reached=reached))
    assert (page.degraded, page.total, reached.count) == ("no_vectors", 0, 0)
    room.close()


def test_a_remembered_query_does_not_reach_the_embedder(room: Room) -> None:
    reached, asked = Counted(), desk(room, HashingEmbedder())

    async def twice() -> None:
        await asked.semantic_search(query="Home Staff", reached=reached)
        await asked.semantic_search(query="home, staff!", reached=reached)

    run(twice())
    assert reached.count == 1


def test_a_failing_embedder_was_reached_and_is_an_error(room: Room) -> None:
    reached = Counted()
    with pytest.raises(SourceUnreachable):
        run(desk(room, BrokenEmbedder()).semantic_search(query="home", reached=reached))
    assert reached.count == 1


def test_an_embedder_that_cannot_connect_was_not_reached(room: Room) -> None:
    class Unconnected:
        model, dimensions = HashingEmbedder.model, HashingEmbedder.dimensions

        async def embed(self, text: str, reached: Callable[[], None]) -> NDArray[np.float32]:
            raise SourceUnreachable("The embedder cannot be reached. Try again later.", source="embedder")

    reached = Counted()
    asked = EvidenceDesk(room.stored, room.backend, clock=ManualClock(NOW_S), embedder=Unconnected())
    with pytest.raises(SourceUnreachable):
        run(asked.semantic_search(query="home", reached=reached))
    assert reached.count == 0


def test_an_embedder_that_does_not_answer_in_time_is_a_timeout(room: Room) -> None:
    # evidence A52
    class Silent:
        model, dimensions = HashingEmbedder.model, HashingEmbedder.dimensions

        async def embed(self, text: str, reached: Callable[[], None]) -> NDArray[np.float32]:
            reached()
            await anyio.sleep_forever()
            raise AssertionError

    reached = Counted()
    semantic = Semantic(room.stored, Rows(room.stored), Silent(), clock=ManualClock(NOW_S), time_limit_s=0.0)
    with pytest.raises(SourceTimeout, match="The embedder took too long"):
        run(semantic.search("home", "papers", 10, reached))
    assert reached.count == 1
