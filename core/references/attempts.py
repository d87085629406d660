"""The trace of a call: which source was asked, which was not, and what came of it (references contract, 1.6)."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from core.deadline import current_deadline
from core.errors import NotFound, PaperdeskError, SourceCooling, SourceNotEnabled, SourceQueueFull, SourceTimeout
from core.identifiers import Identifier

T = TypeVar("T")

Outcome = Literal[
    "not_consulted_disabled",
    "not_consulted_not_applicable",
    "not_consulted_wrong_publisher",
    "not_consulted_not_needed",
    "consulted_no_record",
    "consulted_not_open_access",
    "consulted_failed",
    "consulted_resolved",
]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One source in the order of consultation; `detail` is at most 120 characters of ours."""

    source: str
    outcome: Outcome
    detail: str | None = None
    required_env: str | None = None

    def shown(self) -> dict[str, Any]:
        """As an answer shows it."""
        shown: dict[str, Any] = {
            "source": self.source,
            "outcome": self.outcome,
            "consulted": not self.outcome.startswith("not_"),
        }
        if self.detail:
            shown["detail"] = self.detail[:120]
        if self.required_env:
            shown["required_env"] = self.required_env
        return shown


class Trace:
    """The attempts of one call, or of one row of a batch; a source that is asked again keeps its place."""

    def __init__(self) -> None:
        self._attempts: dict[str, Attempt] = {}

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """What there is so far."""
        return tuple(self._attempts.values())

    def note(self, source: str, outcome: Outcome, detail: str | None = None, required_env: str | None = None) -> None:
        """What came of a source."""
        self._attempts[source] = Attempt(source, outcome, detail, required_env)

    def failed(self, source: str, error: PaperdeskError) -> None:
        """What a failure of a source says of it."""
        if isinstance(error, SourceNotEnabled):
            self.note(source, "not_consulted_disabled", required_env=error.required_env)
        elif isinstance(error, NotFound):
            self.note(source, "consulted_no_record")
        else:
            self.note(source, "consulted_failed", detail_of(error))

    async def ask(self, source: str, call: Callable[[], Awaitable[T]]) -> T:
        """What a source gives; a failure is noted and goes on."""
        try:
            found = await call()
        except PaperdeskError as error:
            self.failed(source, error)
            raise
        self.note(source, "consulted_resolved")
        return found

    def shown(self) -> list[dict[str, Any]] | None:
        """As an answer shows it: None where there is no trace."""
        return shown_attempts(self.attempts)


def shown_attempts(attempts: Sequence[Attempt]) -> list[dict[str, Any]] | None:
    """Attempts as an answer shows them: None, never an empty list."""
    return [each.shown() for each in attempts] or None


class Traced(PaperdeskError):
    """A failure with what is known of its call: the trace, the identity of what was asked, an earlier answer."""

    def __init__(
        self,
        cause: PaperdeskError,
        *,
        attempts: Sequence[Attempt] = (),
        canonical: str | None = None,
    ) -> None:
        super().__init__(cause.message)
        self.cause = cause
        self.attempts = tuple(attempts)
        self.canonical = canonical


@contextmanager
def traced(trace: Trace, identifier: Identifier | None = None) -> Iterator[None]:
    """Gives a failure inside the trace and the identity, and so the end of the call's time; one with them is kept."""

    def with_trace(error: Exception) -> Exception:
        if isinstance(error, Traced) or not isinstance(error, PaperdeskError):
            return error
        return Traced(error, attempts=trace.attempts, canonical=identifier.key if identifier is not None else None)

    ends = current_deadline()
    if ends is not None:
        ends.witnessed_by(with_trace)
    try:
        yield
    except Traced:
        raise
    except PaperdeskError as error:
        raise with_trace(error) from error


def detail_of(error: PaperdeskError) -> str:
    """What came of a source that failed, in our words."""
    if isinstance(error, SourceCooling):
        return "left alone for a while; nothing was asked"
    if isinstance(error, SourceQueueFull):
        return "too many wait for it; nothing was asked"
    return "no answer in time" if isinstance(error, SourceTimeout) else "it failed"
