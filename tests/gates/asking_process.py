"""A process of a fleet: asks arXiv's five services on loopback in turn, through the one client and a shared store.

Run with the store's address, the services' address, a name and a count; it prints how each request ended.
"""

import asyncio
import itertools
import sys

from core.clock import SystemClock
from core.errors import PaperdeskError
from core.http.opening import open_pacing, open_wires, user_agent
from core.http.polite import PoliteClient
from core.http.remembering import Kind
from core.sources.configuration import SourceChoices, build_sources

SERVICES = {
    "arxiv": ("ARXIV_API", "xml"),
    "arxiv-pdf": ("ARXIV_PDF", "pdf"),
    "arxiv-src": ("ARXIV_SRC", "bytes"),
    "arxiv-html": ("ARXIV_HTML", "html"),
    "ar5iv": ("AR5IV", "html"),
}


async def main(store: str, services: str, name: str, count: int) -> None:
    """So many requests, one after the other, each for a caller of its own."""
    clock = SystemClock()
    bases = {setting: services for setting, _ in SERVICES.values()}
    sources = build_sources(SourceChoices(is_hosted=False, bases=bases))
    opened = open_pacing(store, clock, workers=2)
    wires = open_wires(user_agent("0", services, None))
    client = PoliteClient(wires, opened.pacing, clock)
    turns = itertools.islice(itertools.cycle(SERVICES.items()), sum(map(ord, name)) % 5, None)
    for number, (source, (_, want)) in zip(range(count), turns, strict=False):
        try:
            await client.get(
                sources[source],
                ("of", name, str(number), want),
                want=want,  # type: ignore[arg-type]
                kind=Kind.UNKEPT,
                caller=f"{name}-{number}",
            )
            print("ok", flush=True)
        except PaperdeskError as failure:
            print(type(failure).__name__, flush=True)
    print(f"errors={opened.store_errors()}", flush=True)
    await wires.aclose()
    await opened.aclose()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))
