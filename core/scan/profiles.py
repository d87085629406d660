"""The figures of a scan: what its profile gives, and what holds for every scan (scan contract 7.1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.scan.vocabulary import ProfileName

BATCH_ITEMS = 25
PREVIEW_CHARS = 600
RANK_PAGE = 10
SEEDS = 15
GAP_SEEDS = 5
REFERENCES_PER_SEED = 30
REFERENCES_BY_VELOCITY = 20
"""Of the references of a seed, how many go by citations a year before the newest in-window ones follow."""
CITATIONS_PER_SEED = 30
RECOMMENDATIONS_PER_SEED = 8
RECOMMENDING_SEEDS = 5
EXPANSION_ADMITTED = 100
RECOMMENDATION_PLACES = 10
GRAPH_ROWS_READ = 300
GRAPH_PAGE = 100
KEPT_SCORE = 2
THIN_HITS = 5
GAP_HITS = 8
GAP_MEDIAN_SHARE = 0.5
GAP_QUERY_POOL = 20
CONTRADICTING_PLACES = 1
REVIEW_PLACES = 1
ALTERNATES = 5
PER_FIRST_AUTHOR = 2
MERGE_RATIO = 92.0
VERIFY_RATIO = 90.0
ANCHOR_RATIO = 95.0
BIBLIOGRAPHIC_RATIO = 95.0
FUSION_CONSTANT = 60
SECONDARY_WEIGHT = 0.5
SECONDARY_BELOW_HITS = 5
SECONDARY_TRIES = 2
STAGE_LIMIT_S = 240.0
SMALL_STAGE_LIMIT_S = 30.0
CANDIDATES_MAX = 3_000
CLEAR_BYTES_MAX = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Profile:
    """One row of the table. Sizes are counts of works; `shortlist_max` and `outside_shortlist_max` are upper bounds."""

    name: ProfileName
    per_query: int
    pool_cap: int
    outside_admissions: int
    shortlist_max: int
    outside_shortlist_max: int
    secondary_requests: int

    def cap(self, live_sources: int) -> int:
        """The pool cap; that of `deep` grows with the number of live search sources."""
        return self.pool_cap * max(2, live_sources) // 2 if self.name == "deep" else self.pool_cap


SHORTLIST_MIN = 40
OUTSIDE_SHORTLIST_MIN = 12

PROFILES: Mapping[ProfileName, Profile] = MappingProxyType(
    {
        "quick": Profile("quick", 20, 250, 12, 40, 12, 8),
        "standard": Profile("standard", 40, 450, 20, 60, 16, 12),
        "deep": Profile("deep", 40, 450, 30, 80, 20, 16),
    }
)
