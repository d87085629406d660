"""Refuses a body by what its headers say, before a byte of it is read (hosting contract 3.1, step 8)."""

from starlette.types import Scope

from server.answers import Answer
from server.body import BodyBounds, BodyRefused, check_body_headers
from server.exchange import Exchange


class BodyHeaders:
    """415, 400 and 413."""

    def __init__(self, bounds: BodyBounds) -> None:
        self._bounds = bounds

    def check(self, scope: Scope, exchange: Exchange) -> Answer | None:
        """A refusal."""
        try:
            check_body_headers(exchange.fields, self._bounds)
        except BodyRefused as refused:
            return refused.answer
        return None
