"""The one failure tree of paperdesk; each family translates it outward once.

PaperdeskError
├── InvalidInput                 the caller's value breaks a stated rule
│   └── InvalidReference         a text that names no paper by its form (has `reason`)
├── NotFound                     nothing matches (has `suggestions`)
│   └── NoOpenCopy               the work is known, an open copy of it is not
├── Ambiguous                    several things match (has `candidates`)
├── NoFullText                   the paper is held, its text is not
├── CursorError
│   ├── CursorInvalid            malformed, unknown key, bad signature, bad field
│   ├── CursorExpired            its life is over
│   └── CursorMismatch           it belongs to another paper
├── ContentChanged               the stored text is no longer the cursor's version
├── Unavailable                  this catalog or deployment cannot do that
├── Unsupported                  known of, but done nowhere: the same call will fail again
├── ResultTooLarge               over the ceiling even after the size guard
├── SourceError                  an upstream or storage failure (has `source` and may have a `denial`)
│   ├── SourceTimeout            no answer in time
│   ├── SourceWaiting            a failure that may pass (has `retry_after_s`)
│   │   ├── SourceRateLimited    asked to slow down
│   │   │   ├── SourceQueueFull  our own pacing would make the caller wait too long; nothing was asked
│   │   │   └── SourceCooling    left alone after it asked to slow down or kept failing; nothing was asked
│   │   └── SourceUnreachable    network failure, 5xx, open breaker
│   ├── SourceMalformed          an answer that breaks the source's contract
│   ├── SourceTooLarge           an answer over its bound
│   ├── SourceMismatch           an answer of another kind than was asked for
│   └── SourceDenied             our policy or the source's refuses the request
│       └── SourceNotEnabled     this deployment does not ask that source (has `required_env`)
├── StoreError                   the user's own store of papers and its log, in local mode, or the store of scans
│   ├── StoreFailed              disk trouble, a damaged entry, or a change of something that is not stored
│   ├── LockTimeout              someone else holds a lock for too long: the same call may succeed later
│   ├── SchemaTooNew             the entry was written by a newer release: it can be read, not changed
│   ├── LogFailed                a row of the log could not be written: the call stops
│   ├── StoreUnavailable         the store of scans does not answer: the same call may succeed later
│   ├── ArtifactCorrupt          bytes of a scan are not those that were stored (has `name`)
│   └── ScanTooLarge             a scan over the bound of its store
└── OperatorError                speaks to whoever runs paperdesk, never to a caller
    ├── SettingsError            bad settings, all problems at once (has `problems`)
    ├── CatalogUnusable          a catalog directory that must not be served
    └── BuildFailed              a catalog build that wrote nothing

Messages are sentences of ours: what was wrong and what to do next. They never hold upstream text, SQL, paths of the
server or secrets; `OperatorError` may name the operator's own paths and settings.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

DenialReason = Literal[
    "redirect_not_in_allowlist",
    "insecure_scheme",
    "host_in_block_list",
    "ssrf_private_address",
    "capability_not_granted",
    "size_cap_exceeded",
    "content_type_mismatch",
    "rate_limit_window",
    "schema_drift",
]


@dataclass(frozen=True, slots=True)
class Denial:
    """Why a request was not made or its answer not taken: `denial_context` of the references contract, section 1.6.

    A fact is None where it is not reported; `expected` may also be `()`, which says that nothing is allowed.
    """

    reason: DenialReason
    source: str | None = None
    attempted: str | None = None
    expected: tuple[str, ...] | None = None
    hop_index: int | None = None
    cap: int | None = None
    actual: int | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One candidate or suggestion: `id` is the exact text to send instead. Papers have a title, other things a name."""

    id: str
    name: str | None = None
    title: str | None = None
    year: int | None = None
    note: str | None = None

    @property
    def label(self) -> str:
        """The title or name, or the id where there is neither."""
        return self.title or self.name or self.id


class PaperdeskError(Exception):
    """Root of all failures that paperdesk raises on purpose."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class InvalidInput(PaperdeskError):
    """A value of the caller breaks a stated rule; `suggestions` are near values, or all allowed ones.

    `all_of` is what all of them are, such as `metrics`; None for near ones.
    """

    def __init__(self, message: str, *, suggestions: Sequence[Entry] = (), all_of: str | None = None) -> None:
        super().__init__(message)
        self.suggestions = tuple(suggestions)
        self.all_of = all_of


class InvalidReference(InvalidInput):
    """A text whose form names no paper; `reason` is a token of the references contract, section 2.6."""

    def __init__(self, message: str, *, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class NotFound(PaperdeskError):
    """Nothing matches; `suggestions` are the nearest names, or all there are.

    `all_of` is what all of them are, such as `areas`; None for near ones.
    """

    def __init__(self, message: str, *, suggestions: Sequence[Entry] = (), all_of: str | None = None) -> None:
        super().__init__(message)
        self.suggestions = tuple(suggestions)
        self.all_of = all_of


class NoOpenCopy(NotFound):
    """A source says that the work exists and is closed, and nothing else knows it."""


class Ambiguous(PaperdeskError):
    """Several things match; `candidates` name each by the exact text to send instead."""

    def __init__(self, message: str, *, candidates: Sequence[Entry] = ()) -> None:
        super().__init__(message)
        self.candidates = tuple(candidates)


class NoFullText(PaperdeskError):
    """The paper is in the catalog, but no full text of it is stored."""


class CursorError(PaperdeskError):
    """A reading cursor that cannot be followed."""


class CursorInvalid(CursorError):
    """Malformed, signed by an unknown key, badly signed, or with a bad field."""


class CursorExpired(CursorError):
    """Its life is over."""


class CursorMismatch(CursorError):
    """It belongs to another paper than the one asked for."""


class ContentChanged(PaperdeskError):
    """The stored text is no longer the version that the cursor names."""


class Unavailable(PaperdeskError):
    """This catalog or deployment cannot do what was asked."""


class Unsupported(PaperdeskError):
    """Something that is known of, but that paperdesk does nowhere: the same call will fail again."""


class ResultTooLarge(PaperdeskError):
    """The answer is over the ceiling even after the size guard."""


class SourceError(PaperdeskError):
    """A failure of an upstream service or of storage; `source` is its key, `denial` the facts of a refusal of ours."""

    def __init__(self, message: str, *, source: str, denial: Denial | None = None) -> None:
        super().__init__(message)
        self.source = source
        self.denial = denial


class SourceTimeout(SourceError):
    """No answer within the deadline."""


class SourceWaiting(SourceError):
    """A failure that may pass; `retry_after_s` is how long to wait, where that is known."""

    def __init__(
        self, message: str, *, source: str, retry_after_s: float | None = None, denial: Denial | None = None
    ) -> None:
        super().__init__(message, source=source, denial=denial)
        self.retry_after_s = retry_after_s


class SourceRateLimited(SourceWaiting):
    """The source asked to slow down."""


class SourceQueueFull(SourceRateLimited):
    """Our own pacing would make the caller wait too long, or a day's budget is spent: nothing was asked."""


class SourceCooling(SourceRateLimited):
    """The source is left alone for a while, after it asked to slow down or kept failing: nothing was asked."""


class SourceUnreachable(SourceWaiting):
    """A network failure, a server error or an open breaker: the same call may succeed later."""


class SourceMalformed(SourceError):
    """An answer that breaks the source's contract: the same call will fail again."""


class SourceTooLarge(SourceError):
    """An answer over its bound; the denial holds `cap` and `actual`."""


class SourceMismatch(SourceError):
    """An answer of another kind than was asked for, such as a web page in the place of data."""


class SourceDenied(SourceError):
    """Our policy (host, scheme, block list, address) or the source itself refuses the request."""


class SourceNotEnabled(SourceDenied):
    """This deployment does not ask that source; `required_env` is the setting that would change it."""

    def __init__(self, message: str, *, source: str, required_env: str | None = None) -> None:
        super().__init__(message, source=source, denial=Denial("capability_not_granted", source))
        self.required_env = required_env


class StoreError(PaperdeskError):
    """A failure of the user's own store of papers or of its log, in local mode, or of the store of scans."""


class StoreFailed(StoreError):
    """Disk trouble, a damaged entry, or a change of something that is not stored."""


class LockTimeout(StoreError):
    """Someone else holds a lock of the store for too long: the same call may succeed later."""


class SchemaTooNew(StoreError):
    """The entry was written by a newer release: it can be read, not changed."""


class LogFailed(StoreError):
    """A row of the log could not be written, so the call stops."""


class StoreUnavailable(StoreError):
    """The store of scans does not answer: the same call may succeed later."""


class ArtifactCorrupt(StoreError):
    """Bytes of a scan that are not those that were stored; `name` is the artifact's, or `state`."""

    def __init__(self, message: str, *, name: str) -> None:
        super().__init__(message)
        self.name = name


class ScanTooLarge(StoreError):
    """A scan over the bound of its store: nothing of the change was stored."""


class OperatorError(PaperdeskError):
    """Speaks to whoever runs paperdesk."""


class SettingsError(OperatorError):
    """Bad settings; every problem is reported at once."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


class CatalogUnusable(OperatorError):
    """A catalog directory that must not be served: missing, truncated, tampered with or of another format."""


class BuildFailed(OperatorError):
    """A catalog build that ended without writing a catalog."""
