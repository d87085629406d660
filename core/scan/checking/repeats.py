"""Whether two starts of one id ask for the same, told without keeping what they asked for (scan contract 2.2, 10.9)."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

import orjson

from core.scan.answers.refusals import Code, Refused
from core.scan.checking.requests import StartRequest
from core.scan.profiles import PROFILES


def fingerprints(request: StartRequest, secret: bytes, *, default_cap: int | None = None) -> Mapping[str, str]:
    """One HMAC-SHA-256 in hex per argument but `scan_id`, over its normal form.

    A figure that equals the profile's is the same as none. `default_cap` is the pool cap that the profile gives
    here, which for `deep` depends on the live sources; None takes the profile's own.
    """
    profile = PROFILES[request.profile]
    caps = (None, profile.pool_cap if default_cap is None else default_cap)
    values: dict[str, Any] = {
        "brief": request.brief,
        "force_gap_round": request.force_gap_round,
        "foundational": request.foundational,
        "max_candidates": None if request.max_candidates in caps else request.max_candidates,
        "per_query": None if request.per_query in (None, profile.per_query) else request.per_query,
        "profile": request.profile,
        "queries": asdict(request.plan),
        "since": request.since,
        "slug": request.slug,
        "top": request.top,
        "until": request.until,
    }
    return MappingProxyType({name: _sealed(secret, name, value) for name, value in values.items()})


def conflicts(stored: Mapping[str, str], new: Mapping[str, str]) -> tuple[str, ...]:
    """The arguments that differ, sorted by name."""
    names = sorted(stored.keys() | new.keys())
    return tuple(each for each in names if not hmac.compare_digest(stored.get(each, ""), new.get(each, "")))


def refuse_conflict(stored: Mapping[str, str], new: Mapping[str, str]) -> None:
    """Raises `Refused` where any argument differs; names alone are told."""
    if differing := conflicts(stored, new):
        raise Refused(Code.SCAN_ID_CONFLICT, tuple(f"differs: {name}" for name in differing))


def _sealed(secret: bytes, name: str, value: Any) -> str:
    material = name.encode() + b"\0" + orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    return hmac.new(secret, material, hashlib.sha256).hexdigest()
