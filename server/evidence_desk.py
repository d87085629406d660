"""The evidence room and the connector's: opened beside a catalog, from the set inside it or a named one."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.catalog.backend import CatalogBackend
from core.clock import Clock
from core.errors import CatalogUnusable
from core.evidence.connector.desk import ConnectorDesk
from core.evidence.desk import EvidenceDesk, no_evidence
from core.evidence.semantic import QueryEmbedder
from core.evidence.service import Connector, Evidence
from core.evidence.stored.about import located
from core.evidence.stored.evidence_set import EvidenceSet
from server.settings import Settings

ROOMS = frozenset({"evidence", "connector"})
"""The toolsets that read an evidence set."""


@dataclass(frozen=True, slots=True)
class OpenedEvidence:
    """The evidence set, if there is one, and what embeds queries for it."""

    stored: EvidenceSet | None = None
    embedder: QueryEmbedder | None = None

    def close(self) -> None:
        """Gives the set back."""
        if self.stored is not None:
            self.stored.close()

    def rooms(self, settings: Settings, backend: CatalogBackend, clock: Clock) -> tuple[Evidence, Connector]:
        """What the two toolsets call."""
        if self.stored is None:
            return no_evidence(), ConnectorDesk(backend, None, site_url=settings.site_url)
        desk = EvidenceDesk(
            self.stored,
            backend,
            clock=clock,
            embedder=self.embedder,
            floor=settings.semantic_floor,
            site_url=settings.site_url,
        )
        return desk, ConnectorDesk(backend, desk, site_url=settings.site_url)


def open_evidence(
    settings: Settings, catalog: Path | None, embedder: Callable[[], QueryEmbedder | None]
) -> OpenedEvidence:
    """The set inside a catalog's directory, else the named one; blocking. Raises `OperatorError`."""
    if not ROOMS & set(settings.toolsets):
        return OpenedEvidence()
    own = None if catalog is None else located(catalog)
    if own is not None and settings.evidence:
        raise CatalogUnusable(
            "The catalog holds an evidence set of its own. Leave PAPERDESK_EVIDENCE empty, or name another catalog."
        )
    if own is not None:
        return OpenedEvidence(EvidenceSet.open(own, checked=True), embedder())
    if settings.evidence:
        return OpenedEvidence(EvidenceSet.open(Path(settings.evidence).expanduser()), embedder())
    return OpenedEvidence()
