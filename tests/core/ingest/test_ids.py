from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from core.ingest.export import export_catalog
from core.ingest.ids import MAX_ID, assign_ids, assign_slugs, derived_id, free_id

Build = Callable[..., Any]
Write = Callable[..., Path]


def test_an_id_is_the_first_52_bits_of_the_hash() -> None:
    # sha256("paper:arxiv:1706.03762") begins with these 13 hexadecimal digits.
    assert f"{derived_id('paper', 'arxiv:1706.03762'):013x}" == "9113ba53d780e"


@given(st.text(), st.integers(0, 12))
def test_ids_fit_in_52_bits_and_differ_by_attempt(natural: str, attempt: int) -> None:
    assert 0 <= derived_id("task", natural, attempt) <= MAX_ID
    assert derived_id("task", natural, attempt) != derived_id("task", natural, attempt + 1)


def test_a_taken_id_gives_way_to_the_next_bits() -> None:
    first, second = (derived_id("task", "x", attempt) for attempt in range(2))
    assert free_id("task", "x", {first}) == second
    assert assign_ids("task", [("x", None), ("a", first), ("b", first)]) == {
        "a": first,
        "b": derived_id("task", "b"),
        "x": second,
    }


@given(st.permutations([("a", "s", False), ("b", "s", False), ("c", "s", True), ("d", "s-1", True)]))
def test_slugs_do_not_depend_on_order(wanted: list[tuple[str, str, bool]]) -> None:
    assert assign_slugs(wanted) == {"c": "s", "d": "s-1", "a": "s-2", "b": "s-3"}


def test_a_derived_paper_id_gives_way_to_a_given_one(build: Build, write: Write) -> None:
    taken = derived_id("paper", "arxiv:1706.03762")
    own = write("own/papers.jsonl", [{"key": "k", "title": "Own", "id": taken}]).parent
    arxiv = write("arxiv.jsonl", [{"id": "1706.03762", "title": "arXiv"}])
    assert build(f"arxiv:{arxiv}", f"paperdesk:{own}").rows("SELECT title, id FROM paper ORDER BY title") == [
        ("Own", taken),
        ("arXiv", derived_id("paper", "arxiv:1706.03762", 1)),
    ]


def test_a_derived_author_id_gives_way_to_a_given_one(build: Build, write: Write, tmp_path: Path) -> None:
    taken = derived_id("author", "bo ek")
    write("own/authors.jsonl", [{"key": "ann", "name": "Ann Lee", "id": taken}])
    papers = [{"key": "k", "title": "T", "authors": ["ann", {"name": "Bo Ek"}]}]
    built = build(f"paperdesk:{write('own/papers.jsonl', papers).parent}")
    assert built.rows("SELECT id, name, paper_count FROM author ORDER BY name") == [
        (taken, "Ann Lee", 1),
        (derived_id("author", "bo ek", 1), "Bo Ek", 1),
    ]
    assert built.rows("SELECT author_id FROM paper_author ORDER BY position") == [
        (taken,),
        (derived_id("author", "bo ek", 1),),
    ]
    export_catalog(built.path, tmp_path / "export")
    assert build(f"paperdesk:{tmp_path / 'export'}").report.content_id == built.report.content_id
