"""How the scan family words what happened: always as an envelope, whose text is its own JSON (scan contract 3, 5)."""

from collections.abc import Mapping
from typing import Any

import orjson
from pydantic import BaseModel

from core.errors import ArtifactCorrupt, InvalidInput, NotFound, SourceTimeout, StoreUnavailable
from core.scan.answers.envelope import received_id, refusal
from core.scan.answers.refusals import Code, Refused
from server.registry import ErrorCode, Failure, Success

RETRY_AFTER_MS = 2_000
_WAITING = frozenset({"ok", "in_progress"})
"""Statuses of answers that are no failure."""

ERRORS: tuple[ErrorCode, ...] = tuple(ErrorCode(code.value, code.may_retry, code.sentence) for code in Code)
"""Every code of the closed list, in the order of the contract."""
_CODES = (
    (SourceTimeout, Code.STAGE_RUNNING),
    (StoreUnavailable, Code.STORE_UNAVAILABLE),
    (ArtifactCorrupt, Code.ARTIFACT_CORRUPT),
)


class ScanDialect:
    """The scan family's words."""

    def success(self, tool: str, result: BaseModel) -> Success:
        """The six keys, and the same as text."""
        return _worded(result.model_dump())

    def failure(self, error: BaseException) -> Failure:
        """The code for the log line, and what a resource or a prompt answers."""
        if isinstance(error, NotFound):
            return Failure(Code.UNKNOWN_SCAN.value, error.message, False)
        if isinstance(error, InvalidInput):
            return Failure(Code.SCHEMA_VIOLATION.value, error.message, False)
        code = _code_of(error)
        return Failure(code.value, code.sentence, code.may_retry)

    def failure_meta(self, failure: Failure) -> dict[str, Any]:
        """Nothing: a failure of this family is a result."""
        return {}

    def failed(self, tool: str, arguments: Mapping[str, Any], error: BaseException) -> Success:
        """The envelope of what the room did not word itself: a call that ran out of time, or a defect."""
        code = _code_of(error)
        refused = Refused(code, retry_after_ms=RETRY_AFTER_MS if code.may_retry else None)
        return _worded(refusal(received_id(arguments), refused).json())


def _code_of(error: BaseException) -> Code:
    if isinstance(error, Refused):
        return error.code
    return next((code for kind, code in _CODES if isinstance(error, kind)), Code.INTERNAL_ERROR)


def _worded(structured: dict[str, Any]) -> Success:
    encoded = orjson.dumps(structured)
    code = None if structured["status"] in _WAITING else structured["payload"].get("code")
    return Success(structured, (encoded.decode(),), encoded=encoded, code=code)
