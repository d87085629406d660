"""Vector searches look at every row, with the fast library and without."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from core.catalog.embedded import vectors as module
from core.catalog.embedded.vectors import Vectors, VectorsBuilder

DIMENSIONS = 32


def written(directory: Path, pids: list[int], rows: NDArray[np.float32]) -> Vectors:
    builder = VectorsBuilder(directory, model="m@1", dimensions=rows.shape[1])
    middle = len(pids) // 2
    builder.add(pids[:middle], rows[:middle])
    builder.add(pids[middle:], rows[middle:])
    builder.finish()
    return Vectors(directory)


def random_rows(count: int, seed: int = 7) -> NDArray[np.float32]:
    rows = np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float32)
    return rows


def unit(row: NDArray[np.float32]) -> NDArray[np.float32]:
    result: NDArray[np.float32] = row / np.linalg.norm(row)
    return result


@pytest.fixture(params=[True, False], ids=["numkong", "numpy"])
def either_library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param and not module.HAS_NUMKONG:
        pytest.skip("needs the extra `semantic`")
    monkeypatch.setattr(module, "HAS_NUMKONG", request.param)


@pytest.mark.usefixtures("either_library")
def test_the_nearest_are_those_of_a_full_comparison(tmp_path: Path) -> None:
    rows = random_rows(3000)
    pids = [int(pid) for pid in np.random.default_rng(1).permutation(9000)[:3000]]
    vectors = written(tmp_path, pids, rows)
    query = unit(random_rows(1, seed=2)[0])
    cosines = (rows / np.linalg.norm(rows, axis=1, keepdims=True)) @ query
    best = np.argsort(-cosines)[:50]
    found = vectors.nearest(query, 50)
    assert [pid for pid, _ in found[:50]] == [pids[place] for place in best]
    assert np.allclose([score for _, score in found[:50]], cosines[best], atol=1e-3)
    is_passing = np.zeros(3000, dtype=np.bool_)
    is_passing[::3] = True
    filtered = [place for place in np.argsort(-cosines) if is_passing[place]][:50]
    assert [pid for pid, _ in vectors.nearest(query, 50, is_passing)[:50]] == [pids[place] for place in filtered]


@pytest.mark.usefixtures("either_library")
def test_ties_at_the_cut_are_all_returned(tmp_path: Path) -> None:
    rows = np.repeat(random_rows(2), 40, axis=0)
    vectors = written(tmp_path, list(range(80)), rows)
    found = vectors.nearest(unit(rows[0]), 5)
    assert sorted(pid for pid, _ in found) == list(range(40))
    assert len({score for _, score in found}) == 1


@pytest.mark.usefixtures("either_library")
def test_fewer_papers_than_asked_are_all_returned(tmp_path: Path) -> None:
    rows = random_rows(4)
    vectors = written(tmp_path, [4, 3, 2, 1], rows)
    assert vectors.nearest(unit(rows[2]), 500)[0] == (2, pytest.approx(1.0, abs=1e-3))
    assert sorted(pid for pid, _ in vectors.nearest(unit(rows[2]), 500)) == [1, 2, 3, 4]
    assert vectors.nearest(unit(rows[2]), 5, np.zeros(4, dtype=np.bool_)) == []


def test_vectors_describe_themselves_and_may_be_none(tmp_path: Path) -> None:
    vectors = written(tmp_path, [], random_rows(0))
    assert (vectors.model, vectors.dimensions, vectors.count, vectors.pids.tolist()) == ("m@1", DIMENSIONS, 0, [])
    assert vectors.nearest(unit(random_rows(1)[0]), 5) == []


def test_rows_are_made_unit_length_and_a_zero_row_stays(tmp_path: Path) -> None:
    rows = np.array([[3.0, 4.0], [0.0, 0.0]], dtype=np.float32)
    vectors = written(tmp_path, [1, 2], rows)
    assert vectors.nearest(np.array([0.6, 0.8], dtype=np.float32), 2) == [(1, pytest.approx(1.0, abs=1e-3)), (2, 0.0)]


def test_rows_of_another_shape_are_refused(tmp_path: Path) -> None:
    builder = VectorsBuilder(tmp_path, model="m@1", dimensions=3)
    with pytest.raises(ValueError, match="expected 2 rows of 3"):
        builder.add([1, 2], random_rows(2))
    builder.finish()
