"""Opens what asks sources: the polite client of this process, its pacing, and a reader for each source that is on."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, fields

from core.cache import Counters
from core.catalog.backend import CatalogBackend
from core.clock import Clock
from core.http.addresses import is_loopback
from core.http.client import HttpClient
from core.http.dialling import CheckedBackend, CheckedTransport
from core.http.hops import Observe, Wires
from core.http.pacing.shared import SharedPace, open_client
from core.http.pacing.stores import FleetPace, MemoryPace, PaceStore
from core.http.pacing.turns import Pacing, new_process_name
from core.http.polite import PROCESS, PoliteClient
from core.references.keeping import Keeping
from core.references.repeat import MemoryRepeats, Repeats
from core.references.service import References
from core.references.shared_repeat import SharedRepeats
from core.scan.searching.literature import ScanLiterature
from core.scan.searching.reach import scan_rulebook
from core.sources.bundle import Sources, open_sources
from core.sources.configuration import Rulebook, build_sources
from core.sources.pdfs import Pdfs
from server import __version__
from server.exchange import current_exchange
from server.settings import Settings
from server.source_choices import source_choices


@dataclass(frozen=True, slots=True)
class SourceDesk:
    """The sources of a process; `aclose` needs the event loop that they were asked in.

    `scanned` are those of scans, which name theirs by a setting of their own.
    """

    rulebook: Rulebook
    sources: Sources
    scanned: Sources
    client: PoliteClient
    repeats: Repeats
    has_contact: bool
    aclose: Callable[[], Awaitable[None]]

    def cache_counters(self) -> Mapping[str, Counters]:
        """What is remembered of sources, by tier."""
        return {f"source_{tier}": counters for tier, counters in self.client.counters().items()}

    def references(self, backend: CatalogBackend, clock: Clock, keeping: Keeping | None = None) -> References:
        """The references room over a catalog, these sources and, in local mode, the user's store."""
        return References(
            backend,
            self.sources,
            self.rulebook,
            clock=clock,
            version=__version__,
            is_cooling=self.client.is_cooling,
            has_contact=self.has_contact,
            caller=present_caller,
            repeats=self.repeats,
            keeping=keeping,
            pdfs=None if keeping is None else Pdfs(self.client, self.rulebook),
        )

    def literature(self, backend: CatalogBackend, named: Sequence[str], clock: Clock) -> ScanLiterature:
        """What scans ask: a catalog, and those of the sources that `named` has."""
        return ScanLiterature(backend, self.scanned, named, clock=clock)


def open_source_desk(settings: Settings, clock: Clock, observe: Observe) -> SourceDesk:
    """The sources that the settings allow; nobody is asked yet. Raises `OperatorError`."""
    choices = source_choices({each.name: getattr(settings, each.name) for each in fields(settings)})
    rulebook = build_sources(choices)
    contact = f"; mailto:{choices.contact}" if choices.contact else ""
    agent = f"paperdesk/{__version__} (+{settings.public_url}{contact})"
    wires = Wires(
        HttpClient(user_agent=agent, transport=CheckedTransport(CheckedBackend())),
        HttpClient(user_agent=agent, transport=CheckedTransport(CheckedBackend(admits=is_loopback))),
    )
    process = new_process_name()
    store: PaceStore = MemoryPace(clock, share=settings.workers)
    repeats: Repeats = MemoryRepeats(clock)
    shared: SharedPace | None = None
    if settings.has_shared_store:
        opened = open_client(settings.limits_url)
        shared, repeats = SharedPace(opened, clock), SharedRepeats(opened, clock)
        store = FleetPace(shared, clock, workers=settings.workers, process=process)
    pacing = Pacing(store, clock, process=process)
    client = PoliteClient(wires, pacing, clock, blocked=rulebook.blocked, observe=observe)

    async def aclose() -> None:
        await wires.aclose()
        if shared is not None:
            await shared.aclose()

    return SourceDesk(
        rulebook,
        open_sources(client, rulebook),
        open_sources(client, scan_rulebook(choices, settings.scan_sources)),
        client,
        repeats,
        choices.contact is not None,
        aclose,
    )


def present_caller() -> str:
    """An opaque token for whom the present request is made: a digest, never an address."""
    exchange = current_exchange.get()
    caller = None if exchange is None else exchange.caller
    return PROCESS if caller is None else caller.digest.hex()
