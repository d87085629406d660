"""The entries of a store, read and changed under their locks; all of it blocks (references contract, 10.1 to 10.3)."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from core.clock import Clock
from core.errors import StoreFailed
from core.identifiers import Identifier
from core.references.safekeys import distinct_safekey, safekey
from core.references.store.disk import Draft, OnStep, no_step, replace_file, sweep
from core.references.store.documents import Document, plain_values
from core.references.store.index import Index
from core.references.store.layout import Layout
from core.references.store.locks import locked, read_locked
from core.references.store.merging import check_writable, is_too_new, merge
from core.references.store.shape import NewEntry, about, bibliographic, identity, identity_of, timestamp

T = TypeVar("T")

_log = logging.getLogger("paperdesk.store")


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored entry as it is; `pdf` is where its file lies, None where it has none."""

    safekey: str
    values: dict[str, Any]
    metadata: Path
    pdf: Path | None


@dataclass(frozen=True, slots=True)
class Saved:
    """What a write left behind: the PDF's place and size, None and 0 where the entry has none."""

    safekey: str
    metadata: Path
    pdf: Path | None
    size_bytes: int

    @property
    def path(self) -> Path:
        """The PDF, else the TOML file."""
        return self.pdf or self.metadata


class Entries:
    """Raises `StoreFailed`, `SchemaTooNew`, `OSError`, and `Busy` where somebody else holds a lock."""

    def __init__(self, layout: Layout, clock: Clock, on_step: OnStep = no_step) -> None:
        self.layout = layout
        self.index = Index(layout)
        self._clock = clock
        self._on_step = on_step
        self._is_swept = False

    def read(self, identifier: Identifier) -> Entry | None:
        """The entry of a reference."""
        stem = self.index.find(identity(identifier), safekey(identifier))
        if stem is None:
            return None
        with read_locked(self.layout.lock(stem)):
            content = self.layout.read_toml(stem)
            size = self.layout.pdf_size(stem)
        if content is None:
            return None
        values = plain_values(content)
        if is_too_new(values):
            _log.warning("store_entry=newer_schema: written by a newer release; it is read, but not changed")
        return Entry(stem, values, self.layout.toml(stem), None if size is None else self.layout.pdf(stem))

    def draft(self) -> Draft:
        """A PDF to be, beside the others."""
        self._prepare()
        return Draft(self.layout.root, "pdf", self._on_step)

    def save(self, new: NewEntry, pdf: Draft | None = None) -> Saved:
        """Keeps an entry, and the PDF that was written and sealed, in its place before the TOML file."""
        self._prepare()
        wanted = identity(new.identifier)
        likely = safekey(new.identifier, new.work)
        stem = self.index.find(wanted, likely)
        if stem is not None:
            return self._save_as(stem, new, pdf)
        # Who names an entry is alone: two spellings of one paper must not become two entries.
        with locked(self.layout.names_lock):
            stem = self.index.find(wanted, likely) or self._free_name(new)
            return self._save_as(stem, new, pdf)

    def change(self, identifier: Identifier, edit: Callable[[Document], T]) -> T:
        """Changes an entry that is there: one locked read and write."""
        stem = self.index.find(identity(identifier), safekey(identifier))
        if stem is None:
            raise _not_stored()
        with locked(self.layout.lock(stem)):
            content = self.layout.read_toml(stem)
            document = Document(content or b"")
            if document.own is None:
                raise _not_stored()
            check_writable(document.values)
            found = edit(document)
            written = document.rendered()
            if written != content:
                replace_file(self.layout.toml(stem), written, "toml", self._on_step)
            return found

    def _save_as(self, stem: str, new: NewEntry, pdf: Draft | None) -> Saved:
        place = self.layout.toml(stem)
        with locked(self.layout.lock(stem)):
            document = Document(self.layout.read_toml(stem) or b"")
            if document.values and identity_of(document.values) != identity(new.identifier):
                raise StoreFailed("An entry of the store was changed by hand meanwhile; try again.")
            check_writable(document.values)
            held_size = self.layout.pdf_size(stem) if document.values else None
            top = bibliographic(new)
            if pdf is not None or held_size is not None:
                top["pdf_path"] = self.layout.pdf(stem).name
            own = about(new, timestamp(self._clock.now_s()), None if pdf is None else pdf.size)
            merge(document, top, own, keeps_file=pdf is None and held_size is not None)
            content = document.rendered()
            if pdf is not None:
                pdf.publish(self.layout.pdf(stem))
            replace_file(place, content, "toml", self._on_step)
        size = held_size if pdf is None else pdf.size
        return Saved(stem, place, None if size is None else self.layout.pdf(stem), size or 0)

    def _free_name(self, new: NewEntry) -> str:
        """The safekey, or with a mark where another record has it; names in two cases are one on some disks."""
        taken = {stem.casefold() for stem in self.index.stems()}
        for stem in (safekey(new.identifier, new.work), distinct_safekey(new.identifier, new.work)):
            if stem.casefold() not in taken:
                return stem
        raise StoreFailed("The names for that entry are taken by others in the store; look at its TOML files.")

    def _prepare(self) -> None:
        self.layout.prepare()
        if not self._is_swept:
            for folder in (self.layout.root, self.layout.metadata):
                sweep(folder, self._clock.now_s())
            self._is_swept = True


def _not_stored() -> StoreFailed:
    return StoreFailed("The store holds no such entry; fetch the paper first.")
