"""Tools on papers: assessed ones by words, any by meaning, one in full."""

from typing import Annotated

from pydantic import Field

from core.evidence.results import PaperAnswer, PaperPage, SemanticPage
from core.evidence.service import PAPERS_LIMIT, SEMANTIC_LIMIT, Evidence
from core.evidence.vocabulary import Level, PaperType, SearchType, Theme
from server.registry import owe_reserved
from server.toolsets.evidence.parameters import Limit, Name, Year


async def search_papers(
    services: Evidence,
    author: Annotated[Name, Field(description="Author, best effort; find_authors tells people apart")] | None = None,
    evidence_strength: Annotated[Level, Field(description="Assessed strength of the evidence")] | None = None,
    limit: Limit = PAPERS_LIMIT,
    methods_rigor: Annotated[Level, Field(description="Assessed rigor of the methods")] | None = None,
    min_relevance: Annotated[int, Field(ge=1, le=10, description="Least assessed relevance")] | None = None,
    paper_type: Annotated[PaperType, Field(description="Design of the paper")] | None = None,
    query: Annotated[
        str, Field(min_length=1, max_length=500, description="Words, title, author, DOI, URL, id or subject")
    ]
    | None = None,
    source: Annotated[str, Field(min_length=1, max_length=50, description="Source of the record, such as arxiv")]
    | None = None,
    theme: Annotated[Theme, Field(description="Theme of the paper")] | None = None,
    year_from: Annotated[Year, Field(description="First year, inclusive")] | None = None,
    year_to: Annotated[Year, Field(description="Last year, inclusive")] | None = None,
) -> PaperPage:
    """Finds assessed papers by words, title, author or identifier, and by how they were assessed.

    For one paper in full use get_paper; for single findings use search_claims.
    """
    return await services.search_papers(
        author=author,
        evidence_strength=evidence_strength,
        limit=limit,
        methods_rigor=methods_rigor,
        min_relevance=min_relevance,
        paper_type=paper_type,
        query=query,
        source=source,
        theme=theme,
        year_from=year_from,
        year_to=year_to,
    )


async def semantic_search(
    services: Evidence,
    query: Annotated[str, Field(min_length=1, max_length=500, description="A question or statement in plain words")],
    limit: Annotated[int, Field(ge=1, le=20, description="Most rows")] = SEMANTIC_LIMIT,
    search_type: Annotated[SearchType, Field(description="What to find")] = "papers",
) -> SemanticPage:
    """Finds papers or claims by meaning, also where they use other words; each call may draw on a scarce budget.

    Try search_claims or search_papers first, which cost nothing.
    """
    return await services.semantic_search(query=query, limit=limit, search_type=search_type, reached=owe_reserved)


async def get_paper(
    services: Evidence,
    paper_id: Annotated[
        str, Field(min_length=1, max_length=500, description="arXiv id, DOI, other id, URL or exact title")
    ],
) -> PaperAnswer:
    """Gives one paper with its assessment, its claims, what bears on each claim, and its resources.

    To find papers use search_papers; to compare claims of several papers use search_claims.
    """
    return await services.get_paper(paper_id=paper_id)
