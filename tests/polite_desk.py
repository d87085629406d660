"""The polite client in a world of a test's own, with a clock that waits take no time of."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Any

from core.http.hops import Wires
from core.http.pacing.stores import MemoryPace
from core.http.pacing.turns import Pacing
from core.http.polite import PoliteClient
from core.http.remembering import Fetched
from core.http.rules import SourceRules
from core.sources.configuration import Rulebook, SourceChoices, build_sources
from tests.source_world import World, wires_of, world_around
from tests.virtual_time import InstantTime

CONTACT = "desk@papers.test"


@dataclass
class Desk:
    """The client and what is around it; `outcomes` is what it told its observer."""

    world: World
    time: InstantTime
    wires: Wires
    sources: Rulebook
    client: PoliteClient
    store: MemoryPace
    outcomes: list[tuple[str, str]] = field(default_factory=list)

    async def get(self, name: str, path: Any = ("a",), params: Any = None, **more: Any) -> Fetched:
        """As the client's own, by the source's name."""
        return await self.client.get(self.sources[name], path, params, **more)

    def change(self, name: str, **changes: Any) -> SourceRules:
        """Other rules for a source."""
        rules = replace(self.sources[name], **changes)
        self.sources = replace(self.sources, rules={**self.sources.rules, name: rules})
        return rules


@contextlib.asynccontextmanager
async def desk_in(choices: SourceChoices | None = None, *, world: World | None = None) -> AsyncIterator[Desk]:
    """A desk with all sources that a hosted service with a contact has, or by other choices."""
    async with contextlib.AsyncExitStack() as stack:
        world = world or await stack.enter_async_context(world_around())
        time = InstantTime()
        sources = build_sources(choices or SourceChoices(contact=CONTACT))
        wires = wires_of(world)
        store = MemoryPace(time.clock)
        pacing = Pacing(store, time.clock, sleep=time.sleep)
        outcomes: list[tuple[str, str]] = []
        client = PoliteClient(
            wires,
            pacing,
            time.clock,
            blocked=sources.blocked,
            random=lambda: 0.5,
            sleep=time.sleep,
            observe=lambda source, outcome, span_s: outcomes.append((source, outcome)),
        )
        yield Desk(world, time, wires, sources, client, store, outcomes)
        await wires.aclose()
