"""Which budgets there are and which numbers hold for whom (hosting contract 4.2)."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from server.limits.identity import Caller

LIMIT_MAX = 10_000
MINUTE_S = 60.0
DAY_S = 86_400.0

PER_MINUTE = "per_minute"
API_PER_MINUTE = "api_per_minute"
CONCURRENT = "concurrent"
GLOBAL = "global"


@dataclass(frozen=True, slots=True)
class Window:
    """A budget over time: any 60 s, or a UTC day where it `is_daily`.

    A token of a `metered` one is reserved when the call begins and taken when it turns out to be owed.
    """

    name: str
    is_daily: bool = False
    is_metered: bool = False


WINDOWS: Mapping[str, Window] = MappingProxyType(
    {
        window.name: window
        for window in (
            Window(PER_MINUTE),
            Window("catalog_semantic_per_minute"),
            Window("semantic_per_minute", is_metered=True),
            Window("semantic_daily", is_daily=True, is_metered=True),
            Window(API_PER_MINUTE),
        )
    }
)

DEFAULTS: Mapping[str, tuple[int, int, int]] = MappingProxyType(
    {
        PER_MINUTE: (60, 300, 1_200),
        "catalog_semantic_per_minute": (10, 50, 200),
        "semantic_per_minute": (6, 30, 60),
        "semantic_daily": (50, 1_000, 2_000),
        CONCURRENT: (4, 8, 32),
        API_PER_MINUTE: (300, 3_000, 3_000),
    }
)
"""Of each budget: anonymous, with a key, of a shared tier."""

DEFAULT_GLOBAL = 128


class Budgets:
    """The numbers in force: three sets, each key's own over them, and the ceiling for all together."""

    def __init__(
        self,
        *,
        anonymous: Mapping[str, int] | None = None,
        key: Mapping[str, int] | None = None,
        shared: Mapping[str, int] | None = None,
        ceiling: int = DEFAULT_GLOBAL,
    ) -> None:
        self.anonymous, self.key, self.shared = (
            MappingProxyType({name: numbers[place] for name, numbers in DEFAULTS.items()} | dict(given or {}))
            for place, given in enumerate((anonymous, key, shared))
        )
        self.ceiling = ceiling
        self._by_kind = {"ip": self.anonymous, "tag": self.anonymous, "key": self.key, "tier": self.shared}

    def of(self, caller: Caller) -> Mapping[str, int]:
        """Every budget's number for one caller."""
        numbers = self._by_kind[caller.kind]
        return {**numbers, **caller.limits} if caller.limits else numbers


def share_of(ceiling: int, workers: int) -> int:
    """What one of several workers may hold of the global ceiling, so that together they never exceed it."""
    return max(1, ceiling // workers)
