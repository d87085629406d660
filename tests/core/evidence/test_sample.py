"""The sample that ships, built with its evidence set: sound, large enough, and whole from one tool to the next."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from core.catalog.embedded.embedding import Embedder
from core.clock import ManualClock
from core.errors import NotFound
from core.evidence.semantic import LocalEmbedder
from core.ingest.build import BuildOptions, build_catalog
from core.ingest.report import BuildReport
from server.sample import sample_sources
from tests.conftest import SAMPLE
from tests.evidence_room import NOW_S, Room, open_room, run
from tests.hashing_embedder import HashingEmbedder

LINK = re.compile(r"\]\((https://[^)\s]+)\)")
TRANSFORMER = "paper:arxiv:1706.03762"


def build(out: Path, embedder: Embedder | None = None) -> BuildReport:
    options = BuildOptions(clock=ManualClock(NOW_S), embedder=embedder)
    return build_catalog(sample_sources(SAMPLE), out, options=options)


@pytest.fixture(scope="module")
def report_and_room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[BuildReport, Room]]:
    out = tmp_path_factory.mktemp("sample") / "built"
    report = build(out, HashingEmbedder())
    opened = open_room(out, LocalEmbedder(HashingEmbedder()))
    yield report, opened
    opened.close()


@pytest.fixture(scope="module")
def sample(report_and_room: tuple[BuildReport, Room]) -> Room:
    return report_and_room[1]


@pytest.fixture(scope="module")
def claims(sample: Room) -> dict[int, str]:
    """The paper of every claim of the sample."""
    total = run(sample.desk.search_claims(limit=1)).total
    found = {}
    for claim_id in range(1, total + 1):
        held = run(sample.desk.claim(claim_id))
        assert held is not None, claim_id
        found[claim_id] = held[1].paper.paper_id
    return found


def test_it_is_built_with_its_evidence_and_nothing_is_kept_in_another_form(
    report_and_room: tuple[BuildReport, Room],
) -> None:
    [evidence] = [file for file in report_and_room[0].files if file.kind == "evidence"]
    assert evidence.read == evidence.kept > 0
    assert (dict(evidence.skipped), dict(evidence.left_out), evidence.samples) == ({}, {}, [])


def test_it_is_large_enough_to_answer_from(sample: Room, claims: dict[int, str]) -> None:
    papers = [run(sample.desk.get_paper(paper_id=paper_id)) for paper_id in sorted(set(claims.values()))]
    assert sum(answer.paper.assessment is not None for answer in papers) >= 60
    assert len(claims) >= 200
    relations = {}
    for answer in papers:
        assert answer.omitted.relationships == answer.omitted.claims == 0
        for claim in answer.claims:
            for each in claim.relationships:
                assert each.paper_id != answer.paper.paper_id
                relations[each.relation_id] = each.type
    assert len(relations) >= 60
    assert set(relations.values()) == {"supports", "contradicts", "extends", "qualifies", "replicates"}
    assert run(sample.desk.list_digests()).total >= 6


def test_every_paper_of_a_claim_is_found_assessed_and_claims_agree(sample: Room, claims: dict[int, str]) -> None:
    assert run(sample.desk.search_papers(limit=1)).total == len(set(claims.values()))
    for paper_id, count in Counter(claims.values()).items():
        [row] = run(sample.desk.search_papers(query=paper_id)).results
        assert (row.paper_id, row.provenance.retriever, row.claim_count) == (paper_id, "exact_id", count)


@pytest.mark.parametrize(
    ("reference", "document"),
    [  # evidence A55
        (TRANSFORMER, TRANSFORMER),
        ("1706.03762", TRANSFORMER),
        ("https://arxiv.org/abs/1706.03762", TRANSFORMER),
        ("claim:123", "claim:123"),
        ("benchmark:imagenet-1k", "benchmark:imagenet-1k"),
    ],
)
def test_the_documents_of_the_contract_are_there(sample: Room, reference: str, document: str) -> None:
    found = run(sample.connector.fetch(id=reference))
    assert found.id == document
    assert found.metadata["kind"] == document.partition(":")[0]
    assert found.url.startswith("https://")
    assert found.title in found.text


@pytest.mark.parametrize("reference", ["claim:999999", "foo:1"])
def test_what_is_not_there_is_not_found(sample: Room, reference: str) -> None:
    # evidence A55
    with pytest.raises(NotFound):
        run(sample.connector.fetch(id=reference))


def test_every_claim_is_a_document_at_the_address_of_its_paper(sample: Room, claims: dict[int, str]) -> None:
    # evidence A54
    papers = {paper_id: run(sample.connector.fetch(id=f"paper:{paper_id}")) for paper_id in set(claims.values())}
    assert [paper_id for paper_id, found in papers.items() if found.id != f"paper:{paper_id}"] == []
    for claim_id, paper_id in claims.items():
        found = run(sample.connector.fetch(id=f"claim:{claim_id}"))
        assert (found.id, found.url) == (f"claim:{claim_id}", papers[paper_id].url)
        assert found.metadata["paper_id"] == paper_id


def test_every_author_is_accepted_and_has_the_papers_counted(sample: Room) -> None:
    # evidence A45
    authors = list(run(sample.desk.find_authors(limit=50)).results)
    for name in ("Brynjolfsson", "Daron Acemoglu", "Wang", "J. Humlum"):
        authors += run(sample.desk.find_authors(query=name, limit=50)).results
    assert {author.is_entity for author in authors} == {True, False}
    for author in authors:
        page = run(sample.desk.get_author_papers(author_id=author.author_id, limit=50))
        assert (page.total, author.author_id) == (author.paper_count, page.authors_matched[0].author_id)


def test_every_digest_is_read_as_written_and_links_to_papers_of_the_corpus(
    sample: Room, claims: dict[int, str]
) -> None:
    # evidence A47
    dates = run(sample.desk.list_digests(limit=50)).dates
    assert dates == sorted(dates, reverse=True)
    for date in dates:
        digest = run(sample.desk.get_digest(date=date))
        assert digest.markdown == (SAMPLE / "evidence" / "digests" / f"{date}.md").read_text(encoding="utf-8")
        linked = {run(sample.desk.get_paper(paper_id=link)).paper.paper_id for link in LINK.findall(digest.markdown)}
        assert linked == set(digest.paper_ids) <= set(claims.values())
        assert linked


def test_a_claim_is_found_by_meaning_too(sample: Room) -> None:
    # evidence A50
    for search_type in ("papers", "claims"):
        page = run(sample.desk.semantic_search(query="agents of a call centre helped by AI", search_type=search_type))
        assert page.degraded is None
        scores = [row.score for row in page.results]
        assert scores == sorted(scores, reverse=True)
        assert 0 <= scores[-1] <= scores[0] <= 1


def test_answers_to_default_arguments_stay_within_the_size(sample: Room, claims: dict[int, str]) -> None:
    # evidence A41
    desk = sample.desk
    pages = [
        run(desk.search_claims()),
        run(desk.search_papers()),
        run(desk.find_authors()),
        run(desk.list_digests()),
        *(run(desk.get_paper(paper_id=paper_id)) for paper_id in sorted(set(claims.values()))),
        *(run(desk.get_digest(date=date)) for date in run(desk.list_digests(limit=50)).dates),
    ]
    assert [page for page in pages if len(orjson.dumps(page.model_dump(exclude_none=True))) > 32_000] == []


def test_a_second_build_is_the_same_corpus(sample: Room, tmp_path: Path) -> None:
    # evidence A59
    build(tmp_path / "again", HashingEmbedder())
    again = open_room(tmp_path / "again")
    assert again.stored.corpus_version == sample.stored.corpus_version
    assert run(again.desk.search_claims(limit=50)) == run(sample.desk.search_claims(limit=50))
    again.close()
