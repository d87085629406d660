"""The catalog toolset: papers, full texts and leaderboards at `/mcp`."""

from server.registry import BudgetUse, Tool, Toolset
from server.toolsets.catalog.benchmarks import get_benchmark, list_benchmarks
from server.toolsets.catalog.communities import (
    get_conference,
    get_framework,
    get_organization,
    list_conferences,
    list_frameworks,
    list_organizations,
)
from server.toolsets.catalog.dialect import ERRORS, CatalogDialect
from server.toolsets.catalog.discovery import (
    get_paper_lineage,
    get_related_papers,
    list_recent_papers,
    list_trending_papers,
)
from server.toolsets.catalog.methods import get_method, list_methods
from server.toolsets.catalog.papers import get_paper_evaluations, get_paper_info, list_papers, search_papers
from server.toolsets.catalog.prompts import PROMPTS
from server.toolsets.catalog.reading import read_paper
from server.toolsets.catalog.resources import RESOURCES
from server.toolsets.catalog.tasks import get_task, list_tasks

_LIMIT = {"max_results": "limit", "top_k": "limit", "page_size": "limit", "per_page": "limit", "n": "limit"}
_QUERY = {"q": "query", "text": "query", "question": "query", "keywords": "query"}
_PAPER = {"id": "paper", "paper_id": "paper", "arxiv_id": "paper", "doi": "paper", "title": "paper", "url": "paper"}
_DATES = {
    "start_date": "published_after",
    "from_date": "published_after",
    "since": "published_after",
    "end_date": "published_before",
    "to_date": "published_before",
    "until": "published_before",
}
_BENCHMARK = {"dataset": "benchmark", "leaderboard": "benchmark", "id": "benchmark", "name": "benchmark"}

TOOLSET = Toolset(
    id="catalog",
    title="paperdesk catalog",
    description="Papers, full texts and leaderboards of one research catalog.",
    path="/mcp",
    instructions=(
        "A read-only catalog of research papers, benchmarks and their leaderboards. search_papers finds papers by"
        " meaning or words; the list_ tools apply exact filters in a fixed order. Ids and slugs from a list can be"
        " passed to the get_ tools and to read_paper; papers may also be named by arXiv id, DOI, PubMed id, URL or"
        " title. Dates are YYYY-MM-DD. The structured part of a result holds the full data; its text is a summary."
        " An official implementation is a repository that the catalog marks as official. Openness and model sizes are"
        " statements of the catalog and may be missing; a missing field means unknown. Titles, abstracts and full"
        " texts are third-party content."
    ),
    dialect=CatalogDialect(),
    tools=(
        Tool(
            search_papers,
            title="Search papers",
            budgets=(BudgetUse("catalog_semantic_per_minute", unless=("mode", "keyword")),),
            synonyms=_LIMIT | _QUERY | _DATES,
            example={"query": "parameter-efficient fine-tuning of language models", "limit": 5},
        ),
        Tool(
            get_paper_info,
            title="Paper details",
            synonyms=_PAPER,
            example={"paper": "1706.03762", "include_evaluations": True},
        ),
        Tool(
            get_paper_evaluations, title="Results of a paper", synonyms=_LIMIT | _PAPER, example={"paper": "1512.03385"}
        ),
        Tool(
            read_paper,
            title="Read full text",
            synonyms=_PAPER | {"next_cursor": "cursor"},
            example={"paper": "https://arxiv.org/abs/2106.09685"},
        ),
        Tool(
            list_papers,
            title="List papers",
            synonyms=_LIMIT | _DATES | {"query": "search", "author": "authors"},
            example={
                "task": "Language Modelling",
                "published_after": "2022-01-01",
                "has_official_implementation": True,
                "order_by": "date_published",
            },
        ),
        Tool(list_recent_papers, title="Newest papers", synonyms=_LIMIT, example={"limit": 5}),
        Tool(
            list_trending_papers,
            title="Trending papers",
            synonyms=_LIMIT | {"days": "max_age_days"},
            example={"max_age_days": 365, "limit": 5},
        ),
        Tool(get_related_papers, title="Related papers", synonyms=_LIMIT | _PAPER, example={"paper": "1810.04805"}),
        Tool(get_paper_lineage, title="Predecessors and successors", synonyms=_PAPER, example={"paper": "BERT"}),
        Tool(
            get_task,
            title="Task overview",
            synonyms={"id": "task", "name": "task", "slug": "task"},
            example={"task": "Image Classification"},
        ),
        Tool(
            list_tasks,
            title="List tasks",
            synonyms=_LIMIT | {"query": "search"},
            example={"area": "Computer Vision", "order_by": "paper_count", "order_direction": "desc"},
        ),
        Tool(
            get_method,
            title="Method details",
            synonyms={"id": "method", "name": "method", "slug": "method"},
            example={"method": "Transformer"},
        ),
        Tool(
            list_methods,
            title="List methods",
            synonyms=_LIMIT | {"query": "search", "year": "introduced_year"},
            example={"introduced_year": 2017},
        ),
        Tool(
            get_conference,
            title="Conference details",
            synonyms={"id": "conference", "name": "conference"},
            example={"conference": "NeurIPS 2017"},
        ),
        Tool(list_conferences, title="List conferences", synonyms=_LIMIT, example={"year": 2021}),
        Tool(
            get_organization,
            title="Organization details",
            synonyms={"id": "organization", "name": "organization"},
            example={"organization": "Google DeepMind"},
        ),
        Tool(
            list_organizations,
            title="List organizations",
            synonyms=_LIMIT | {"featured": "featured_only"},
            example={"limit": 10},
        ),
        Tool(
            get_framework,
            title="Framework details",
            synonyms={"id": "framework", "name": "framework"},
            example={"framework": "PyTorch"},
        ),
        Tool(list_frameworks, title="List frameworks", synonyms=_LIMIT, example={"domain": "Computer Vision"}),
        Tool(
            get_benchmark,
            title="Benchmark leaderboard",
            synonyms=_LIMIT | _BENCHMARK,
            example={
                "benchmark": "ImageNet",
                "is_open": True,
                "max_parameters": "3B",
                "sort_metric": "Top 1 Accuracy",
                "limit": 5,
            },
        ),
        Tool(
            list_benchmarks,
            title="List benchmarks",
            synonyms=_LIMIT | {"query": "search"},
            example={"task": "Question Answering", "include_descendants": True},
        ),
    ),
    resources=RESOURCES,
    prompts=PROMPTS,
    errors=ERRORS,
)
