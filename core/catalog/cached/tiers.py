"""The tiers of the catalog's memory and their bounds (catalog contract 15)."""

from enum import StrEnum

from core.cache import Tier

_MIB = 1024 * 1024
_MINUTE_S, _HOUR_S = 60, 3600


class TierName(StrEnum):
    """Every tier there is; metrics are labelled by these."""

    SEARCH = "search"
    TAXONOMY = "taxonomy"
    RECORD = "record"
    LEADERBOARD = "leaderboard"
    MARKDOWN = "markdown"
    CURRENT_VERSION = "current_version"
    PUBLIC_METADATA = "public_metadata"
    RESOLUTION = "resolution"
    NEGATIVE = "negative"


_BOUNDS = {
    TierName.SEARCH: (60, 512, 8 * _MIB, 10 * _MINUTE_S),
    TierName.TAXONOMY: (600, 512, 16 * _MIB, 24 * _HOUR_S),
    TierName.RECORD: (300, 1_024, 16 * _MIB, _HOUR_S),
    TierName.LEADERBOARD: (300, 64, 32 * _MIB, _HOUR_S),
    TierName.MARKDOWN: (3_600, 256, 16 * _MIB, 0),
    TierName.CURRENT_VERSION: (60, 4_096, _MIB, 0),
    TierName.PUBLIC_METADATA: (3_600, 2_048, 4 * _MIB, 0),
    TierName.RESOLUTION: (300, 4_096, 2 * _MIB, _HOUR_S),
    TierName.NEGATIVE: (30, 4_096, _MIB, 0),
}

TIERS = {
    name: Tier(name.value, fresh_s=fresh_s, max_entries=entries, max_bytes=size, stale_s=stale_s)
    for name, (fresh_s, entries, size, stale_s) in _BOUNDS.items()
}

IMMUTABLE_LEADERBOARD = Tier(TierName.LEADERBOARD.value, fresh_s=None, max_entries=64, max_bytes=32 * _MIB)
"""Merged leaderboards of a catalog that never changes while it is open."""
