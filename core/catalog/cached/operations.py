"""Which tier remembers each operation of the port, and what an old answer that stands in is called (contract 15)."""

from collections.abc import Mapping
from typing import Final

from core.catalog.cached.tiers import TierName

OPERATIONS: Final[Mapping[str, tuple[TierName, str]]] = {
    "search": (TierName.SEARCH, "the search"),
    "list_papers": (TierName.SEARCH, "the list of papers"),
    "recent": (TierName.SEARCH, "the list of papers"),
    "trending": (TierName.SEARCH, "the list of papers"),
    "has_velocities": (TierName.SEARCH, "the list of papers"),
    "entities": (TierName.TAXONOMY, "the list of names"),
    "complete_entity": (TierName.TAXONOMY, "the list of names"),
    "tasks": (TierName.TAXONOMY, "the list of tasks"),
    "task_page": (TierName.TAXONOMY, "the task"),
    "task_papers": (TierName.TAXONOMY, "the task's list of papers"),
    "methods": (TierName.TAXONOMY, "the list of methods"),
    "method": (TierName.TAXONOMY, "the method"),
    "conferences": (TierName.TAXONOMY, "the list of conferences"),
    "conference": (TierName.TAXONOMY, "the conference"),
    "organizations": (TierName.TAXONOMY, "the list of organizations"),
    "organization": (TierName.TAXONOMY, "the organization"),
    "frameworks": (TierName.TAXONOMY, "the list of frameworks"),
    "framework": (TierName.TAXONOMY, "the framework"),
    "paper": (TierName.RECORD, "the paper's record"),
    "related": (TierName.RECORD, "the list of related papers"),
    "lineage": (TierName.RECORD, "the paper's lineage"),
    "leaderboard_within": (TierName.RECORD, "the leaderboard"),
    "public_metadata": (TierName.PUBLIC_METADATA, "the public metadata"),
    "evaluations_of_paper": (TierName.RECORD, "the list of the paper's results"),
    "benchmark": (TierName.RECORD, "the benchmark's record"),
    "benchmarks": (TierName.RECORD, "the list of benchmarks"),
    "grouped_benchmarks": (TierName.RECORD, "the list of benchmarks"),
    "task_benchmarks": (TierName.RECORD, "the task's list of benchmarks"),
    "benchmark_names": (TierName.RECORD, "the list of names"),
    "read": (TierName.MARKDOWN, "the text"),
    "find": (TierName.RESOLUTION, "the reading of the reference"),
    "find_titles": (TierName.RESOLUTION, "the reading of the reference"),
    "near_titles": (TierName.RESOLUTION, "the list of near titles"),
    "find_entity": (TierName.RESOLUTION, "the reading of a name"),
    "near_entities": (TierName.RESOLUTION, "the list of near names"),
    "find_authors": (TierName.RESOLUTION, "the reading of an author's name"),
    "near_authors": (TierName.RESOLUTION, "the list of near names"),
}
"""By operation; `benchmark_names` stands for `entities` and `complete_entity` of benchmarks."""
