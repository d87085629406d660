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
from server.toolsets.catalog.dialect import CatalogDialect
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
        ),
        Tool(get_paper_info, title="Paper details", synonyms=_PAPER),
        Tool(get_paper_evaluations, title="Results of a paper", synonyms=_LIMIT | _PAPER),
        Tool(read_paper, title="Read full text", synonyms=_PAPER | {"next_cursor": "cursor"}),
        Tool(list_papers, title="List papers", synonyms=_LIMIT | _DATES | {"query": "search", "author": "authors"}),
        Tool(list_recent_papers, title="Newest papers", synonyms=_LIMIT),
        Tool(list_trending_papers, title="Trending papers", synonyms=_LIMIT | {"days": "max_age_days"}),
        Tool(get_related_papers, title="Related papers", synonyms=_LIMIT | _PAPER),
        Tool(get_paper_lineage, title="Predecessors and successors", synonyms=_PAPER),
        Tool(get_task, title="Task overview", synonyms={"id": "task", "name": "task", "slug": "task"}),
        Tool(list_tasks, title="List tasks", synonyms=_LIMIT | {"query": "search"}),
        Tool(get_method, title="Method details", synonyms={"id": "method", "name": "method", "slug": "method"}),
        Tool(list_methods, title="List methods", synonyms=_LIMIT | {"query": "search", "year": "introduced_year"}),
        Tool(get_conference, title="Conference details", synonyms={"id": "conference", "name": "conference"}),
        Tool(list_conferences, title="List conferences", synonyms=_LIMIT),
        Tool(get_organization, title="Organization details", synonyms={"id": "organization", "name": "organization"}),
        Tool(list_organizations, title="List organizations", synonyms=_LIMIT | {"featured": "featured_only"}),
        Tool(get_framework, title="Framework details", synonyms={"id": "framework", "name": "framework"}),
        Tool(list_frameworks, title="List frameworks", synonyms=_LIMIT),
        Tool(get_benchmark, title="Benchmark leaderboard", synonyms=_LIMIT | _BENCHMARK),
        Tool(list_benchmarks, title="List benchmarks", synonyms=_LIMIT | {"query": "search"}),
    ),
    resources=RESOURCES,
    prompts=PROMPTS,
)
