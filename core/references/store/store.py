"""The store as the rest of the references room uses it: asynchronous, with failures from the one tree."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any, TypeVar

import anyio

from core.clock import Clock
from core.errors import InvalidInput
from core.identifiers import Identifier
from core.records import Work
from core.references.safekeys import safekey
from core.references.store.disk import Draft, OnStep, disk_failures, no_step
from core.references.store.documents import OWN_TABLE, Document
from core.references.store.entries import Entries, Saved
from core.references.store.index import Row
from core.references.store.layout import Layout
from core.references.store.locks import LOCK_TIMEOUT_S, Patience, Sleep
from core.references.store.shape import UNKNOWN_LICENSE, NewEntry, stored_work

LIMIT_DEFAULT, LIMIT_MAX = 50, 200

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Kept:
    """An entry for answers: `metadata` is its TOML as JSON values, `work` None where a person made it unreadable."""

    safekey: str
    metadata: dict[str, Any]
    work: Work | None


@dataclass(frozen=True, slots=True)
class PdfPlace:
    """Where the PDF of a reference is. `is_entry`: the store has an entry; only then the last two mean anything."""

    safekey: str
    path: Path | None
    is_entry: bool
    origin: str | None = None
    license: str | None = None


@dataclass(frozen=True, slots=True)
class Tags:
    """The user's words for an entry, in the order in which they were given."""

    tags: tuple[str, ...]
    collections: tuple[str, ...]


class Store:
    """One directory of papers. Every method raises `StoreFailed`, and `LockTimeout` after 5 seconds of waiting."""

    def __init__(
        self,
        directory: Path,
        clock: Clock,
        *,
        sleep: Sleep = anyio.sleep,
        lock_timeout_s: float = LOCK_TIMEOUT_S,
        on_step: OnStep = no_step,
    ) -> None:
        self.layout = Layout(directory)
        self._entries = Entries(self.layout, clock, on_step)
        self._patience = Patience(clock, sleep, limit_s=lock_timeout_s)

    def is_writable(self) -> bool:
        """Whether the store can be written, or made where there is none; nothing is made."""
        return self.layout.is_writable()

    async def read(self, identifier: Identifier) -> Kept | None:
        """The entry of a DOI or arXiv id."""
        entry = await self._run(lambda: self._entries.read(identifier))
        if entry is None:
            return None
        return Kept(entry.safekey, _json(entry.values), stored_work(entry.values))

    async def search(self, query: str, limit: int = LIMIT_DEFAULT) -> list[Row]:
        """Entries with the query, in any case, in title, authors, venue or publisher; by safekey."""
        most, wanted = _limit(limit), query.lower()
        known = await self._run(self._entries.index.all)
        return [each.row for each in known if not wanted or any(wanted in text for text in each.searched)][:most]

    async def recent(self, limit: int = LIMIT_DEFAULT) -> list[Row]:
        """Entries, newest first; those without a time last, ties by safekey."""
        most = _limit(limit)
        rows = [each.row for each in await self._run(self._entries.index.all)]
        # Sorting keeps the order of equals, which is that of safekeys.
        return sorted(rows, key=lambda row: row.fetched_at or "", reverse=True)[:most]

    async def pdf(self, identifier: Identifier) -> PdfPlace:
        """Where the PDF of a DOI or arXiv id is; nothing of it is read."""
        entry = await self._run(lambda: self._entries.read(identifier))
        if entry is None:
            return PdfPlace(safekey(identifier), None, False)
        own = entry.values.get(OWN_TABLE)
        own = own if isinstance(own, dict) else {}
        origin, license = own.get("origin"), own.get("license")
        return PdfPlace(
            entry.safekey,
            entry.pdf,
            True,
            origin if origin == "user-supplied" else None,
            license if isinstance(license, str) and license != UNKNOWN_LICENSE else None,
        )

    async def save(self, new: NewEntry, pdf: bytes | AsyncIterator[bytes] | None = None) -> Saved:
        """Keeps an entry and its PDF, whose bytes the caller checked; also raises `SchemaTooNew`.

        What the iterator raises ends the write, and nothing is kept.
        """
        if pdf is None:
            return await self._run(lambda: self._entries.save(new))
        async with self._draft(pdf) as draft:
            return await self._run(lambda: self._entries.save(new, draft))

    async def tag(
        self,
        identifier: Identifier,
        *,
        add: Sequence[str] = (),
        remove: Sequence[str] = (),
        collection_add: Sequence[str] = (),
        collection_remove: Sequence[str] = (),
    ) -> Tags:
        """Adds, then removes; also raises `SchemaTooNew`."""
        for text in (*add, *collection_add):
            _check_words(text, "A tag or collection")

        def edit(document: Document) -> Tags:
            tags = _changed(document, "tags", add, remove)
            return Tags(tags, _changed(document, "collections", collection_add, collection_remove))

        return await self._run(lambda: self._entries.change(identifier, edit))

    async def annotate(self, identifier: Identifier, text: str | None = None, *, clear: bool = False) -> str | None:
        """Replaces the annotation, or takes it away; also raises `SchemaTooNew`."""
        wanted = None if clear else text or ""
        if wanted is not None:
            _check_words(wanted, "An annotation")

        def edit(document: Document) -> str | None:
            document.put_own("annotation", wanted)
            return wanted

        return await self._run(lambda: self._entries.change(identifier, edit))

    @asynccontextmanager
    async def _draft(self, pdf: bytes | AsyncIterator[bytes]) -> AsyncIterator[Draft]:
        """Written while no lock is held, since a download may take its time."""
        with anyio.CancelScope(shield=True):  # a file that nobody knows of would stay behind
            draft = await self._run(self._entries.draft)
        try:
            if isinstance(pdf, bytes):
                await self._run(lambda: draft.write(pdf))
            else:
                async for chunk in pdf:
                    await self._run(lambda chunk=chunk: draft.write(chunk))  # type: ignore[misc]
            await self._run(draft.seal)
            yield draft
        finally:
            draft.discard()

    async def _run(self, work: Callable[[], T]) -> T:
        def at_disk() -> T:
            with disk_failures():
                return work()

        return await self._patience.run(at_disk)


def _limit(limit: int) -> int:
    if limit < 0:
        raise InvalidInput("The limit is 0 or more, as in 50.")
    return min(limit or LIMIT_DEFAULT, LIMIT_MAX)


def _check_words(text: str, what: str) -> None:
    if not text.strip():
        raise InvalidInput(f"{what} needs words; send some, or nothing at all.")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise InvalidInput(f"{what} is text; send it without halves of characters.")


def _changed(document: Document, key: str, add: Sequence[str], remove: Sequence[str]) -> tuple[str, ...]:
    held = (document.own or {}).get(key)
    words = [each for each in held if isinstance(each, str)] if isinstance(held, list) else []
    wanted = [each for each in dict.fromkeys([*words, *add]) if each not in remove]
    document.put_own_list(key, wanted)
    return tuple(wanted)


def _json(value: Any) -> Any:
    """A TOML value as JSON has it: times and very large numbers as text, what is no number as null."""
    if isinstance(value, dict):
        return {key: _json(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_json(each) for each in value]
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, int) and abs(value) >= 2**63:
        return f"{value:#x}"
    return None if isinstance(value, float) and not abs(value) < float("inf") else value
