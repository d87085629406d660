"""Digests as they were written."""

import hashlib
from pathlib import Path

import pytest

from core.errors import InvalidInput, NotFound
from core.evidence.listing import DEFAULT_BYTES, bytes_of
from tests.evidence_room import Folder, Room, run


def test_every_listed_day_is_accepted_newest_first(room: Room) -> None:
    # evidence A47
    page = run(room.desk.list_digests(limit=50))
    assert page.dates == ["2026-04-17", "2026-04-10", "2026-04-03"]
    assert [row.date for row in page.results] == page.dates
    for date in page.dates:
        digest = run(room.desk.get_digest(date=date))
        assert digest.sha256 == hashlib.sha256(digest.markdown.encode()).hexdigest()
        assert digest.bytes == len(digest.markdown.encode())
    assert run(room.desk.get_digest(date="2026-04-10")).title == "Digest 2026-04-10"
    first = run(room.desk.get_digest(date="2026-04-03"))
    assert first.markdown == "# Home again\n\nSee https://arxiv.org/abs/2603.14558 and doi:10.1234/abc.\n"
    assert (first.title, first.paper_ids) == ("Home again", ["arxiv:2603.14558", "doi:10.1234/abc"])


@pytest.mark.parametrize("date", ["2026-13-40", "2026-04-04-before", "20260404", "2026-02-30", "２０２６-04-03"])
def test_what_is_no_day_is_refused(room: Room, date: str) -> None:
    # evidence A48
    with pytest.raises(InvalidInput, match="YYYY-MM-DD"):
        run(room.desk.get_digest(date=date))


def test_a_day_without_digest_names_its_neighbours(room: Room) -> None:
    # evidence A48
    with pytest.raises(NotFound, match="2026-04-03 and 2026-04-10") as raised:
        run(room.desk.get_digest(date="2026-04-05"))
    assert [entry.id for entry in raised.value.suggestions] == ["2026-04-03", "2026-04-10"]


@pytest.mark.parametrize("count", [100, 1500])
def test_a_digest_of_very_many_papers_keeps_its_text_and_its_size(tmp_path: Path, count: int) -> None:
    # evidence A41, A47
    folder = Folder(tmp_path)
    for number in range(count):
        folder.paper(f"p{number}", f"Paper {number}", arxiv_id=f"2401.{number:05}")
    folder.assess("arxiv:2401.00000")
    ids = [f"arxiv:2401.{number:05}" for number in range(count)]
    folder.digests["2026-04-03"] = "\n".join(ids)
    room = folder.opened(tmp_path / "catalog")
    digest, listed = run(room.desk.get_digest(date="2026-04-03")), run(room.desk.list_digests())
    room.close()
    assert (digest.markdown, listed.results[0].paper_count) == ("\n".join(ids), count)
    assert bytes_of(digest) <= DEFAULT_BYTES
    shown = len(digest.paper_ids)
    assert digest.paper_ids == ids[:shown]
    if count == 100:
        assert (shown, digest.notes) == (100, None)
    else:
        assert digest.notes == [f"The text links to 1500 papers; paper_ids names the first {shown}."]
        assert bytes_of(digest) > DEFAULT_BYTES - 250
