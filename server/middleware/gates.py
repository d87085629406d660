"""One layer for all that is decided from a request's head: the first gate that refuses answers, the others never look.

A gate is a plain call, since a layer of its own for each would cost more than what it decides.
"""

from collections.abc import Awaitable
from typing import Protocol

from starlette.types import ASGIApp, Receive, Scope, Send

from server.answers import Answer, refuse
from server.exchange import Exchange, exchange_of


class Gate(Protocol):
    """One rule about heads."""

    def check(self, scope: Scope, exchange: Exchange) -> Answer | None:
        """The answer that ends the request here, or None."""
        ...


class Gates:
    """Asks its gates in their order, then goes on."""

    def __init__(self, app: ASGIApp, *gates: Gate) -> None:
        self._app = app
        self._checks = tuple(gate.check for gate in gates)

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """A gate's answer, or on."""
        exchange = exchange_of(scope)
        for check in self._checks:
            answer = check(scope, exchange)
            if answer is not None:
                return refuse(scope, send, answer)
        return self._app(scope, receive, send)
