"""How TeX finds a file that another one names, among the files of an archive (references contract 8.2)."""

import posixpath
from collections.abc import Iterable, Iterator


class Names:
    """The files of an archive by their names, exact and without regard to case."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)
        self._by_lower: dict[str, str] = {}
        for name in sorted(self._names):
            self._by_lower.setdefault(name.lower(), name)

    def find(self, name: str, directories: Iterable[str]) -> str | None:
        """The file of a name as TeX would find it from the first of the directories that has it; None for none."""
        candidates = list(_candidates(name, directories))
        for candidate in candidates:
            if candidate in self._names:
                return candidate
        for candidate in candidates:
            if found := self._by_lower.get(candidate.lower()):
                return found
        return None


def directory_of(name: str) -> str:
    """The directory that a file is in; empty for the top."""
    return posixpath.dirname(name)


def joined(directory: str, name: str) -> str | None:
    """A name as seen from the top of the archive; None for one outside of it."""
    path = posixpath.normpath(posixpath.join(directory, name))
    return None if path.startswith(("/", "..")) else "" if path == "." else path


def _candidates(name: str, directories: Iterable[str]) -> Iterator[str]:
    """TeX adds its ending first, and takes the name as it is when there is no such file."""
    if not name or "\\" in name:
        return
    for directory in dict.fromkeys(directories):
        if path := joined(directory, name):
            if not path.lower().endswith(".tex"):
                yield f"{path}.tex"
            yield path
