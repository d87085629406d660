"""The references room's front: one object that its toolset calls, by noun."""

import hashlib
from collections.abc import Callable

from core.catalog.backend import CatalogBackend
from core.clock import Clock
from core.errors import SourceNotEnabled
from core.references.about import About, IsCooling
from core.references.citing import Citations
from core.references.copies import Copies
from core.references.exporting import Exports
from core.references.holdings import Holdings
from core.references.links import Links
from core.references.literature import Literature
from core.references.records import Records
from core.references.repeat import MemoryRepeats, Repeats
from core.references.results import KeptAnswer
from core.references.room import Room
from core.references.shelf import Shelf
from core.references.texts import Texts
from core.sources.bundle import Sources
from core.sources.configuration import Rulebook

DEADLINES_S = (25.0, 55.0)


class References:
    """Resolution, copies, citations, exports and texts, over one catalog and the sources that are on.

    `caller` gives an opaque token for whom the present call is made; without it the whole process is one caller.
    """

    def __init__(
        self,
        backend: CatalogBackend,
        sources: Sources,
        rulebook: Rulebook,
        *,
        clock: Clock,
        version: str,
        is_cooling: IsCooling,
        has_contact: bool = False,
        caller: Callable[[], str] = lambda: "process",
        repeats: Repeats | None = None,
    ) -> None:
        known = repeats or MemoryRepeats(clock)
        room = Room(Shelf(backend), sources, rulebook, clock, caller, known, fingerprint_of(rulebook))
        self.records = Records(room)
        self.copies = Copies(room)
        self.holdings = Holdings(room)
        self.literature = Literature(room)
        self.texts = Texts(room)
        self.links = Links(room)
        self.exports = Exports(room)
        self.citations = Citations(room)
        self.about = About(
            room, version=version, deadlines_s=DEADLINES_S, has_contact=has_contact, is_cooling=is_cooling
        )

    async def keep(self, ref: str) -> KeptAnswer:
        """Notes something at a stored entry: a hosted service stores none."""
        raise SourceNotEnabled(
            "A hosted service keeps no store; run paperdesk on your own machine to tag papers.", source="store"
        )


def fingerprint_of(rulebook: Rulebook) -> str:
    """A digest of what may be asked and where: another one means that an earlier failure says nothing."""
    parts = []
    for name, rules in sorted(rulebook.rules.items()):
        credentials = ",".join(sorted(each.name for each in rules.credentials))
        hosts = ",".join((*rules.reach.hosts.texts, *rules.reach.loopback_origins))
        parts.append(f"{name} {rules.off is None} {hosts} {credentials}")
    return hashlib.sha256("\n".join([*parts, *rulebook.blocked.texts]).encode()).hexdigest()
