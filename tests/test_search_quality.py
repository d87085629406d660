"""Keyword search stays as good as measured on the CACM collection; the whole table is benchmarks/search_quality.py."""

from pathlib import Path

import pytest

from benchmarks.search_quality import GOALS, build, keyword_order, ndcg, one_line, read_judgements, read_records
from core.catalog.embedded.text_search import TextIndex


def test_the_measure_rewards_relevant_papers_at_the_head() -> None:
    assert ndcg([1, 2, 3], {1, 2, 3}) == 1.0
    assert ndcg([9, 1], {1}) == pytest.approx(0.6309, abs=1e-4)
    assert ndcg([*range(10, 20), 1], {1}) == 0.0


@pytest.mark.shared_data
def test_keyword_search_meets_its_goal_on_real_judgements(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "retrieval" / "cacm"
    papers, queries = read_records(folder / "cacm.all"), read_records(folder / "query.text")
    judgements = read_judgements(folder / "qrels.text")
    assert (len(papers), len(queries), len(judgements)) == (3204, 64, 52)
    build(papers, tmp_path, None)
    order = keyword_order(TextIndex(tmp_path / "text"))
    scores = [ndcg(order(one_line(queries[query]["W"])), relevant) for query, relevant in judgements.items()]
    assert sum(scores) / len(scores) >= GOALS["keyword"]
