"""An MCP endpoint takes POST; every other method is refused at once, so that no event stream is ever opened."""

from starlette.types import Scope

from server.answers import Answer, method_not_allowed
from server.exchange import Exchange

_REFUSED = method_not_allowed("POST")


class PostOnly:
    """Step 6 of hosting contract 3.1."""

    def check(self, scope: Scope, exchange: Exchange) -> Answer | None:
        """405."""
        return None if scope["method"] == "POST" else _REFUSED
