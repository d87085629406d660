"""The catalog room's front: one object that its toolset calls, by noun."""

from core.catalog.backend import CatalogBackend
from core.catalog.benchmarks import Benchmarks
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
    site-relative links.
    """

    def __init__(
        self,
        backend: CatalogBackend,
        *,
        cursor_keys: tuple[str, ...],
        clock: Clock,
        chunk_bytes: int,
        site_url: str,
    ) -> None:
        resolver = Resolver(backend)
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
        self.leaderboards = Leaderboards(backend, resolver, clock=clock, site_url=site_url)
