"""What all services of the references room share: the catalog, the sources, and how a reference is read (2.7)."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field

from core.clock import Clock
from core.identifiers import Identifier, IdentifierKind, parse
from core.references.asking import Asking
from core.references.attempts import Traced
from core.references.failures import BadArgument
from core.references.keeping import Keeping, Told
from core.references.repeat import Repeats
from core.references.resolution import Resolution
from core.references.shelf import Shelf
from core.references.store.layout import Layout
from core.references.store.log import Capability
from core.sources.bundle import Sources
from core.sources.configuration import Rulebook

SCHEMA_VERSION = "1.0"

_DIRECT = (IdentifierKind.DOI, IdentifierKind.ARXIV)
_EXCHANGED = (IdentifierKind.CATALOG, IdentifierKind.SLUG)


@dataclass(frozen=True, slots=True)
class Room:
    """The room's parts; `caller` gives an opaque token for whom the present call is made."""

    shelf: Shelf
    sources: Sources
    rulebook: Rulebook
    clock: Clock
    caller: Callable[[], str]
    repeats: Repeats
    fingerprint: str = field(default="", repr=False)
    keeping: Keeping | None = None
    """The user's store and log, in local mode."""

    @property
    def resolution(self) -> Resolution:
        """The order in which references are looked up."""
        return Resolution(self.shelf, None if self.keeping is None else self.keeping.store)

    @property
    def mode(self) -> str:
        """Whom this deployment serves: many, or one user with a store."""
        return "hosted" if self.keeping is None else "local"

    @property
    def layout(self) -> Layout | None:
        """Where files would lie; None where nothing is kept."""
        return None if self.keeping is None else self.keeping.store.layout

    def session(self, capability: Capability) -> AbstractAsyncContextManager[None]:
        """Around what a call asks of the network: local mode logs that it does, hosted mode logs nothing here."""
        return nullcontext() if self.keeping is None else self.keeping.session(capability)

    @asynccontextmanager
    async def resolving(self, identifier: Identifier) -> AsyncIterator[Told]:
        """Around a look-up; local mode logs what it came to."""
        if self.keeping is None:
            yield Told(identifier)
        else:
            async with self.keeping.resolving(identifier) as told:
                yield told

    def asking(self) -> Asking:
        """The sources, for one call."""
        return Asking(self.sources, self.caller())

    async def direct(self, ref: str, asking: Asking) -> Identifier:
        """The DOI or arXiv id of a tool that takes no other; a catalog page is exchanged for its paper's."""
        identifier = read_reference(ref)
        if identifier.kind in _EXCHANGED:
            found = await self.resolution.exchanged(identifier, asking)
            if isinstance(found, Identifier):
                return found
        if identifier.kind not in _DIRECT:
            raise not_taken(
                identifier,
                "This tool takes a DOI or an arXiv id;"
                " doiget_resolve_paper and doiget_metadata_only resolve other ids.",
            )
        return identifier


def read_reference(ref: str) -> Identifier:
    """A reference by the family's policy: no titles, no bare numbers."""
    return parse(ref, titles=False, bare_digits="refuse")


def not_taken(identifier: Identifier, message: str) -> Traced:
    """A reference that was understood and is of a kind that the tool does not take."""
    return Traced(BadArgument(message, field="ref"), canonical=identifier.key)
