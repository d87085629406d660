"""Finding people and their papers."""

from pathlib import Path

import pytest

from core.errors import InvalidInput, NotFound
from core.evidence.names import Named, name_tokens
from tests.evidence_room import Folder, Room, run


@pytest.mark.parametrize(
    ("query", "name", "kind"),
    [  # evidence A43
        ("Jose Garcia", "José García", "exact"),
        ("Garcia, José", "José García", "exact"),
        ("Sean O'Brien", "Sean O’Brien", "exact"),
        ("sean o’brien", "Sean O'Brien", "exact"),
        ("Hans Mueller", "Hans Müller", "exact"),
        ("Hans Muller", "Hans Müller", "exact"),
        ("Hans Müller", "Hans Mueller", "exact"),
        ("Garcia Jose", "José García", "variant"),
        ("J. Garcia", "José García", "initials"),
        ("José García", "J. Garcia", "initials"),
        ("J. Garc", "José García", None),
        ("Garc", "José García", "partial"),
        ("Ga", "José García", None),
        ("Mei Ling Wu", "Mei-Ling Wu", "exact"),
        ("Lukasz Straße", "Łukasz Strasse", "exact"),
        ("K. Garcia", "José García", None),
    ],
)
def test_names_match_in_their_class(query: str, name: str, kind: str | None) -> None:
    assert Named.of(name).match(name_tokens(query)) == kind


def test_recorded_variants_are_variants() -> None:
    assert Named.of("José García", ["Pepe García"]).match(name_tokens("Pepe Garcia")) == "variant"


def test_entities_come_before_fallbacks_and_exact_before_initials(room: Room) -> None:
    # evidence A43 A44
    page = run(room.desk.find_authors(query="Jose Garcia"))
    assert [(row.author_id, row.match) for row in page.results] == [
        ("entity:1", "exact"),
        ("entity:2", "exact"),
        ("name:j-garcia", "initials"),
    ]
    assert page.results[0].orcid == "0000-0002-1825-0097"
    for query in ("Mueller", "Muller", "müll"):
        assert [row.author_id for row in run(room.desk.find_authors(query=query)).results] == ["name:hans-muller"]


def test_every_listed_author_is_accepted_with_as_many_papers(room: Room) -> None:
    # evidence A45
    rows = run(room.desk.find_authors(limit=50)).results
    assert {row.is_entity for row in rows} == {True, False}
    for row in rows:
        page = run(room.desk.get_author_papers(author_id=row.author_id))
        assert page.total == row.paper_count == len(page.results)
        assert {paper.score for paper in page.results} == {1.0}


def test_one_of_the_two_arguments_is_needed_and_the_id_wins(room: Room) -> None:
    # evidence A46
    with pytest.raises(InvalidInput, match="author_id"):
        run(room.desk.get_author_papers())
    page = run(room.desk.get_author_papers(author_id="entity:1", author_name="Hans Müller"))
    assert [row.paper_id for row in page.results] == ["arxiv:2603.14558"]
    assert page.notes == ["author_name was ignored, since author_id names the person."]


def test_a_shared_name_gives_the_union(room: Room) -> None:
    # evidence A46
    page = run(room.desk.get_author_papers(author_name="Garcia, José"))
    assert [row.paper_id for row in page.results] == ["arxiv:2603.14558", "openalex:W2741809807"]
    assert [each.author_id for each in page.authors_matched] == ["entity:1", "entity:2"]
    assert "ambiguous" in page.notes[0]


def test_an_unknown_name_is_not_found_with_near_ones(room: Room) -> None:
    with pytest.raises(NotFound) as raised:
        run(room.desk.get_author_papers(author_name="Jose Garcias"))
    assert "entity:1" in [entry.id for entry in raised.value.suggestions]
    with pytest.raises(NotFound):
        run(room.desk.get_author_papers(author_id="entity:99"))


def test_the_author_filter_takes_every_class(room: Room) -> None:
    found = {row.paper_id for row in run(room.desk.search_papers(author="J. Garcia")).results}
    assert found == {"arxiv:2603.14558", "doi:10.1234/abc", "openalex:W2741809807"}


@pytest.mark.parametrize("letters", [10, 97, 98, 300])
def test_the_id_of_a_very_long_name_can_be_sent(tmp_path: Path, letters: int) -> None:
    # evidence A45
    folder = Folder(tmp_path / "sources")
    names = [f"{'A' * letters} {'B' * letters}{end}" for end in ("x", "y")]
    folder.paper("p", "Paper", doi="10.5555/p", authors=names)
    folder.assess("10.5555/p")
    room = folder.opened(tmp_path / "built")
    found = run(room.desk.find_authors(query="A" * letters)).results
    shown = [each.author_id for each in run(room.desk.get_paper(paper_id="10.5555/p")).paper.authors]
    assert len({each.author_id for each in found}) == 2
    assert sorted(each.author_id for each in found) == sorted(filter(None, shown))
    for each in found:
        assert len(each.author_id) <= 200
        page = run(room.desk.get_author_papers(author_id=each.author_id))
        assert (page.total, [person.author_id for person in page.authors_matched]) == (1, [each.author_id])
    room.close()
