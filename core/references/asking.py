"""Sources as one call asks them: in the name of its caller, each outcome noted (references contract, 1.6, 3.1)."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from core.errors import NotFound
from core.identifiers import Identifier
from core.references.attempts import Trace
from core.sources.bundle import Sources

S = TypeVar("S")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asking:
    """The sources of one call; `caller` is an opaque token for whom they are asked."""

    sources: Sources
    caller: str = field(repr=False)
    trace: Trace = field(default_factory=Trace)

    async def of(self, key: str, reader: S | None, call: Callable[[S], Awaitable[T]]) -> T:
        """What a source gives; one that is off fails, and says which setting would change it."""
        if reader is None:
            off = self.sources.not_enabled(key)
            self.trace.failed(key, off)
            raise off
        return await self.trace.ask(key, lambda: call(reader))

    def apart(self) -> "Asking":
        """The same with a trace of its own, for a row of a batch."""
        return Asking(self.sources, self.caller)


def spellings(identifier: Identifier) -> tuple[str, ...]:
    """A DOI as it was cleaned, then the other spellings that may be meant."""
    return (identifier.id, *(each.removeprefix("doi:") for each in identifier.alternates))


async def first_known(texts: Iterable[str], ask: Callable[[str], Awaitable[T]]) -> T:
    """The answer to the first spelling that is known; another is asked only after a `NotFound`."""
    missing: NotFound | None = None
    for text in texts:
        try:
            return await ask(text)
        except NotFound as error:
            missing = missing or error
    raise missing or NotFound("Nothing was asked for.")
