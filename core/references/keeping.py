"""What local mode keeps: the user's store and its log, and the rows of one call in it (references contract, 10.4)."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from core.errors import PaperdeskError, SourceError
from core.identifiers import Identifier, IdentifierKind
from core.references.failures import Code, failure_of
from core.references.resolution import Resolved
from core.references.safekeys import canonical_digest
from core.references.store.entries import Saved
from core.references.store.log import Capability, ProvenanceLog, Result
from core.references.store.shape import NewEntry
from core.references.store.store import Store

_KEPT_KINDS = (IdentifierKind.DOI, IdentifierKind.ARXIV)
_FIRST_ASKED = {IdentifierKind.DOI: "crossref", IdentifierKind.ARXIV: "arxiv"}


@dataclass(slots=True)
class Told:
    """What came of a reference, for its row of the log: `identifier` is what was looked up in the end."""

    identifier: Identifier
    source: str | None = None
    license: str | None = None

    def found(self, found: Resolved) -> None:
        """The record that was found."""
        self.identifier, self.source, self.license = found.identifier, found.source, found.oa.license

    def failed(self, error: PaperdeskError) -> None:
        """Nothing was found: the source is the one that failed, else the one that is asked first."""
        own = error.source if isinstance(error, SourceError) else None
        self.source = own or _FIRST_ASKED.get(self.identifier.kind, "catalog")

    @property
    def ref(self) -> str:
        """The reference as rows have it."""
        return f"{self.identifier.id}{self.identifier.version or ''}"

    @property
    def digest(self) -> str | None:
        """What tells this question and its answerer from others; only a DOI and an arXiv id have one."""
        if self.identifier.kind not in _KEPT_KINDS:
            return None
        return canonical_digest(self.identifier, self.source or "")


@dataclass(frozen=True, slots=True)
class Keeping:
    """The store and the log of this process. A row that cannot be written raises `LogFailed` and ends the call."""

    store: Store
    log: ProvenanceLog

    def session(self, capability: Capability) -> AbstractAsyncContextManager[None]:
        """The rows around one networked call: nothing is asked where the first cannot be written."""
        return self.log.call(capability)

    @asynccontextmanager
    async def resolving(self, identifier: Identifier) -> AsyncIterator[Told]:
        """The row on what a reference came to, good or bad."""
        told = Told(identifier)
        try:
            yield told
        except PaperdeskError as error:
            code = failure_of(error).code
            told.failed(error)
            await self.log.append(
                "resolve",
                result_of(code),
                capability="metadata",
                ref=told.ref,
                source=told.source,
                error_code=code.value,
                canonical_digest=told.digest,
            )
            raise
        await self.log.append(
            "resolve",
            capability="metadata",
            ref=told.ref,
            source=told.source,
            license=told.license,
            canonical_digest=told.digest,
        )

    async def save_metadata(self, new: NewEntry) -> Saved:
        """Keeps a record without a file, and the row on that, good or bad."""
        told = Told(new.identifier, new.source, new.license)
        try:
            saved = await self.store.save(new)
        except PaperdeskError as error:
            await self._written(told, error_code=failure_of(error).code)
            raise
        await self._written(told, store_path=f"{saved.metadata}")
        return saved

    async def _written(self, told: Told, *, store_path: str | None = None, error_code: Code | None = None) -> None:
        await self.log.append(
            "store_write",
            "ok" if error_code is None else result_of(error_code),
            capability="metadata",
            ref=told.ref,
            source=told.source,
            license=told.license,
            error_code=None if error_code is None else error_code.value,
            store_path=store_path,
            canonical_digest=told.digest,
        )


def result_of(code: Code) -> Result:
    """A refusal by policy is told from a failure."""
    return "denied" if code is Code.CAPABILITY_DENIED else "err"
