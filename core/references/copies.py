"""Open copies of papers: one reference, a batch, a whole bibliography (references contract, 3.4, 3.5, 3.6)."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import anyio
import anyio.to_thread

from core.errors import PaperdeskError
from core.identifiers import Identifier
from core.references.asking import Asking
from core.references.attempts import traced
from core.references.batches import distinct, filled, foretold, within_call
from core.references.bibliography.entries import BadEntry, Bibliography
from core.references.bibliography.reading import read_bibliography
from core.references.dry_runs import planned
from core.references.failures import BadArgument, Code, Failure, Replayed, failure_of
from core.references.indexes import require_open, with_indexes
from core.references.locating import located
from core.references.records import described, head
from core.references.repeat import Question
from core.references.replaying import blocked, forced, remembered, replayed
from core.references.resolution import Resolved
from core.references.results import FetchAnswer, RowsAnswer
from core.references.room import SCHEMA_VERSION, Room, read_reference
from core.references.shown_works import AUTHORS_SHOWN, family_given

REFS_MAX = 100
_FAMILY = "fetch"
_TITLE_CHARS = 120
_HAS_COPY = frozenset({"located", "fetched", "preprint_fallback", "preprint_doi_fallback"})


@dataclass(frozen=True, slots=True)
class Copy:
    """What one reference came to: its record, `pdf` as answers have it, and the file where one is stored.

    `block` is why a copy that is known of could not be had.
    """

    found: Resolved
    pdf: dict[str, Any]
    block: Failure | None = None
    path: str | None = None
    size_bytes: int = 0


class Copies:
    """Says where copies are; hosted, nothing is downloaded. What local mode does in another way has a method here."""

    def __init__(self, room: Room) -> None:
        self._room = room

    async def fetch(self, ref: str, *, dry_run: bool, force: bool) -> FetchAnswer:
        """Where the open copy of one reference is."""
        identifier = read_reference(ref)
        if dry_run:
            return FetchAnswer(ok=True, dry_run=True, **self._planned(ref, identifier))
        asking = self._room.asking()
        with traced(asking.trace, identifier):
            async with self._call():
                if force:
                    await self._forced([identifier])
                copy = await self._looked_up(identifier, asking, force=force)
                found = copy.found
                details = await described(found, asking)
        del details["metadata"], details["oa_url"]
        details.pop("metadata_trimmed", None)
        return FetchAnswer(
            ok=True,
            **head(ref, identifier, found),
            path=copy.path,
            size_bytes=copy.size_bytes,
            title=found.work.title,
            authors=[family_given(author) for author in found.work.authors[:AUTHORS_SHOWN]],
            year=found.work.year,
            pdf=copy.pdf,
            **details,
        )

    async def batch(self, refs: Sequence[str], *, dry_run: bool, force: bool) -> RowsAnswer:
        """A row for each reference, in order; one that cannot be read fails them all."""
        if len(refs) > REFS_MAX:
            raise BadArgument(
                f"TOO_MANY_REFS: a batch takes at most {REFS_MAX} references, not {len(refs)}.", field="refs"
            )
        identifiers = [_read_row(place, ref) for place, ref in enumerate(refs)]
        if dry_run:
            pairs = zip(refs, identifiers, strict=True)
            plans = [self._planned(ref, identifier) for ref, identifier in pairs]
            return RowsAnswer(ok=True, dry_run=True, plans=plans)
        rows = await self._rows(identifiers, force=force)
        return RowsAnswer(ok=True, results=[{"ref": ref, **row} for ref, row in zip(refs, rows, strict=True)])

    async def bibliography(self, content: str, *, format: str, strict: bool, force: bool) -> RowsAnswer:
        """A row for each entry of a bibliography: first those that cannot be followed, then the others."""
        read = await anyio.to_thread.run_sync(lambda: read_bibliography(content, format=format, strict=strict))
        return await self._followed(read, force=force)

    async def _followed(self, read: Bibliography, *, force: bool) -> RowsAnswer:
        rows = await self._rows([entry.identifier for entry in read.entries], force=force)
        bad = [_bad_row(entry) for entry in read.bad_entries]
        good = []
        for entry, row in zip(read.entries, rows, strict=True):
            identifier = entry.identifier
            key = {} if entry.key is None else {"entry_key": entry.key}
            good.append({"ref": f"{identifier.id}{identifier.version or ''}", **key, **row})
        ok = sum(1 for row in good if row["ok"])
        total = len(bad) + len(good)
        summary = {"total": total, "ok": ok, "failed": total - ok, "parse_errors": len(bad)}
        return RowsAnswer(ok=True, summary=summary, results=[*bad, *good])

    async def _rows(self, identifiers: Sequence[Identifier], *, force: bool) -> list[dict[str, Any]]:
        """A row for each, in order; what is asked for twice is looked up once."""
        asked = distinct(identifiers)
        async with self._call():
            if force:
                await self._forced(list(asked.values()))
            rows = await self._filled(asked, force=force)
        late = Failure.of(
            Code.FETCH_TIMEOUT, "The batch ran out of time before this row; send it again.", retry_after_ms=1000
        )
        unreached = {"ok": False, "error": late.shown(in_batch=True)}
        return [rows.get(_name(each), unreached) for each in identifiers]

    async def _filled(self, asked: Mapping[str, Identifier], *, force: bool) -> dict[str, dict[str, Any]]:
        """The rows that were reached in time."""
        known = await foretold(list(asked.values()), self._room)
        rows: dict[str, dict[str, Any]] = {}
        stopped: list[PaperdeskError] = []

        async def fill(name: str, identifier: Identifier) -> None:
            try:
                asking = known.apart(identifier)
                rows[name] = await filled(lambda: self._row(identifier, asking, force=force), asking.trace)
            except PaperdeskError as error:
                stopped.append(error)
                others.cancel()

        with anyio.CancelScope() as others:
            await within_call(asked, fill)
        for error in stopped:
            raise error
        return rows

    async def _row(self, identifier: Identifier, asking: Asking, *, force: bool) -> dict[str, Any]:
        with traced(asking.trace, identifier):
            copy = await self._looked_up(identifier, asking, force=force)
        found = copy.found
        title = found.work.title
        row: dict[str, Any] = {
            "ok": True,
            "source": found.source,
            "resolver_profile": found.source,
            "license": found.oa.license,
            "path": copy.path,
            "size_bytes": copy.size_bytes,
            "schema_version": SCHEMA_VERSION,
            "pdf": copy.pdf,
            "canonical": identifier.key,
            "oa_status": found.oa.status,
            "title": title if title is None or len(title) <= _TITLE_CHARS else f"{title[: _TITLE_CHARS - 1]}…",
            "year": found.work.year,
        }
        return row if copy.pdf["status"] in _HAS_COPY else {**row, "attempts": asking.trace.shown()}

    async def _looked_up(self, identifier: Identifier, asking: Asking, *, force: bool) -> Copy:
        """The record and its copy, unless the same failed a moment ago."""
        repeats = self._room.repeats
        question = Question.about(identifier, _FAMILY, self._room.fingerprint)
        if not force and (replay := await repeats.find(question)) is not None:
            raise Replayed(replayed(replay))
        try:
            copy = await self._copy(identifier, asking)
        except PaperdeskError as error:
            if self._is_remembered(error):
                await repeats.failed(question, remembered(failure_of(error)))
            raise
        if copy.block is not None:
            await repeats.failed(question, remembered(copy.block))
        else:
            await repeats.succeeded(question)
        return copy

    def _call(self) -> AbstractAsyncContextManager[None]:
        """What is around a call that asks sources."""
        return nullcontext()

    def _planned(self, ref: str, identifier: Identifier) -> dict[str, Any]:
        """What a dry run says of a reference."""
        return planned(ref, identifier, self._room.rulebook, layout=self._room.layout)

    async def _forced(self, identifiers: Sequence[Identifier]) -> None:
        """Takes note of a call that goes past what is remembered; raises where there are too many."""
        await forced(self._room.repeats, self._room.caller())

    def _is_remembered(self, error: PaperdeskError) -> bool:
        """Whether a failure says something about its reference."""
        return True

    async def _copy(self, identifier: Identifier, asking: Asking) -> Copy:
        """The record of a reference, and where its copy is."""
        found = await self._room.resolution.resolve(identifier, asking, include_oa=True)
        found = await with_indexes(found, asking, self._room.rulebook)
        pdf = await located(found, asking, self._room.rulebook)
        require_open(found, pdf, asking)
        return Copy(found, pdf, blocked(pdf) if pdf["status"] == "blocked" else None)


def _name(identifier: Identifier) -> str:
    return f"{identifier.key}{identifier.version or ''}"


def _read_row(place: int, ref: str) -> Identifier:
    try:
        return read_reference(ref)
    except PaperdeskError as error:
        raise BadArgument(f"refs[{place}] is no reference. {error.message}", field=f"refs[{place}]") from error


def _bad_row(entry: BadEntry) -> dict[str, Any]:
    key = {} if entry.key is None else {"entry_key": entry.key}
    return {"ref": entry.raw, **key, "ok": False, "error": failure_of(entry.error).shown(in_batch=True)}
