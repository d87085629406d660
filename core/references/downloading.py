"""The search for the file of one reference: places in their order, each once, until one lands (4.6, 4.7)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

import httpx

from core.errors import PaperdeskError, SourceNotEnabled
from core.http.hosts import host_of
from core.identifiers import Identifier
from core.records import OaLocation
from core.references.asking import Asking
from core.references.failures import Code, Failure, failure_of
from core.references.journal import Journal
from core.references.locating import known_candidates
from core.references.preprints import FoundBy, known_preprint, other_preprints, platform_of, titled_preprint
from core.references.remedies import remedies
from core.references.resolution import Resolved
from core.references.shelf import ARXIV_LICENSE
from core.sources.answers import Document
from core.sources.pdfs import ARXIV, PUBLISHER, Pdfs, arxiv_paper_at

_OTHER_PREPRINTS = 2
"""How many preprints on other servers are followed."""


@dataclass(frozen=True, slots=True)
class Landed:
    """A file that came, and `pdf` as answers have it; `preprint` is the paper whose file it is, if another one."""

    document: Document
    license: str | None
    pdf: dict[str, Any]
    preprint: Identifier | None = None


class Downloads:
    """One search. `block` is the first failure of a place that it found."""

    def __init__(self, found: Resolved, asking: Asking, pdfs: Pdfs, journal: Journal) -> None:
        self._found = found
        self._asking = asking
        self._pdfs = pdfs
        self._journal = journal
        self._seen: set[str] = set()
        self._blocks: list[tuple[str, Failure]] = []
        self._suggested: str | None = None

    @property
    def block(self) -> Failure | None:
        """What is reported where nothing landed."""
        return next((failure for _, failure in self._blocks), None)

    def without_file(self) -> dict[str, Any]:
        """`pdf` where nothing landed."""
        if self.block is None:
            return {"status": "no_oa_url"}
        suggested = {} if self._suggested is None else {"suggested_arxiv_id": self._suggested}
        return {"status": "blocked", **self.block.shown(), **suggested}

    async def of_arxiv(self) -> Landed:
        """The paper at arXiv; raises what kept it from coming."""
        identifier, license = self._found.identifier, self._found.oa.license
        try:
            document = await self._asking.of(
                ARXIV, self._pdfs, lambda pdfs: pdfs.of_arxiv(identifier, caller=self._asking.caller)
            )
        except PaperdeskError as error:
            await self._journal.not_fetched(ARXIV, failure_of(error))
            raise
        await self._journal.fetched(ARXIV, len(document.body), license)
        return Landed(document, license, {"status": "fetched"})

    async def of_doi(self) -> Landed | None:
        """The first copy that comes, else a preprint."""
        for candidate in known_candidates(self._found):
            url, location = candidate.url, candidate.location
            if url is None:
                continue
            arxiv = arxiv_paper_at(url)
            if arxiv is None:
                document = await self._at(url, location)
                if document is not None:
                    return Landed(document, self._license_of(location), {"status": "fetched"})
                continue
            found_by: FoundBy = "openalex_location" if candidate.found_by == "openalex_location" else "unpaywall"
            landed = await self._arxiv_preprint(arxiv, found_by if candidate.found_by else None, location.license)
            if landed is not None:
                return landed
        preprint = await known_preprint(self._found, self._asking) or await titled_preprint(self._found, self._asking)
        if preprint is not None:
            landed = await self._arxiv_preprint(preprint.identifier, preprint.found_by, is_asked_for=False)
            if landed is not None:
                return landed
        return await self._other_preprint()

    async def _arxiv_preprint(
        self, arxiv: Identifier, found_by: FoundBy | None, license: str | None = None, *, is_asked_for: bool = True
    ) -> Landed | None:
        """arXiv's paper; where it is the first of the work's own copies it is no fallback."""
        id, license = f"{arxiv.value}{arxiv.version or ''}", license or ARXIV_LICENSE
        is_first = is_asked_for and self.block is None
        self._suggested = self._suggested or arxiv.value
        ask = self._asking
        document = await self._try(f"arxiv:{id}", ARXIV, lambda: self._pdfs.of_arxiv(arxiv, caller=ask.caller), license)
        if document is None:
            return None
        if is_first:
            return Landed(document, license, {"status": "fetched"}, arxiv)
        told = {} if found_by is None else {"found_by": found_by}
        pdf = {"status": "preprint_fallback", "arxiv_id": id, "original_block": self._original_block(), **told}
        return Landed(document, license, pdf, arxiv)

    async def _other_preprint(self) -> Landed | None:
        """A preprint on another server, by what Unpaywall knows of its own DOI."""
        unpaywall = self._asking.sources.unpaywall
        if unpaywall is None:
            return None
        for preprint in other_preprints(self._found.work)[:_OTHER_PREPRINTS]:
            try:
                answer = await unpaywall.oa(preprint.value, caller=self._asking.caller)
            except PaperdeskError:
                continue
            for location in answer.locations:
                url = location.url_for_pdf or location.url
                document = None if url is None else await self._at(url, location)
                if document is not None:
                    pdf = {
                        "status": "preprint_doi_fallback",
                        "preprint_doi": preprint.value,
                        "platform": platform_of(preprint, host_of(httpx.URL(document.url))),
                        "original_block": self._original_block(),
                        "found_by": "crossref_relation",
                    }
                    return Landed(document, location.license, pdf, preprint)
        return None

    async def _at(self, url: str, location: OaLocation) -> Document | None:
        address = self._pdfs.address(url)
        ask = self._asking
        return await self._try(
            address, PUBLISHER, lambda: self._pdfs.at(address, caller=ask.caller), self._license_of(location)
        )

    async def _try(
        self, place: str, source: str, ask: Callable[[], Awaitable[Document]], license: str | None
    ) -> Document | None:
        """What a place gives; None where it gives nothing, which is noted, or was asked before."""
        if place in self._seen:
            return None
        self._seen.add(place)
        try:
            document = await ask()
        except PaperdeskError as error:
            failure = failure_of(error)
            failure = replace(failure, remedies=remedies(failure.denial, source=PUBLISHER))
            self._blocks.append((source, failure))
            self._note_failure(source, error)
            await self._journal.not_fetched(source, failure)
            return None
        self._asking.trace.note(source, "consulted_resolved", self._told_of(source))
        await self._journal.fetched(source, len(document.body), license)
        return document

    def _note_failure(self, source: str, error: PaperdeskError) -> None:
        trace = self._asking.trace
        if isinstance(error, SourceNotEnabled):
            trace.failed(source, error)
        else:
            trace.note(source, "consulted_failed", self._told_of(source))

    def _told_of(self, source: str) -> str | None:
        """The failures of a source's places in their order: only the first is told of elsewhere."""
        words = [
            failure.denial.reason if failure.denial else failure.code.value
            for where, failure in self._blocks
            if where == source
        ]
        return f"failed in this order: {', '.join(words)}" if words else None

    def _license_of(self, location: OaLocation) -> str | None:
        """The licence of a copy; that of another copy says nothing about it, that of the work does."""
        oa = self._found.oa
        is_of_a_copy = oa.license in {each.license for each in oa.locations}
        return location.license or (None if is_of_a_copy else oa.license)

    def _original_block(self) -> dict[str, Any]:
        nothing = Failure.of(Code.NO_OA_AVAILABLE, "No open copy of the published version is known.")
        return (self.block or nothing).shown()
