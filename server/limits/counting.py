"""All that counting requests takes, opened once and handed to the application as one thing."""

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from core.clock import Clock
from server.limits.admission import Limiter
from server.limits.budgets import Budgets
from server.limits.callers import Callers
from server.limits.egress import EgressTiers
from server.limits.identity import Identities
from server.limits.memory import MemoryWindows
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


def counting_here(clock: Clock, budgets: Budgets | None = None) -> Counting:
    """Counting by what this process alone knows: no keys, no proxy beyond this machine, windows in memory."""
    peers = PeerTrust()
    identities = Identities(peers=peers, tiers=EgressTiers({}), secret=secrets.token_bytes(32))
    callers = Callers(identities, clock, keys=None, anonymous=True)
    return Counting(peers, callers, Limiter(budgets or Budgets(), MemoryWindows(clock)))
