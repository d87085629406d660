"""The size estimate against what Python really allocates."""

import tracemalloc
from dataclasses import dataclass

import pytest

from core.catalog.cached.sizes import size_of
from core.catalog.models import EntityKind, EvaluationRow, EvaluationRows, Link, PaperRow, PaperRows


def papers() -> PaperRows:
    return PaperRows(
        tuple(
            PaperRow(
                id=str(1000 + number),
                title=f"Lanterns, tides and the {number}th otter — naïvely",
                arxiv_id=f"1706.{number:05}",
                authors=tuple(f"Ada Quill {number} {place}" for place in range(10)),
                author_count=1300 + number,
                methods=tuple(Link(f"{number}{place}", f"Method {number}{place}") for place in range(3)),
            )
            for number in range(100)
        ),
        100,
    )


def evaluations() -> EvaluationRows:
    return EvaluationRows(
        tuple(
            EvaluationRow(
                id=str(1000 + number),
                benchmark=Link(str(number), f"Board {number}"),
                task=None,
                model_name=f"Lantern-{number}",
                metrics={f"M{number}{place}": number + place / 7 for place in range(6)},
            )
            for number in range(100)
        ),
        100,
    )


@pytest.mark.parametrize("make", [papers, evaluations])
def test_a_size_is_what_is_allocated_within_a_fifth(make: object) -> None:
    assert callable(make)
    make()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        value = make()
        allocated = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert size_of(value) == pytest.approx(allocated, rel=0.2)


@dataclass(frozen=True, slots=True)
class One:
    part: object


def test_what_a_program_holds_once_counts_nothing() -> None:
    assert [size_of(value) for value in (None, True, EntityKind.TASK)] == [0, 0, 0]
    assert size_of(One(None)) == size_of(One(EntityKind.TASK)) > 0


def test_every_part_counts() -> None:
    assert size_of(One("x" * 1000)) - size_of(One("")) == 1000
    assert size_of((b"x" * 1000, ["y" * 500])) - size_of((b"", [""])) == 1500
    assert size_of({"a": "x" * 1000}) - size_of({"a": ""}) == 1000


def test_a_value_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="no size is known for object"):
        size_of(object())
