"""What identity and limits cost a request, as ratios: `python -m benchmarks.limits`.

The measure is one hit of the `limits` library's own memory store under its moving-window strategy, in the same run.
Microseconds are of processor time and belong to this machine; the ratios are the result.
"""

import asyncio
import statistics
import time
from collections.abc import Callable, Coroutine, Sequence
from ipaddress import ip_network
from typing import Any

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from core.clock import SystemClock
from server.limits.admission import Limiter
from server.limits.budgets import LIMIT_MAX, Budgets
from server.limits.egress import EgressTiers
from server.limits.identity import Caller, Identities
from server.limits.memory import MemoryWindows
from server.peers import PeerTrust

ROUNDS = 5
REQUESTS = 9_000
CLIENTS = 200
LIMITS = dict.fromkeys(("per_minute", "catalog_semantic_per_minute", "concurrent"), LIMIT_MAX)

IDENTITIES = Identities(
    peers=PeerTrust([ip_network("10.0.0.0/8")]),
    tiers=EgressTiers({"anthropic": [ip_network("160.79.104.0/21"), ip_network("2607:6bc0::/48")]}),
    secret=b"s" * 32,
)


def microseconds(run: Callable[[int], Any]) -> float:
    """Of processor time for one of many runs."""
    started_s = time.process_time()
    for number in range(REQUESTS):
        run(number)
    return (time.process_time() - started_s) / REQUESTS * 1e6


async def microseconds_of(run: Callable[[int], Coroutine[Any, Any, None]]) -> float:
    """As `microseconds`, of a coroutine."""
    started_s = time.process_time()
    for number in range(REQUESTS):
        await run(number)
    return (time.process_time() - started_s) / REQUESTS * 1e6


def library_hit() -> float:
    """One hit of the library's own store, which starts sweeps over all keys from a thread."""
    strategy, item = MovingWindowRateLimiter(MemoryStorage()), RateLimitItemPerMinute(LIMIT_MAX)
    return microseconds(lambda number: strategy.hit(item, f"client-{number % CLIENTS}"))


def library_request() -> float:
    """The same three questions as a whole request of ours: a look, a hit, and what is left."""
    strategy, item = MovingWindowRateLimiter(MemoryStorage()), RateLimitItemPerMinute(LIMIT_MAX)

    def one(number: int) -> None:
        client = f"client-{number % CLIENTS}"
        strategy.test(item, client)
        strategy.hit(item, client)
        strategy.get_window_stats(item, client)

    return microseconds(one)


def whole_request(callers: Sequence[Caller], budgets: Sequence[str] = (), known: Sequence[Caller] = ()) -> float:
    """Admission, taking, the state for the headers, and the end, over our store, which may know others already."""
    limiter = Limiter(Budgets(anonymous=LIMITS), MemoryWindows(SystemClock()))

    async def meet() -> None:
        for caller in known:
            await limiter.charge(caller)

    asyncio.run(meet())

    async def one(number: int) -> None:
        ticket = await limiter.admit(callers[number % len(callers)])
        await ticket.take(budgets)
        _ = ticket.rate
        await ticket.close()

    return asyncio.run(microseconds_of(one))


def many(count: int) -> list[Caller]:
    """That many callers behind a proxy."""
    return [IDENTITIES.of_peer("127.0.0.1", [f"192.0.{number // 250}.{number % 250}"]) for number in range(count)]


def main() -> None:
    """Interleaved rounds; the median of each."""
    known = many(10_000)
    measures: dict[str, Callable[[], float]] = {
        "limits' own memory store, one hit": library_hit,
        "limits' own, look, hit and state": library_request,
        "admit, take, close": lambda: whole_request(many(CLIENTS)),
        "the same with a tool's budget": lambda: whole_request(many(CLIENTS), ["catalog_semantic_per_minute"]),
        "one caller, nobody else known": lambda: whole_request(many(1)),
        "one caller, 10,000 known": lambda: whole_request(many(1), known=known),
        "10,000 callers in turn": lambda: whole_request(known),
        "identity behind a proxy": lambda: microseconds(lambda _: IDENTITIES.of_peer("127.0.0.1", ["192.0.2.7"])),
        "identity by tag": lambda: microseconds(lambda _: IDENTITIES.of_peer("127.0.0.1", (), "client-7")),
    }
    found: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(ROUNDS):
        for name, measure in measures.items():
            found[name].append(measure())
    medians = {name: statistics.median(values) for name, values in found.items()}
    base = medians["limits' own memory store, one hit"]
    for name, value in medians.items():
        print(f"{name:38} {value:6.1f} us  {value / base:5.2f} of the library's hit")
    one = medians["one caller, nobody else known"]
    for name in ("one caller, 10,000 known", "10,000 callers in turn"):
        print(f"limiter's throughput, {name}: {one / medians[name]:.2f} of that with one known")


if __name__ == "__main__":
    main()
