"""Fetching in local mode: a store in a directory, a log, and sources in a world of a test's own."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from core.catalog.backend import CatalogBackend
from core.references.failures import failure_of
from core.references.keeping import Keeping
from core.references.local_copies import LocalCopies
from core.references.repeat import MemoryRepeats
from core.references.room import Room
from core.references.service import fingerprint_of
from core.references.shelf import Shelf
from core.references.store.disk import OnStep, no_step
from core.references.store.log import ProvenanceLog
from core.references.store.store import Store
from core.sources.bundle import open_sources
from core.sources.configuration import SourceChoices
from core.sources.pdfs import Pdfs
from tests.core.sources.answered import CROSSREF, UNPAYWALL
from tests.polite_desk import CONTACT, Desk, desk_in
from tests.scripted_upstream import Behaviour, answer
from tests.source_world import World

Json = dict[str, Any]

LOCAL = SourceChoices(is_hosted=False, contact=CONTACT)
DOI = "10.1234/x"
CROSSREF_AT = "api.crossref.org/works/10.1234%2Fx"
UNPAYWALL_AT = "api.unpaywall.org/v2/10.1234%2Fx"
DATACITE_AT = "api.datacite.org/dois/10.1234/x"
OPENALEX_AT = "api.openalex.org/works/doi:10.1234%2Fx"
ARXIV_AT = "export.arxiv.org/api/query"
PDF = b"%PDF-1.7\nthe published copy\n%%EOF\n"
PREPRINT = b"%PDF-1.5\nthe preprint\n%%EOF\n"


@dataclass
class Local:
    """The copies under test and what is around them."""

    desk: Desk
    copies: LocalCopies
    store: Store
    room: Room

    @property
    def world(self) -> World:
        return self.desk.world

    async def good(self, ref: str = DOI, *, force: bool = False) -> Json:
        """The answer of a fetch that must succeed, as the wire has it."""
        found = await self.copies.fetch(ref, dry_run=False, force=force)
        return found.model_dump(exclude_unset=True)

    async def bad(self, ref: str = DOI, *, force: bool = False) -> Json:
        """The error object of a fetch that must fail."""
        try:
            found = await self.copies.fetch(ref, dry_run=False, force=force)
        except Exception as error:
            return failure_of(error).shown()
        raise AssertionError(found)

    def rows(self) -> list[Json]:
        """The rows of the log."""
        return [orjson.loads(line) for line in self.store.layout.log.read_bytes().splitlines()]

    def events(self) -> list[tuple[str, str, str | None]]:
        """Event, result and source of each row."""
        return [(row["event"], row["result"], row["source"]) for row in self.rows()]

    def stored(self, path: str) -> bytes:
        """The file at a path that an answer names."""
        return Path(path).read_bytes()

    def files(self) -> list[str]:
        """What the store holds, without its locks and its log."""
        root = self.store.layout.root
        found = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
        return sorted(name for name in found if not name.endswith(".lock") and "access.jsonl" not in name)


@contextlib.asynccontextmanager
async def local_desk(
    backend: CatalogBackend, directory: Path, choices: SourceChoices = LOCAL, *, on_step: OnStep = no_step
) -> AsyncIterator[Local]:
    """Local mode over a catalog and a directory."""
    async with desk_in(choices) as desk:
        clock = desk.time.clock
        rulebook = desk.sources
        store = Store(directory, clock, on_step=on_step)
        keeping = Keeping(store, ProvenanceLog(store.layout, clock))
        room = Room(
            Shelf(backend),
            open_sources(desk.client, rulebook),
            rulebook,
            clock,
            lambda: "process",
            MemoryRepeats(clock),
            fingerprint_of(rulebook, is_local=True),
            keeping,
        )
        yield Local(desk, LocalCopies(room, keeping, Pdfs(desk.client, rulebook)), store, room)


def crossref(doi: str = "10.1234/X", **changes: Any) -> Behaviour:
    """A record of Crossref without preprints."""
    return answer({"status": "ok", "message": {**CROSSREF, "DOI": doi, "relation": {}, **changes}})


def unpaywall(*urls: str, doi: str = "10.1234/X", license: str | None = "cc-by", status: str = "gold") -> Behaviour:
    """Unpaywall's answer with copies at these addresses, the best one first."""
    places = [{"url": None, "url_for_pdf": url, "license": license, "version": "publishedVersion"} for url in urls]
    found = {"doi": doi, "is_oa": bool(places), "oa_status": status if places else "closed"}
    best = places[0] if places else None
    return answer({**UNPAYWALL, **found, "best_oa_location": best, "oa_locations": places})
