"""What stands behind an endpoint's guard: a dispatcher answers messages that were found in order."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from starlette.types import Scope

from server.answers import Answer
from server.envelope import Message
from server.fields import Fields
from server.registry import BoundToolset


class Dispatcher(Protocol):
    """Answers for one toolset in both eras. It is never shown a message that the guard refuses or answers by itself."""

    def run(self) -> AbstractAsyncContextManager[None]:
        """What has to live as long as the application; entered once, in its lifespan."""
        ...

    async def answer(self, message: Message, *, modern: bool, fields: Fields, scope: Scope) -> Answer:
        """The whole answer to one request. Its cancellation ends whatever runs for it."""
        ...


DispatcherOf = Callable[[BoundToolset, Mapping[str, str]], Dispatcher]
"""Makes the dispatcher of a toolset; the mapping says which paths have the tools of the other endpoints."""
