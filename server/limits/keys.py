"""API keys: their records, the file that holds them, and the one who presents one (hosting contract 4.5).

At rest there are digests only. A key raises budgets and opens nothing.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import orjson

from server.limits.budgets import DEFAULTS, LIMIT_MAX
from server.limits.identity import NO_LIMITS

KEY_PREFIX = "pdk_"
SECRET_BYTES = 32
LABEL_CHARACTERS_MAX = 100

KEY_FORM = re.compile(r"pdk_[A-Za-z0-9_-]{43}")
"""A key in clear."""
_BEARER = re.compile(rb"[Bb][Ee][Aa][Rr][Ee][Rr] +(%b)" % KEY_FORM.pattern.encode())
_KEY_ID = re.compile(r"[A-Za-z0-9]{8}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_MEMBERS = frozenset({"key_id", "sha256", "label", "created", "expires", "revoked", "limits"})


class BadKeyRecord(ValueError):
    """A line that is no record of a key; the text says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """One record. Times are seconds since the epoch; `limits` are this key's own numbers, by budget."""

    key_id: str
    sha256: str
    label: str
    created_s: float
    expires_s: float | None = None
    revoked_s: float | None = None
    limits: Mapping[str, int] = field(default_factory=lambda: NO_LIMITS)

    def is_valid(self, now_s: float) -> bool:
        """Whether it may be used now."""
        return self.revoked_s is None and (self.expires_s is None or now_s < self.expires_s)


class KeyRing:
    """All keys of one reading of the file."""

    def __init__(self, keys: Iterable[ApiKey] = ()) -> None:
        self._by_digest = {bytes.fromhex(key.sha256): key for key in keys}

    def __len__(self) -> int:
        return len(self._by_digest)

    def holder(self, authorization: Sequence[bytes], now_s: float) -> ApiKey | None:
        """The valid key that a request presents; None for every other credential, whatever is wrong with it."""
        match = _BEARER.fullmatch(authorization[0]) if len(authorization) == 1 else None
        if match is None:
            return None
        digest = hashlib.sha256(match[1]).digest()
        key = self._by_digest.get(digest)
        if key is None or not hmac.compare_digest(bytes.fromhex(key.sha256), digest):
            return None
        return key if key.is_valid(now_s) else None


def new_key(
    label: str, now_s: float, *, expires_s: float | None = None, limits: Mapping[str, int]
) -> tuple[str, ApiKey]:
    """A fresh key in clear, and its record."""
    clear = KEY_PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    digest = hashlib.sha256(clear.encode()).hexdigest()
    # The id is public, so it comes from elsewhere than the key.
    return clear, ApiKey(secrets.token_hex(4), digest, label, now_s, expires_s, None, MappingProxyType(dict(limits)))


def parse_keys(text: str) -> tuple[ApiKey, ...]:
    """The records of a key file, one JSON object a line. Raises `BadKeyRecord` naming the line."""
    keys = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                keys.append(_record(line))
            except BadKeyRecord as bad:
                raise BadKeyRecord(f"line {number}: {bad}") from bad
    for name in ("key_id", "sha256"):
        values = [getattr(key, name) for key in keys]
        if len(set(values)) != len(values):
            raise BadKeyRecord(f"two lines have the same {name}")
    return tuple(keys)


def key_line(key: ApiKey) -> str:
    """One record as its line of the file."""
    record: dict[str, Any] = {
        "key_id": key.key_id,
        "sha256": key.sha256,
        "label": key.label,
        "created": time_text(key.created_s),
        "expires": None if key.expires_s is None else time_text(key.expires_s),
        "revoked": None if key.revoked_s is None else time_text(key.revoked_s),
        "limits": dict(key.limits) or None,
    }
    return orjson.dumps({name: value for name, value in record.items() if value is not None}).decode()


def time_text(at_s: float) -> str:
    """A time as the file writes it, in UTC."""
    return datetime.fromtimestamp(int(at_s), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse_time(text: object) -> float:
    """A time of the file: `2026-01-31T00:00:00Z`, or a day alone, in UTC unless it says otherwise."""
    try:
        if not isinstance(text, str):
            raise ValueError
        at = datetime.fromisoformat(text)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise BadKeyRecord("write a time such as 2026-01-31T00:00:00Z") from None


def parse_limits(given: object) -> Mapping[str, int]:
    """A key's own limits: any budget but the global ceiling, from 1 to 10,000."""
    if not isinstance(given, dict):
        raise BadKeyRecord("limits is an object of budgets and numbers")
    for name, value in given.items():
        if name not in DEFAULTS:
            raise BadKeyRecord(f"there is no such budget; the budgets are {', '.join(DEFAULTS)}")
        if type(value) is not int or not 1 <= value <= LIMIT_MAX:
            raise BadKeyRecord(f"{name} is a whole number from 1 to {LIMIT_MAX}")
    return MappingProxyType(given)


def parse_label(label: object) -> str:
    """What a key goes by in lists: printable, up to 100 characters."""
    if not isinstance(label, str) or not 1 <= len(label) <= LABEL_CHARACTERS_MAX or not label.isprintable():
        raise BadKeyRecord(f"a label has 1 to {LABEL_CHARACTERS_MAX} printable characters")
    return label


def _record(line: str) -> ApiKey:
    try:
        given = orjson.loads(line)
    except orjson.JSONDecodeError:
        raise BadKeyRecord("it is no JSON") from None
    if not isinstance(given, dict) or not given.keys() <= _MEMBERS:
        # A misspelt `expires` must not be a key that lives for ever.
        raise BadKeyRecord(f"it is no object with members from {', '.join(sorted(_MEMBERS))}")
    key_id, digest = given.get("key_id"), given.get("sha256")
    if not isinstance(key_id, str) or _KEY_ID.fullmatch(key_id) is None:
        raise BadKeyRecord("key_id has 8 letters and digits")
    if not isinstance(digest, str) or _SHA256.fullmatch(digest) is None:
        raise BadKeyRecord("sha256 has 64 hex digits in lower case")
    expires, revoked, limits = given.get("expires"), given.get("revoked"), given.get("limits")
    return ApiKey(
        key_id,
        digest,
        parse_label(given.get("label")),
        parse_time(given.get("created")),
        None if expires is None else parse_time(expires),
        None if revoked is None else parse_time(revoked),
        NO_LIMITS if limits is None else parse_limits(limits),
    )
