"""Synthetic papers in the own format: seeded, streamed, with a vocabulary whose frequencies follow Zipf's law."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import orjson

VOCABULARY_WORDS = 120_000
ABSTRACT_WORDS = 150
TITLE_WORDS = 9
AUTHORS_PER_PAPER = 5
TASKS = 400
METHODS = 300
_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstv" for vowel in "aeiou"]
_BATCH = 2000


def vocabulary(rng: np.random.Generator) -> np.ndarray:
    """Distinct pronounceable words, short ones first, as natural languages have it."""
    words: dict[str, None] = {}
    syllables = 1
    while len(words) < VOCABULARY_WORDS:
        for _ in range(60_000):
            words["".join(rng.choice(_SYLLABLES, size=syllables))] = None
            if len(words) >= VOCABULARY_WORDS:
                break
        syllables += 1
    return np.array(list(words), dtype=object)


def zipf_cumulative() -> np.ndarray:
    weights = 1.0 / np.arange(1, VOCABULARY_WORDS + 1) ** 1.05
    return np.cumsum(weights / weights.sum())


def papers(count: int, seed: int) -> Iterator[bytes]:
    """JSON lines of `papers.jsonl`."""
    rng = np.random.default_rng(seed)
    words, cumulative = vocabulary(rng), zipf_cumulative()
    people = max(1000, count)
    for start in range(0, count, _BATCH):
        size = min(_BATCH, count - start)
        drawn = words[
            np.minimum(
                np.searchsorted(cumulative, rng.random((size, ABSTRACT_WORDS + TITLE_WORDS))), VOCABULARY_WORDS - 1
            )
        ]
        people_drawn = (people * rng.random((size, AUTHORS_PER_PAPER)) ** 2).astype(int)
        tasks = rng.integers(0, TASKS, (size, 2))
        methods = rng.integers(0, METHODS, (size, 2))
        days = rng.integers(0, 5800, size)
        cited = np.minimum(rng.zipf(1.6, size), 200_000)
        stamps = (np.datetime64("2010-01-01") + days).astype(str)
        for i in range(size):
            n = start + i
            title = " ".join(drawn[i, :TITLE_WORDS]).capitalize()
            yield orjson.dumps(
                {
                    "key": f"p{n}",
                    "title": title,
                    "arxiv_id": _arxiv_id(n),
                    "doi": f"10.5555/synthetic.{n}",
                    "abstract": " ".join(drawn[i, TITLE_WORDS:]).capitalize() + ".",
                    "authors": [
                        {"name": f"{words[a % 5000].title()} {words[a % VOCABULARY_WORDS].title()} {a}"}
                        for a in people_drawn[i].tolist()
                    ],
                    "published": str(stamps[i]),
                    "citation_count": int(cited[i]) if i % 5 else None,
                    "tasks": sorted({f"t{t}" for t in tasks[i].tolist()}),
                    "methods": sorted({f"m{m}" for m in methods[i].tolist()}),
                    "repositories": [{"url": f"https://code.example.org/p{n}", "is_official": True}]
                    if n % 4 == 0
                    else [],
                }
            )


def _arxiv_id(n: int) -> str:
    """A valid id of its own for each number below 900,000: 9,000 a month from 2010 on, five digits from 2015 on."""
    month, place = divmod(n, 9000)
    year, month = 10 + month // 12, month % 12 + 1
    return f"{year:02d}{month:02d}.{place + 1:0{4 if year < 15 else 5}d}"


def write_folder(folder: Path, count: int, seed: int = 7) -> None:
    """Writes a folder of the own format with `count` papers."""
    folder.mkdir(parents=True, exist_ok=True)
    _lines(folder / "areas.jsonl", [{"key": f"a{n}", "name": f"Area {n}"} for n in range(12)])
    _lines(folder / "tasks.jsonl", [{"key": f"t{n}", "name": f"Task {n}", "area": f"a{n % 12}"} for n in range(TASKS)])
    _lines(folder / "methods.jsonl", [{"key": f"m{n}", "name": f"Method {n}"} for n in range(METHODS)])
    with (folder / "papers.jsonl").open("wb") as file:
        for line in papers(count, seed):
            file.write(line + b"\n")


def _lines(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
