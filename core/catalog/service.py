"""The catalog room's front: one object that its toolset calls, by noun."""

from collections.abc import Mapping

from core.cache import Counters
from core.catalog.backend import CatalogBackend
from core.catalog.benchmarks import Benchmarks
from core.catalog.cached import CachedCatalog
from core.catalog.cached.tiers import IMMUTABLE_LEADERBOARD, TIERS, TierName
from core.catalog.communities import Communities
from core.catalog.completion import NameCompletion
from core.catalog.discovery import Discovery
from core.catalog.leaderboards import Leaderboards
from core.catalog.methods import Methods
from core.catalog.papers import Papers
from core.catalog.reader import Reader
from core.catalog.reading import CURSOR_SALT, CursorCodec
from core.catalog.resolve import Resolver
from core.catalog.tasks import Tasks
from core.clock import Clock
from core.tokens import Signer


class Catalog:
    """Papers, texts, benchmarks and leaderboards of one backend.

    `cursor_keys` run from oldest to newest; `chunk_bytes` is the size of read chunks; `site_url` completes
    site-relative links; `asks_public_metadata` lets a miss be looked up outside the catalog.
    """

    def __init__(
        self,
        backend: CatalogBackend,
        *,
        cursor_keys: tuple[str, ...],
        clock: Clock,
        chunk_bytes: int,
        site_url: str,
        asks_public_metadata: bool = True,
    ) -> None:
        resolver = Resolver(backend, asks_public_metadata=asks_public_metadata)
        codec = CursorCodec(Signer(cursor_keys, CURSOR_SALT), clock)
        self.backend = backend
        self.papers = Papers(backend, resolver, site_url=site_url)
        self.reader = Reader(backend, resolver, codec, chunk_bytes=chunk_bytes)
        self.benchmarks = Benchmarks(backend, resolver, site_url=site_url)
        self.discovery = Discovery(backend, resolver, site_url=site_url)
        self.tasks = Tasks(backend, resolver, site_url=site_url)
        self.methods = Methods(backend, resolver, site_url=site_url)
        self.communities = Communities(backend, resolver, site_url=site_url)
        self.completion = NameCompletion(backend)
        # Embedded catalogs do not change while they are open; what is behind the network may.
        tier = TIERS[TierName.LEADERBOARD] if backend.capabilities().kind == "http" else IMMUTABLE_LEADERBOARD
        self.leaderboards = Leaderboards(backend, resolver, clock=clock, site_url=site_url, tier=tier)

    def cache_counters(self) -> Mapping[str, Counters]:
        """What each tier of memory has done and holds, by name; only `leaderboard` where the backend has no memory."""
        remembered = self.backend.counters() if isinstance(self.backend, CachedCatalog) else {}
        return {**remembered, TierName.LEADERBOARD.value: self.leaderboards.counters()}
