"""The one failure tree of paperdesk; each family translates it outward once.

PaperdeskError
├── InvalidInput                 the caller's value breaks a stated rule
│   └── InvalidReference         a text that names no paper by its form (has `reason`)
├── NotFound                     nothing matches (has `suggestions`)
├── Ambiguous                    several things match (has `candidates`)
├── NoFullText                   the paper is held, its text is not
├── CursorError
│   ├── CursorInvalid            malformed, unknown key, bad signature, bad field
│   ├── CursorExpired            its life is over
│   └── CursorMismatch           it belongs to another paper
├── ContentChanged               the stored text is no longer the cursor's version
├── Unavailable                  this catalog or deployment cannot do that
├── ResultTooLarge               over the ceiling even after the size guard
├── SourceError                  an upstream or storage failure (has `source`)
│   ├── SourceTimeout            no answer in time
│   ├── SourceWaiting            a failure that may pass (has `retry_after_s`)
│   │   ├── SourceRateLimited    asked to slow down
│   │   └── SourceUnreachable    network failure, 5xx, open breaker
│   └── SourceMalformed          an answer that breaks the source's contract
└── OperatorError                speaks to whoever runs paperdesk, never to a caller
    ├── SettingsError            bad settings, all problems at once (has `problems`)
    ├── CatalogUnusable          a catalog directory that must not be served
    └── BuildFailed              a catalog build that wrote nothing

Messages are sentences of ours: what was wrong and what to do next. They never hold upstream text, SQL, paths of the
server or secrets; `OperatorError` may name the operator's own paths and settings.
"""

from collections.abc import Sequence
from dataclasses import dataclass


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


class ResultTooLarge(PaperdeskError):
    """The answer is over the ceiling even after the size guard."""


class SourceError(PaperdeskError):
    """A failure of an upstream service or of storage; `source` is its key."""

    def __init__(self, message: str, *, source: str) -> None:
        super().__init__(message)
        self.source = source


class SourceTimeout(SourceError):
    """No answer within the deadline."""


class SourceWaiting(SourceError):
    """A failure that may pass; `retry_after_s` is how long to wait, where that is known."""

    def __init__(self, message: str, *, source: str, retry_after_s: float | None = None) -> None:
        super().__init__(message, source=source)
        self.retry_after_s = retry_after_s


class SourceRateLimited(SourceWaiting):
    """The source asked to slow down."""


class SourceUnreachable(SourceWaiting):
    """A network failure, a server error or an open breaker: the same call may succeed later."""


class SourceMalformed(SourceError):
    """An answer that breaks the source's contract: the same call will fail again."""


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
