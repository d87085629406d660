"""Rows of the log, each holding the hash of the one before it (references contract, section 10.4)."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

GENESIS = "GENESIS"
SCHEMA_VERSION = "v2"
EVENTS = ("session_start", "capability_resolved", "resolve", "fetch", "store_write", "repeat_forced", "session_end")
RESULTS = ("ok", "err", "denied")
CAPABILITIES = ("oa", "metadata")
MEMBERS = frozenset(
    (
        "ts",
        "ts_seq",
        "event",
        "ref",
        "source",
        "result",
        "error_code",
        "license",
        "size_bytes",
        "store_path",
        "capability",
        "session_id",
        "schema_version",
        "canonical_digest",
        "prev_hash",
        "this_hash",
    )
)


@dataclass(frozen=True, slots=True)
class Break:
    """The first row that is not what was written; rows count from 1."""

    row: int
    why: str


def chained(row: Mapping[str, Any], prev_hash: str) -> bytes:
    """The line of a row; members that are not named are null."""
    whole = {**dict.fromkeys(MEMBERS - {"this_hash"}), **row, "prev_hash": prev_hash}
    return _line({**whole, "this_hash": row_hash(whole)})


def row_hash(row: Mapping[str, Any]) -> str:
    """SHA-256 of the row as compact JSON with sorted keys, without its own hash."""
    return hashlib.sha256(_json({key: value for key, value in row.items() if key != "this_hash"})).hexdigest()


def hash_of_line(line: bytes) -> str | None:
    """The hash that a line ends its chain with; None where the line is no whole row."""
    row = _row(line)
    return row["this_hash"] if row is not None and row["this_hash"] == row_hash(row) else None


def first_break(lines: Iterable[bytes]) -> tuple[int, Break | None]:
    """How many rows are as they were written, and what comes after them."""
    prev_hash, count = GENESIS, 0
    for line in lines:
        row = _row(line)
        if row is None:
            return count, Break(count + 1, "it is no whole row of the log as it is written")
        if row["prev_hash"] != prev_hash:
            return count, Break(count + 1, "it does not follow the row before it")
        if row["this_hash"] != row_hash(row):
            return count, Break(count + 1, "it was changed")
        prev_hash, count = row["this_hash"], count + 1
    return count, None


def _row(line: bytes) -> dict[str, Any] | None:
    """The row of a line that is written exactly as rows are, newline included."""
    try:
        row = orjson.loads(line)
    except ValueError:
        return None
    if not isinstance(row, dict) or row.keys() != MEMBERS or not isinstance(row["this_hash"], str):
        return None
    return row if _line(row) == line else None


def _line(row: Mapping[str, Any]) -> bytes:
    return _json(row) + b"\n"


def _json(row: Mapping[str, Any]) -> bytes:
    return orjson.dumps(row, option=orjson.OPT_SORT_KEYS)
