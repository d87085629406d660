"""The rows that a fetch of one reference leaves in the store's log (references contract, section 10.4)."""

from typing import Any

from core.errors import PaperdeskError, SourceError
from core.identifiers import Identifier, IdentifierKind
from core.references.failures import Code, Failure, failure_of
from core.references.safekeys import canonical_digest
from core.references.store.entries import Saved
from core.references.store.log import Event, ProvenanceLog, Result

_FIRST_ASKED = {IdentifierKind.DOI: "crossref", IdentifierKind.ARXIV: "arxiv"}


class Journal:
    """Writes rows about one reference. Each method raises `LogFailed`, which stops the call."""

    def __init__(self, log: ProvenanceLog, identifier: Identifier) -> None:
        self._log = log
        self._identifier = identifier

    async def forced(self) -> None:
        """What is remembered of it is passed over."""
        await self._row("repeat_forced", _FIRST_ASKED.get(self._identifier.kind, "catalog"))

    async def resolved(self, source: str, license: str | None) -> None:
        """Its record was found."""
        await self._row("resolve", source, is_metadata=True, license=license)

    async def not_resolved(self, error: PaperdeskError) -> None:
        """No record of it was found."""
        source = error.source if isinstance(error, SourceError) else None
        failure = failure_of(error)
        source = source or _FIRST_ASKED.get(self._identifier.kind, "catalog")
        await self._row("resolve", source, _result(failure), is_metadata=True, error_code=failure.code.value)

    async def fetched(self, source: str, size_bytes: int, license: str | None) -> None:
        """A file came."""
        await self._row("fetch", source, size_bytes=size_bytes, license=license)

    async def not_fetched(self, source: str, failure: Failure) -> None:
        """No file came from there."""
        await self._row("fetch", source, _result(failure), error_code=failure.code.value)

    async def stored(self, source: str, saved: Saved, license: str | None) -> None:
        """The entry was written."""
        facts: dict[str, Any] = {"license": license, "size_bytes": saved.size_bytes, "store_path": str(saved.path)}
        await self._row("store_write", source, is_metadata=saved.pdf is None, **facts)

    async def _row(
        self, event: Event, source: str, result: Result = "ok", *, is_metadata: bool = False, **facts: Any
    ) -> None:
        identifier = self._identifier
        await self._log.append(
            event,
            result,
            capability="metadata" if is_metadata else "oa",
            ref=f"{identifier.id}{identifier.version or ''}",
            source=source,
            canonical_digest=canonical_digest(identifier, source),
            **facts,
        )


def _result(failure: Failure) -> Result:
    return "denied" if failure.code is Code.CAPABILITY_DENIED else "err"
