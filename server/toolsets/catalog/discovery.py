"""Tools on windows of papers: newest, trending, related, lineage."""

from typing import Annotated

from pydantic import Field

from core.catalog.results import PaperLineageResult, PaperWindow, RelatedPapers
from core.catalog.service import Catalog
from server.toolsets.catalog.parameters import Paper


async def list_recent_papers(
    services: Catalog,
    limit: Annotated[int, Field(ge=1, le=25, description="Number of papers")] = 10,
) -> PaperWindow:
    """Lists the newest papers of the catalog.

    For older ones, filters or another order use list_papers with order_by=date_published.
    """
    return await services.discovery.recent(limit)


async def list_trending_papers(
    services: Catalog,
    limit: Annotated[int, Field(ge=1, le=25, description="Number of papers")] = 20,
    max_age_days: Annotated[
        int, Field(ge=1, le=365, description="Oldest age in days, counted back from the catalog's as-of date")
    ] = 180,
    min_velocity: Annotated[
        float, Field(ge=0, description="Least attention per day; papers where it is not known drop out")
    ]
    | None = None,
) -> PaperWindow:
    """Lists the papers that draw the most attention for their age; a note says what the order goes by.

    For all papers in this order use list_papers; for a topic use search_papers.
    """
    return await services.discovery.trending(limit=limit, max_age_days=max_age_days, min_velocity=min_velocity)


async def get_related_papers(
    services: Catalog,
    paper: Paper,
    limit: Annotated[int, Field(ge=1, le=20, description="Number of papers")] = 4,
) -> RelatedPapers:
    """Lists the papers most like one paper; a note says whether by meaning or by shared tasks, methods and authors.

    For what a paper builds on and what came after it use get_paper_lineage.
    """
    return await services.discovery.related(paper, limit)


async def get_paper_lineage(services: Catalog, paper: Paper) -> PaperLineageResult:
    """Lists what a paper builds on and what came after it, from links that the catalog's sources state.

    An empty list does not prove that there is none; get_related_papers finds likely neighbours.
    """
    return await services.discovery.lineage(paper)
