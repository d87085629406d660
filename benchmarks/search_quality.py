"""Search quality on the CACM test collection: nDCG@10 of keyword, semantic and fused orders, beside other settings.

Run from the project's root: `python -m benchmarks.search_quality [FOLDER]`. FOLDER holds cacm.all, query.text and
qrels.text; without it ../shared/data/retrieval/cacm is read. All 52 queries that have judgements count.
"""

import math
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path

from rich.console import Console
from rich.table import Table

from core.catalog.embedded.embedding import Embedder, packaged_embedder
from core.catalog.embedded.search import POOL_SIZE, RRF_K, fused
from core.catalog.embedded.text_analysis import query_terms
from core.catalog.embedded.text_index import IndexDocument, TextIndexBuilder
from core.catalog.embedded.text_search import BOOSTS, DocumentFilters, TextIndex
from core.catalog.embedded.vectors import Vectors, VectorsBuilder

DEFAULT_FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "retrieval" / "cacm"
DEPTH = 10
GOALS = {"keyword": 0.41, "hybrid": 0.52}
CONTRACT_BOOSTS = {"title": 4.0, "abstract": 1.0, "authors": 1.5}
CONTRACT_RRF_K = 60
MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905

Order = list[int]
Records = dict[int, dict[str, str]]

_FIELD = re.compile(r"\.([A-Z])(?: +(\d+))?\s*")


def read_records(path: Path) -> Records:
    """Records of a SMART-format file by number, each a text per one-letter field."""
    records: Records = {}
    fields: defaultdict[str, str] = defaultdict(str)
    name = ""
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        start = _FIELD.fullmatch(line)
        if start and start[1] == "I":
            fields = defaultdict(str)
            records[int(start[2])] = fields
        elif start:
            name = start[1]
        else:
            fields[name] += line + "\n"
    return records


def read_judgements(path: Path) -> dict[int, set[int]]:
    judgements: defaultdict[int, set[int]] = defaultdict(set)
    for line in path.read_text(encoding="utf-8").splitlines():
        query, paper, *_ = line.split()
        judgements[int(query)].add(int(paper))
    return dict(judgements)


def one_line(text: str) -> str:
    return " ".join(text.split())


def published_day(text: str) -> int | None:
    """The first day of an issue such as `CACM December, 1958`."""
    found = re.search(r"([A-Za-z]+),? +(\d{4})", text)
    if not found or found[1].lower() not in MONTHS:
        return None
    return date(int(found[2]), MONTHS.index(found[1].lower()) + 1, 1).toordinal()


def documents(papers: Records) -> Iterator[IndexDocument]:
    for rank, (pid, fields) in enumerate(sorted(papers.items())):
        yield IndexDocument(
            pid=pid,
            title=one_line(fields["T"]),
            abstract=one_line(fields["W"]),
            authors="; ".join(fields["A"].split("\n")),
            published_day=published_day(fields["B"]),
            has_official=False,
            is_latest=True,
            task_ids=(),
            method_ids=(),
            conference_id=None,
            framework_ids=(),
            organization_ids=(),
            author_ids=(),
            trending_rank=rank,
            trending_rank_asc=rank,
            published_rank=rank,
            published_rank_asc=rank,
            citation_rank=rank,
            citation_rank_asc=rank,
        )


def build(papers: Records, folder: Path, embedder: Embedder | None) -> None:
    text = TextIndexBuilder(folder / "text")
    for document in documents(papers):
        text.add(document)
    text.finish()
    if embedder is not None:
        vectors = VectorsBuilder(folder / "vectors", model=embedder.model, dimensions=embedder.dimensions)
        texts = [f"{one_line(fields['T'])}\n{one_line(fields['W'])}".strip() for fields in papers.values()]
        vectors.add(list(papers), embedder.embed(texts))
        vectors.finish()


def ndcg(order: Sequence[int], relevant: set[int]) -> float:
    gain = sum(1 / math.log2(place + 2) for place, pid in enumerate(order[:DEPTH]) if pid in relevant)
    return gain / sum(1 / math.log2(place + 2) for place in range(min(DEPTH, len(relevant))))


def keyword_order(index: TextIndex) -> Callable[[str], Order]:
    return lambda query: index.keyword_order(query_terms(query), DocumentFilters(), POOL_SIZE)


def semantic_order(index: TextIndex, vectors: Vectors, embedder: Embedder) -> Callable[[str], Order]:
    def order(query: str) -> Order:
        near = vectors.nearest(embedder.embed([query])[0], POOL_SIZE)
        ties = index.tie_keys([pid for pid, _ in near])
        return [pid for _, _, pid in sorted((-score, tie, pid) for (pid, score), tie in zip(near, ties, strict=True))]

    return order


def fused_order(words: Callable[[str], Order], meaning: Callable[[str], Order], k: int) -> Callable[[str], Order]:
    def order(query: str) -> Order:
        scores = fused([words(query), meaning(query)], k)
        return sorted(scores, key=lambda pid: (-round(scores[pid], 6), pid))

    return order


def settings(folder: Path, embedder: Embedder | None) -> Iterator[tuple[str, Callable[[str], Order]]]:
    """What is compared, the baseline first."""
    boosts: Mapping[str, Mapping[str, float]] = {
        "": BOOSTS,
        ", title boost 2": {**BOOSTS, "title": 2.0},
        ", title boost 4 (contract)": CONTRACT_BOOSTS,
        ", without authors": {name: boost for name, boost in BOOSTS.items() if name != "authors"},
    }
    indexes = {name: TextIndex(folder / "text", boosts=each) for name, each in boosts.items()}
    for name, index in indexes.items():
        yield f"keyword{name}", keyword_order(index)
    if embedder is None:
        return
    meaning = semantic_order(indexes[""], Vectors(folder / "vectors"), embedder)
    yield "semantic", meaning
    for name, index in indexes.items():
        for k in dict.fromkeys((RRF_K, 10, 40, CONTRACT_RRF_K)):
            shown = "" if k == RRF_K else f", k {k}"
            yield f"hybrid{name}{shown}", fused_order(keyword_order(index), meaning, k)


def main(folder: Path) -> None:
    console = Console()
    papers, queries = read_records(folder / "cacm.all"), read_records(folder / "query.text")
    judgements = read_judgements(folder / "qrels.text")
    embedder = packaged_embedder()
    table = Table("setting", "nDCG@10", "of keyword", "goal", "ms a query")
    with tempfile.TemporaryDirectory() as built:
        build(papers, Path(built), embedder)
        baseline = 0.0
        for name, order in settings(Path(built), embedder):
            started = time.perf_counter()
            scores = [ndcg(order(one_line(queries[query]["W"])), judgements[query]) for query in sorted(judgements)]
            elapsed_ms = (time.perf_counter() - started) * 1000 / len(scores)
            mean = sum(scores) / len(scores)
            baseline = baseline or mean
            goal = GOALS.get(name)
            met = "" if goal is None else f"{'met' if mean >= goal else 'MISSED'} ({goal})"
            table.add_row(name, f"{mean:.4f}", f"{mean / baseline:.3f}", met, f"{elapsed_ms:.1f}")
    console.print(f"CACM: {len(papers)} papers, {len(judgements)} judged queries")
    console.print(table)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_FOLDER)
