"""Tools on papers: search, exact lists and single records."""

from typing import Annotated, Literal

from pydantic import Field

from core.catalog.models import Direction, PaperOrder, SearchMode
from core.catalog.paper_filters import PaperSelection
from core.catalog.results import EvaluationPage, PaperInfoResult, PaperPage, SearchPage
from core.catalog.service import Catalog
from server.toolsets.catalog.parameters import (
    Limit,
    Name,
    OfficialOnly,
    OrderDirection,
    Page,
    Paper,
    PublishedAfter,
    PublishedBefore,
)


async def search_papers(
    services: Catalog,
    query: Annotated[str, Field(min_length=1, max_length=500, description="Words or a question")],
    mode: Annotated[
        Literal["hybrid", "keyword", "semantic"],
        Field(description="hybrid fuses words and meaning; keyword costs no semantic budget"),
    ] = "hybrid",
    page: Page = 1,
    limit: Limit = 10,
    published_after: PublishedAfter | None = None,
    published_before: PublishedBefore | None = None,
    has_official_implementation: OfficialOnly = False,
) -> SearchPage:
    """Finds papers by meaning and words; a query that is a title, an arXiv id or a DOI has that paper first.

    For exact filters (task, method, author, conference) in a fixed order use list_papers; for the best results on a
    benchmark use list_benchmarks and get_benchmark.
    """
    return await services.papers.search(
        query,
        mode=SearchMode(mode),
        page=page,
        limit=limit,
        published_after=published_after,
        published_before=published_before,
        has_official_implementation=has_official_implementation,
    )


async def get_paper_info(
    services: Catalog,
    paper: Paper,
    include_resources: Annotated[
        bool, Field(description="Also list unofficial repositories, project pages and Hugging Face models and data")
    ] = False,
    repo_limit: Annotated[int, Field(ge=1, le=10, description="Most entries of each resource list")] = 5,
    include_evaluations: Annotated[bool, Field(description="Also list the paper's first 50 benchmark results")] = False,
) -> PaperInfoResult:
    """Gives one paper's record: abstract, authors, venue, tasks, methods, official code, lineage.

    For the text itself use read_paper; to find a paper by topic use search_papers.
    """
    return await services.papers.info(
        paper,
        include_resources=include_resources,
        repo_limit=repo_limit,
        include_evaluations=include_evaluations,
    )


async def get_paper_evaluations(
    services: Catalog,
    paper: Paper,
    page: Page = 1,
    limit: Limit = 20,
) -> EvaluationPage:
    """Lists all benchmark results of one paper, equivalent rows merged, best ranks first.

    For a whole leaderboard use get_benchmark; ranks hold within one task.
    """
    return await services.leaderboards.of_paper(paper, page=page, limit=limit)


async def list_papers(
    services: Catalog,
    search: Annotated[
        str, Field(min_length=1, max_length=500, description="Words that must all occur in title or abstract")
    ]
    | None = None,
    task: Annotated[Name, Field(description="Research task: name, slug or id")] | None = None,
    method: Annotated[Name, Field(description="Method: name, full name, slug or id")] | None = None,
    framework: Annotated[Name, Field(description="Code framework: name, slug or id")] | None = None,
    organization: Annotated[Name, Field(description="Organization: name, slug or id")] | None = None,
    conference: Annotated[Name, Field(description="Conference edition: name, slug or id")] | None = None,
    authors: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=200)]],
        Field(max_length=10, description="Exact name, numeric author id or @hf_username; all must match"),
    ]
    | None = None,
    published_after: PublishedAfter | None = None,
    published_before: PublishedBefore | None = None,
    all_versions: Annotated[bool, Field(description="false lists only the latest record of a paper")] = False,
    order_by: Annotated[
        Literal["trending", "date_published", "citation_count"], Field(description="First sort key")
    ] = "trending",
    order_direction: OrderDirection = "desc",
    include_resources: Annotated[bool, Field(description="Add methods and repositories to the rows of data")] = False,
    has_official_implementation: OfficialOnly = False,
    page: Page = 1,
    limit: Limit = 20,
) -> PaperPage:
    """Lists papers that pass exact filters, all of which must hold, in a fixed order.

    To find papers by topic or by a question use search_papers; for one paper use get_paper_info.
    """
    asked = PaperSelection(
        search=search,
        task=task,
        method=method,
        framework=framework,
        organization=organization,
        conference=conference,
        authors=tuple(authors or ()),
        published_after=published_after,
        published_before=published_before,
        all_versions=all_versions,
        has_official_implementation=has_official_implementation,
    )
    return await services.papers.listing(
        asked,
        order=PaperOrder(order_by),
        direction=Direction(order_direction),
        include_resources=include_resources,
        page=page,
        limit=limit,
    )
