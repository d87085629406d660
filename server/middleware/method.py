"""An endpoint takes one method; every other one is refused at once, so that no event stream is ever opened."""

from starlette.types import Scope

from server.answers import Answer, method_not_allowed
from server.exchange import Exchange


class OneMethod:
    """Step 6 of hosting contract 3.1; a preflight was answered before."""

    def __init__(self, method: str = "POST") -> None:
        self._method = method
        self._refused = method_not_allowed(method)

    def check(self, scope: Scope, exchange: Exchange) -> Answer | None:
        """405."""
        return None if scope["method"] == self._method else self._refused
