"""How the references family words results and failures: both are results, and `ok` tells them apart (1.2, 1.4, 1.5)."""

from collections.abc import Mapping
from typing import Any

import orjson
from pydantic import BaseModel

from core.errors import ResultTooLarge
from core.references.attempts import Traced
from core.references.failures import DISPOSITIONS, Code, Disposition, failure_of
from server.registry import ErrorCode, Failure, Success
from server.toolsets.references.arguments import ReferenceArguments
from server.toolsets.references.texts import failure_text, render

ANSWER_CHARS_MAX = 149_000
WITH_REF = frozenset(
    {
        "doiget_resolve_paper",
        "doiget_metadata_only",
        "doiget_fetch_paper",
        "doiget_info",
        "doiget_paper_text",
        "doiget_paper_tex_source",
        "doiget_link",
        "doiget_paper_pdf_path",
        "doiget_expand_citation_graph",
        "doiget_tag",
        "doiget_annotate",
    }
)
"""Tools on one reference, whose answers repeat it."""

_MEANINGS = {
    Code.INVALID_REF: "The reference or an argument is wrong by its form; the message says what is taken.",
    Code.NOT_FOUND: "An authority says that it does not exist.",
    Code.AMBIGUOUS: "A name means several things; send the full name of one of the `candidates`.",
    Code.TEXT_UNAVAILABLE: "The paper exists, this form of its text does not.",
    Code.NOT_IMPLEMENTED: "Known of and done nowhere here, such as the text of a DOI that is not on arXiv.",
    Code.INTERNAL_ERROR: "A defect of ours, or an answer of a source in an unknown form.",
    Code.RATE_LIMITED: "Asked too fast, by us or by the source; `retry_after_ms` says how long to wait.",
    Code.NETWORK_ERROR: "A source could not be reached, or its answer could not be taken.",
    Code.FETCH_TIMEOUT: "A request, or the call as a whole, ran out of time.",
    Code.LOCK_TIMEOUT: "The store was busy for too long.",
    Code.NO_OA_AVAILABLE: "The record exists and no open copy of it does.",
    Code.CAPABILITY_DENIED: "A source or tool is not enabled here, or a policy forbids it; `denial_context` has more.",
    Code.SCHEMA_TOO_NEW: "A stored entry was written by a newer version.",
    Code.STORE_ERROR: "The store cannot be read or written, or holds no such entry.",
    Code.LOG_ERROR: "The provenance log cannot be written, so nothing was done.",
}
ERRORS: tuple[ErrorCode, ...] = tuple(
    ErrorCode(code.value, DISPOSITIONS[code] is Disposition.RETRY_AFTER, _MEANINGS[code]) for code in Code
)
"""Every code of the closed set, in the order of the contract."""


class ReferencesDialect:
    """The references family's words; `chars_max` is the ceiling of an answer, where a tool has one of its own."""

    def __init__(self, chars_max: Mapping[str, int] | None = None) -> None:
        self._chars_max = chars_max or {}

    def arguments(self, tool: str, schema: Mapping[str, Any]) -> ReferenceArguments:
        """The parameters of one tool."""
        return ReferenceArguments(tool, schema)

    def success(self, tool: str, result: BaseModel) -> Success:
        """The answer with the fields that were set, and its text; raises `ResultTooLarge`."""
        structured: dict[str, Any] = result.model_dump(exclude_unset=True)
        text = render(tool, structured)
        encoded = orjson.dumps(structured)
        most = self._chars_max.get(tool, ANSWER_CHARS_MAX)
        if len(encoded) > most and len(encoded.decode()) + len(text) > most:
            raise ResultTooLarge("The answer would be too long; ask for less at a time.")
        return Success(structured, (text,), encoded=encoded)

    def failure(self, error: BaseException) -> Failure:
        """The code and message, for the log line."""
        found = failure_of(error)
        return Failure(found.code.value, found.message, found.disposition is Disposition.RETRY_AFTER)

    def failure_meta(self, failure: Failure) -> dict[str, Any]:
        """Nothing: a failure of this family is a result."""
        return {}

    def failed(self, tool: str, arguments: Mapping[str, Any], error: BaseException) -> Success:
        """The result that says what went wrong, with the reference as it was sent."""
        found = failure_of(error)
        structured: dict[str, Any] = {"ok": False}
        if tool in WITH_REF:
            structured["ref"] = _echo(arguments.get("ref"))
        if isinstance(error, Traced) and error.canonical is not None and tool in WITH_REF:
            structured["canonical"] = error.canonical
        return Success({**structured, "error": found.shown()}, (failure_text(found.shown()),))


def _echo(ref: Any) -> str | None:
    """The reference as it was sent; a number by its digits."""
    if isinstance(ref, str):
        return ref
    return str(ref) if type(ref) is int else None
