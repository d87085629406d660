"""Sums of what papers share are exact, and ties at the cut go to the most cited, however many tie."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from core.catalog.embedded.text_index import IndexDocument, TextIndexBuilder
from core.catalog.embedded.text_search import Shared, TextIndex
from core.catalog.embedded.vectors import Vectors, VectorsBuilder

PAPERS = 6_000
METHOD, TASK, AUTHOR = 7, 8, 9
THINGS = (Shared("method", METHOD, 3.0), Shared("task", TASK, 2.0), Shared("author", AUTHOR, 1.0))


@dataclass(frozen=True)
class Paper:
    method: bool = False
    task: bool = False
    author: bool = False
    is_latest: bool = True

    @property
    def score(self) -> int:
        return 3 * self.method + 2 * self.task + self.author


def index(directory: Path, papers: list[Paper], rank: Callable[[int], int]) -> TextIndex:
    builder = TextIndexBuilder(directory, memory_bytes=20_000_000)
    for pid, paper in enumerate(papers):
        builder.add(
            IndexDocument(
                pid=pid,
                title="",
                abstract="",
                authors="",
                published_day=None,
                has_official=False,
                is_latest=paper.is_latest,
                task_ids=(TASK,) if paper.task else (1,),
                method_ids=(METHOD,) if paper.method else (),
                conference_id=None,
                framework_ids=(),
                organization_ids=(),
                author_ids=(AUTHOR,) if paper.author else (),
                trending_rank=pid,
                trending_rank_asc=pid,
                published_rank=pid,
                published_rank_asc=pid,
                citation_rank=rank(pid),
                citation_rank_asc=pid,
            )
        )
    builder.finish()
    return TextIndex(directory)


def expected(papers: list[Paper], rank: Callable[[int], int], limit: int) -> list[int]:
    held = [pid for pid, paper in enumerate(papers) if paper.score and paper.is_latest and pid != 0]
    return sorted(held, key=lambda pid: (-papers[pid].score, rank(pid)))[:limit]


@pytest.mark.parametrize(
    "papers",
    [
        [Paper(method=n % 2 == 0, task=n % 3 == 0, author=n % 50 == 0, is_latest=n % 7 > 0) for n in range(PAPERS)],
        # All tie, and the most cited ones are found among all.
        [Paper(task=True)] * PAPERS,
        # More tie at the cut than are looked at first, and all the most cited sharers score less.
        [Paper(method=n < 3_000, task=n >= 3_000) for n in range(PAPERS)],
        [Paper(author=n == 3) for n in range(10)],
        [Paper() for _ in range(10)],
    ],
    ids=["mixed", "one tie", "badly cited tie", "one", "none"],
)
def test_the_highest_sums_come_first_and_equal_ones_by_citations(tmp_path: Path, papers: list[Paper]) -> None:
    count = len(papers)

    def rank(pid: int) -> int:
        return count - 1 - pid

    text = index(tmp_path, papers, rank)
    for limit in (1, 4, 20, 3_000):
        assert text.sharing(THINGS, (), 0, limit) == expected(papers, rank, limit)


def test_being_named_weighs_one_and_nothing_shared_gives_nothing(tmp_path: Path) -> None:
    text = index(tmp_path, [Paper(author=n == 2) for n in range(6)], lambda pid: pid)
    assert text.sharing(THINGS, (0, 2, 4), 0, 10) == [2, 4]
    assert text.sharing((), (5,), 0, 10) == [5]
    assert text.sharing((), (), 0, 10) == []


def test_the_vector_of_a_paper_is_found_by_its_number(tmp_path: Path) -> None:
    builder = VectorsBuilder(tmp_path, model="m@1", dimensions=2)
    builder.add([9, 4], np.array([[3.0, 4.0], [1.0, 0.0]], dtype=np.float32))
    builder.finish()
    vectors = Vectors(tmp_path)
    vector = vectors.of(9)
    assert vector is not None
    assert vector.tolist() == pytest.approx([0.6, 0.8], abs=1e-3)
    assert vectors.of(5) is None
