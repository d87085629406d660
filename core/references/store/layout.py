"""Where the store keeps what: directory, names, and the check that a name stays inside (references contract, 10.1)."""

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from core.errors import StoreFailed
from core.references.store.disk import file_bytes, make_folder

DEFAULT = "papers"

_STEM = re.compile(r"(?:doi|arxiv)_[A-Za-z0-9._-]+", re.ASCII)
_METADATA = ".metadata"
_TOML, _PDF = ".toml", ".pdf"


def store_directory(*named: str | None) -> Path:
    """The directory of the first name that is one: neither blank nor an unfilled `${...}`; else `./papers`."""
    usable = (name for name in named if name and names_directory(name))
    return Path(next(usable, DEFAULT)).expanduser().absolute()


def names_directory(name: str) -> bool:
    """Whether a name is one: clients leave options blank, or a `${...}` of theirs unfilled."""
    return bool(name.strip()) and "${" not in name


class Layout:
    """The files of a store; a stem is what the files of one entry are called, without their endings."""

    def __init__(self, directory: Path) -> None:
        self.root = directory.absolute()
        self.metadata = self.root / _METADATA
        self.log = self.metadata / "access.jsonl"
        self.log_lock = self.metadata / "access.jsonl.lock"
        self.names_lock = self.metadata / "names.lock"

    def pdf(self, stem: str) -> Path:
        """The PDF of an entry."""
        return self._child(self.root, stem, _PDF)

    def toml(self, stem: str) -> Path:
        """What is known of an entry."""
        return self._child(self.metadata, stem, _TOML)

    def lock(self, stem: str) -> Path:
        """The lock of an entry."""
        return self._child(self.metadata, stem, f"{_TOML}.lock")

    def prepare(self) -> None:
        """Makes the directories; only what writes calls this."""
        make_folder(self.root)
        make_folder(self.metadata)
        self.check()

    def check(self) -> None:
        """Raises `StoreFailed` where the store's own directory is a link to elsewhere."""
        if self.metadata.is_symlink():
            raise StoreFailed("The store's directory .metadata is a link; put a directory of the store's own there.")

    def entries(self) -> Iterator[tuple[str, os.stat_result]]:
        """The stem of each entry, and what its TOML file is like; in no order, and none where there is no store."""
        self.check()
        try:
            with os.scandir(self.metadata) as found:
                for entry in found:
                    stem = entry.name.removesuffix(_TOML)
                    if stem != entry.name and is_stem(stem) and entry.is_file(follow_symlinks=False):
                        yield stem, entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return

    def read_toml(self, stem: str) -> bytes | None:
        """The bytes of an entry's TOML file, None where there is none."""
        self.check()
        try:
            return file_bytes(self.toml(stem))
        except FileNotFoundError:
            return None

    def pdf_size(self, stem: str) -> int | None:
        """The size of an entry's PDF, None where there is no plain file of that name."""
        path = self.pdf(stem)
        return path.stat().st_size if path.is_file() and not path.is_symlink() else None

    def is_writable(self) -> bool:
        """Whether the store can be written, or made; nothing is."""
        place = self.metadata
        with contextlib.suppress(OSError):  # such as a name that no disk takes
            while not place.is_symlink() and not place.exists() and place != place.parent:
                place = place.parent
            return place.is_dir() and os.access(place, os.W_OK | os.X_OK)
        return False

    def _child(self, folder: Path, stem: str, ending: str) -> Path:
        path = folder / f"{stem}{ending}"
        if not is_stem(stem) or path.parent != folder:
            raise StoreFailed("The store keeps no file of that name; send the DOI or arXiv id itself.")
        return path


def is_stem(name: str) -> bool:
    """Whether an entry's files may be called so."""
    return _STEM.fullmatch(name) is not None
