"""What every catalog backend promises of windows on papers, of likeness and of lineage (contract 6.6, 6.7, 10.5, 11.3).

Expected orders are worked out anew from the input.
"""

from datetime import date
from itertools import pairwise

import pytest

from core.catalog.backend import CatalogBackend
from core.catalog.models import Direction, PaperFilters, PaperOrder, PaperRow
from core.catalog.taxonomy_models import RelatedBasis
from core.errors import NotFound
from tests.hashing_embedder import HashingEmbedder
from tests.odd_papers import EXTERNAL_ID, LONG_TEXT_ID, OLD_STYLE_ID, SUPERSEDED_ID, Record
from tests.odd_records import AS_OF_DAY, RECORDS, day, most_cited, newest, title, trend

QUILLFISH_ID = "1905.90001"
PAPERS = {record["key"]: record for record in RECORDS["papers"]}
BY_TITLE = {title(record): record for record in RECORDS["papers"]}


async def every_paper(backend: CatalogBackend) -> list[PaperRow]:
    rows: list[PaperRow] = []
    for page in range(1, 100):
        found = await backend.list_papers(PaperFilters(), PaperOrder.TRENDING, Direction.DESC, page, 100, False)
        rows += found.rows
        if len(rows) >= found.count:
            return rows
    raise AssertionError("the list does not end")


# Windows: catalog A48, A49


async def test_recent_papers_come_newest_first_without_superseded_ones(backend: CatalogBackend) -> None:
    first = [row.title for row in await backend.recent(25)]
    assert first == [title(PAPERS[f"filler-{number}"]) for number in range(25)]
    every = await backend.recent(1_000)
    assert len(every) == len(PAPERS) - 1
    assert SUPERSEDED_ID not in {row.id for row in every}
    keys = [(newest(BY_TITLE[row.title]), int(row.id)) for row in every]
    assert keys == sorted(keys)


@pytest.mark.parametrize("max_age_days", [1, 10, 11, 180, 365])
async def test_trending_papers_lie_in_the_window_and_come_in_trending_order(
    backend: CatalogBackend, max_age_days: int
) -> None:
    young = [
        each for each in PAPERS.values() if (known := day(each)) and AS_OF_DAY - max_age_days <= known <= AS_OF_DAY
    ]
    expected = sorted(young, key=lambda each: (-trend(each), newest(each)))
    found = await backend.trending(1_000, max_age_days, None)
    assert [row.title for row in found] == [title(each) for each in expected]
    assert [row.title for row in await backend.trending(3, max_age_days, None)] == [
        title(each) for each in expected[:3]
    ]


@pytest.mark.parametrize("min_velocity", [0, 0.25, 0.5, 1.75, 2])
async def test_a_least_velocity_drops_slower_papers_and_those_of_unknown_velocity(
    backend: CatalogBackend, min_velocity: float
) -> None:
    fast = [
        each
        for each in PAPERS.values()
        if each.get("velocity", -1) >= min_velocity and AS_OF_DAY - 365 <= (day(each) or 0) <= AS_OF_DAY
    ]
    expected = sorted(fast, key=lambda each: (-trend(each), newest(each)))
    found = await backend.trending(1_000, 365, min_velocity)
    assert [row.title for row in found] == [title(each) for each in expected]


async def test_a_backend_tells_whether_it_has_measured_velocities(
    backend: CatalogBackend, sample_backend: CatalogBackend
) -> None:
    assert await backend.has_velocities()
    assert not await sample_backend.has_velocities()
    assert await sample_backend.trending(25, 365, 0) == ()


async def test_a_catalog_of_the_past_still_has_trending_papers(sample_backend: CatalogBackend) -> None:
    as_of = date.fromisoformat(sample_backend.capabilities().as_of or "")
    assert as_of.year < 2026
    found = await sample_backend.trending(25, 365, None)
    assert found
    assert all((row.published or "") >= str(as_of.replace(year=as_of.year - 1))[:4] for row in found)


# Related papers: contract 10.5


def shared(one: Record, other: Record, boards: dict[str, set[str]]) -> int:
    def people(record: Record) -> set[str]:
        return {each if isinstance(each, str) else f"name {each['name']}" for each in record.get("authors", ())}

    score = 3 * len(set(one.get("methods", ())) & set(other.get("methods", ())))
    score += 2 * len(set(one.get("tasks", ())) & set(other.get("tasks", ())))
    score += len(people(one) & people(other))
    return score + bool(boards.get(one["key"], set()) & boards.get(other["key"], set()))


@pytest.mark.parametrize("key", ["filler-5", "filler-44", "filler-120", "unique-name", "long-names", "dash", "twin-1"])
async def test_without_vectors_papers_are_related_by_what_they_share(
    backend_without_vectors: CatalogBackend, key: str
) -> None:
    backend = backend_without_vectors
    ids = {row.canonical_id: int(row.id) for row in await every_paper(backend)}
    boards: dict[str, set[str]] = {}
    for row in RECORDS["evaluations"]:
        boards.setdefault(row.get("paper", ""), set()).add(row["benchmark"])
    boards.pop("", None)
    scores = {
        other: score
        for other, record in PAPERS.items()
        if other not in (key, "superseded") and (score := shared(PAPERS[key], record, boards))
    }
    by_id = {other: ids.get(PAPERS[other].get("arxiv_id", ""), 0) for other in scores}
    expected = sorted(
        scores, key=lambda each: (-scores[each], most_cited(PAPERS[each]), newest(PAPERS[each]), by_id[each])
    )
    for limit in (1, 4, 20):
        found = await backend.related(PAPERS[key]["arxiv_id"], limit)
        assert found.basis is RelatedBasis.SHARED
        assert [row.arxiv_id for row in found.rows] == [PAPERS[each]["arxiv_id"] for each in expected[:limit]]


async def test_a_paper_that_shares_nothing_has_no_related_ones(backend_without_vectors: CatalogBackend) -> None:
    found = await backend_without_vectors.related(EXTERNAL_ID, 20)
    assert found.rows == ()


@pytest.mark.parametrize("key", ["filler-5", "unique-name", "external", "rtl"])
async def test_with_vectors_papers_are_related_by_cosine_without_the_paper_itself(
    backend: CatalogBackend, key: str
) -> None:
    record = PAPERS[key]
    texts = [f"{title(each)}\n{each.get('abstract', '')}" for each in PAPERS.values()]
    vectors = HashingEmbedder().embed(texts)
    cosines = dict(zip(PAPERS, (vectors @ vectors[list(PAPERS).index(key)]).tolist(), strict=True))
    found = await backend.related(record.get("arxiv_id") or str(record["id"]), 20)
    assert found.basis is RelatedBasis.VECTORS
    assert len({row.id for row in found.rows}) == 20
    keys = [BY_TITLE[row.title]["key"] for row in found.rows]
    assert key not in keys and "superseded" not in keys
    got = [cosines[each] for each in keys]
    others = [cosine for each, cosine in cosines.items() if each not in (*keys, key, "superseded")]
    assert all(one >= other - 2e-3 for one, other in pairwise(got))
    assert min(got) >= max(others) - 2e-3


@pytest.mark.parametrize("unknown", ["2501.00001", "31415926535", "hep-th/9901001"])
async def test_an_unknown_paper_has_neither_related_papers_nor_lineage(backend: CatalogBackend, unknown: str) -> None:
    with pytest.raises(NotFound):
        await backend.related(unknown, 4)
    with pytest.raises(NotFound):
        await backend.lineage(unknown)


# Lineage


async def test_lineage_lists_both_ends_by_date(backend: CatalogBackend) -> None:
    found = await backend.lineage(QUILLFISH_ID)
    assert found.paper.reference == QUILLFISH_ID
    assert [link.reference for link in found.predecessors] == [OLD_STYLE_ID, EXTERNAL_ID]
    followers = [PAPERS["long-text"], *(PAPERS[f"filler-{number}"] for number in range(60))]
    expected = sorted(followers, key=lambda each: day(each) or 0)
    assert [link.title for link in found.successors] == [title(each) for each in expected]
    alone = await backend.lineage(LONG_TEXT_ID)
    assert ([link.reference for link in alone.predecessors], alone.successors) == ([QUILLFISH_ID], ())
