"""The records of an evidence folder, strict: which keys there are, and what each may hold."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from core.evidence.digests import is_day
from core.evidence.vocabulary import (
    DIRECTIONS,
    EFFECT_TYPES,
    EVIDENCE_GRADES,
    LEVELS,
    PAPER_TYPES,
    RELATION_TYPES,
    RETRACTION_STATUSES,
    THEMES,
)

Json = dict[str, Any]
Check = Callable[[Any], str | None]
"""Says what a value must be; None where it is that."""

_MAX_ID = 2**53 - 1
_ORCID_LETTERS = 16
_URL = re.compile(r"https?://[^\s\x00-\x1f\x7f\"<>]+")


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a record."""

    check: Check
    is_required: bool = False


def _text(value: Any) -> str | None:
    return None if isinstance(value, str) and value.strip() else "must be a text that is not empty"


def _number(value: Any) -> str | None:
    # Whole numbers have a bound too: beyond it, neither JSON nor a float holds each of them.
    is_whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _MAX_ID
    return None if is_whole or (isinstance(value, float) and math.isfinite(value)) else "must be a number"


def _whole(low: int, high: int = _MAX_ID) -> Check:
    def check(value: Any) -> str | None:
        is_whole = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        return None if is_whole else f"must be a whole number from {low} to {high}"

    return check


def _share(value: Any) -> str | None:
    return _number(value) or (None if 0 <= value <= 1 else "must be a number from 0 to 1")


def _flag(value: Any) -> str | None:
    return None if isinstance(value, bool) else "must be true or false"


def _one_of(values: tuple[str, ...]) -> Check:
    def check(value: Any) -> str | None:
        return None if isinstance(value, str) and value in values else f"must be one of: {', '.join(values)}"

    return check


def _moment(value: Any) -> str | None:
    return None if isinstance(value, str) and is_day(value[:10]) else "must start with a day as YYYY-MM-DD"


def _list(check: Check, *, distinct: bool = False) -> Check:
    def check_all(value: Any) -> str | None:
        if not isinstance(value, list):
            return "must be a list"
        for each in value:
            if reason := check(each):
                return f"holds a value that {reason}"
        if distinct and len(set(map(str, value))) < len(value):
            return "holds a value twice"
        return None

    return check_all


def _object(keys: Mapping[str, Key]) -> Check:
    def check(value: Any) -> str | None:
        if not isinstance(value, dict):
            return "must be an object"
        reasons = problems(value, keys)
        return f"is not sound: {'; '.join(reasons)}" if reasons else None

    return check


def _page(value: Any) -> str | None:
    is_page = _text(value) is None or _whole(0)(value) is None
    return None if is_page else "must be a text or a whole number"


def _url(value: Any) -> str | None:
    is_url = isinstance(value, str) and _URL.fullmatch(value) is not None
    return None if is_url else "must be an http or https address"


def _orcid(value: Any) -> str | None:
    letters = value.replace("-", "") if isinstance(value, str) else ""
    if len(letters) != _ORCID_LETTERS or not letters.isascii() or not letters[:-1].isdigit():
        return "must be an ORCID such as 0000-0002-1825-0097"
    total = 0
    for digit in letters[:-1]:
        total = (total + int(digit)) * 2
    rest = (12 - total % 11) % 11
    return None if letters[-1].upper() == ("X" if rest == 10 else str(rest)) else "has a wrong check digit"


def _optional(check: Check) -> Key:
    return Key(check)


def _required(check: Check) -> Key:
    return Key(check, is_required=True)


_RESOURCES = _list(_object({"id": _required(_text), "url": _required(_url)}))
_EFFECT = {
    "type": _required(_one_of(EFFECT_TYPES)),
    "value": _optional(_number),
    "unit": _optional(_text),
    "ci_low": _optional(_number),
    "ci_high": _optional(_number),
    "sample_size": _optional(_whole(0)),
}
_RETRACTION = {
    "status": _required(_one_of(RETRACTION_STATUSES)),
    "notice_doi": _optional(_text),
    "checked_at": _optional(_moment),
}

CLAIMS_FILE: Mapping[str, Mapping[str, Key]] = {
    "assessment": {
        "kind": _required(_text),
        "paper_id": _required(_text),
        "paper_type": _required(_one_of(PAPER_TYPES)),
        "methods_rigor": _optional(_one_of(LEVELS)),
        "evidence_strength": _optional(_one_of(LEVELS)),
        "relevance": _optional(_whole(1, 10)),
        "rationale": _optional(_text),
        "themes": _required(_list(_one_of(THEMES), distinct=True)),
        "takeaway": _optional(_text),
        "summary_markdown": _optional(_text),
        "hf_resources": _optional(_object({kind: _required(_RESOURCES) for kind in ("models", "datasets", "spaces")})),
        "retraction": _optional(_object(_RETRACTION)),
    },
    "claim": {
        "kind": _required(_text),
        "claim_id": _required(_whole(1)),
        "paper_id": _required(_text),
        "claim_text": _required(_text),
        "outcome_category": _required(_text),
        "evidence_grade": _required(_one_of(EVIDENCE_GRADES)),
        "evidence_basis": _optional(_text),
        "direction": _optional(_one_of(DIRECTIONS)),
        "effect": _optional(_object(_EFFECT)),
        "locator": _optional(
            _object({"section": _optional(_text), "page": _optional(_page), "quote": _optional(_text)})
        ),
        "forecast_or_normative": _optional(_flag),
        "extracted_at": _optional(_moment),
    },
    "relation": {
        "kind": _required(_text),
        "relation_id": _required(_whole(1)),
        "from_claim": _required(_whole(1)),
        "to_claim": _required(_whole(1)),
        "type": _required(_one_of(RELATION_TYPES)),
        "confidence": _required(_share),
        "rationale": _optional(_text),
        "created_at": _optional(_moment),
    },
}
AUTHOR: Mapping[str, Key] = {
    "author_id": _required(_whole(1)),
    "display_name": _required(_text),
    "paper_ids": _required(_list(_text)),
    "name_variants": _optional(_list(_text)),
    "orcid": _optional(_orcid),
    "affiliations": _optional(_list(_text)),
}
_COMPUTED = "evidence_weight"


def problems(record: Json, keys: Mapping[str, Key]) -> list[str]:
    """Everything that is wrong with one record; null is no value of any key."""
    found = []
    for name, value in record.items():
        if name == _COMPUTED:
            found.append("evidence_weight is always computed and must not be given")
        elif name not in keys:
            found.append(f"unknown key {name!r}; known are {', '.join(keys)}")
        elif reason := keys[name].check(value):
            found.append(f"{name} {reason}")
    return found + [f"{name} is missing" for name, key in keys.items() if key.is_required and name not in record]
