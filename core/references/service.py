"""The references room's front: one object that its toolset calls, by noun."""

import hashlib
from collections.abc import Callable

from core.catalog.backend import CatalogBackend
from core.clock import Clock
from core.references.about import About, IsCooling
from core.references.citing import Citations
from core.references.copies import Copies
from core.references.exporting import Exports
from core.references.holdings import Holdings
from core.references.keeping import Keeping
from core.references.links import Links
from core.references.literature import Literature
from core.references.local_copies import LocalCopies
from core.references.records import Records
from core.references.repeat import MemoryRepeats, Repeats
from core.references.room import Room
from core.references.shelf import Shelf
from core.references.stored_holdings import StoredHoldings
from core.references.tagging import Tagging
from core.references.tex.limits import HOSTED_LIMITS, LOCAL_LIMITS
from core.references.texts import CHARS_MAX_HOSTED, CHARS_MAX_LOCAL, Texts
from core.sources.bundle import Sources
from core.sources.configuration import Rulebook
from core.sources.pdfs import Pdfs

DEADLINES_S = (25.0, 55.0)
LOCAL_DEADLINE_S = 300.0


class References:
    """Resolution, copies, citations, exports and texts, over one catalog and the sources that are on.

    `caller` gives an opaque token for whom the present call is made; without it the whole process is one caller.
    `keeping` is the user's store and log: with it the room is in local mode.
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
        keeping: Keeping | None = None,
        pdfs: Pdfs | None = None,
    ) -> None:
        known = repeats or MemoryRepeats(clock)
        is_local = keeping is not None
        fingerprint = fingerprint_of(rulebook, is_local=is_local)
        room = Room(Shelf(backend), sources, rulebook, clock, caller, known, fingerprint, keeping)
        chars_max = CHARS_MAX_LOCAL if is_local else CHARS_MAX_HOSTED
        self.records = Records(room)
        self.copies = Copies(room)
        if keeping is not None:
            if pdfs is None:
                raise ValueError("local mode downloads: it needs what asks for PDFs")
            self.copies = LocalCopies(room, keeping, pdfs)
        self.holdings = Holdings(room) if keeping is None else StoredHoldings(room, keeping.store)
        self.tagging = Tagging(room)
        self.literature = Literature(room)
        self.texts = Texts(room, chars_max=chars_max, tex_limits=LOCAL_LIMITS if is_local else HOSTED_LIMITS)
        self.links = Links(room)
        self.exports = Exports(room)
        self.citations = Citations(room)
        self.about = About(
            room,
            version=version,
            deadlines_s=(LOCAL_DEADLINE_S, LOCAL_DEADLINE_S) if is_local else DEADLINES_S,
            chars_max=chars_max,
            has_contact=has_contact,
            is_cooling=is_cooling,
        )

    @property
    def local_copies(self) -> LocalCopies:
        """Local mode's copies, which also follow a bibliography on the user's disk."""
        if not isinstance(self.copies, LocalCopies):
            raise RuntimeError("a hosted service downloads nothing and reads no files")
        return self.copies


def fingerprint_of(rulebook: Rulebook, *, is_local: bool = False) -> str:
    """A digest of what may be asked and where: another one means that an earlier failure says nothing."""
    parts = ["local" if is_local else "hosted"]
    for name, rules in sorted(rulebook.rules.items()):
        credentials = ",".join(sorted(each.name for each in rules.credentials))
        hosts = ",".join((*rules.reach.hosts.texts, *rules.reach.loopback_origins))
        parts.append(f"{name} {rules.off is None} {hosts} {credentials}")
    return hashlib.sha256("\n".join([*parts, *rulebook.blocked.texts]).encode()).hexdigest()
