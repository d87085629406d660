"""A process that is stopping takes no new work and says so (hosting contract 5.5)."""

from starlette.types import Scope

from server.answers import CLOSE, Answer, refusal
from server.drain import Drain
from server.exchange import Exchange

_REFUSED = refusal(
    503,
    "draining",
    "This process is stopping; send the request again in a few seconds.",
    headers=((b"retry-after", b"5"), CLOSE),
)


class Draining:
    """Step 7 of hosting contract 3.1."""

    def __init__(self, drain: Drain) -> None:
        self._drain = drain

    def check(self, scope: Scope, exchange: Exchange) -> Answer | None:
        """503."""
        return _REFUSED if self._drain.has_begun else None
