"""What a checked call asks for, argument by argument (scan contract 2.2 to 2.5)."""

from dataclasses import dataclass

from core.scan.models import Plan, PlanWindow, Query, RankedEntry, ScreenScore
from core.scan.vocabulary import ProfileName


@dataclass(frozen=True, slots=True)
class StartRequest:
    """A `scan_start`, normalised: strings trimmed, defaults filled in; None is the profile's figure or absence.

    `window` is the one that `queries.window` or `since` and `until` give; None for the default of 36 months.
    """

    scan_id: str
    brief: str
    plan: Plan
    profile: ProfileName
    top: int
    foundational: int
    since: str | None
    until: str | None
    slug: str
    max_candidates: int | None
    per_query: int | None
    force_gap_round: bool
    window: PlanWindow | None


@dataclass(frozen=True, slots=True)
class ContinueRequest:
    """A `scan_continue`: at most one artifact is not None, and `gap_queries` may be empty."""

    scan_id: str
    screen_scores: tuple[ScreenScore, ...] | None = None
    gap_queries: tuple[Query, ...] | None = None
    ranked_entries: tuple[RankedEntry, ...] | None = None


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """A `scan_verify`."""

    scan_id: str
    ranked_entries: tuple[RankedEntry, ...] | None = None


@dataclass(frozen=True, slots=True)
class ResultRequest:
    """A `scan_result`."""

    scan_id: str
