"""One paper with all that bears on it."""

from pathlib import Path

import orjson
import pytest

from core.errors import Ambiguous, NotFound
from tests.evidence_room import Folder, Room, run


@pytest.mark.parametrize(
    ("reference", "paper_id", "version"),
    [  # evidence A38
        ("arxiv%3A2603.14558", "arxiv:2603.14558", None),
        ("arXiv:2603.14558v2", "arxiv:2603.14558", "v2"),
        ("https://arxiv.org/abs/2603.14558", "arxiv:2603.14558", None),
        ("openalex:w2741809807", "openalex:W2741809807", None),
        ("wages after robots", "doi:10.1234/abc", None),
    ],
)
def test_every_form_of_reference_is_taken(room: Room, reference: str, paper_id: str, version: str | None) -> None:
    answer = run(room.desk.get_paper(paper_id=reference))
    assert (answer.paper.paper_id, answer.requested_version) == (paper_id, version)
    assert any("version v2" in note for note in answer.notes) is (version is not None)


def test_two_papers_of_one_title_are_ambiguous(room: Room) -> None:
    # evidence A38
    with pytest.raises(Ambiguous) as raised:
        run(room.desk.get_paper(paper_id="Twin Title"))
    assert len(raised.value.candidates) == 2
    for candidate in raised.value.candidates:
        assert run(room.desk.get_paper(paper_id=candidate.id)).paper.title == "Twin Title"


def test_an_unknown_id_is_not_found(room: Room) -> None:
    # evidence A39
    with pytest.raises(NotFound):
        run(room.desk.get_paper(paper_id="arxiv:9999.99999"))


def test_a_catalog_paper_without_evidence_is_a_success(room: Room) -> None:
    # evidence A39
    answer = run(room.desk.get_paper(paper_id="10.1234/none"))
    assert (answer.claims_total, answer.claims, len(answer.notes)) == (0, [], 1)
    assert (answer.paper.paper_id, answer.paper.assessment) == ("doi:10.1234/none", None)


def test_claims_come_with_relations_roles_and_balance(room: Room) -> None:
    answer = run(room.desk.get_paper(paper_id="2603.14558"))
    strong, weak = answer.claims
    assert (strong.claim_id, weak.claim_id, answer.claims_total) == (123, 7, 2)
    roles = [(each.type, each.role, each.claim_id) for each in strong.relationships]
    assert roles == [("supports", "incoming", 12), ("contradicts", "mutual", 8), ("extends", "outgoing", 13)]
    # 12 weighs 0.6475, 8 is low, missing, missing, commentary: 0.3775
    assert strong.balance == 0.1333
    assert (weak.balance, weak.relationships) == (None, [])
    assert "1 relations from retracted papers are neither counted nor listed." in answer.notes


def test_resources_that_nobody_collected_have_no_key(room: Room) -> None:
    # evidence A42
    collected = run(room.desk.get_paper(paper_id="openalex:W2741809807")).paper.model_dump(exclude_none=True)
    assert collected["hf_resources"] == {"models": [], "datasets": [], "spaces": []}
    assert "hf_resources" not in run(room.desk.get_paper(paper_id="2603.14558")).paper.model_dump(exclude_none=True)


def test_two_hundred_claims_and_two_thousand_relations_stay_within_the_size(folder: Folder, tmp_path: Path) -> None:
    # evidence A40
    folder.paper("big", "Big", doi="10.5555/big", abstract="字" * 9_000)
    for number in range(20):
        folder.paper(f"o{number}", f"Other {number}", doi=f"10.5555/o{number}")
    for number in range(200):
        folder.claim(1 + number, "10.5555/big", f"Claim {number}")
        folder.claim(1001 + number, f"10.5555/o{number % 20}", f"Other claim {number}")
    for number in range(2000):
        own, turn = divmod(number, 10)
        folder.relate(number + 1, "supports", 1001 + (own + turn) % 200, 1 + own)
    room = folder.opened(tmp_path / "built")
    answer = run(room.desk.get_paper(paper_id="10.5555/big"))
    size = len(orjson.dumps(answer.model_dump(exclude_none=True)))
    assert size <= 32_000
    shown = sum(len(claim.relationships) for claim in answer.claims)
    assert (answer.claims_total, len(answer.claims) + answer.omitted.claims) == (200, 200)
    assert shown + answer.omitted.relationships == 2000
    assert answer.omitted.relationships > 0
    assert all(claim.relationship_counts.supports == 10 for claim in answer.claims)
    document = run(room.connector.fetch(id="paper:doi:10.5555/big"))
    assert len(orjson.dumps(document.text)) <= 24_002
    room.close()
