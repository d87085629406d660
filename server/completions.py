"""Completing what a caller types into an argument of a prompt or a variable of a resource template."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from server.spelling import near, printable


@dataclass(frozen=True, slots=True)
class Completion:
    """The first values that fit, best first, and the number of all."""

    values: tuple[str, ...] = ()
    total: int = 0


Completer = Callable[[Any, str], Awaitable[Completion]]
"""Takes the toolset's services and what was typed so far."""


class Completable(Protocol):
    """A prompt or resource template: its arguments, and who completes which of them."""

    @property
    def completers(self) -> Mapping[str, Completer]:
        """By argument; an argument without an entry completes with nothing."""
        ...

    @property
    def arguments(self) -> Sequence[str]:
        """All its arguments."""
        ...


class NothingToComplete(LookupError):
    """There is no such prompt, template or argument; the message says which and what there is instead."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


async def complete(
    things: Mapping[str, Completable], noun: str, name: str, argument: str, value: str, services: Any
) -> Completion:
    """Completes an argument of the thing of that name; `noun` says what the things are. Raises `NothingToComplete`."""
    thing = things.get(name)
    if thing is None:
        close = near(name, list(things))
        there_is = f"Near: {', '.join(close)}." if close else f"There are: {', '.join(things) or 'none'}."
        raise NothingToComplete(f"There is no {noun} '{printable(name)}' here. {there_is}")
    if argument not in thing.arguments:
        takes = ", ".join(thing.arguments)
        raise NothingToComplete(f"The {noun} {name} has no argument '{printable(argument)}'. It takes {takes}.")
    completer = thing.completers.get(argument)
    return Completion() if completer is None else await completer(services, value)
