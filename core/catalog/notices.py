"""Sentences about how an answer came about, said anywhere below a call and handed out in its result's `notes`.

A backend says one with `notice`; the public methods of the catalog's rooms, marked `noted`, append what was said during
their call. Outside such a call nobody listens and a sentence is lost.
"""

from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from core.catalog.results import QueryResult

P = ParamSpec("P")
R = TypeVar("R", bound=QueryResult)

# A dict for its keys: each sentence once, in the order said. Tasks that a call starts share it with the call.
_said: ContextVar[dict[str, None] | None] = ContextVar("said", default=None)


def notice(sentence: str) -> None:
    """Says something that the caller of the present call should know; a repeated sentence counts once."""
    said = _said.get()
    if said is not None:
        said[sentence] = None


@contextmanager
def collecting() -> Iterator[dict[str, None]]:
    """Collects what is said within the block, as keys in the order said; a surrounding collection hears none of it."""
    said: dict[str, None] = {}
    token = _said.set(said)
    try:
        yield said
    finally:
        _said.reset(token)


def noted(method: Callable[P, Awaitable[R]]) -> Callable[P, Coroutine[Any, Any, R]]:
    """Appends the notices of a call to its result's `notes`, after those it has; each sentence once."""

    @wraps(method)
    async def with_notices(*args: P.args, **kwargs: P.kwargs) -> R:
        with collecting() as said:
            result = await method(*args, **kwargs)
        if not said:
            return result
        notes = list(dict.fromkeys([*(result.notes or ()), *said]))
        return result.model_copy(update={"notes": notes})

    return with_notices
