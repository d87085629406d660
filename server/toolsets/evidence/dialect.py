"""How the evidence and connector families word results and failures (evidence contract 2.2 and 2.4)."""

from collections.abc import Mapping
from typing import Any

import orjson
from pydantic import BaseModel

from core import errors
from core.evidence.digests import NoDigest
from core.evidence.listing import cut
from server.registry import ErrorCode, Failure, Success
from server.toolsets.evidence.arguments import EvidenceArguments

META_KEY = "org.paperdesk/error"
CANDIDATES_MAX = 10
SUGGESTIONS_MAX = 5
_SPELLED_CHARS = 80
_NAME_CHARS = 300

_CODES: tuple[tuple[type[errors.PaperdeskError], str, bool], ...] = (
    (errors.InvalidInput, "invalid_argument", False),
    (errors.NotFound, "not_found", False),
    (errors.Ambiguous, "ambiguous", False),
    (errors.Unavailable, "unavailable", False),
    (errors.SourceRateLimited, "rate_limited", True),
    (errors.SourceTimeout, "upstream_timeout", True),
    (errors.SourceError, "upstream_error", True),
    (errors.StoreError, "upstream_error", True),
)
ERRORS: tuple[ErrorCode, ...] = (
    ErrorCode("invalid_argument", False, "An argument breaks a stated rule; the message says which and what it takes."),
    ErrorCode("not_found", False, "The corpus holds no such paper, author, digest or document."),
    ErrorCode("ambiguous", False, "A reference names several papers; send the `id` of one of the `candidates`."),
    ErrorCode("unavailable", False, "This deployment has no evidence set; evidence tools only."),
    ErrorCode("upstream_timeout", True, "The embedder or the catalog's source took too long."),
    ErrorCode("upstream_error", True, "The embedder or the catalog's source failed."),
    ErrorCode("rate_limited", True, "The embedder or the catalog's source asked to slow down; see `retry_after_s`."),
    ErrorCode("internal_error", True, "A defect of the service; the operator's log says where."),
)
"""Every code of the closed set."""

_UNEXPECTED = Failure(
    "internal_error",
    "Something went wrong inside paperdesk; the same call may work later. If it keeps failing, tell the operator.",
    True,
)


class EvidenceDialect:
    """The family's words: the text of a success is its JSON."""

    def arguments(self, tool: str, schema: Mapping[str, Any]) -> EvidenceArguments:
        """The parameters of one tool."""
        return EvidenceArguments(tool, schema)

    def success(self, tool: str, result: BaseModel) -> Success:
        """The answer without missing values, and the same as text; the core keeps it within its size."""
        structured: dict[str, Any] = result.model_dump(mode="json", exclude_none=True)
        encoded = orjson.dumps(structured)
        return Success(structured, (encoded.decode(),), encoded=encoded)

    def failure(self, error: BaseException) -> Failure:
        """The code, message and details of any exception; what is not of our tree is `internal_error`."""
        for kind, code, retryable in _CODES:
            if isinstance(error, kind):
                return Failure(code, _message(error), retryable, _details(error))
        return _UNEXPECTED

    def failure_meta(self, failure: Failure) -> dict[str, Any]:
        """`_meta` of an error result."""
        return {META_KEY: {"code": failure.code, "retryable": failure.retryable, **failure.details}}


def _offered(error: errors.PaperdeskError) -> tuple[str, tuple[errors.Entry, ...]]:
    """What there is to send instead, and the key that it stands under."""
    if isinstance(error, errors.Ambiguous):
        return "candidates", error.candidates[:CANDIDATES_MAX]
    if isinstance(error, errors.NotFound | errors.InvalidInput):
        # The days beside one without a digest are all there is to choose from.
        key = "candidates" if isinstance(error, NoDigest) else "suggestions"
        return key, error.suggestions[:SUGGESTIONS_MAX]
    return "suggestions", ()


def _message(error: errors.PaperdeskError) -> str:
    """The message with what is offered: many a model is shown the text alone."""
    key, entries = _offered(error)
    if all(entry.id in error.message for entry in entries):
        return error.message
    lead = "Candidates" if key == "candidates" else "Near"
    return f"{error.message} {lead}: {', '.join(map(_spelled, entries))}."


def _spelled(entry: errors.Entry) -> str:
    words = [cut(entry.title or entry.name or "", _SPELLED_CHARS), entry.note]
    beside = [str(each) for each in (*words, entry.year) if each and str(each) not in entry.id]
    return f"{entry.id} ({', '.join(beside)})" if beside else entry.id


def _details(error: errors.PaperdeskError) -> dict[str, Any]:
    details: dict[str, Any] = {}
    if isinstance(error, errors.SourceWaiting) and error.retry_after_s:
        details["retry_after_s"] = error.retry_after_s
    key, entries = _offered(error)
    if entries:
        details[key] = [_entry(each) for each in entries]
    return details


def _entry(entry: errors.Entry) -> dict[str, Any]:
    if entry.title:
        shown = {"id": entry.id, "title": cut(entry.title, _NAME_CHARS), "year": entry.year}
    else:
        shown = {"id": entry.id, "name": cut(entry.name or entry.id, _NAME_CHARS), "note": entry.note}
    return {name: value for name, value in shown.items() if value is not None}
