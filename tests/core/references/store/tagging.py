"""A process that tags one entry many times and logs it: run with a directory, a word and a count.

It prints `ready`, and begins when it is told to.
"""

import asyncio
import sys
from pathlib import Path

from core.clock import SystemClock
from core.references.store.log import ProvenanceLog
from core.references.store.store import Store
from tests.core.references.store.papers import PDF, entry, ref


async def main(directory: Path, word: str, count: int) -> None:
    """Keeps a paper of its own and one that both keep, in two spellings, then tags the latter."""
    store, clock = Store(directory, SystemClock(), lock_timeout_s=60), SystemClock()
    log = ProvenanceLog(store.layout, clock, lock_timeout_s=60)
    doi = "10.1234/Shared" if word == "a" else "10.1234/shared"
    print("ready", flush=True)
    sys.stdin.readline()
    await store.save(entry(doi), PDF)
    for number in range(count):
        await store.tag(ref(doi), add=[f"{word}{number}"])
        await log.append("store_write", capability="metadata", ref=doi)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
