"""Writes results: links them to papers, ranks them within their tables, and gives them ids (catalog contract 20.1)."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

import orjson

from core.catalog.directions import HIGHER, UNKNOWN, direction
from core.catalog.metrics import numeric_value
from core.catalog.models import EntityKind
from core.folds import key_fold, plain_fold
from core.ingest.entities import Entities, Facts
from core.ingest.ids import free_id
from core.ingest.paper_lookup import PaperLookup
from core.ingest.records import Records
from core.ingest.report import FileReport
from core.ingest.staging import Staging

DUPLICATE = "equal to another row"

_ORDERED = """
SELECT evaluation.benchmark, evaluation.task, evaluation.input, evaluation.facts
FROM evaluation JOIN input ON input.number = evaluation.input
ORDER BY evaluation.benchmark, evaluation.task, input.precedence, input.rank, evaluation.line
"""
_SCOPES = """
SELECT scope.benchmark, scope.task, scope.metrics FROM scope JOIN input ON input.number = scope.input
ORDER BY scope.benchmark, scope.precedence, input.rank, scope.line
"""
_STATED = [
    "model_name",
    "harness",
    "best_metric",
    "best_rank",
    "is_open",
    "num_parameters",
    "split",
    "methodology",
    "result_url",
    "source_url",
    "code_url",
    "hf_model_url",
    "updated_at",
    "uses_additional_data",
]


class EvaluationsWriter:
    """Writes `evaluation` and `benchmark_task`, and completes the metric lists of benchmarks."""

    def __init__(
        self,
        staging: Staging,
        records: Records,
        *,
        entities: Entities,
        papers: PaperLookup,
        files_by_input: dict[int, FileReport],
    ) -> None:
        self._connection = staging.connection
        self._records = records
        self._entities = entities
        self._papers = papers
        self._files = files_by_input
        self._benchmarks = {thing.natural: thing for thing in entities.of(EntityKind.BENCHMARK)}
        self._first_metrics: dict[tuple[str, str], list[str]] = {}
        self._taken: set[int] = set()

    def write(self) -> None:
        """Writes all results. The ids of results are held in memory: results are few beside papers."""
        self._read_scopes()
        for (benchmark, task), rows in groupby(self._connection.execute(_ORDERED), key=lambda row: (row[0], row[1])):
            results = self._unlike(self._linked(rows))
            self._add_metrics(benchmark, results)
            self._rank(benchmark, task, results)
            self._write_table(benchmark, task, results)

    def _read_scopes(self) -> None:
        pairs: set[tuple[int, int]] = set()
        tasks = self._entities.ids[EntityKind.TASK]
        for benchmark, task, metrics in self._connection.execute(_SCOPES):
            names = orjson.loads(metrics)
            self._first_metrics.setdefault((benchmark, task), []).extend(names)
            _extend(self._benchmarks[benchmark].facts.setdefault("metrics", []), names)
            pairs.add((self._benchmarks[benchmark].id, tasks[task]))
        for benchmark, task in self._connection.execute("SELECT DISTINCT benchmark, task FROM evaluation"):
            pairs.add((self._benchmarks[benchmark].id, tasks[task]))
        for thing in self._benchmarks.values():
            pairs.update((thing.id, tasks[task]) for task in thing.facts.get("tasks", ()))
        for pair in sorted(pairs):
            self._records.add("benchmark_task", pair)

    def _linked(self, rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[int, Facts]]:
        for _, _, number, blob in rows:
            facts = orjson.loads(blob)
            facts["pid"] = self._papers.linked(facts.pop("paper"))
            if facts["pid"] is not None:
                facts.pop("paper_title", None)
                facts.pop("paper_published", None)
            yield number, facts

    def _unlike(self, rows: Iterable[tuple[int, Facts]]) -> list[Facts]:
        """The rows less those that say exactly what an earlier one says."""
        seen: dict[bytes, Facts] = {}
        for number, facts in rows:
            said = orjson.dumps(facts, option=orjson.OPT_SORT_KEYS)
            if said in seen:
                file = self._files[number]
                file.kept -= 1
                file.merged[DUPLICATE] += 1
            else:
                seen[said] = facts
        return list(seen.values())

    def _add_metrics(self, benchmark: str, results: list[Facts]) -> None:
        known = self._benchmarks[benchmark].facts.setdefault("metrics", [])
        for facts in results:
            _extend(known, facts["metrics"])

    def _rank(self, benchmark: str, task: str, results: list[Facts]) -> None:
        """Ranks a table unless a source states ranks of it."""
        if any("best_rank" in facts for facts in results):
            return
        first = self._first_metric(benchmark, task, results)
        recorded = self._benchmarks[benchmark].facts.get("metric_directions", {})
        better = UNKNOWN if first is None else direction(first, recorded)
        values = [None if first is None else numeric_value(facts["metrics"].get(first)) for facts in results]
        if better == UNKNOWN or all(value is None for value in values):
            for rank, facts in enumerate(results, start=1):
                facts["best_rank"] = rank
        else:
            ordered = sorted((value for value in values if value is not None), reverse=better == HIGHER)
            places: dict[int | float, int] = {}
            for rank, number in enumerate(ordered, start=1):
                places.setdefault(number, rank)
            for facts, known in zip(results, values, strict=True):
                if known is not None:
                    facts["best_rank"] = places[known]
        for facts in results:
            if first in facts["metrics"] and "best_rank" in facts:
                facts.setdefault("best_metric", first)

    def _first_metric(self, benchmark: str, task: str, results: list[Facts]) -> str | None:
        named = self._first_metrics.get((benchmark, task)) or self._benchmarks[benchmark].facts["metrics"]
        return next((name for name in named if any(name in facts["metrics"] for facts in results)), None)

    def _write_table(self, benchmark: str, task: str, results: list[Facts]) -> None:
        benchmark_id = self._benchmarks[benchmark].id
        task_id = self._entities.ids[EntityKind.TASK][task]
        by_key: dict[str, list[Facts]] = {}
        for facts in results:
            paper = self._papers.id_of(facts["pid"])
            owner = str(paper) if paper is not None else f"title {key_fold(facts.get('paper_title', ''))}"
            key = f"{benchmark_id}:{task_id}:{plain_fold(facts['model_name'])}:{owner}"
            by_key.setdefault(key, []).append(facts | {"paper_id": paper})
        for key in sorted(by_key):
            rows = sorted(
                by_key[key], key=lambda facts: orjson.dumps(facts | {"pid": None}, option=orjson.OPT_SORT_KEYS)
            )
            for position, facts in enumerate(rows):
                number = free_id("evaluation", f"{key}:{position}", self._taken)
                self._taken.add(number)
                self._write_row(number, benchmark_id, task_id, facts)

    def _write_row(self, number: int, benchmark_id: int, task_id: int, facts: Facts) -> None:
        get = facts.get
        paper = (get("pid"), get("paper_title"), get("paper_published"))
        result = (facts["model_name"], get("harness"), orjson.dumps(facts["metrics"]).decode(), get("best_metric"))
        stated_facts = (get("best_rank"), get("is_open"), get("num_parameters"), get("split"), get("methodology"))
        links = (get("result_url"), get("source_url"), None, get("code_url"), get("hf_model_url"))
        row = (number, benchmark_id, task_id, *paper, *result, *stated_facts, *links)
        self._records.add("evaluation", (*row, get("updated_at"), get("uses_additional_data")))
        stated = {name: get(name) for name in _STATED}
        stated |= {"id": number, "benchmark": benchmark_id, "task": task_id, "paper": facts["paper_id"]}
        stated |= {"paper_title": get("paper_title"), "paper_published": get("paper_published")}
        self._records.record("evaluation", {**stated, "metrics": facts["metrics"]})


def _extend(known: list[str], names: Iterable[str]) -> None:
    known.extend(name for name in dict.fromkeys(names) if name not in known)
