"""Opens what the polite client stands on: pools that check addresses, and turns over a store."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import anyio

from core.clock import Clock
from core.http.addresses import is_loopback
from core.http.client import HttpClient
from core.http.dialling import CheckedBackend, CheckedTransport, Resolve, system_resolve
from core.http.hops import Wires
from core.http.pacing.shared import SharedPace, open_client
from core.http.pacing.stores import FleetPace, MemoryPace, PaceStore
from core.http.pacing.turns import Pacing, new_process_name

MEMORY_URL = "memory:"


def user_agent(version: str, public_url: str, contact: str | None) -> str:
    """How the client names itself to every source."""
    mailbox = "" if contact is None else f"; mailto:{contact}"
    return f"paperdesk/{version} (+{public_url}{mailbox})"


def open_wires(agent: str, *, resolve: Resolve = system_resolve) -> Wires:
    """The two pools; nothing is connected yet."""
    public = CheckedTransport(CheckedBackend(resolve))
    near = CheckedTransport(CheckedBackend(resolve, admits=is_loopback))
    return Wires(HttpClient(user_agent=agent, transport=public), HttpClient(user_agent=agent, transport=near))


@dataclass(frozen=True, slots=True)
class OpenedPacing:
    """Turns, how often their store did not answer, and how its connections are given back."""

    pacing: Pacing
    store_errors: Callable[[], int]
    aclose: Callable[[], Awaitable[None]]


def open_pacing(
    url: str, clock: Clock, *, workers: int = 1, sleep: Callable[[float], Awaitable[None]] = anyio.sleep
) -> OpenedPacing:
    """Turns over the limiter's store: `memory:`, shared out among `workers` processes, or a Redis or Valkey address.

    Nothing is asked of it yet. Raises `OperatorError`.
    """
    process = new_process_name()

    async def nothing() -> None:
        return None

    if url == MEMORY_URL:
        alone: PaceStore = MemoryPace(clock, share=workers)
        return OpenedPacing(Pacing(alone, clock, sleep=sleep, process=process), lambda: 0, nothing)
    shared = SharedPace(open_client(url), clock)
    fleet = FleetPace(shared, clock, workers=workers, process=process)
    return OpenedPacing(Pacing(fleet, clock, sleep=sleep, process=process), lambda: fleet.errors, shared.aclose)
