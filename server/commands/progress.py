"""A build's progress on the terminal, on standard error."""

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars


class TerminalProgress:
    """One bar for each stage; one without a known total only moves until it is done."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._bars = Bars(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            console=console,
        )
        self._task: TaskID | None = None

    def __enter__(self) -> "TerminalProgress":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bars.tasks:
            self._bars.stop()

    def started(self, name: str, total: int | None) -> None:
        """A stage begins; nothing is drawn before the first one."""
        self._bars.start()
        self._task = self._bars.add_task(name, total=total)

    def advanced(self, n: int) -> None:
        """The running stage has done `n` more."""
        if self._task is not None:
            self._bars.advance(self._task, n)

    def finished(self) -> None:
        """The running stage is done: its bar is full."""
        if self._task is not None:
            self._bars.update(self._task, total=1, completed=1)
            self._task = None
