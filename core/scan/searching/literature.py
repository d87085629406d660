"""The literature of this deployment: its catalog, and the sources that scans may ask (scan contract 7.2)."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

import anyio

from core.catalog.backend import CatalogBackend
from core.clock import Clock
from core.deadline import current_deadline, deadline
from core.scan.days import ScanWindow
from core.scan.models import Anchor, Candidate, Query
from core.scan.profiles import STAGE_LIMIT_S
from core.scan.searching.anchoring import AnchorRound
from core.scan.searching.asking import Asking, Sleep
from core.scan.searching.catalog import CatalogSource
from core.scan.searching.graph import GraphRound
from core.scan.searching.lookups import LookupRound
from core.scan.searching.port import AnchorsFound, Lookups, Neighbourhood, Neighbours, Retrieval, Retrieved
from core.scan.searching.reach import Reach, routing
from core.scan.searching.retrieving import Round
from core.scan.vocabulary import Domain, SourceName
from core.sources.bundle import Sources

RESERVE_S = 15.0
"""What of a stage is kept for what it does with the answers: asking ends so much before the stage does."""


class ScanLiterature:
    """Over a catalog and readers of sources. `named` are the sources that scans may ask (10.10)."""

    def __init__(
        self,
        backend: CatalogBackend,
        sources: Sources,
        named: Collection[str],
        *,
        clock: Clock,
        sleep: Sleep = anyio.sleep,
    ) -> None:
        self._catalog = CatalogSource(backend)
        self._reach = Reach(sources, frozenset(named))
        self._clock = clock
        self._sleep = sleep

    def routing(self, domain: Domain, queries: Sequence[Query]) -> tuple[SourceName, ...]:
        """The search sources of a plan in routing order, those that are not asked here included."""
        return routing(domain, queries)

    def live(self, domain: Domain, queries: Sequence[Query]) -> tuple[SourceName, ...]:
        """Those of the routing but the catalog that are asked here."""
        return tuple(each for each in routing(domain, queries) if each != "catalog" and self._reach.has(each))

    async def retrieve(self, ask: Retrieval) -> Retrieved:
        """One round of searches, with relaxed requests within the budget, and exclusions applied."""
        with self._asking_time():
            return await Round(ask, self._catalog, self._reach, self._new_asking, self._sleep).run()

    async def anchors(self, anchors: Sequence[Anchor], window: ScanWindow, caller: str) -> AnchorsFound:
        """The works that the client knows, of any date."""
        with self._asking_time():
            return await AnchorRound(self._catalog, self._new_asking(), self._reach, caller).run(anchors)

    async def neighbours(self, ask: Neighbourhood) -> Neighbours:
        """References, citations and recommendations of the seeds."""
        with self._asking_time():
            return await GraphRound(ask, self._catalog, self._new_asking(), self._reach).run()

    async def lookups(self, candidates: Sequence[Candidate], caller: str) -> Lookups:
        """Live records of works, registries first and in bulk."""
        with self._asking_time():
            return await LookupRound(candidates, self._new_asking(), self._reach, caller).run()

    def _new_asking(self) -> Asking:
        return Asking(self._clock, self._sleep)

    @contextmanager
    def _asking_time(self) -> Iterator[None]:
        ends = current_deadline()
        left_s = STAGE_LIMIT_S if ends is None else ends.left_s()
        with deadline(max(left_s - RESERVE_S, 0.0), self._clock):
            yield
