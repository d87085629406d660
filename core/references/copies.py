"""Open copies of papers: one reference, a batch, a whole bibliography (references contract, 3.4, 3.5, 3.6)."""

from collections.abc import Sequence
from typing import Any

import anyio
import anyio.to_thread

from core.errors import PaperdeskError
from core.identifiers import Identifier
from core.references.asking import Asking
from core.references.attempts import traced
from core.references.batches import distinct, filled, foretold, within_call
from core.references.bibliography.entries import BadEntry
from core.references.bibliography.reading import CONTENT_BYTES_MAX, read_bibliography
from core.references.dry_runs import planned
from core.references.failures import BadArgument, Code, Failure, Replayed, failure_of
from core.references.locating import located
from core.references.records import described, head
from core.references.repeat import Question
from core.references.replaying import forced, remembered, replayed
from core.references.resolution import Resolved
from core.references.results import FetchAnswer, RowsAnswer
from core.references.room import SCHEMA_VERSION, Room, read_reference
from core.references.shown_works import AUTHORS_SHOWN, family_given

REFS_MAX = 100
_FAMILY = "fetch"
_TITLE_CHARS = 120


class Copies:
    """Says where copies are; hosted, nothing is downloaded."""

    def __init__(self, room: Room) -> None:
        self._room = room

    async def fetch(self, ref: str, *, dry_run: bool, force: bool) -> FetchAnswer:
        """Where the open copy of one reference is."""
        identifier = read_reference(ref)
        if dry_run:
            return FetchAnswer(
                ok=True, dry_run=True, **planned(ref, identifier, self._room.rulebook, layout=self._room.layout)
            )
        asking = self._room.asking()
        with traced(asking.trace, identifier):
            if force:
                await forced(self._room.repeats, asking.caller)
            found, pdf = await self._looked_up(identifier, asking, force=force)
            details = await described(found, asking)
        del details["metadata"], details["oa_url"]
        details.pop("metadata_trimmed", None)
        return FetchAnswer(
            ok=True,
            **head(ref, identifier, found),
            path=None,
            size_bytes=0,
            title=found.work.title,
            authors=[family_given(author) for author in found.work.authors[:AUTHORS_SHOWN]],
            year=found.work.year,
            pdf=pdf,
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
            plans = [
                planned(ref, identifier, self._room.rulebook, layout=self._room.layout) for ref, identifier in pairs
            ]
            return RowsAnswer(ok=True, dry_run=True, plans=plans)
        if force:
            await forced(self._room.repeats, self._room.caller())
        rows = await self._rows(identifiers, force=force)
        return RowsAnswer(ok=True, results=[{"ref": ref, **row} for ref, row in zip(refs, rows, strict=True)])

    async def bibliography(
        self,
        content: str | bytes,
        *,
        format: str,
        strict: bool,
        force: bool,
        ending: str | None = None,
        bytes_max: int = CONTENT_BYTES_MAX,
    ) -> RowsAnswer:
        """A row for each entry of a bibliography: first those that cannot be followed, then the others."""
        read = await anyio.to_thread.run_sync(
            lambda: read_bibliography(content, format=format, strict=strict, ending=ending, bytes_max=bytes_max)
        )
        if force:
            await forced(self._room.repeats, self._room.caller())
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
        known = await foretold(list(asked.values()), self._room)
        rows: dict[str, dict[str, Any]] = {}

        async def fill(name: str, identifier: Identifier) -> None:
            rows[name] = await filled(lambda: self._row(identifier, known.apart(identifier), force=force))

        await within_call(asked, fill)
        late = Failure.of(
            Code.FETCH_TIMEOUT, "The batch ran out of time before this row; send it again.", retry_after_ms=1000
        )
        unreached = {"ok": False, "error": late.shown(in_batch=True)}
        return [rows.get(_name(each), unreached) for each in identifiers]

    async def _row(self, identifier: Identifier, asking: Asking, *, force: bool) -> dict[str, Any]:
        with traced(asking.trace, identifier):
            found, pdf = await self._looked_up(identifier, asking, force=force)
        title = found.work.title
        row: dict[str, Any] = {
            "ok": True,
            "source": found.source,
            "resolver_profile": found.source,
            "license": found.oa.license,
            "path": None,
            "size_bytes": 0,
            "schema_version": SCHEMA_VERSION,
            "pdf": pdf,
            "canonical": identifier.key,
            "oa_status": found.oa.status,
            "title": title if title is None or len(title) <= _TITLE_CHARS else f"{title[: _TITLE_CHARS - 1]}…",
            "year": found.work.year,
        }
        return row if pdf["status"] == "located" else {**row, "attempts": asking.trace.shown()}

    async def _looked_up(
        self, identifier: Identifier, asking: Asking, *, force: bool
    ) -> tuple[Resolved, dict[str, Any]]:
        """The record and its copy, unless the same failed a moment ago."""
        repeats = self._room.repeats
        question = Question.about(identifier, _FAMILY, self._room.fingerprint)
        if not force and (replay := await repeats.find(question)) is not None:
            raise Replayed(replayed(replay))
        try:
            found = await self._room.resolution.resolve(identifier, asking, include_oa=True)
            pdf = await located(found, asking, self._room.rulebook)
        except PaperdeskError as error:
            await repeats.failed(question, remembered(failure_of(error)))
            raise
        if pdf["status"] == "blocked":
            await repeats.failed(question, remembered(Failure.of(Code(pdf["code"]), pdf["message"])))
        else:
            await repeats.succeeded(question)
        return found, pdf


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
