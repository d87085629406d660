"""The field names of every row, as catalog contract 16.4 lists them, with what paperdesk adds."""

PAPER_ROW = {
    "id", "arxiv_id", "slug", "title", "authors", "author_count", "published", "citation_count", "url_abs",
    "source_url", "has_official_implementation", "code_repository_count", "route_identifier",
}  # fmt: skip
RESOURCE_FIELDS = {"repositories", "project_pages", "hf_models", "hf_datasets", "hf_spaces"}
PAPER_RECORD = PAPER_ROW | RESOURCE_FIELDS | {
    "abstract", "url_pdf", "tasks", "methods", "organizations", "conference", "conference_name", "predecessor_papers",
    "successor_papers", "source", "doi", "venue", "identifiers", "has_markdown", "is_retracted",
}  # fmt: skip
EVALUATION_ROW = {
    "id", "paper_id", "task_id", "task_name", "task_slug", "dataset_id", "dataset_name", "dataset_slug", "model_name",
    "harness", "metrics", "best_metric", "best_rank", "is_open", "num_parameters", "paper_title", "paper_arxiv_id",
    "paper_published_date", "methodology", "split", "split_name", "evaluated_on", "result_url", "source_url",
    "external_source_url", "code_url", "hf_model_url", "updated_at", "uses_additional_data",
}  # fmt: skip
DATASET_ROW = {
    "id", "name", "slug", "full_name", "description", "hf_url", "paper_count", "evaluation_count", "metric_directions",
}  # fmt: skip
TREND_ROW = DATASET_ROW | {
    "recent_paper_count", "all_time_paper_count", "trend_score", "support_weighted_score", "best_model_name",
    "best_paper_title", "best_code_url",
}  # fmt: skip
TASK_ROW = {
    "id", "slug", "name", "area_id", "level", "paper_count", "benchmark_count", "evaluation_count",
}  # fmt: skip
METHOD_ROW = {"id", "slug", "name", "full_name", "area_id", "introduced_year", "paper_count"}
METHOD_RECORD = METHOD_ROW | {"description", "source_paper_id", "source_url", "source_title"}
CONFERENCE = {
    "id", "name", "slug", "year", "location", "paper_count", "start_date", "end_date", "venue", "description", "tier",
    "url", "hf_url",
}  # fmt: skip
ORGANIZATION = {
    "id", "name", "slug", "paper_count", "is_featured", "trending_rank", "first_paper_year", "latest_paper_year",
    "description", "website_url", "github_url", "hf_url",
}  # fmt: skip
FRAMEWORK = {
    "id", "name", "slug", "description", "platforms", "paper_count", "organization_name", "github_url", "docs_url",
    "when_to_use", "introducing_paper_arxiv_id",
}  # fmt: skip
ENVELOPE = {"results", "count", "page", "page_size", "next_page", "previous_page", "applied_filters"}
