"""How the catalog family words results and failures: the size guard and the closed set of error codes.

Catalog contract 2.2, 2.3 and 3. Every class of the failure tree has its row in `_CODES`, most specific first.
"""

from collections.abc import Callable, Sequence
from typing import Any

import orjson
from pydantic import BaseModel

from core import errors
from core.catalog.present import cut
from core.catalog.results import PaperInfoResult, PaperReadResult, QueryResult
from server.registry import ErrorCode, Failure, Success
from server.toolsets.catalog.texts import render

META_KEY = "org.paperdesk/error"
DATA_MAX_BYTES = 40_000
STRUCTURED_MAX_BYTES = 66_000
CANDIDATES_MAX = 10
SUGGESTIONS_MAX = 5
IN_MESSAGE_MAX = 5
ALL_SUGGESTIONS_MAX = 200

_CODES: tuple[tuple[type[errors.PaperdeskError], str, bool], ...] = (
    (errors.InvalidInput, "invalid_argument", False),
    (errors.NotFound, "not_found", False),
    (errors.Ambiguous, "ambiguous", False),
    (errors.NoFullText, "no_markdown", False),
    (errors.CursorExpired, "cursor_expired", False),
    (errors.CursorMismatch, "cursor_mismatch", False),
    (errors.CursorError, "cursor_invalid", False),
    (errors.ContentChanged, "content_changed", False),
    (errors.Unavailable, "unavailable", False),
    (errors.Unsupported, "unavailable", False),
    (errors.ResultTooLarge, "result_too_large", False),
    (errors.SourceRateLimited, "rate_limited", True),
    (errors.SourceTimeout, "upstream_timeout", True),
    (errors.SourceUnreachable, "upstream_error", True),
    (errors.SourceError, "upstream_error", False),
    (errors.StoreError, "upstream_error", False),
)
ERRORS: tuple[ErrorCode, ...] = (
    ErrorCode("invalid_argument", False, "An argument breaks a stated rule; the message says which and what it takes."),
    ErrorCode("not_found", False, "Nothing of that name is held; `suggestions` has the nearest names."),
    ErrorCode("ambiguous", False, "Several things match; send the `id` of one of the `candidates` instead."),
    ErrorCode("no_markdown", False, "The paper is in the catalog, but no full text of it is stored."),
    ErrorCode("cursor_invalid", False, "The cursor is not one of this service; send the last `next_cursor`, or none."),
    ErrorCode("cursor_expired", False, "The cursor's life is over; start again without one."),
    ErrorCode("cursor_mismatch", False, "The cursor belongs to another paper than the one named."),
    ErrorCode("content_changed", False, "The stored text was replaced since the cursor was given; start again."),
    ErrorCode("unavailable", False, "This catalog or deployment cannot do that; the message names what can be done."),
    ErrorCode("result_too_large", False, "The answer is over the ceiling; the message names the argument to reduce."),
    ErrorCode("rate_limited", True, "The catalog's source asked to slow down; `retry_after_s` says for how long."),
    ErrorCode("upstream_timeout", True, "The catalog's source, or the call as a whole, took too long."),
    ErrorCode(
        "upstream_error",
        True,
        "The catalog's source failed; `retryable` of the failure says whether the same call may succeed later.",
    ),
    ErrorCode("internal_error", True, "A defect of the service; the operator's log says where."),
)
"""Every code of `_CODES` and the one for what nobody planned, as catalog contract 3 closes the set."""

_NOTE_BYTES = 200
_UNEXPECTED = Failure(
    "internal_error",
    "Something went wrong inside paperdesk; the same call may work later. If it keeps failing, tell the operator.",
    True,
)
# Dropped from evaluation rows of a result over the ceiling, then one by one from a task.
_ROW_EXTRAS = ("evaluation_protocol", "hf_model_url", "code_url", "source_url")
_TASK_EXTRAS = ("subtask_benchmarks", "sisters", "papers")


class CatalogDialect:
    """The catalog family's words."""

    def success(self, tool: str, result: BaseModel) -> Success:
        """Structured content within its ceilings and the text blocks; raises `ResultTooLarge`."""
        structured = _structured(result)
        if isinstance(result, PaperReadResult):
            return Success(structured, render(result))
        encoded = orjson.dumps(structured)
        if len(encoded) <= DATA_MAX_BYTES:
            return Success(structured, render(result), encoded=encoded)
        guarded, gone = _guarded(structured, result)
        if gone and isinstance(result, QueryResult):
            note = f"Left out to keep the answer small: {', '.join(gone)}."
            guarded["notes"] = [*guarded.get("notes", ()), note]
            result = result.model_copy(update={"notes": guarded["notes"]})
        return Success(guarded, render(result))

    def failure(self, error: BaseException) -> Failure:
        """The code, message and details of any exception; what is not of our tree is `internal_error`."""
        for kind, code, retryable in _CODES:
            if isinstance(error, kind):
                return Failure(code, _message(error), retryable, _details(error))
        return _UNEXPECTED

    def failure_meta(self, failure: Failure) -> dict[str, Any]:
        """`_meta` of an error result."""
        return {META_KEY: {"code": failure.code, "retryable": failure.retryable, **failure.details}}


def _structured(result: BaseModel) -> dict[str, Any]:
    """The result without missing values; `data` keeps its nulls, since it has the shape of `/api/v1` rows."""
    structured: dict[str, Any] = result.model_dump(exclude_none=True, exclude={"data"})
    data = getattr(result, "data", None)
    return structured if data is None else {**structured, "data": data}


def _guarded(structured: dict[str, Any], result: BaseModel) -> tuple[dict[str, Any], list[str]]:
    """Structured content that is too large at its ceiling, and the parts of a task that had to go.

    `data` goes first, then extras of evaluation rows, then parts of a task.
    """
    if structured.pop("data", None) is not None:
        structured["data_omitted"] = "size"
    if _size(structured) <= STRUCTURED_MAX_BYTES:
        return structured, []
    for row in structured.get("evaluations", ()):
        if "rank_scopes" in row:
            row["rank_scopes"] = row["rank_scopes"][:1]
        for name in _ROW_EXTRAS:
            row.pop(name, None)
    gone = []
    for name in _TASK_EXTRAS:
        # A note of the parts that go takes some room too.
        if _size(structured) > STRUCTURED_MAX_BYTES - _NOTE_BYTES and structured.get("task", {}).pop(name, None):
            gone.append(name)
    if _size(structured) <= STRUCTURED_MAX_BYTES:
        return structured, gone
    less = "leave out include_evaluations" if isinstance(result, PaperInfoResult) else "use a smaller limit"
    raise errors.ResultTooLarge(f"The answer is too large even without its extras; {less}.")


def _size(structured: dict[str, Any]) -> int:
    return len(orjson.dumps(structured))


def _entries(error: BaseException) -> tuple[str, str, tuple[errors.Entry, ...]] | None:
    """The key, the lead-in and the entries of a failure that has some."""
    if isinstance(error, errors.Ambiguous) and error.candidates:
        return "candidates", "Candidates", error.candidates[:CANDIDATES_MAX]
    if isinstance(error, errors.NotFound | errors.InvalidInput) and error.suggestions:
        return "suggestions", (error.all_of or "near").capitalize(), error.suggestions[:ALL_SUGGESTIONS_MAX]
    return None


def _details(error: BaseException) -> dict[str, Any]:
    found = _entries(error)
    details: dict[str, Any] = {found[0]: [_entry(entry) for entry in found[2]]} if found else {}
    if isinstance(error, errors.SourceWaiting) and error.retry_after_s:
        details["retry_after_s"] = error.retry_after_s
    return details


def _entry(entry: errors.Entry) -> dict[str, Any]:
    fields = {"id": entry.id, "title": entry.title, "name": entry.name, "year": entry.year, "note": entry.note}
    return {name: value for name, value in fields.items() if value is not None}


def _message(error: BaseException) -> str:
    message = error.message if isinstance(error, errors.PaperdeskError) else ""
    found = _entries(error)
    if not found:
        return message
    _, lead, entries = found
    # The first few of a full list must not pass for all of it.
    is_whole = getattr(error, "all_of", None) is not None
    more = f" and {len(entries) - IN_MESSAGE_MAX} more" if is_whole and len(entries) > IN_MESSAGE_MAX else ""
    return f"{message} {lead}: {_listed(entries, _spelled)}{more}."


def _listed(entries: Sequence[errors.Entry], spell: Callable[[errors.Entry], str]) -> str:
    return ", ".join(spell(entry) for entry in entries[:IN_MESSAGE_MAX])


def _spelled(entry: errors.Entry) -> str:
    if entry.title:
        return f"{entry.id} ({cut(entry.title, 80)}{f', {entry.year}' if entry.year else ''})"
    beside = [text for text in (entry.name, entry.note) if text and text != entry.id]
    return f"{entry.id} ({', '.join(beside)})" if beside else entry.id
