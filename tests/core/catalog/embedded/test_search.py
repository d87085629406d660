"""Hybrid order is the fusion formula, and an embedder that fails costs only the meaning."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.catalog.embedded.search import RRF_K, fused
from core.catalog.embedded.store import EmbeddedCatalog
from core.catalog.models import CountKind, PaperFilters, SearchMode
from core.errors import CatalogUnusable, SourceUnreachable, Unavailable
from tests.hashing_embedder import BrokenEmbedder, HashingEmbedder
from tests.odd_build import build_odd_catalog

ANY = PaperFilters()


class OtherEmbedder(HashingEmbedder):
    model = "other@1"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_odd_catalog(tmp_path_factory.mktemp("odd"), HashingEmbedder())


@pytest.fixture(scope="module")
def catalog(directory: Path) -> Iterator[EmbeddedCatalog]:
    catalog = EmbeddedCatalog.open(directory, kind="file", embedder=HashingEmbedder())
    yield catalog
    catalog.close()


async def ids(catalog: EmbeddedCatalog, query: str, mode: SearchMode, filters: PaperFilters = ANY) -> list[str]:
    return [row.id for row in (await catalog.search(query, mode, filters, (), 1, 500)).rows]


def test_fusion_adds_up_reciprocal_ranks() -> None:
    assert fused([[1, 2], [2, 3]]) == {1: 1 / (RRF_K + 1), 2: 1 / (RRF_K + 2) + 1 / (RRF_K + 1), 3: 1 / (RRF_K + 2)}
    assert fused([[5]], 60) == {5: 1 / 61}
    assert fused([[], []]) == {}


# catalog A39
@pytest.mark.parametrize("filters", [ANY, PaperFilters(published_after="2022-01-01")])
@pytest.mark.parametrize("query", ["sparse models of kelp", "patient lanterns for reading", "otter otter"])
async def test_hybrid_order_is_the_fusion_of_the_two_orders(
    catalog: EmbeddedCatalog, query: str, filters: PaperFilters
) -> None:
    words = await ids(catalog, query, SearchMode.KEYWORD, filters)
    meaning = await ids(catalog, query, SearchMode.SEMANTIC, filters)
    hybrid = await ids(catalog, query, SearchMode.HYBRID, filters)
    scores: dict[str, float] = {}
    for order in (words, meaning):
        for rank, each in enumerate(order, 1):
            scores[each] = scores.get(each, 0.0) + 1 / (RRF_K + rank)
    assert set(hybrid) == set(scores)
    rounded = [round(scores[each], 6) for each in hybrid]
    assert rounded == sorted(rounded, reverse=True)
    rows = {row.id: row for row in (await catalog.search(query, SearchMode.HYBRID, filters, (), 1, 500)).rows}
    keys = [(-score, rows[each].published is None) for score, each in zip(rounded, hybrid, strict=True)]
    assert keys == sorted(keys)


# catalog A39
async def test_a_failing_embedder_leaves_the_keyword_answer_with_a_reason(directory: Path) -> None:
    catalog = EmbeddedCatalog.open(directory, kind="file", embedder=BrokenEmbedder())
    hybrid = await catalog.search("lantern", SearchMode.HYBRID, ANY, (), 1, 10)
    keyword = await catalog.search("lantern", SearchMode.KEYWORD, ANY, (), 1, 10)
    assert hybrid.fallback_reason == "The query could not be embedded just now."
    assert (hybrid.rows, hybrid.count, hybrid.mode_used) == (keyword.rows, keyword.count, SearchMode.KEYWORD)
    assert hybrid.count_kind is CountKind.TOTAL
    with pytest.raises(SourceUnreachable):
        await catalog.search("lantern", SearchMode.SEMANTIC, ANY, (), 1, 10)
    catalog.close()


# catalog A36
@pytest.mark.parametrize(
    ("embedder", "reason"),
    [
        (None, "This deployment has no embedder."),
        (OtherEmbedder(), "The catalog's vectors were made with another model than this deployment's embedder."),
    ],
)
async def test_vectors_without_their_embedder_are_not_searched(
    directory: Path, embedder: HashingEmbedder | None, reason: str
) -> None:
    catalog = EmbeddedCatalog.open(directory, kind="file", embedder=embedder)
    assert catalog.capabilities().has_vectors is False
    assert (await catalog.search("lantern", SearchMode.HYBRID, ANY, (), 1, 10)).fallback_reason == reason
    with pytest.raises(Unavailable, match=reason):
        await catalog.search("lantern", SearchMode.SEMANTIC, ANY, (), 1, 10)
    catalog.close()


async def test_semantic_search_takes_any_text(catalog: EmbeddedCatalog) -> None:
    assert (await catalog.search("???", SearchMode.SEMANTIC, ANY, (), 1, 10)).count == len(
        await ids(catalog, "???", SearchMode.SEMANTIC)
    )


def test_a_directory_without_its_index_is_unusable(tmp_path: Path, directory: Path) -> None:
    with pytest.raises(CatalogUnusable):
        EmbeddedCatalog.open(tmp_path, kind="file")
