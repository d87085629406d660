"""Public metadata through HTTP: three outcomes, foreign shapes, and what a miss becomes of it."""

from typing import Any

import pytest

from core.catalog.papers import Papers
from core.catalog.public_models import PUBLIC_MISS, PUBLIC_UNAVAILABLE, LabelledUrl, PublicMetadata, PublicPaper
from core.catalog.resolve import Resolver
from core.catalog.upstream.catalog import UpstreamCatalog
from core.errors import NotFound
from core.identifiers import parse
from tests.scripted_upstream import ScriptedUpstream, answer, page

ARXIV = "papers/2401.00001/public-metadata"
SEARCH = "papers/public-metadata/search"
OURS = {
    "reference": "2401.00001",
    "kind": "identifier",
    "match": "identifier",
    "source": "arxiv",
    "catalog_paper": None,
    "title": "A Paper",
    "authors": ["Ada Quill", "Bo Moth"],
    "published": "2024-01-02",
    "abstract": "Fog.",
    "venue": None,
    "arxiv_id": "2401.00001",
    "doi": None,
    "url": "https://arxiv.org/abs/2401.00001",
    "url_pdf": "https://arxiv.org/pdf/2401.00001",
    "available_at": [{"label": "arXiv abstract", "url": "https://arxiv.org/abs/2401.00001"}],
}


def info(catalog: UpstreamCatalog, *, asks: bool = True) -> Papers:
    return Papers(catalog, Resolver(catalog, asks_public_metadata=asks), site_url="https://paperswithcode.co")


async def look_up(papers: Papers, reference: str) -> Any:
    return await papers.info(reference, include_resources=True, repo_limit=5, include_evaluations=True)


# catalog A32
async def test_a_paper_known_only_publicly_is_shown_as_not_held(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    upstream.scripts[ARXIV] = answer(OURS)
    found = (await look_up(info(catalog), "2401.00001v2")).model_dump(exclude_none=True)
    assert found["paper"] == {
        "id": "2401.00001",
        "arxiv_id": "2401.00001",
        "title": "A Paper",
        "abstract": "Fog.",
        "authors": ["Ada Quill", "Bo Moth"],
        "author_count": 2,
        "published": "2024-01-02",
        "url": "https://arxiv.org/abs/2401.00001",
        "pdf_url": "https://arxiv.org/pdf/2401.00001",
        "in_catalog": False,
        "available_at": [{"label": "arXiv abstract", "url": "https://arxiv.org/abs/2401.00001"}],
        "metadata_source": "arxiv",
    }
    assert found["resolution"] == {
        "reference": "2401.00001v2",
        "paper": "2401.00001",
        "matched_by": "public_metadata",
        "requested_version": "v2",
    }
    assert found["notes"] == [
        "This catalog does not hold the paper; what is shown comes from arXiv. Its full text cannot be read here."
    ]


# catalog A32
async def test_reading_a_paper_known_only_publicly_is_not_found(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    upstream.scripts[ARXIV] = answer(OURS)
    with pytest.raises(NotFound, match="known publicly, but this catalog does not hold it"):
        await Resolver(catalog).with_paper("2401.00001", lambda paper_id: catalog.read(paper_id, 0, 1024, None))


# catalog A33
async def test_metadata_that_maps_to_a_catalog_paper_repeats_the_call_with_it(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    mapped = OURS | {"catalog_paper": {"id": "7", "arxiv_id": "2312.00007"}}
    upstream.scripts |= {
        "papers/10.1234%2Fabc/public-metadata": answer(mapped),
        "papers/2312.00007": answer({"id": 7, "title": "Held", "arxiv_id": "2312.00007"}),
        "evaluations/": answer(page([], 0)),
    }
    found = await look_up(info(catalog), "10.1234/abc")
    assert (found.paper.title, found.paper.in_catalog) == ("Held", True)
    assert (found.resolution.matched_by, found.resolution.paper) == ("public_metadata", "2312.00007")


# catalog A33
@pytest.mark.parametrize(
    ("reference", "status", "said"),
    [
        ("2401.00001", 404, "No paper here has the arXiv id 2401.00001. Public metadata does not know it either."),
        ("2401.00001", 503, "No paper here has the arXiv id 2401.00001. Public metadata was not available"),
        ("Fog of Nothing", 404, "No paper is titled 'Fog of Nothing' here. Public metadata does not know it either."),
        ("Fog of Nothing", 500, "No paper is titled 'Fog of Nothing' here. Public metadata was not available"),
    ],
)
async def test_a_miss_says_what_was_tried_and_whether_anyone_could_be_asked(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog, reference: str, status: int, said: str
) -> None:
    upstream.scripts |= {ARXIV: answer({}, status), SEARCH: answer({}, status), "papers/search": answer(page([], 0))}
    with pytest.raises(NotFound) as caught:
        await look_up(info(catalog), reference)
    assert caught.value.message.startswith(said)


async def test_nobody_is_asked_where_the_operator_wants_it_so(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    upstream.scripts[ARXIV] = answer(OURS)
    with pytest.raises(NotFound, match="Nothing was looked up outside this catalog"):
        await look_up(info(catalog, asks=False), "2401.00001")
    assert ARXIV not in upstream.calls()


async def test_a_reference_refused_as_title_is_searched_by_title(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    upstream.scripts |= {ARXIV: answer({}, 422), SEARCH: answer(OURS)}
    found = await catalog.public_metadata(parse("2401.00001", titles=False, bare_digits="catalog"))
    assert found.paper is not None and found.paper.title == "A Paper"
    assert upstream.asked == [ARXIV, f"{SEARCH}?title=2401.00001"]


# catalog A87
@pytest.mark.parametrize(
    ("body", "paper"),
    [
        (
            {
                "paper_id": "arXiv:2401.00002v1",
                "title": "B",
                "authors": [{"name": "Ada"}, {"x": 1}, "Bo"],
                "published_at": "2024-02-03T04:05:06Z",
                "summary": "S",
                "links": {"arXiv": "https://arxiv.org/abs/2401.00002", "bad": None},
                "extra": [None],
            },
            PublicPaper(
                title="B",
                authors=("Ada", "Bo"),
                published="2024-02-03",
                abstract="S",
                arxiv_id="2401.00002",
                available_at=(LabelledUrl("arXiv", "https://arxiv.org/abs/2401.00002"),),
            ),
        ),
        (
            {
                "id": "10.1234/ABC",
                "title": "C",
                "date": "2019",
                "links": [{"name": "Publisher", "url": "https://e.org"}],
            },
            PublicPaper(
                title="C",
                published="2019",
                doi="10.1234/ABC",
                available_at=(LabelledUrl("Publisher", "https://e.org"),),
            ),
        ),
        ({"catalog_id": 7}, PublicPaper(catalog_paper="7")),
        ({"paper": {"id": 7, "arxiv_id": "2401.00003v2"}}, PublicPaper(catalog_paper="2401.00003")),
    ],
)
async def test_a_foreign_shape_is_read_tolerantly(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog, body: object, paper: PublicPaper
) -> None:
    upstream.scripts[ARXIV] = answer(body)
    wanted = parse("2401.00001", titles=False, bare_digits="catalog")
    assert await catalog.public_metadata(wanted) == PublicMetadata(paper)


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        (answer({"abstract": "x"}), PUBLIC_MISS),
        (answer([1]), PUBLIC_MISS),
        (answer({}, 404), PUBLIC_MISS),
        (answer(b"{"), PUBLIC_UNAVAILABLE),
        (answer({}, 503), PUBLIC_UNAVAILABLE),
        (answer({}, 409), PUBLIC_UNAVAILABLE),
    ],
)
async def test_an_answer_that_says_nothing_is_a_miss_and_a_failing_one_unavailable(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog, body: Any, outcome: PublicMetadata
) -> None:
    upstream.scripts[ARXIV] = body
    assert await catalog.public_metadata(parse("2401.00001", titles=False, bare_digits="catalog")) == outcome
