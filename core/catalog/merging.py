"""Equivalent evaluation rows become one, over a whole leaderboard or paper (catalog contract 12.1)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.catalog.metrics import clean_value
from core.catalog.models import EvaluationRow, Link, MetricValue
from core.folds import plain_fold

_SHOTS = re.compile(r"\b([0-9]{1,4})[-\s]shots?\b", re.IGNORECASE)

# How a value that may be missing sorts: missing last, text by plain fold and then code points, ids as integers.
RankKey = tuple[bool, int]
TextKey = tuple[bool, str, str]
IdKey = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class RankScope:
    """A rank, which holds among the rows of one task only."""

    task: Link
    rank: int | None


@dataclass(frozen=True, slots=True)
class MergedEvaluation:
    """What equivalent raw rows say together; a missing value is unknown or disputed among them.

    `id`, `task` and `model_name` are those of the row with the best rank; `metrics` has numeric text as numbers.
    """

    id: str
    model_name: str
    metrics: Mapping[str, MetricValue]
    benchmark: Link
    task: Link | None = None
    rank_scopes: tuple[RankScope, ...] = ()
    best_rank: int | None = None
    best_metric: str | None = None
    paper_id: str | None = None
    paper_title: str | None = None
    paper_arxiv_id: str | None = None
    paper_published: str | None = None
    harness: str | None = None
    split: str | None = None
    shots: int | None = None
    is_open: bool | None = None
    num_parameters: int | None = None
    evaluation_protocol: str | None = None
    source_url: str | None = None
    code_url: str | None = None
    hf_model_url: str | None = None
    updated_at: str | None = None
    uses_additional_data: bool | None = None


def merge_leaderboard(rows: Sequence[EvaluationRow]) -> tuple[MergedEvaluation, ...]:
    """The merged rows of one benchmark by best rank (missing last), model name, paper id, id; any input order."""
    return tuple(sorted(_merge(rows), key=leaderboard_key))


def merge_paper(rows: Sequence[EvaluationRow]) -> tuple[MergedEvaluation, ...]:
    """The merged rows of one paper by best rank (missing last), benchmark name, model name, id; any input order."""
    return tuple(sorted(_merge(rows), key=_paper_key))


def merged_sources(rows: Sequence[EvaluationRow]) -> list[tuple[MergedEvaluation, tuple[EvaluationRow, ...]]]:
    """Merged rows with the raw rows that each was made of, in no promised order."""
    return [(_united(cluster), tuple(source.row for source in cluster)) for cluster in _all_clusters(rows)]


def raw_key(row: EvaluationRow) -> tuple[RankKey, IdKey]:
    """The order of raw rows on a leaderboard: best rank (missing last), id."""
    return rank_key(row.best_rank), id_key(row.id)


def leaderboard_key(row: MergedEvaluation) -> tuple[RankKey, TextKey, IdKey, IdKey]:
    """The order of a leaderboard, which also breaks every tie of another order."""
    return rank_key(row.best_rank), text_key(row.model_name), id_key(row.paper_id), id_key(row.id)


def _paper_key(row: MergedEvaluation) -> tuple[RankKey, TextKey, TextKey, IdKey]:
    return rank_key(row.best_rank), text_key(row.benchmark.name), text_key(row.model_name), id_key(row.id)


def rank_key(rank: int | None) -> RankKey:
    """Orders ranks, missing last."""
    return rank is None, rank or 0


def text_key(text: str | None) -> TextKey:
    """Orders texts by plain fold, then code points, missing last."""
    return text is None, plain_fold(text or ""), text or ""


def id_key(identity: str | None) -> IdKey:
    """Orders ids as integers where they are numeric, other ids after them, missing last."""
    if identity is None:
        return 2, 0, ""
    return (0, int(identity), identity) if identity.isascii() and identity.isdigit() else (1, 0, identity)


def shots_of(protocol: str | None) -> int | None:
    """The number in `5-shot` or `5 shot`, ignoring case."""
    match = _SHOTS.search(protocol) if protocol else None
    return int(match.group(1)) if match else None


@dataclass(frozen=True, slots=True)
class _Source:
    """A raw row with what merging asks of it more than once."""

    row: EvaluationRow
    metrics: dict[str, MetricValue]
    shots: int | None


def _clusters(group: Sequence[_Source]) -> list[list[_Source]]:
    """Splits rows of one key into those that may be one: each joins the first cluster that it does not contradict.

    A row fits a cluster if each of its metrics is absent there or has the same value. One bit per cluster keeps that
    cheap when hundreds of rows of one model contradict each other: the lowest bit left is the first that fits.
    """
    if len(group) == 1:
        return [list(group)]
    clusters: list[list[_Source]] = []
    having: dict[str, int] = {}
    equal: dict[tuple[str, MetricValue], int] = {}
    for source in group:
        fitting = (1 << len(clusters)) - 1
        for item in source.metrics.items():
            fitting &= ~having.get(item[0], 0) | equal.get(item, 0)
        bit = fitting & -fitting
        if not bit:
            bit = 1 << len(clusters)
            clusters.append([])
        clusters[bit.bit_length() - 1].append(source)
        for item in source.metrics.items():
            having[item[0]] = having.get(item[0], 0) | bit
            equal[item] = equal.get(item, 0) | bit
    return clusters


def _merge(rows: Iterable[EvaluationRow]) -> Iterable[MergedEvaluation]:
    return [_united(cluster) for cluster in _all_clusters(rows)]


def _all_clusters(rows: Iterable[EvaluationRow]) -> list[list[_Source]]:
    groups: dict[object, list[_Source]] = {}
    for row in sorted(rows, key=_processing_key):
        metrics = {name: clean_value(value) for name, value in row.metrics.items()}
        source = _Source(row, metrics, shots_of(row.methodology))
        groups.setdefault(_group_key(source), []).append(source)
    return [cluster for group in groups.values() for cluster in _clusters(group)]


def _processing_key(row: EvaluationRow) -> tuple[RankKey, IdKey, IdKey, str]:
    # The last two only matter for a source that gives one id to several rows.
    return rank_key(row.best_rank), id_key(row.id), id_key(row.task.id if row.task else None), row.model_name


def _group_key(source: _Source) -> tuple[object, ...]:
    row = source.row
    paper = ("id", row.paper_id) if row.paper_id else ("title", plain_fold(row.paper_title or ""))
    return *paper, row.benchmark.id, plain_fold(row.model_name), row.harness, row.split, source.shots


def _united(cluster: Sequence[_Source]) -> MergedEvaluation:
    """One row of a cluster whose sources are in order of best rank, then id."""
    rows = [source.row for source in cluster]
    best = rows[0]
    metrics: dict[str, MetricValue] = {}
    for source in cluster:
        metrics |= {name: value for name, value in source.metrics.items() if name not in metrics}
    return MergedEvaluation(
        id=best.id,
        model_name=best.model_name,
        metrics=metrics,
        benchmark=best.benchmark,
        task=best.task,
        rank_scopes=_rank_scopes(rows),
        best_rank=best.best_rank,
        best_metric=_first([row.best_metric for row in rows]),
        paper_id=best.paper_id,
        paper_title=_first([row.paper_title for row in rows]),
        paper_arxiv_id=_first([row.paper_arxiv_id for row in rows]),
        paper_published=_first([row.paper_published for row in rows]),
        harness=best.harness,
        split=best.split,
        shots=cluster[0].shots,
        is_open=_agreed([row.is_open for row in rows]),
        num_parameters=_agreed_size(rows),
        evaluation_protocol=_first([row.methodology for row in rows]),
        source_url=_first([row.result_url or row.source_url or row.external_source_url for row in rows]),
        code_url=_first([row.code_url for row in rows]),
        hf_model_url=_first([row.hf_model_url for row in rows]),
        updated_at=max((row.updated_at for row in rows if row.updated_at), default=None),
        uses_additional_data=_agreed([row.uses_additional_data for row in rows]),
    )


def _rank_scopes(rows: Sequence[EvaluationRow]) -> tuple[RankScope, ...]:
    # Rows come by rank, so the first row of a task has the smallest rank of it.
    scopes: dict[str, RankScope] = {}
    for row in rows:
        if row.task is not None:
            scopes.setdefault(row.task.id, RankScope(row.task, row.best_rank))
    if len(scopes) == 1:
        return tuple(scopes.values())
    return tuple(
        sorted(
            scopes.values(), key=lambda scope: (rank_key(scope.rank), text_key(scope.task.name), id_key(scope.task.id))
        )
    )


def _first(values: Sequence[str | None]) -> str | None:
    for value in values:
        if value:
            return value
    return None


def _agreed(values: Sequence[bool | None]) -> bool | None:
    stated = {value for value in values if value is not None}
    return stated.pop() if len(stated) == 1 else None


def _agreed_size(rows: Sequence[EvaluationRow]) -> int | None:
    stated = {row.num_parameters for row in rows if row.num_parameters is not None}
    size = stated.pop() if len(stated) == 1 else 0
    return size if size > 0 else None
