"""Everything that is wrong with an evidence folder, collected before anything is written."""

from collections.abc import Iterable

from core.errors import BuildFailed


class Faults:
    """A list of `file:line: reason`, and warnings beside it."""

    def __init__(self) -> None:
        self._found: list[tuple[str, int, str]] = []
        self.warnings: list[tuple[str, str]] = []

    def add(self, file: str, line: int, reason: str) -> None:
        """One fault."""
        self._found.append((file, line, reason))

    def warn(self, file: str, line: int, reason: str) -> None:
        """Something that is kept in another form."""
        self.warnings.append((f"{file}:{line}", reason))

    def lines(self) -> Iterable[str]:
        """All faults by file and line, each once."""
        return (f"{file}:{line}: {reason}" for file, line, reason in dict.fromkeys(sorted(self._found)))

    def check(self) -> None:
        """Raises `BuildFailed` with the whole list."""
        lines = list(self.lines())
        if lines:
            count = f"{len(lines)} faults" if len(lines) > 1 else "a fault"
            raise BuildFailed("\n".join([f"The evidence has {count}. Nothing was built.", *lines]))
