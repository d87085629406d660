"""A backend that does what a test tells it to: counts its calls, fails, waits, changes its answers, says notices."""

import asyncio
import inspect
from collections import Counter
from collections.abc import Callable
from typing import Any

from core.catalog.backend import CatalogBackend
from core.catalog.models import Capabilities
from core.catalog.notices import notice

EVERY = "every operation"


class ToldBackend:
    """Passes every call on to a backend, unless it is told to do otherwise.

    `failures` are raised instead of an answer, by operation or for `EVERY` one; while `gate` is closed calls wait;
    `changes` turn an operation's answer into another; `sentence` is said during every call.
    """

    def __init__(self, inner: CatalogBackend, *, kind: str = "http") -> None:
        self.inner = inner
        self.kind = kind
        self.built_at = inner.capabilities().built_at
        self.calls: Counter[str] = Counter()
        self.failures: dict[str, Exception] = {}
        self.changes: dict[str, Callable[[Any], Any]] = {}
        self.gate = asyncio.Event()
        self.gate.set()
        self.cancelled = 0
        self.sentence: str | None = None

    def capabilities(self) -> Capabilities:
        held = self.inner.capabilities()
        return Capabilities(
            self.kind, held.has_vectors, held.as_of, held.content_id, held.counts, built_at=self.built_at
        )

    def __getattr__(self, name: str) -> Callable[..., Any]:
        operation = getattr(self.inner, name)
        if not inspect.iscoroutinefunction(operation):
            raise AttributeError(name)

        async def told(*arguments: Any, **named: Any) -> Any:
            self.calls[name] += 1
            try:
                await self.gate.wait()
            except asyncio.CancelledError:
                self.cancelled += 1
                raise
            failure = self.failures.get(name) or self.failures.get(EVERY)
            if failure is not None:
                raise failure
            if self.sentence is not None:
                notice(self.sentence)
            answer = await operation(*arguments, **named)
            return self.changes.get(name, lambda same: same)(answer)

        return told
