"""All that counting requests takes, opened once and handed to the application as one thing."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from server.limits.admission import Limiter
from server.limits.callers import Callers
from server.peers import PeerTrust


async def _nothing() -> None:
    return None


@dataclass(frozen=True, slots=True)
class Counting:
    """Whose word counts, who is calling, and what they may; `aclose` lets go of the store."""

    peers: PeerTrust
    callers: Callers
    limiter: Limiter
    aclose: Callable[[], Awaitable[None]] = _nothing
