"""Open copies in local mode: downloaded into the user's store, and written down (references contract, 3.4 to 3.6)."""

import contextlib
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

import anyio
import anyio.to_thread

from core.errors import InvalidInput, NotFound, PaperdeskError, StoreError, Unsupported
from core.identifiers import Identifier, IdentifierKind
from core.records import Work
from core.references.asking import Asking
from core.references.bibliography.local_file import FILE_BYTES_MAX, read_local
from core.references.bibliography.reading import read_bibliography
from core.references.copies import Copies, Copy
from core.references.downloading import Downloads, Landed
from core.references.failures import BadArgument
from core.references.indexes import with_indexes
from core.references.journal import Journal
from core.references.keeping import Keeping
from core.references.records import new_entry
from core.references.resolution import Resolved, unresolved_arxiv, with_open_access
from core.references.results import RowsAnswer
from core.references.room import Room
from core.references.store.entries import Saved
from core.sources.pdfs import Pdfs

_UNPAYWALL = "unpaywall"


class LocalCopies(Copies):
    """Downloads copies. A call whose rows cannot be written to the log stops with `LogFailed`."""

    def __init__(self, room: Room, keeping: Keeping, pdfs: Pdfs) -> None:
        super().__init__(room)
        self._store = keeping.store
        self._log = keeping.log
        self._pdfs = pdfs

    async def bibliography(
        self, content: str | None = None, *, path: str | None = None, format: str, strict: bool, force: bool
    ) -> RowsAnswer:
        """A row for each entry of a bibliography, which is given itself or as the path of its file."""
        if (content is None) == (path is None):
            raise BadArgument(
                "Send either the bibliography as content or the absolute path of its file as path.",
                field="path",
            )
        if path is None:
            return await super().bibliography(content or "", format=format, strict=strict, force=force)
        try:
            data, ending = await anyio.to_thread.run_sync(read_local, path)
        except InvalidInput as error:
            raise BadArgument(error.message, field="path") from error
        read = await anyio.to_thread.run_sync(
            lambda: read_bibliography(data, format=format, ending=ending, strict=strict, bytes_max=FILE_BYTES_MAX)
        )
        return await self._followed(read, force=force)

    def _call(self) -> AbstractAsyncContextManager[None]:
        return self._log.call("oa")

    async def _forced(self, identifiers: Sequence[Identifier]) -> None:
        """One user may force as often as wanted; it is written down."""
        for identifier in identifiers:
            await Journal(self._log, identifier).forced()

    def _is_remembered(self, error: PaperdeskError) -> bool:
        # A full disk says nothing about the reference, and may have been put right a moment later.
        return not isinstance(error, StoreError)

    async def _copy(self, identifier: Identifier, asking: Asking) -> Copy:
        """The record and its file, both stored."""
        target = await self._target(identifier, asking)
        journal = Journal(self._log, target)
        found, trouble = await self._record(target, asking, journal)
        search = Downloads(found, asking, self._pdfs, journal)
        try:
            landed = await (search.of_arxiv() if target.kind is IdentifierKind.ARXIV else search.of_doi())
        except StoreError:
            raise
        except PaperdeskError as error:
            if trouble is None:
                raise
            raise trouble from error
        if landed is None and trouble is not None:
            raise trouble
        found = _following_file(found, landed)
        saved = await self._kept(found, landed, journal)
        pdf = search.without_file() if landed is None else landed.pdf
        return Copy(found, pdf, search.block if landed is None else None, str(saved.path), saved.size_bytes)

    async def _target(self, identifier: Identifier, asking: Asking) -> Identifier:
        """The DOI or arXiv id that is fetched and stored."""
        try:
            target = await self._room.resolution.exchanged(identifier, asking)
            if isinstance(target, Resolved):
                raise Unsupported("This record has neither a DOI nor an arXiv id, and without one it is not stored.")
        except PaperdeskError as error:
            await Journal(self._log, identifier).not_resolved(error)
            raise
        return target

    async def _record(
        self, target: Identifier, asking: Asking, journal: Journal
    ) -> tuple[Resolved, PaperdeskError | None]:
        """The record; or as much of one as a copy can be looked for with, and why there is no more."""
        resolution = self._room.resolution
        try:
            found = await resolution.resolve(target, asking)
        except PaperdeskError as error:
            await journal.not_resolved(error)
            return await self._despite(error, target, asking), error
        if target.kind is IdentifierKind.DOI and not _was_asked(_UNPAYWALL, asking):
            found = await with_open_access(found, asking)
        found = await with_indexes(found, asking, self._room.rulebook)
        await journal.resolved(found.source, found.oa.license)
        return found, None

    async def _despite(self, error: PaperdeskError, target: Identifier, asking: Asking) -> Resolved:
        """What is known although the record could not be had: the copy may still be."""
        if target.kind is IdentifierKind.ARXIV and not isinstance(error, NotFound):
            return unresolved_arxiv(target)
        if target.kind is IdentifierKind.DOI:
            with contextlib.suppress(PaperdeskError):
                return await self._room.resolution.from_openalex(target, asking)
        raise error

    async def _kept(self, found: Resolved, landed: Landed | None, journal: Journal) -> Saved:
        new = new_entry(found)
        if landed is not None:
            # The file that came decides; what the entry said of another one is over.
            preprint = landed.preprint
            new = replace(
                new,
                work=found.work if preprint is None else _with_preprint(found.work, preprint),
                source=found.source,
                preprint_doi=None if preprint is None else _doi_of(preprint),
            )
        # What was stored is written down, even where the call's time ends meanwhile.
        with anyio.CancelScope(shield=True):
            saved = await self._store.save(new, None if landed is None else landed.document.body)
            await journal.stored(found.source, saved, found.oa.license)
        return saved


def _was_asked(source: str, asking: Asking) -> bool:
    return any(attempt.source == source for attempt in asking.trace.attempts)


def _following_file(found: Resolved, landed: Landed | None) -> Resolved:
    """The record as the answer tells of it: source and licence are those of the file, if one came (3.4)."""
    if landed is not None:
        return replace(found, source=landed.document.source, oa=replace(found.oa, license=landed.license))
    by_source = {record.work.sources[0]: record.work for record in found.records if record.work.sources}
    unpaywall = by_source.get(_UNPAYWALL)
    return replace(found, source=_UNPAYWALL) if unpaywall is not None and unpaywall.license else found


def _with_preprint(work: Work, preprint: Identifier) -> Work:
    if preprint.kind is not IdentifierKind.ARXIV or work.arxiv_id is not None:
        return work
    return replace(work, arxiv_id=preprint.value, arxiv_version=preprint.version)


def _doi_of(preprint: Identifier) -> str:
    return f"10.48550/arXiv.{preprint.value}" if preprint.kind is IdentifierKind.ARXIV else preprint.value
