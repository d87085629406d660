"""The closed vocabularies of a scan (scan contract 2.6, 3.1, 4.1, 8.2)."""

from enum import StrEnum
from typing import Literal

ProfileName = Literal["quick", "standard", "deep"]
Domain = Literal["behavioral", "cs", "biomed", "general"]
QueryType = Literal[
    "direct", "terminology", "mechanism", "method", "adjacent", "contradictory", "review", "emerging", "gap"
]
QueryMode = Literal["semantic", "keyword"]
Relation = Literal["query", "references", "citations", "recommendations", "anchor"]
"""How a list of hits came about."""
SourceName = Literal["catalog", "openalex", "s2", "arxiv", "crossref", "datacite"]
"""Sources by their names in artifacts; `datacite` only verifies."""
WorkType = Literal["article", "preprint", "review", "book-chapter", "other"]
EvidenceLevel = Literal[
    "systematic-review",
    "meta-analysis",
    "rct",
    "prospective",
    "observational",
    "experimental",
    "computational",
    "qualitative",
    "other",
]
Bearing = Literal["design-changing", "plan-influencing", "closely-related", "contradicting", "foundational"]
"""A ranked entry's `relation`: how a paper bears on the brief."""
SelectionReason = Literal["score", "diversity", "review", "contradicting", "foundational", "backfill"]
VerificationState = Literal["verified", "mismatched", "unverifiable"]
Mismatch = Literal["title", "year", "author", "retracted", "doi_unresolved", "no_record"]
RetractionStatus = Literal["retracted", "no_marker_found", "unknown"]
Phase = Literal["screen", "gap", "rank", "complete", "unknown"]
Status = Literal["ok", "invalid_artifact", "wrong_phase", "in_progress", "queued_behind_other_scan", "failed"]
Action = Literal["screen_candidates", "write_gap_queries", "rank_shortlist", "verify_ranked", "complete"]
Recovery = Literal["fix_and_resend", "follow_next_action", "poll", "wait", "retry_same_call", "start_new_scan"]


class Step(StrEnum):
    """Where a scan stands (4.1)."""

    RETRIEVE = "retrieve"
    SCREEN_Q = "screen-q"
    EXPAND = "expand"
    SCREEN_X = "screen-x"
    COVERAGE = "coverage"
    GAP = "gap"
    RETRIEVE_R2 = "retrieve-r2"
    SCREEN_R = "screen-r"
    EXPAND_R2 = "expand-r2"
    SCREEN_XR = "screen-xr"
    COVERAGE_R2 = "coverage-r2"
    SHORTLIST = "shortlist"
    RANK = "rank"
    RANKED = "ranked"
    VERIFY = "verify"
    EMIT = "emit"
    COMPLETE = "complete"
