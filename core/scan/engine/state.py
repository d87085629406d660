"""What a store keeps of a scan beside its documents: where it stands, what it has spent (scan contract 4.1, 10.5)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from typing import Any

import orjson

from core.scan.answers.refusals import Code
from core.scan.answers.warnings import WarningCode
from core.scan.days import ScanWindow
from core.scan.models import Batch
from core.scan.profiles import PROFILES, Profile
from core.scan.searching.port import Tally, Warned
from core.scan.vocabulary import ProfileName, Step

ACCEPTED_MAX = 600
"""Judgements whose digests are kept; a scan of the largest profile takes fewer calls."""

_CODES = {each.value: each for each in Code}


@dataclass(frozen=True, slots=True)
class Failure:
    """Why the stage that is owed waits for a call: a code of section 5 and its lines."""

    code: Code
    errors: tuple[str, ...] = ()
    retry_after_ms: int | None = None


@dataclass(frozen=True, slots=True)
class ScanState:
    """The settled facts of a scan, and what its stages have left behind.

    `hashes` holds one keyed digest for each argument of the start, `accepted` one for each judgement that was taken.
    `sources` are those of its plan in routing order; `anchors` the cids of the works that the client knew. `attempts`
    counts the failures of the present stage. Times are seconds since the epoch.
    """

    step: Step
    owner: str
    is_key: bool
    started_s: float
    start_day: str
    window: ScanWindow
    profile_name: ProfileName
    top: int
    foundational: int
    slug: str
    per_query: int
    cap: int
    is_forced: bool
    hashes: Mapping[str, str]
    sources: tuple[str, ...]
    batches: tuple[Batch, ...] = ()
    anchors: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    secondary_spent: int = 0
    outside_admitted: int = 0
    counts: Mapping[str, float] = field(default_factory=dict)
    tallies: Mapping[str, Tally] = field(default_factory=dict)
    warnings: tuple[Warned, ...] = ()
    gap_advice: Mapping[str, Any] | None = None
    has_skipped_gap: bool = False
    verified_on: str | None = None
    attempts: int = 0
    failure: Failure | None = None

    @property
    def profile(self) -> Profile:
        """The figures of its profile."""
        return PROFILES[self.profile_name]

    def to_bytes(self) -> bytes:
        """As the store keeps it."""
        return orjson.dumps(self, default=dict)

    @classmethod
    def of(cls, data: bytes) -> "ScanState":
        """What `to_bytes` wrote."""
        row: dict[str, Any] = orjson.loads(data)
        window, failure = row["window"], row["failure"]
        lower = window["lower"]
        row |= {
            "step": Step(row["step"]),
            "window": ScanWindow(date.fromisoformat(lower) if lower else None, date.fromisoformat(window["upper"])),
            "batches": tuple(Batch(each["id"], tuple(each["cids"])) for each in row["batches"]),
            "tallies": {name: Tally(**each) for name, each in row["tallies"].items()},
            "warnings": tuple(Warned(**each) for each in row["warnings"]),
            "failure": failure
            and Failure(_CODES[failure["code"]], tuple(failure["errors"]), failure["retry_after_ms"]),
        }
        row |= {name: tuple(row[name]) for name in ("sources", "anchors", "accepted")}
        return cls(**{each.name: row[each.name] for each in fields(cls) if each.name in row})


def with_warnings(state_warnings: tuple[Warned, ...], found: tuple[Warned, ...]) -> tuple[Warned, ...]:
    """Warnings in the order of their coming, each once."""
    return tuple(dict.fromkeys((*state_warnings, *found)))


def said(code: WarningCode) -> Warned:
    """A warning in the words of its code."""
    return Warned(code.value, code.sentence)
