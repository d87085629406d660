"""The own format: a folder with one strict JSON-lines file per entity (catalog contract 20.4).

A subfolder `texts` with Markdown files, as an export writes it, is read with the folder.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from core.catalog.models import EntityKind
from core.errors import BuildFailed, InvalidInput
from core.folds import plain_fold
from core.ingest import own_papers
from core.ingest.cleaning import clean_label, clean_name, clean_text
from core.ingest.facts import STATED, EntityFacts, EvaluationFacts, PaperRef, natural_key
from core.ingest.own_keys import OwnKeys
from core.ingest.own_schema import check_row
from core.ingest.report import FileReport
from core.ingest.staging import Input

Numbered = tuple[str, int, Any]
Own = dict[str, Any]

_KINDS = {
    "areas": EntityKind.AREA,
    "tasks": EntityKind.TASK,
    "methods": EntityKind.METHOD,
    "conferences": EntityKind.CONFERENCE,
    "organizations": EntityKind.ORGANIZATION,
    "frameworks": EntityKind.FRAMEWORK,
    "benchmarks": EntityKind.BENCHMARK,
}
_PROSE = frozenset({"description", "when_to_use"})
_SAME = frozenset(
    [
        "full_name",
        "description",
        "visible",
        "created_at",
        "introduced_year",
        "source_url",
        "source_title",
        "year",
        "location",
        "start_date",
        "end_date",
        "venue",
        "tier",
        "url",
        "hf_url",
        "is_featured",
        "trending_rank",
        "website_url",
        "github_url",
        "docs_url",
        "when_to_use",
        "aliases",
        "research_trends",
        "recommended_frameworks",
        "platforms",
        "slug",
    ]
)


def read_own(name: str, rows: Iterator[Numbered], file: FileReport, sink: Input, keys: OwnKeys) -> None:
    """Stages one file, `name` being its entity; raises `BuildFailed` naming file and line at the first fault."""
    keys.file = file.path
    if name == "papers":
        keys.papers_file = file.path
    if name in _KINDS:
        _read_entities(_KINDS[name], name, rows, file, sink, keys)
        return
    reader: Callable[[Own, Input, OwnKeys, int], None] = _READERS[name]
    for _, number, row in checked(name, rows, file):
        with _Located(file, number):
            reader(row, sink, keys, number)
        file.kept += 1


class _Located:
    """Turns a fault of a row into a failure of the build that names file and line."""

    def __init__(self, file: FileReport, line: int) -> None:
        self._file = file
        self._line = line

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, InvalidInput):
            raise failed(self._file, self._line, error.message) from error


def failed(file: FileReport, line: int, fault: str) -> BuildFailed:
    """The failure of a strict file."""
    return BuildFailed(f"{file.path}, line {line}: {fault}. Nothing was built.")


def checked(name: str, rows: Iterator[Numbered], file: FileReport) -> Iterator[tuple[str, int, Own]]:
    """The rows of one file in its schema."""
    for unit, number, row in rows:
        if file.bad:
            break
        with _Located(file, number):
            own = check_row(name, row)
        yield unit, number, own
    if file.bad:
        raise BuildFailed(f"{file.path}, {file.samples[0].position}: {file.samples[0].reason}. Nothing was built.")


def _read_entities(
    kind: EntityKind, name: str, rows: Iterator[Numbered], file: FileReport, sink: Input, keys: OwnKeys
) -> None:
    # Taxonomies are short: they are read whole, since a row may refer to a later one (a task to its parent).
    held = [(number, row) for _, number, row in checked(name, rows, file)]
    naturals: dict[str, tuple[int, Own]] = {}
    for number, row in sorted(held, key=lambda each: (int(each[1].get("id") or 0), each[1]["key"])):
        natural = _natural(kind, row)
        if natural in naturals:
            # Two things of one name are told apart by their own ids; the one with the smallest id keeps the plain key.
            if "id" not in row or "id" not in naturals[natural][1]:
                raise failed(file, number, f"`{row['name']}` is described twice; give both rows an `id`")
            natural = f"{natural}#{row['id']}"
        naturals[natural] = (number, row)
        if not keys.define(kind.value, row["key"], natural):
            raise failed(file, number, f"the key `{row['key']}` is used twice")
        if kind is EntityKind.ORGANIZATION:
            keys.define("organization name", row["key"], clean_label(row["name"]))
    for natural, (number, row) in naturals.items():
        with _Located(file, number):
            sink.entity(kind, natural, _entity_facts(row, keys, number), line=number)
            if kind is EntityKind.BENCHMARK:
                _tables(row, natural, sink, keys, number)
        file.kept += 1


def _natural(kind: EntityKind, row: Own) -> str:
    label = clean_label(row["name"])
    given = row.get("slug")
    if kind is EntityKind.CONFERENCE and given is None and "year" in row and str(row["year"]) not in label:
        return natural_key(kind, f"{label} {row['year']}")
    return natural_key(kind, label, given_slug=given)


def _clean(name: str, value: Any) -> Any:
    if isinstance(value, str):
        return (clean_text if name in _PROSE else clean_name)(value)
    if isinstance(value, list):
        return [each for each in (_clean(name, item) for item in value) if each is not None]
    if isinstance(value, Mapping):
        return {key: _clean(key, each) for key, each in value.items()}
    return value


def _entity_facts(row: Own, keys: OwnKeys, number: int) -> EntityFacts:
    facts: EntityFacts = {name: _clean(name, row[name]) for name in row.keys() & _SAME}
    facts["name"] = clean_label(row["name"])
    if "id" in row:
        facts["id"] = int(row["id"])
    if "area" in row:
        facts["area"] = keys.natural("area", row["area"])
    if "parents" in row:
        facts["parents"] = [keys.natural("task", key) for key in row["parents"]]
    for label in ("domain", "category"):
        if label in row:
            facts[f"{label}_slug"], facts[f"{label}_name"] = row[label]["slug"], clean_label(row[label]["name"])
    if "organization" in row:
        facts["organization_name"] = keys.organization_name(row["organization"])
    for name in ("source_paper", "introducing_paper"):
        if name in row:
            facts[name] = keys.paper(row[name], number)
    if "metrics" in row:
        facts["metrics"] = [clean_label(metric["name"]) for metric in row["metrics"]]
        directed = [metric for metric in row["metrics"] if metric.get("direction")]
        facts["metric_directions"] = {clean_label(metric["name"]): metric["direction"] for metric in directed}
    return facts


def _tables(row: Own, natural: str, sink: Input, keys: OwnKeys, number: int) -> None:
    for key in row.get("tasks", ()):
        sink.scope(natural, keys.natural("task", key), [], line=number)


def _author(row: Own, sink: Input, keys: OwnKeys, number: int) -> None:
    label = clean_label(row["name"])
    natural = f"id:{int(row['id'])}" if "id" in row else keys.author_by_name(plain_fold(label), row["key"])
    if not keys.define("author", row["key"], natural):
        raise InvalidInput(f"the key `{row['key']}` is used twice")
    facts = {"name": label, "hf_username": row.get("hf_username"), "orcid": row.get("orcid")}
    sink.author(natural, {name: value for name, value in facts.items() if value is not None})


def _evaluation(row: Own, sink: Input, keys: OwnKeys, number: int) -> None:
    benchmark, task = keys.natural("benchmark", row["benchmark"]), keys.natural("task", row["task"])
    paper = keys.paper(row["paper"], number) if "paper" in row else PaperRef(idents=[])
    title = clean_name(row["paper_title"]) if "paper_title" in row else None
    if title and not paper["idents"]:
        paper = PaperRef(idents=[], title=title, set=sink.source_set)
    facts = EvaluationFacts(model_name=clean_label(row["model_name"]), paper=paper)
    facts["metrics"] = {
        clean_label(name): clean_label(value) if isinstance(value, str) else value
        for name, value in row["metrics"].items()
    }
    if title:
        facts["paper_title"] = title
    renamed = {"protocol": "methodology", "rank": "best_rank"}
    for name in row.keys() - {"benchmark", "task", "paper", "paper_title", "model_name", "metrics"}:
        facts[renamed.get(name, name)] = _clean(name, row[name])  # type: ignore[literal-required]
    sink.evaluation(benchmark, task, facts, line=number)


def _lineage(row: Own, sink: Input, keys: OwnKeys, number: int) -> None:
    predecessor, successor = keys.paper(row["predecessor"], number), keys.paper(row["successor"], number)
    sink.lineage(predecessor, successor, STATED, f"line {number}")


_READERS: dict[str, Callable[[Own, Input, OwnKeys, int], None]] = {
    "authors": _author,
    "papers": own_papers.read_paper,
    "evaluations": _evaluation,
    "lineage": _lineage,
}
