"""The closed lists of the evidence contract (section 3), as types for signatures and as tuples for checks and texts."""

from types import MappingProxyType
from typing import Final, Literal, get_args

Direction = Literal["mixed", "negative", "null_result", "positive"]
EffectType = Literal[
    "cohens_d", "count", "dollars", "log_points", "odds_ratio", "other", "percentage", "standard_deviations"
]
EvidenceGrade = Literal["high", "low", "medium", "speculative"]
PaperType = Literal[
    "commentary", "correlational", "descriptive", "other", "quasi_experimental", "rct", "review_meta", "theoretical"
]
Level = Literal["high", "low", "medium"]
Theme = Literal[
    "adoption",
    "governance",
    "human_ai_collab",
    "inequality",
    "innovation",
    "labor_markets",
    "org_design",
    "productivity",
    "skills_training",
]
RelationType = Literal["supports", "contradicts", "extends", "qualifies", "replicates"]
RetractionStatus = Literal["none", "retracted", "concern", "corrected", "unknown"]
SearchType = Literal["claims", "papers"]
AuthorMatch = Literal["exact", "variant", "initials", "partial"]
Retriever = Literal["exact_id", "exact_title", "fts", "filter", "vector"]
Role = Literal["incoming", "outgoing", "mutual"]

DIRECTIONS: Final[tuple[str, ...]] = get_args(Direction)
EFFECT_TYPES: Final[tuple[str, ...]] = get_args(EffectType)
EVIDENCE_GRADES: Final[tuple[str, ...]] = get_args(EvidenceGrade)
PAPER_TYPES: Final[tuple[str, ...]] = get_args(PaperType)
LEVELS: Final[tuple[str, ...]] = get_args(Level)
THEMES: Final[tuple[str, ...]] = get_args(Theme)
RELATION_TYPES: Final[tuple[str, ...]] = get_args(RelationType)
RETRACTION_STATUSES: Final[tuple[str, ...]] = get_args(RetractionStatus)

SYMMETRIC_TYPES: Final = frozenset({"contradicts", "replicates"})
"""Relations without a direction: stored once, read from either end."""

OTHER: Final = "other"
UNTITLED: Final = "Untitled paper"

_CATEGORIES = """
ai_safety_ethics automation_exposure consumer_welfare creative_output decision_quality developer_productivity
employment_level error_rate firm_productivity firm_revenue fiscal_macroeconomic governance_regulation
hiring_recruitment inequality_measures innovation_output job_displacement labor_share_of_income market_structure
organizational_efficiency other output_quality regulatory_compliance research_productivity skill_acquisition
skill_obsolescence social_protection task_allocation task_completion_time team_performance technology_adoption_rate
training_effectiveness wages_compensation worker_satisfaction worker_turnover
"""
DEFAULT_CATEGORIES: Final = tuple(_CATEGORIES.split())
"""Outcome categories of a corpus that brings no list of its own."""

MATCH_SCORES: Final = MappingProxyType({"exact": 1.0, "variant": 0.9, "initials": 0.7, "partial": 0.5})
"""What a paper scores in a listing by author, by how the name matched (section 4.4)."""
