"""The closed set of failures of the references family, each with its disposition (references contract, 1.5, 5.8)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from core import errors
from core.references.attempts import Attempt, Traced, shown_attempts


class Disposition(StrEnum):
    """What a caller may do about a failure."""

    TERMINAL = "terminal"
    RETRY_AFTER = "retry_after"
    NEEDS_CONFIG = "needs_config"


class Code(StrEnum):
    """Every code of the family."""

    INVALID_REF = "INVALID_REF"
    NOT_FOUND = "NOT_FOUND"
    AMBIGUOUS = "AMBIGUOUS"
    TEXT_UNAVAILABLE = "TEXT_UNAVAILABLE"
    NOT_IMPLEMENTED = "NOT_IMPLEMENTED"
    INTERNAL_ERROR = "INTERNAL_ERROR"
    RATE_LIMITED = "RATE_LIMITED"
    NETWORK_ERROR = "NETWORK_ERROR"
    FETCH_TIMEOUT = "FETCH_TIMEOUT"
    LOCK_TIMEOUT = "LOCK_TIMEOUT"
    NO_OA_AVAILABLE = "NO_OA_AVAILABLE"
    CAPABILITY_DENIED = "CAPABILITY_DENIED"
    SCHEMA_TOO_NEW = "SCHEMA_TOO_NEW"
    STORE_ERROR = "STORE_ERROR"
    LOG_ERROR = "LOG_ERROR"


_BY_DISPOSITION = {
    Disposition.TERMINAL: (
        Code.INVALID_REF,
        Code.NOT_FOUND,
        Code.AMBIGUOUS,
        Code.TEXT_UNAVAILABLE,
        Code.NOT_IMPLEMENTED,
        Code.INTERNAL_ERROR,
    ),
    Disposition.RETRY_AFTER: (Code.RATE_LIMITED, Code.NETWORK_ERROR, Code.FETCH_TIMEOUT, Code.LOCK_TIMEOUT),
    Disposition.NEEDS_CONFIG: (
        Code.NO_OA_AVAILABLE,
        Code.CAPABILITY_DENIED,
        Code.SCHEMA_TOO_NEW,
        Code.STORE_ERROR,
        Code.LOG_ERROR,
    ),
}
DISPOSITIONS: Mapping[Code, Disposition] = MappingProxyType(
    {code: disposition for disposition, codes in _BY_DISPOSITION.items() for code in codes}
)
"""The one disposition of each code."""

# Most specific first.
_CODES: tuple[tuple[type[errors.PaperdeskError], Code], ...] = (
    (errors.InvalidInput, Code.INVALID_REF),
    (errors.CursorError, Code.INVALID_REF),
    (errors.NoOpenCopy, Code.NO_OA_AVAILABLE),
    (errors.NotFound, Code.NOT_FOUND),
    (errors.Ambiguous, Code.AMBIGUOUS),
    (errors.NoFullText, Code.TEXT_UNAVAILABLE),
    (errors.Unsupported, Code.NOT_IMPLEMENTED),
    (errors.Unavailable, Code.CAPABILITY_DENIED),
    (errors.SourceTimeout, Code.FETCH_TIMEOUT),
    (errors.SourceRateLimited, Code.RATE_LIMITED),
    (errors.SourceUnreachable, Code.NETWORK_ERROR),
    (errors.SourceTooLarge, Code.NETWORK_ERROR),
    (errors.SourceMismatch, Code.NETWORK_ERROR),
    (errors.SourceDenied, Code.CAPABILITY_DENIED),
    (errors.LockTimeout, Code.LOCK_TIMEOUT),
    (errors.SchemaTooNew, Code.SCHEMA_TOO_NEW),
    (errors.LogFailed, Code.LOG_ERROR),
    (errors.StoreError, Code.STORE_ERROR),
)
_UNEXPECTED = "Something went wrong inside paperdesk; if it keeps failing, tell the operator."
_HINTS = {
    "bare_digits": "Write a PubMed id as pmid:N, and an old arXiv id with its archive, as in hep-th/N.",
    "unsupported_url": "Send the DOI or arXiv id itself.",
    "not_an_identifier": "To look a citation or title up, use doiget_resolve_citation.",
}
_CANDIDATES_MAX = 5


class BadArgument(errors.InvalidInput):
    """A value of a caller that breaks a rule of the family; `field` is the argument's name."""

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


class Replayed(errors.PaperdeskError):
    """The same was asked not long ago and failed; `failure` is what is said now."""

    def __init__(self, failure: "Failure") -> None:
        super().__init__(failure.message)
        self.failure = failure


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure; no other pairing of code and disposition than that of `DISPOSITIONS` can be made."""

    code: Code
    message: str
    disposition: Disposition
    retry_after_ms: int | None = None
    replayed: bool = False
    denial: errors.Denial | None = None
    attempts: tuple[Attempt, ...] = ()
    reason: str | None = None
    field: str | None = None
    hint: str | None = None
    candidates: tuple[errors.Entry, ...] = ()
    remedies: tuple[Mapping[str, str], ...] = ()

    def __post_init__(self) -> None:
        if DISPOSITIONS[self.code] is not self.disposition:
            raise ValueError(f"{self.code} is {DISPOSITIONS[self.code]} and nothing else")

    @classmethod
    def of(cls, code: Code, message: str, **more: Any) -> "Failure":
        """A failure with the disposition of its code."""
        return cls(code, message, DISPOSITIONS[code], **more)

    def shown(self, *, in_batch: bool = False) -> dict[str, Any]:
        """The error object; rows of a batch always have `denial_context`."""
        shown: dict[str, Any] = {"code": self.code.value, "message": self.message}
        shown["disposition"] = self.disposition.value
        denial = shown_denial(self.denial)
        optional = {
            "retry_after_ms": self.retry_after_ms,
            "replayed": self.replayed or None,
            "reason": self.reason,
            "field": self.field,
            "hint": self.hint,
            "denial_context": denial,
            "remediation": [dict(each) for each in self.remedies] or None,
            "attempts": shown_attempts(self.attempts),
            "candidates": [{"id": each.id, "name": each.label} for each in self.candidates] or None,
        }
        shown |= {name: value for name, value in optional.items() if value is not None}
        return {**shown, "denial_context": denial} if in_batch else shown


def failure_of(error: BaseException) -> Failure:
    """The failure that an exception is; what is not of our tree is `INTERNAL_ERROR`."""
    if isinstance(error, Traced):
        found = failure_of(error.cause)
        return replace(found, attempts=found.attempts or error.attempts)
    if isinstance(error, Replayed):
        return error.failure
    if not isinstance(error, errors.PaperdeskError):
        return Failure.of(Code.INTERNAL_ERROR, _UNEXPECTED)
    code = next((code for kind, code in _CODES if isinstance(error, kind)), Code.INTERNAL_ERROR)
    reason = error.reason if isinstance(error, errors.InvalidReference) else None
    return Failure.of(
        code,
        _message(error),
        retry_after_ms=_wait_ms(error),
        denial=error.denial if isinstance(error, errors.SourceError) else _own_denial(error),
        reason=reason,
        field=error.field if isinstance(error, BadArgument) else "ref" if reason else None,
        hint=_HINTS.get(reason or ""),
        candidates=error.candidates[:_CANDIDATES_MAX] if isinstance(error, errors.Ambiguous) else (),
    )


def shown_denial(denial: errors.Denial | None) -> dict[str, Any] | None:
    """`denial_context`: only what is reported; `expected` may be an empty list, which says that nothing is allowed."""
    if denial is None:
        return None
    facts = {
        "source": denial.source,
        "attempted": denial.attempted,
        "expected": None if denial.expected is None else list(denial.expected),
        "hop_index": denial.hop_index,
        "cap": denial.cap,
        "actual": denial.actual,
    }
    return {"reason": denial.reason, **{name: value for name, value in facts.items() if value is not None}}


def _message(error: errors.PaperdeskError) -> str:
    if isinstance(error, errors.InvalidInput) and error.all_of and error.suggestions:
        listed = ", ".join(each.label for each in error.suggestions[:50])
        return f"{error.message} {error.all_of.capitalize()}: {listed}."
    return error.message


def _wait_ms(error: errors.PaperdeskError) -> int | None:
    if isinstance(error, errors.SourceWaiting) and error.retry_after_s is not None:
        return max(round(error.retry_after_s * 1000), 1)
    return None


def _own_denial(error: errors.PaperdeskError) -> errors.Denial | None:
    return errors.Denial("capability_not_granted") if isinstance(error, errors.Unavailable) else None
