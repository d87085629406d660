"""A process that is killed at each step of a fetch's write in turn: run with a directory, it prints the steps as JSON.

Below the directory each step has a store of its own, which holds the paper that the killed fetch was to replace.
"""

import json
import os
import re
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import anyio

from core.catalog.embedded.store import EmbeddedCatalog
from core.references.store.disk import OnStep, no_step
from core.references.store.layout import Layout
from tests.core.references.fetching.desk import CROSSREF_AT, UNPAYWALL_AT, crossref, local_desk, unpaywall
from tests.scripted_upstream import answer

URL = "https://www.nature.com/1.pdf"
STEPS = 10
FIRST, SECOND = b"%PDF-1.7\nfirst\n", b"%PDF-1.7\nsecond, longer\n"


def fetch(catalog: Path, directory: Path, body: bytes, issue: str | None, on_step: OnStep = no_step) -> None:
    """One fetch by a process that knows nothing of an earlier one."""

    async def run() -> None:
        backend = EmbeddedCatalog.open(catalog, kind="sample")
        async with local_desk(backend, directory, on_step=on_step) as local:
            local.world.scripts = {
                CROSSREF_AT: crossref(issue=issue),
                UNPAYWALL_AT: unpaywall(URL),
                "www.nature.com/1.pdf": answer(body),
            }
            assert (await local.good())["pdf"] == {"status": "fetched"}
        backend.close()

    anyio.run(run)


def main(catalog: Path, folder: Path) -> None:
    """Each stop is that of a child, after one that fetched the paper whole."""
    steps = []
    for number in range(STEPS):
        store = folder / str(number)
        in_child(partial(fetch, catalog, store, FIRST, None))
        # Without its year the entry is not enough, and the second fetch asks the sources again.
        toml = Layout(store).toml("doi_10.1234_X")
        toml.write_text(re.sub(r"^year = .*\n", "", toml.read_text(), flags=re.MULTILINE))
        told = folder / f"{number}.step"
        status = in_child(partial(fetch, catalog, store, SECOND, "9", Stop(number, told)))
        assert os.WIFSIGNALED(status)
        steps.append(told.read_text())
    print(json.dumps(steps))


class Stop:
    """Kills the process at a step of a write, after it told which one it is."""

    def __init__(self, number: int, told: Path) -> None:
        self._left = number
        self._told = told

    def __call__(self, step: str) -> None:
        if not self._left:
            self._told.write_text(step)
            os.kill(os.getpid(), signal.SIGKILL)
        self._left -= 1


def in_child(work: Callable[[], None]) -> int:
    """Runs it in a process of its own; the status in which that ended."""
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    return os.waitpid(child, 0)[1]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
