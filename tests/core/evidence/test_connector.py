"""The pair `search` and `fetch` over papers, claims and benchmarks."""

import random
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from core.clock import ManualClock
from core.errors import InvalidInput, NotFound
from core.evidence.connector.desk import ConnectorDesk
from core.evidence.desk import EvidenceDesk
from tests.core.evidence.conftest import filled
from tests.evidence_room import Folder, Room, run

WORDS = """
home staff robots wages twin title skills calls imagenet words garcia evidence study output long
""".split()  # noqa: SIM905
LONG_ID = "2401.00001"


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    """The small corpus with a benchmark and a long text."""
    root = tmp_path_factory.mktemp("wide")
    folder = filled(Folder(root))
    folder.paper("long", "A Long Text", arxiv_id=LONG_ID)
    folder.assess(LONG_ID)
    folder.texts[LONG_ID] = "\n\n".join(f"Paragraph {number} “goes” on and on." for number in range(3_000))
    folder.others["tasks"] = [{"key": "seeing", "name": "Seeing"}]
    folder.others["benchmarks"] = [
        {
            "key": "imagenet",
            "name": "ImageNet 1k",
            "slug": "imagenet-1k",
            "tasks": ["seeing"],
            "metrics": [{"name": "Top 1 Accuracy"}],
        }
    ]
    folder.others["evaluations"] = [
        {
            "benchmark": "imagenet",
            "task": "seeing",
            "model_name": "Net | A",
            "metrics": {"Top 1 Accuracy": 88.1},
            "rank": 1,
        }
    ]
    room = folder.opened(root / "built")
    yield room
    room.close()


def test_every_hit_of_two_hundred_queries_can_be_fetched_at_its_url(wide: Room) -> None:
    # evidence A54
    chance = random.Random(3)
    fetched = 0
    for _ in range(200):
        query = " ".join(chance.sample(WORDS, chance.randint(1, 2)))
        hits = run(wide.connector.search(query=query)).results
        assert len(hits) <= 20
        assert sum(hit.id.startswith("claim:") for hit in hits) <= 6
        for hit in hits:
            document = run(wide.connector.fetch(id=hit.id))
            assert (document.id, document.url, document.title) == (hit.id, hit.url, hit.title)
            assert hit.url.startswith("https://")
            assert all(isinstance(value, str) for value in document.metadata.values())
            fetched += 1
    assert fetched > 200


@pytest.mark.parametrize("query", ["10.1234/ABC", "claim:8", "paper:doi:10.1234/abc", "https://doi.org/10.1234/abc"])
def test_an_identifier_returns_its_one_document(wide: Room, query: str) -> None:
    (hit,) = run(wide.connector.search(query=query)).results
    assert hit.id == ("claim:8" if query.startswith("claim") else "paper:doi:10.1234/abc")


def test_documents_are_fetched_by_id_and_by_any_reference(wide: Room) -> None:
    # evidence A55
    fetch = wide.connector.fetch
    for reference in ("paper:arxiv:2603.14558", "2603.14558", "https://arxiv.org/abs/2603.14558v2"):
        assert run(fetch(id=reference)).id == "paper:arxiv:2603.14558"
    claim = run(fetch(id="claim:123"))
    assert claim.metadata == {
        "kind": "claim",
        "paper_id": "arxiv:2603.14558",
        "grade": "high",
        "weight": "1.0000",
        "direction": "positive",
        "outcome_category": "developer_productivity",
    }
    benchmark = run(fetch(id="benchmark:imagenet-1k"))
    assert (benchmark.title, benchmark.url) == ("ImageNet 1k", "https://paperswithcode.co/benchmark/imagenet-1k")
    assert "| 1 | Net \\| A | Top 1 Accuracy 88.1 |" in benchmark.text
    assert "Top 1 Accuracy (higher is better)" in benchmark.text
    for unknown in ("claim:999999", "claim:x", "foo:1", "benchmark:none", "10.9999/none"):
        with pytest.raises(NotFound):
            run(fetch(id=unknown))


def test_a_paper_without_any_address_has_one_from_the_ladder(wide: Room) -> None:
    # evidence A56
    document = run(wide.connector.fetch(id="Nothing but a Title"))
    number = document.id.removeprefix("paper:catalog:")
    assert document.url == f"https://paperswithcode.co/paper/catalog:{number}"
    assert run(wide.connector.fetch(id="openalex:W2741809807")).url == "https://openalex.org/W2741809807"
    assert run(wide.connector.fetch(id="10.1234/ABC")).url == "https://doi.org/10.1234/ABC"


def test_a_long_text_ends_at_a_paragraph_and_says_so(wide: Room) -> None:
    # evidence A57
    document = run(wide.connector.fetch(id=LONG_ID))
    size = len(orjson.dumps(document.text)) - 2
    assert 23_000 < size <= 24_000
    *_, paragraph, last = document.text.split("\n\n")
    assert paragraph.startswith("Paragraph ")
    assert paragraph.endswith("on and on.")
    assert "read_paper" in last
    assert document.metadata["truncated"] == "true"


def test_a_retracted_paper_says_so_first(wide: Room) -> None:
    text = run(wide.connector.fetch(id="10.1234/gone")).text
    assert text.splitlines()[0] == "**This paper was retracted.**"
    assert "retracted" in run(wide.connector.fetch(id="claim:11")).text.splitlines()[0]


def test_without_an_evidence_set_papers_and_benchmarks_still_work(wide: Room) -> None:
    alone = ConnectorDesk(wide.backend, None)
    hits = run(alone.search(query="robots")).results
    assert [hit.id for hit in hits] == ["paper:doi:10.1234/abc"]
    assert run(alone.fetch(id=hits[0].id)).url == hits[0].url
    assert [hit.id for hit in run(alone.search(query="imagenet")).results] == ["benchmark:imagenet-1k"]
    with pytest.raises(NotFound):
        run(alone.fetch(id="claim:123"))


def test_a_query_without_a_word_is_refused(wide: Room) -> None:
    with pytest.raises(InvalidInput):
        run(wide.connector.search(query="*"))


def test_a_set_beside_another_catalog_still_serves(wide: Room, tmp_path: Path) -> None:
    folder = Folder(tmp_path / "other")
    folder.paper("x", "Elsewhere", doi="10.5555/else")
    folder.assess("10.5555/else")
    other = folder.opened(tmp_path / "built")

    desk = EvidenceDesk(wide.stored, other.backend, clock=ManualClock())
    connector = ConnectorDesk(other.backend, desk)
    hits = run(connector.search(query="robots")).results
    assert "paper:doi:10.1234/abc" in [hit.id for hit in hits]
    for hit in hits:
        assert run(connector.fetch(id=hit.id)).url == hit.url
    other.close()
