"""How building, opening and asking grow with the size of a catalog.

Builds catalogs of synthetic papers (seeded, about 150 words an abstract, Zipf vocabulary), opens each as the server
does and asks it in process. Prints figures per size and their ratios to the smallest size of the same run. Each step
runs in a process of its own, so that memory figures are its own.

    python -m benchmarks.scale 10000 100000
    python -m benchmarks.scale 10000 100000 600000 --vectors-up-to 100000 --folder /tmp/scale
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import numpy as np

from benchmarks.synthetic import vocabulary, write_folder, zipf_cumulative
from core.catalog.embedded.store import EmbeddedCatalog
from core.catalog.models import Direction, PaperFilters, PaperOrder, SearchMode
from core.clock import SystemClock
from core.ingest.build import BuildOptions, build_catalog, parse_source

SEED = 7
DIMENSIONS = 384
ASKED = 200
WARM_UP = 10
NO_FILTERS = PaperFilters()


class SyntheticEmbedder:
    """Unit vectors drawn from the text's own hash: the shape and cost of real ones without a model."""

    model = "synthetic@1"
    dimensions = DIMENSIONS

    def embed(self, texts: Any) -> Any:
        seeds = [zlib.crc32(text.encode()) for text in texts]
        rows = np.stack([np.random.default_rng(seed).standard_normal(DIMENSIONS, dtype=np.float32) for seed in seeds])
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def resident_mib() -> float:
    """Memory of this process at present; pages of mapped files that the system may take back are part of it."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def folder_mib(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20


@contextmanager
def timed(figures: dict[str, float], name: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    figures[name] = time.perf_counter() - started


def build(folder: Path, size: int, *, with_vectors: bool) -> dict[str, float]:
    """Writes the papers and builds the catalog; figures of the build alone."""
    source = folder / f"papers-{size}"
    write_folder(source, size, SEED)
    figures: dict[str, float] = {}
    options = BuildOptions(clock=SystemClock(), replace=True, embedder=SyntheticEmbedder() if with_vectors else None)
    with timed(figures, "build_s"):
        report = build_catalog([parse_source(f"paperdesk:{source}")], folder / f"catalog-{size}", options=options)
    for stage, seconds in report.stage_seconds.items():
        figures[f"build {stage}, papers/s"] = size / max(seconds, 1e-9)
    without_vectors = figures["build_s"] - report.stage_seconds.get("vectors", 0.0)
    figures["build without vectors, papers/s"] = size / without_vectors
    figures["build peak memory, MiB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures["catalog, MiB"] = folder_mib(folder / f"catalog-{size}")
    return figures


def queries(rng: np.random.Generator) -> list[str]:
    """Questions of four to eight words, drawn like the words of the abstracts but without the ten commonest."""
    words, cumulative = vocabulary(np.random.default_rng(SEED)), zipf_cumulative()
    lengths = rng.integers(4, 9, ASKED)
    floor = cumulative[9]
    return [
        " ".join(words[np.minimum(np.searchsorted(cumulative, floor + (1 - floor) * rng.random(n)), len(words) - 1)])
        for n in lengths
    ]


async def percentiles(ask: Callable[[int], Awaitable[object]]) -> tuple[float, float]:
    """Median and 95th percentile in milliseconds, one call at a time, after a warm-up."""
    for n in range(WARM_UP):
        await ask(n)
    times = []
    for n in range(ASKED):
        started = time.perf_counter()
        await ask(n)
        times.append((time.perf_counter() - started) * 1000)
    return float(np.percentile(times, 50)), float(np.percentile(times, 95))


async def ask(catalog: EmbeddedCatalog, ids: list[str], *, with_vectors: bool) -> dict[str, float]:
    asked = queries(np.random.default_rng(SEED + 1))

    def search(mode: SearchMode) -> Callable[[int], Awaitable[object]]:
        return lambda n: catalog.search(asked[n], mode, NO_FILTERS, (), 1, 10)

    def listing(n: int) -> Awaitable[object]:
        filters = PaperFilters(published_after=f"{2010 + n % 15}-01-01", has_official_implementation=n % 2 == 0)
        order = list(PaperOrder)[n % 3]
        return catalog.list_papers(filters, order, Direction.DESC, 1 + n % 5, 25, with_resources=False)

    calls: dict[str, Callable[[int], Awaitable[object]]] = {
        "keyword search": search(SearchMode.KEYWORD),
        "list": listing,
        "paper by id": lambda n: catalog.paper(ids[n]),
    }
    if with_vectors:
        calls["hybrid search"] = search(SearchMode.HYBRID)
    figures: dict[str, float] = {}
    for name, call in calls.items():
        figures[f"{name} p50, ms"], figures[f"{name} p95, ms"] = await percentiles(call)
    return figures


def serve(folder: Path, size: int, *, with_vectors: bool) -> dict[str, float]:
    """Opens the catalog as the server does and asks it."""
    figures: dict[str, float] = {}
    embedder = SyntheticEmbedder() if with_vectors else None
    with timed(figures, "start, s"):
        catalog = EmbeddedCatalog.open(folder / f"catalog-{size}", kind="file", embedder=embedder)
    figures["memory after start, MiB"] = resident_mib()

    async def run() -> None:
        rng = np.random.default_rng(SEED + 2)
        rows = []
        for page in rng.integers(1, max(2, min(100, size // 25)), 40).tolist():
            order = PaperOrder.DATE_PUBLISHED
            rows += (await catalog.list_papers(NO_FILTERS, order, Direction.DESC, page, 25, with_resources=False)).rows
        ids = [rows[n].canonical_id for n in rng.integers(0, len(rows), ASKED)]
        figures.update(await ask(catalog, ids, with_vectors=with_vectors))

    anyio.run(run)
    figures["memory after queries, MiB"] = resident_mib()
    catalog.close()
    return figures


def measured(step: str, folder: Path, size: int, *, with_vectors: bool) -> dict[str, float]:
    """Runs one step in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.scale", str(size), "--folder", str(folder), "--step", step]
    command += ["--vectors-up-to", str(size if with_vectors else 0)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def table(results: dict[int, dict[str, float]]) -> str:
    """Figures by size, with the ratio to the smallest size in brackets."""
    sizes = sorted(results)
    base = results[sizes[0]]
    names = list(dict.fromkeys(name for size in sizes for name in results[size]))
    width = max(map(len, names)) + 2
    lines = ["".ljust(width) + "".join(f"{size:>22,}" for size in sizes)]
    for name in names:
        cells = []
        for size in sizes:
            value = results[size].get(name)
            ratio = f" (x{value / base[name]:.2f})" if value is not None and base.get(name) and size != sizes[0] else ""
            cells.append(("-" if value is None else f"{value:,.2f}{ratio}").rjust(22))
        lines.append(name.ljust(width) + "".join(cells))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sizes", type=int, nargs="+", help="numbers of papers")
    parser.add_argument("--folder", type=Path, help="where to keep papers and catalogs; else a temporary folder")
    parser.add_argument("--vectors-up-to", type=int, default=100_000, help="largest size that gets vectors")
    parser.add_argument("--step", choices=("build", "serve"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.step:
        (size,) = arguments.sizes
        step = build if arguments.step == "build" else serve
        print(json.dumps(step(arguments.folder, size, with_vectors=size <= arguments.vectors_up_to)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        results = {}
        for size in sorted(arguments.sizes):
            with_vectors = size <= arguments.vectors_up_to
            results[size] = measured("build", folder, size, with_vectors=with_vectors)
            results[size] |= measured("serve", folder, size, with_vectors=with_vectors)
            print(f"{size:,} papers measured", file=sys.stderr)
    print(table(results))


if __name__ == "__main__":
    main()
