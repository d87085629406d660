"""Rows in eight bits decide a search exactly as the true cosines do."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from core.catalog.embedded import coarse, vectors
from core.catalog.embedded.coarse import CoarseBuilder, CoarseRows
from core.catalog.embedded.vectors import Vectors, VectorsBuilder

Rows = NDArray[np.float32]


@pytest.fixture(params=[True, False], ids=["numkong", "numpy"])
def either_library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param and not coarse.HAS_NUMKONG:
        pytest.skip("needs the extra `semantic`")
    for module in (coarse, vectors):
        monkeypatch.setattr(module, "HAS_NUMKONG", request.param)


def unit(rows: Rows) -> Rows:
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def written(folder: Path, rows: Rows, *, has_coarse: bool = True) -> Vectors:
    builder = VectorsBuilder(folder, model="m@1", dimensions=rows.shape[1], has_coarse=has_coarse)
    builder.add(range(len(rows)), rows)
    builder.finish()
    return Vectors(folder)


def spread(seed: int, count: int, dimensions: int) -> Rows:
    """Rows of many shapes: even ones, spiky ones, copies, near copies, opposites, tiny numbers and nothing."""
    chance = np.random.default_rng(seed)
    rows = chance.standard_normal((count, dimensions)).astype(np.float32)
    kinds = chance.integers(0, 8, count)
    rows[kinds == 1] = rows[0]
    rows[kinds == 2] = rows[0] + 1e-3 * rows[kinds == 2]
    rows[kinds == 3] = -rows[0]
    rows[kinds == 4] = np.sign(rows[kinds == 4])
    rows[kinds == 5, 0] = 40.0
    rows[kinds == 6] = 0.0
    rows[kinds == 7] = rows[kinds == 7] ** 9
    return rows


def best(cosines: NDArray[np.float64], count: int) -> list[tuple[int, float]]:
    order = np.lexsort((np.arange(len(cosines)), -cosines))[:count]
    return [(int(place), float(cosines[place])) for place in order]


@pytest.mark.usefixtures("either_library")
@pytest.mark.parametrize("dimensions", [1, 2, 7, 64, 384, 1100])
def test_no_estimate_is_off_by_more_than_it_says(tmp_path: Path, dimensions: int) -> None:
    rows = unit(spread(dimensions, 600, dimensions)).astype(np.float16)
    builder = CoarseBuilder(tmp_path)
    builder.add(rows[:100])
    builder.add(rows[100:])
    builder.finish()
    kept = CoarseRows(tmp_path, len(rows), dimensions)
    for query in (rows[1], rows[7], -rows[3], unit(spread(99, 1, dimensions))[0].astype(np.float16)):
        estimates = kept.estimates(query)
        true = rows.astype(np.float64) @ query.astype(np.float64)
        assert (np.abs(estimates.cosines - true) <= estimates.errors).all()
        assert float(estimates.errors.max()) <= 0.01 * dimensions**0.5


@pytest.mark.usefixtures("either_library")
def test_the_largest_whole_numbers_add_up_without_overflow(tmp_path: Path) -> None:
    rows = unit(np.array([[1.0] * 1024, [-1.0] * 1024], dtype=np.float32)).astype(np.float16)
    builder = CoarseBuilder(tmp_path)
    builder.add(rows)
    builder.finish()
    estimates = CoarseRows(tmp_path, 2, 1024).estimates(rows[0])
    assert estimates.cosines.tolist() == pytest.approx([1.0, -1.0], abs=1e-3)


@pytest.mark.usefixtures("either_library")
@pytest.mark.parametrize("floor", [0.0, 0.05, 0.2, 0.999, 1.0])
@pytest.mark.parametrize("count", [1, 10, 20])
def test_a_search_is_decided_as_by_the_true_cosines(tmp_path: Path, floor: float, count: int) -> None:
    rows = spread(5, 4000, 48)
    kept = written(tmp_path, rows)
    for query in (*unit(rows[:2]), unit(spread(6, 1, 48))[0]):
        true, decided = kept.cosines(query), kept.deciding_cosines(query, floor=floor, count=count)
        assert ((decided >= floor) == (true >= floor)).all()
        assert best(decided, count) == best(true, count)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    size=st.integers(1, 700),
    dimensions=st.integers(1, 40),
    floor=st.floats(0.0, 1.0),
    count=st.integers(1, 6),
    owner_count=st.integers(1, 60),
)
def test_the_best_rows_of_the_best_owners_are_true(
    seed: int, size: int, dimensions: int, floor: float, count: int, owner_count: int
) -> None:
    rows = spread(seed, size, dimensions)
    owners = np.random.default_rng(seed).integers(0, owner_count, size)
    with TemporaryDirectory() as folder:
        kept = written(Path(folder), rows)
        query = unit(rows[size // 2])
        # A floor that is the very cosine of a row is the hardest.
        for least in (floor, float(kept.cosines(query)[0])):
            true = kept.cosines(query)
            decided = kept.deciding_cosines(query, floor=least, count=count, owners=owners)
            assert ((decided >= least) == (true >= least)).all()
            per_owner = [np.full(owner_count, -np.inf) for _ in range(2)]
            for found, values in zip(per_owner, (true, decided), strict=True):
                np.maximum.at(found, owners, values)
            assert best(per_owner[0], count) == best(per_owner[1], count)
            alone = kept.deciding_cosines(query, floor=least, count=count)
            assert best(alone, count) == best(true, count)


def test_most_rows_are_only_estimated(tmp_path: Path) -> None:
    rows = np.random.default_rng(3).standard_normal((6000, 384)).astype(np.float32)
    kept = written(tmp_path, rows)
    query = unit(rows[0])
    true, decided = kept.cosines(query), kept.deciding_cosines(query, floor=0.2, count=10)
    assert 10 <= np.count_nonzero(decided == true) < 600


def test_vectors_without_the_eight_bit_form_are_searched_all_the_same(tmp_path: Path) -> None:
    rows = spread(8, 300, 16)
    kept = written(tmp_path, rows, has_coarse=False)
    about = json.loads((tmp_path / "vectors.json").read_text())
    del about["coarse"]  # as written before there was such a form
    (tmp_path / "vectors.json").write_text(json.dumps(about))
    query = unit(rows[0])
    decided = Vectors(tmp_path).deciding_cosines(query, floor=0.2, count=5)
    assert decided.tolist() == kept.cosines(query).tolist()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pids.u32", "rows.f16", "vectors.json"]


def test_no_vectors_at_all_are_searched_without_a_fault(tmp_path: Path) -> None:
    kept = written(tmp_path, np.empty((0, 16), dtype=np.float32))
    assert kept.deciding_cosines(np.zeros(16, dtype=np.float32), floor=0.2, count=5).tolist() == []


@pytest.mark.usefixtures("either_library")
def test_equal_rows_have_equal_cosines_wherever_they_stand(tmp_path: Path) -> None:
    rows = np.random.default_rng(1).standard_normal((1000, 37)).astype(np.float32)
    rows[::9] = rows[4]
    kept = written(tmp_path, rows)
    assert len(set(kept.cosines(unit(rows[1]))[::9].tolist())) == 1


def test_a_file_of_another_length_is_refused(tmp_path: Path) -> None:
    written(tmp_path, spread(1, 10, 8))
    (tmp_path / "lost.f32").write_bytes(b"\0" * 36)
    with pytest.raises(ValueError, match="10 rows"):
        Vectors(tmp_path)


def test_rows_that_are_no_numbers_are_near_nothing_and_leave_the_others_in_order(tmp_path: Path) -> None:
    rows = np.random.default_rng(4).standard_normal((2000, 8)).astype(np.float32)
    rows[3, 2], rows[5, 1] = np.nan, np.inf
    kept = written(tmp_path, rows)
    query = unit(rows[0])
    true, decided = kept.cosines(query), kept.deciding_cosines(query, floor=0.5, count=5)
    assert (true[3], true[5]) == (0.0, 0.0)
    assert best(decided, 5) == best(true, 5)
