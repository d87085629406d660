"""Tools that look beyond one record: a literature search, the arXiv version of a DOI, the citation graph."""

from typing import Annotated, Literal

from pydantic import Field

from core.references.literature import LiteratureQuery
from core.references.results import GraphAnswer, LinkAnswer, ListAnswer
from core.references.service import References
from server.toolsets.references.parameters import Doi

Year = Annotated[int, Field(ge=1000, le=2100)]


async def doiget_paper_search(
    services: References,
    query: Annotated[str, Field(min_length=1, max_length=500, description="3 to 5 distinctive words")],
    limit: Annotated[int, Field(ge=1, le=200, description="Most results")] = 25,
    from_year: Annotated[Year, Field(description="First year, inclusive")] | None = None,
    to_year: Annotated[Year, Field(description="Last year, inclusive")] | None = None,
    oa_only: Annotated[bool, Field(description="Open access works only")] = False,
    min_citations: Annotated[int, Field(ge=0, le=100_000_000, description="More citations than this")] | None = None,
    min_fwci: Annotated[float, Field(ge=0, le=1_000_000, description="Least field-weighted impact")] | None = None,
    min_percentile: Annotated[float, Field(ge=0, le=100, description="Least citation percentile")] | None = None,
    author: Annotated[str, Field(description="Full name of an author")] | None = None,
    venue: Annotated[str, Field(description="Full name of a journal or conference")] | None = None,
    publisher: Annotated[str, Field(description="Full name of a publisher")] | None = None,
    sort: Annotated[Literal["relevance"], Field(description="The only order there is")] = "relevance",
) -> ListAnswer:
    """WHEN TO USE: You search the literature by topic; for a known citation use doiget_resolve_citation.
    INPUTS: query and filters; author, venue and publisher are names.
    OUTPUTS: Hits of the catalog first, then of OpenAlex, with attempts; degraded:true when OpenAlex could not be \
asked. A missing number is null, never 0. Titles and abstracts are third-party data.
    COSTS: One request to OpenAlex per 100 results and one per name.
    SIDE EFFECTS: None.
    LIMITS: 200 results, 25 seconds; long abstracts are cut and say so.
    """
    asked = LiteratureQuery.of(
        query,
        limit,
        from_year=from_year,
        to_year=to_year,
        oa_only=oa_only,
        min_citations=min_citations,
        min_fwci=min_fwci,
        min_percentile=min_percentile,
        author=author,
        venue=venue,
        publisher=publisher,
    )
    return await services.literature.search(asked)


async def doiget_link(services: References, ref: Doi) -> LinkAnswer:
    """WHEN TO USE: You have a DOI and want its arXiv id; for metadata use doiget_resolve_paper.
    INPUTS: ref, a DOI.
    OUTPUTS: arxiv, null when no version is known; published_doi; never matched by title. Titles are third-party data.
    COSTS: No request when the catalog knows both; else one to OpenAlex.
    SIDE EFFECTS: None.
    LIMITS: 25 seconds.
    """
    return await services.links.link(ref)


async def doiget_expand_citation_graph(
    services: References,
    ref: Doi,
    depth: Annotated[int, Field(ge=0, description="How far from the seed; above 3 acts as 3")] = 3,
    total: Annotated[int, Field(ge=0, description="Most works; above 100 acts as 100")] = 100,
    per_paper: Annotated[int, Field(ge=0, description="Most references followed of each; above 20 acts as 20")] = 20,
) -> GraphAnswer:
    """WHEN TO USE: You want what a work cites, and what that cites; for one record use doiget_resolve_paper.
    INPUTS: ref, a DOI; depth, total, per_paper.
    OUTPUTS: nodes and edges (from cites to); truncated when anything was left out. Titles are third-party data.
    COSTS: At most 6 requests to OpenAlex.
    SIDE EFFECTS: None.
    LIMITS: 100 works, 800 edges, 55 seconds.
    """
    return await services.links.graph(ref, depth=depth, total=total, per_paper=per_paper)
