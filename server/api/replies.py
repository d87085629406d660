"""What a handler answers, and how it and every failure become an HTTP answer (catalog contract 16.1)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from core.catalog import api_rows
from core.errors import (
    Ambiguous,
    ContentChanged,
    Entry,
    InvalidInput,
    NoFullText,
    NotFound,
    PaperdeskError,
    ResultTooLarge,
    SourceError,
    SourceTimeout,
    Unavailable,
)
from server.answers import NO_STORE, Answer, json_answer
from server.api.problems import Problem
from server.middleware.outgoing import MAX_RESPONSE_BYTES

PUBLIC = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-methods", b"GET"),
    (b"access-control-allow-headers", b"Content-Type, If-None-Match"),
    (
        b"access-control-expose-headers",
        b"ETag, X-PwC-Content-Version, X-PwC-Truncated, X-PwC-Next-Offset, X-Paperdesk-Total-Bytes, X-Paperdesk-Title",
    ),
)
_JSON = (b"content-type", b"application/json")
_RETRY = (b"retry-after", b"5")


@dataclass(frozen=True, slots=True)
class Reply:
    """A good answer; one that is `passing` is the chance of a moment and must not be kept."""

    body: bytes
    headers: tuple[tuple[bytes, bytes], ...] = (_JSON,)
    passing: bool = False


def json_reply(value: Any) -> Reply:
    """A JSON answer."""
    return Reply(orjson.dumps(value))


def page_reply(
    rows: Iterable[api_rows.Json],
    *,
    count: int | None,
    page: int,
    page_size: int,
    applied: Mapping[str, Any],
    passing: bool = False,
    **more: Any,
) -> Reply:
    """A page envelope; `more` are the fields that one collection adds."""
    following = page + 1 if count is not None and page * page_size < count else None
    envelope = api_rows.envelope(
        rows, count=count, page=page, page_size=page_size, next_page=following, applied=applied
    )
    return Reply(orjson.dumps(envelope | more), passing=passing)


def whole_list(rows: Sequence[api_rows.Json]) -> Reply:
    """`{count, results}` of a list that is not paged; over the bound of an answer it is cut and `count` stays true."""
    written = [orjson.dumps(row) for row in rows]
    room = MAX_RESPONSE_BYTES - 100
    kept = 0
    for row in written:
        room -= len(row) + 1
        if room < 0:
            break
        kept += 1
    body = b'{"count":%d,"results":[%b]}' % (len(rows), b",".join(written[:kept]))
    return Reply(body)


def failure_answer(error: PaperdeskError | Problem) -> Answer:
    """The answer for a failure: `{"detail": {code, message, ...}}` under the status of catalog contract 16.1."""
    status, detail = (error.status, error.detail) if isinstance(error, Problem) else _worded(error)
    headers = (NO_STORE, *PUBLIC, _RETRY) if status == 503 else (NO_STORE, *PUBLIC)
    return json_answer(status, {"detail": detail}, headers)


def _worded(error: PaperdeskError) -> tuple[int, dict[str, Any]]:
    match error:
        case InvalidInput():
            return 422, _detail("invalid_argument", error, suggestions=error.suggestions)
        case NoFullText():
            return 404, _detail("no_markdown", error)
        case NotFound():
            return 404, _detail("not_found", error, suggestions=error.suggestions)
        case Ambiguous():
            return 422, _detail("ambiguous", error, candidates=error.candidates)
        case ContentChanged():
            return 409, _detail("content_changed", error)
        case Unavailable():
            return 422, _detail("unavailable", error)
        case ResultTooLarge():
            return 422, _detail("result_too_large", error)
        case SourceTimeout():
            return 503, {"code": "upstream_timeout", "message": "The catalog did not answer in time; try again."}
        case SourceError():
            return 503, {"code": "upstream_error", "message": "The catalog could not be read just now; try again."}
    return 503, {"code": "internal_error", "message": "paperdesk failed to answer; try again."}


def _detail(code: str, error: PaperdeskError, **entries: Sequence[Entry]) -> dict[str, Any]:
    return {"code": code, "message": error.message} | {name: shown(some) for name, some in entries.items() if some}


def shown(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Candidates or suggestions, each with the fields that it has."""
    return [{name: value for name, value in asdict(entry).items() if value is not None} for entry in entries]
