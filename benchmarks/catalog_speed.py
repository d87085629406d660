"""Speed and memory of a built catalog in one process: opening it, then each kind of question.

Run from the project's root: `python -m benchmarks.catalog_speed DIRECTORY`. Words, names and ids come from the catalog
itself, drawn with a fixed seed. Ratios are against the keyword search of the same run.
"""

import asyncio
import random
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from core.catalog.embedded.embedding import packaged_embedder
from core.catalog.embedded.store import EmbeddedCatalog
from core.catalog.models import Direction, PaperFilters, PaperOrder, PaperRow, SearchMode

SAMPLE_PAGES = 40
BASELINE = "keyword, 6 words"

Question = Callable[[], Awaitable[object]]


class Questions:
    """Questions of every kind, made of what the catalog holds."""

    def __init__(self, catalog: EmbeddedCatalog, papers: list[PaperRow], seed: int = 1) -> None:
        self._catalog = catalog
        self._papers = papers
        self._random = random.Random(seed)

    def words(self, count: int) -> str:
        return " ".join(self._random.choice(self._random.choice(self._papers).title.split()) for _ in range(count))

    def search(self, count: int, mode: SearchMode, filters: PaperFilters = PaperFilters(), page: int = 1) -> Question:  # noqa: B008
        return lambda: self._catalog.search(self.words(count), mode, filters, (), page, 10)

    def listing(self, order: PaperOrder, filters: PaperFilters) -> Question:
        return lambda: self._catalog.list_papers(filters, order, Direction.DESC, 1, 20, False)

    def all(self) -> dict[str, Question]:
        dated = PaperFilters(published_after="2015-01-01", has_official_implementation=True)
        latest = PaperFilters(latest_only=True)
        pick = self._random.choice
        return {
            BASELINE: self.search(6, SearchMode.KEYWORD),
            "keyword, 20 words": self.search(20, SearchMode.KEYWORD),
            "keyword, 6 words, page 10": self.search(6, SearchMode.KEYWORD, page=10),
            "keyword, 6 words, filtered": self.search(6, SearchMode.KEYWORD, dated),
            "keyword, phrase": lambda: self._catalog.search(
                f'"{self.words(2)}"', SearchMode.KEYWORD, PaperFilters(), (), 1, 10
            ),
            "hybrid, 6 words": self.search(6, SearchMode.HYBRID),
            "hybrid, 6 words, filtered": self.search(6, SearchMode.HYBRID, dated),
            "paper by id": lambda: self._catalog.paper(pick(self._papers).id),
            "paper by title": lambda: self._catalog.find_titles(pick(self._papers).title),
            "near titles": lambda: self._catalog.near_titles(f"{self.words(5)}x", 3),
            **{f"list, {order}": self.listing(order, latest) for order in PaperOrder},
            "list, two words": lambda: self._catalog.list_papers(
                PaperFilters(search=self.words(2)), PaperOrder.TRENDING, Direction.DESC, 1, 20, True
            ),
        }


async def timed_ms(question: Question, count: int) -> list[float]:
    times = []
    for _ in range(count):
        started = time.perf_counter()
        await question()
        times.append((time.perf_counter() - started) * 1000)
    return sorted(times)


async def measure(catalog: EmbeddedCatalog, console: Console, count: int) -> None:
    total = catalog.capabilities().counts["papers"]
    pages = sorted({1 + total // 25 * step // SAMPLE_PAGES for step in range(SAMPLE_PAGES)})
    papers: list[PaperRow] = []
    for page in pages:
        found = await catalog.list_papers(PaperFilters(), PaperOrder.DATE_PUBLISHED, Direction.DESC, page, 25, False)
        papers += found.rows
    table = Table("question", "p50 ms", "p95 ms", "most ms", "p50 of keyword")
    baseline = 0.0
    for name, question in Questions(catalog, papers).all().items():
        times = await timed_ms(question, count)
        median = times[count // 2]
        baseline = baseline or median
        row = (median, times[int(count * 0.95)], times[-1], median / baseline)
        table.add_row(name, *(f"{value:.2f}" for value in row))
    console.print(table)


def resident_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


def main(directory: Path, count: int = 200) -> None:
    console = Console()
    embedder = packaged_embedder()
    before = resident_mib()
    started = time.perf_counter()
    catalog = EmbeddedCatalog.open(directory, kind="file", embedder=embedder)
    opened_s = time.perf_counter() - started
    counts = catalog.capabilities().counts
    console.print(f"{counts['papers']} papers, vectors: {catalog.capabilities().has_vectors}")
    console.print(f"opened in {opened_s:.2f} s, memory {before:.0f} MiB before, {resident_mib():.0f} MiB after")
    asyncio.run(measure(catalog, console, count))
    console.print(f"memory {resident_mib():.0f} MiB at the end")
    catalog.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
