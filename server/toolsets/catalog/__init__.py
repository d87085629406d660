"""The catalog toolset: papers, full texts and leaderboards at `/mcp`."""

from server.registry import Tool, Toolset
from server.toolsets.catalog.benchmarks import get_benchmark, list_benchmarks
from server.toolsets.catalog.dialect import CatalogDialect
from server.toolsets.catalog.papers import get_paper_info, list_papers, search_papers
from server.toolsets.catalog.reading import read_paper

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
            budgets=("catalog_semantic_per_minute",),
            synonyms=_LIMIT | _QUERY | _DATES,
        ),
        Tool(get_paper_info, title="Paper details", synonyms=_PAPER),
        Tool(read_paper, title="Read full text", synonyms=_PAPER | {"next_cursor": "cursor"}),
        Tool(list_papers, title="List papers", synonyms=_LIMIT | _DATES | {"query": "search", "author": "authors"}),
        Tool(get_benchmark, title="Benchmark leaderboard", synonyms=_LIMIT | _BENCHMARK),
        Tool(list_benchmarks, title="List benchmarks", synonyms=_LIMIT | {"query": "search"}),
    ),
)
