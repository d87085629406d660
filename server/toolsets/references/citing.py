"""Tools that find the works that citation texts mean."""

from typing import Annotated

from pydantic import Field

from core.references.results import CitationAnswer, RowsAnswer
from core.references.service import References
from server.toolsets.references.parameters import CandidateLimit


async def doiget_resolve_citation(
    services: References,
    query: Annotated[str, Field(description="One citation: authors, title, year, venue, in any order")],
    limit: CandidateLimit = 5,
) -> CitationAnswer:
    """WHEN TO USE: You have a citation or title and want its DOI; with an identifier use doiget_resolve_paper.
    INPUTS: query, at most 2,000 characters; limit.
    OUTPUTS: candidates with score, verdict and evidence; best is the one that may be accepted, or null. exact is \
strong and no proof; weak is a negative for a known item. Titles are third-party data.
    COSTS: No request when the catalog has a match; else one to Crossref.
    SIDE EFFECTS: None.
    LIMITS: 50 candidates, 25 seconds.
    """
    return await services.citations.one(query, limit)


async def doiget_batch_resolve_citations(
    services: References,
    queries: Annotated[list[str], Field(max_length=50, description="Up to 50 citations")],
    limit: CandidateLimit = 5,
) -> RowsAnswer:
    """WHEN TO USE: You have several citations; for one use doiget_resolve_citation.
    INPUTS: queries, each at most 2,000 characters; limit for each.
    OUTPUTS: One row per citation in order: query with candidates and best, or error. Titles are third-party data.
    COSTS: Your quota: one per citation, at most all of a minute's. One request to Crossref for each distinct \
citation that the catalog has no match for.
    SIDE EFFECTS: None.
    LIMITS: 50 citations, 250 candidates together, 55 seconds.
    """
    return await services.citations.many(queries, limit)
