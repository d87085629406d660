"""A process that is killed at each step of writes in turn: run with a directory, it prints the steps as JSON.

Below the directory each step has a store of its own, which holds an entry that the killed write was to replace.
"""

import json
import os
import signal
import sys
from pathlib import Path

from core.clock import ManualClock
from core.references.store.disk import no_step
from core.references.store.entries import Entries
from core.references.store.layout import Layout
from tests.core.references.store.papers import OTHER_PDF, PDF, entry


def write(directory: Path, title: str, pdf: bytes, on_step=no_step) -> None:  # type: ignore[no-untyped-def]
    entries = Entries(Layout(directory), ManualClock(), on_step)
    draft = entries.draft()
    draft.write(pdf)
    draft.seal()
    entries.save(entry(title=title, venue="New" if on_step is not no_step else None), draft)


def main(folder: Path) -> None:
    """Each stop is that of a child, which has written the first entry whole."""
    steps: list[str] = []
    write(folder / "whole", "A Title", PDF)
    write(folder / "whole", "A Title", OTHER_PDF, steps.append)
    for number, step in enumerate(steps):
        child = os.fork()
        if child == 0:

            def stop(reached: str, step: str = step) -> None:
                if reached == step:
                    os.kill(os.getpid(), signal.SIGKILL)

            write(folder / str(number), "A Title", PDF)
            write(folder / str(number), "A Title", OTHER_PDF, stop)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status)
    print(json.dumps(steps))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
