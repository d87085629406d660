"""A built catalog, asked through the backend that serves it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.catalog.embedded.store import EmbeddedCatalog
from core.catalog.models import (
    BenchmarkFilters,
    BenchmarkOrder,
    Direction,
    EntityKind,
    PaperFilters,
    PaperOrder,
    SearchMode,
)
from core.clock import SystemClock
from core.identifiers import parse
from core.ingest.build import BuildOptions, build_catalog, parse_source

pytestmark = [pytest.mark.anyio, pytest.mark.shared_data]


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> Iterator[EmbeddedCatalog]:
    out = tmp_path_factory.mktemp("built") / "catalog"
    build_catalog([parse_source(f"pwc:{shared_data / 'leaderboards'}")], out, options=BuildOptions(clock=SystemClock()))
    opened = EmbeddedCatalog.open(out, kind="file")
    yield opened
    opened.close()


# catalog A93
async def test_a_catalog_of_tables_alone_has_its_papers(catalog: EmbeddedCatalog) -> None:
    bert = await catalog.find(parse("arXiv:1810.04805", titles=False, bare_digits="refuse"))
    assert bert is not None
    assert (bert.arxiv_id, bert.url_abs is not None) == ("1810.04805", True)
    found = await catalog.search(bert.title, SearchMode.KEYWORD, PaperFilters(), (), 1, 10)
    assert found.rows[0].id == bert.id
    results = await catalog.evaluations_of_paper(bert.id, 1, 100)
    assert results.count > 1
    assert {row.paper_id for row in results.rows} == {bert.id}


async def test_tasks_and_benchmarks_are_found_by_name(catalog: EmbeddedCatalog) -> None:
    matches = await catalog.find_entity(EntityKind.BENCHMARK, "snli")
    (snli,) = matches.entities
    rows = await catalog.leaderboard(snli.id, 1, 100)
    assert rows.count == 64
    ranks = [row.best_rank for row in rows.rows if row.best_rank is not None]
    assert ranks == sorted(ranks)
    assert ranks[0] == 1
    assert (await catalog.find_entity(EntityKind.TASK, "Machine translation")).entities


@pytest.mark.parametrize("order", list(PaperOrder))
async def test_lists_hold_every_paper_once(catalog: EmbeddedCatalog, order: PaperOrder) -> None:
    pages: list[Any] = []
    total = (await catalog.list_papers(PaperFilters(), order, Direction.DESC, 1, 25, with_resources=True)).count
    for page in range(1, total // 25 + 2):
        pages += (await catalog.list_papers(PaperFilters(), order, Direction.DESC, page, 25, with_resources=True)).rows
    assert len({row.id for row in pages}) == len(pages) == total == catalog.manifest.counts["papers"]


async def test_benchmarks_are_listed_with_true_counts(catalog: EmbeddedCatalog) -> None:
    listed = await catalog.benchmarks(BenchmarkFilters(), BenchmarkOrder.TRENDING, Direction.ASC, 1, 1000)
    assert listed.count == catalog.manifest.counts["benchmarks"]
    assert sum(row.evaluation_count or 0 for row in listed.rows) == catalog.manifest.counts["evaluations"]
