"""What all services of the references room share: the catalog, the sources, and how a reference is read (2.7)."""

from collections.abc import Callable
from dataclasses import dataclass, field

from core.clock import Clock
from core.identifiers import Identifier, IdentifierKind, parse
from core.references.asking import Asking
from core.references.failures import BadArgument
from core.references.repeat import Repeats
from core.references.resolution import Resolution
from core.references.shelf import Shelf
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

    @property
    def resolution(self) -> Resolution:
        """The order in which references are looked up."""
        return Resolution(self.shelf)

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
            raise BadArgument(
                "This tool takes a DOI or an arXiv id;"
                " doiget_resolve_paper and doiget_metadata_only resolve other ids.",
                field="ref",
            )
        return identifier


def read_reference(ref: str) -> Identifier:
    """A reference by the family's policy: no titles, no bare numbers."""
    return parse(ref, titles=False, bare_digits="refuse")
