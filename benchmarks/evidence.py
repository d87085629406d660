"""How fast the evidence room answers, in process, on synthetic corpora of growing size.

Builds a corpus of papers with claims (seeded, Zipf vocabulary), opens it as the server does and asks every service.
Prints p50 and p95 in milliseconds for each kind of call and their ratios to the smallest size of the same run.

    python -m benchmarks.evidence 2000
    python -m benchmarks.evidence 5000 50000 --claims-per-paper 8
"""

import argparse
import asyncio
import json
import random
import tempfile
import time
from collections.abc import Awaitable, Callable
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.scale import SyntheticEmbedder
from core.catalog.embedded.store import EmbeddedCatalog
from core.clock import SystemClock
from core.evidence.connector.desk import ConnectorDesk
from core.evidence.desk import EvidenceDesk
from core.evidence.semantic import LocalEmbedder
from core.evidence.stored.evidence_set import EvidenceSet
from core.evidence.vocabulary import (
    DEFAULT_CATEGORIES,
    DIRECTIONS,
    EVIDENCE_GRADES,
    LEVELS,
    PAPER_TYPES,
    RELATION_TYPES,
    THEMES,
)
from core.ingest.build import BuildOptions, build_catalog, parse_source

SEED = 11
ASKED = 200
VOCABULARY = 20_000
Ask = Callable[[], Awaitable[Any]]


class Writer:
    """Writes the sources of one corpus."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.chance = random.Random(SEED)
        self._words = [f"w{number:x}" for number in range(VOCABULARY)]
        self._weights = list(accumulate(1.0 / (rank + 10) for rank in range(VOCABULARY)))

    def text(self, words: int) -> str:
        """Words by Zipf's law."""
        return " ".join(self.chance.choices(self._words, cum_weights=self._weights, k=words))

    def write(self, papers: int, claims_per_paper: int) -> None:
        """One file of papers and one of evidence."""
        for name in ("paperdesk", "evidence"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        with (self.folder / "paperdesk" / "papers.jsonl").open("w") as file:
            for number in range(papers):
                file.write(json.dumps(self._paper(number)) + "\n")
        with (self.folder / "evidence" / "claims.jsonl").open("w") as file:
            for number in range(papers):
                file.write(json.dumps(self._assessment(number)) + "\n")
            claims = papers * claims_per_paper
            for number in range(claims):
                file.write(json.dumps(self._claim(number, number // claims_per_paper)) + "\n")
            for number in range(claims // 4):
                file.write(json.dumps(self._relation(number, claims, claims_per_paper)) + "\n")

    def _paper(self, number: int) -> dict[str, Any]:
        authors = [{"name": f"A{self.chance.randrange(5_000)} B{self.chance.randrange(20_000)}"} for _ in range(3)]
        year = self.chance.randint(1990, 2025)
        return {
            "key": f"p{number}",
            "title": f"{self.text(8)} {number}",
            "doi": f"10.5555/p{number}",
            "published": f"{year}-01-01",
            "authors": authors,
            "abstract": self.text(150),
        }

    def _assessment(self, number: int) -> dict[str, Any]:
        choose = self.chance.choice
        return {
            "kind": "assessment",
            "paper_id": f"doi:10.5555/p{number}",
            "paper_type": choose(PAPER_TYPES),
            "methods_rigor": choose(LEVELS),
            "evidence_strength": choose(LEVELS),
            "relevance": self.chance.randint(1, 10),
            "themes": self.chance.sample(THEMES, 2),
            "takeaway": self.text(20),
        }

    def _claim(self, number: int, paper: int) -> dict[str, Any]:
        choose = self.chance.choice
        return {
            "kind": "claim",
            "claim_id": number + 1,
            "paper_id": f"doi:10.5555/p{paper}",
            "claim_text": self.text(25),
            "outcome_category": choose(DEFAULT_CATEGORIES),
            "evidence_grade": choose(EVIDENCE_GRADES),
            "direction": choose(DIRECTIONS),
            "locator": {"page": 1},
        }

    def _relation(self, number: int, claims: int, per_paper: int) -> dict[str, Any]:
        one = number * 4
        type_ = RELATION_TYPES[number % len(RELATION_TYPES)]
        ends = {"from_claim": one + 1, "to_claim": (one + per_paper) % claims + 1}
        return {"kind": "relation", "relation_id": number + 1, **ends, "type": type_, "confidence": 0.5}


def calls(desk: EvidenceDesk, connector: ConnectorDesk, writer: Writer, papers: int) -> dict[str, Ask]:
    """One new call of each kind at a time."""
    choose, number = writer.chance.choice, writer.chance.randrange

    def filters() -> dict[str, Any]:
        offered = {
            "direction": choose(DIRECTIONS),
            "outcome_category": choose(DEFAULT_CATEGORIES),
            "evidence_grade": choose(EVIDENCE_GRADES),
            "paper_type": choose(PAPER_TYPES),
            "min_evidence_weight": writer.chance.random(),
        }
        return {name: value for name, value in offered.items() if writer.chance.random() < 0.4}

    return {
        "search_claims by filters": lambda: desk.search_claims(**filters()),
        "search_claims by words": lambda: desk.search_claims(query=writer.text(3)),
        "search_claims by both": lambda: desk.search_claims(query=writer.text(2), **filters()),
        "search_claims by the commonest word": lambda: desk.search_claims(query="w0"),
        "search_claims by a phrase": lambda: desk.search_claims(query='"w0 w1"'),
        "search_papers by words": lambda: desk.search_papers(query=writer.text(3)),
        "search_papers by filters": lambda: desk.search_papers(theme=choose(THEMES), min_relevance=number(1, 10)),
        "search_papers by id": lambda: desk.search_papers(query=f"10.5555/p{number(papers)}"),
        "find_authors": lambda: desk.find_authors(query=f"B{number(20_000)}"),
        "get_paper": lambda: desk.get_paper(paper_id=f"doi:10.5555/p{number(papers)}"),
        "semantic_search of papers": lambda: desk.semantic_search(query=writer.text(6)),
        "semantic_search of claims": lambda: desk.semantic_search(query=writer.text(6), search_type="claims"),
        "connector search": lambda: connector.search(query=writer.text(2)),
    }


async def timed(ask: Ask, asked: int) -> tuple[float, float]:
    """Milliseconds at p50 and p95."""
    for _ in range(5):
        await ask()
    seen = []
    for _ in range(asked):
        start = time.perf_counter()
        await ask()
        seen.append((time.perf_counter() - start) * 1000)
    return float(np.percentile(seen, 50)), float(np.percentile(seen, 95))


def measured(papers: int, per_paper: int, root: Path, asked: int) -> dict[str, tuple[float, float]]:
    """Builds one corpus and times all kinds of calls on it."""
    writer = Writer(root / f"sources-{papers}")
    writer.write(papers, per_paper)
    sources = [parse_source(f"{kind}:{writer.folder / kind}") for kind in ("paperdesk", "evidence")]
    out = root / f"built-{papers}"
    embedder = SyntheticEmbedder()
    start = time.perf_counter()
    build_catalog(sources, out, options=BuildOptions(clock=SystemClock(), embedder=embedder))
    print(f"{papers} papers, {papers * per_paper} claims: built in {time.perf_counter() - start:.1f} s", flush=True)
    start = time.perf_counter()
    stored = EvidenceSet.open(out, checked=True)
    print(f"  opened in {(time.perf_counter() - start) * 1000:.0f} ms", flush=True)
    backend = EmbeddedCatalog.open(out, kind="file")
    desk = EvidenceDesk(stored, backend, clock=SystemClock(), embedder=LocalEmbedder(embedder), floor=0.1)
    connector = ConnectorDesk(backend, desk)

    async def all_of_them() -> dict[str, tuple[float, float]]:
        return {name: await timed(ask, asked) for name, ask in calls(desk, connector, writer, papers).items()}

    found = asyncio.run(all_of_them())
    stored.close()
    backend.close()
    return found


def main() -> None:
    """Measures each size and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("papers", type=int, nargs="+")
    parser.add_argument("--claims-per-paper", type=int, default=8)
    parser.add_argument("--asked", type=int, default=ASKED)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="paperdesk-evidence-") as root:
        first: dict[str, tuple[float, float]] = {}
        for papers in options.papers:
            found = measured(papers, options.claims_per_paper, Path(root), options.asked)
            first = first or found
            for name, (p50, p95) in found.items():
                ratio = p95 / first[name][1]
                print(f"  {name:38} p50 {p50:8.2f} ms   p95 {p95:8.2f} ms   {ratio:5.1f} x", flush=True)


if __name__ == "__main__":
    main()
