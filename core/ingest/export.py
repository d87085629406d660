"""Writes a catalog in the own format, so that building from it again gives the same content (catalog contract 20.4).

Keys are ids in decimal. Full texts go into the subfolder `texts`, named by id, each under a front matter that names its
paper, so that the text itself may begin in any way.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import orjson

from core.catalog.embedded.manifest import open_manifest
from core.errors import BuildFailed
from core.ingest.export_papers import exported_papers
from core.ingest.inputs import TEXTS_FOLDER

Row = dict[str, Any]


def export_catalog(directory: Path, out: Path) -> Mapping[str, int]:
    """Writes the own format into the new folder `out`; returns the number of rows by file.

    Raises `CatalogUnusable` for a directory that is no whole catalog, `BuildFailed` when `out` cannot be written.
    """
    open_manifest(directory)
    connection = sqlite3.connect(f"file:{quote(str((directory / 'catalog.sqlite').absolute()))}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    try:
        out.mkdir(parents=True)
        counts = {name: _write(out / f"{name}.jsonl", rows) for name, rows in _files(connection)}
        counts[TEXTS_FOLDER] = _write_texts(connection, out / TEXTS_FOLDER)
    except FileExistsError as error:
        raise BuildFailed(f"{out} exists. Give another target for the export.") from error
    except OSError as error:
        raise BuildFailed(f"{out} cannot be written: {error.strerror}.") from error
    finally:
        connection.close()
    return counts


def _files(connection: sqlite3.Connection) -> Iterator[tuple[str, Iterable[Row]]]:
    yield "areas", _plain(connection, "area", "id, name")
    yield "tasks", _tasks(connection)
    yield "methods", _methods(connection)
    yield "conferences", _plain(connection, "conference", _CONFERENCE)
    yield "organizations", _plain(connection, "organization", _ORGANIZATION)
    yield "frameworks", _frameworks(connection)
    yield "authors", _plain(connection, "author", "id, name, hf_username, orcid")
    yield "papers", exported_papers(connection)
    yield "benchmarks", _benchmarks(connection)
    yield "evaluations", _evaluations(connection)
    yield "lineage", _lineage(connection)


_CONFERENCE = "id, name, slug, year, location, start_date, end_date, venue, description, tier, url, hf_url"
_ORGANIZATION = "id, name, slug, is_featured, trending_rank, description, website_url, github_url, hf_url"
_TASK = "id, name, slug, description, area_id, visible, created_at, research_trends, recommended_frameworks"
_METHOD = (
    "method.id, name, method.slug, full_name, description, area_id, introduced_year, method.source_url, source_title,"
    " created_at, paper.id AS source_paper"
)
_FRAMEWORK = (
    "framework.id, name, framework.slug, description, platforms, domain_slug, domain_name, category_slug,"
    " category_name, organization_name, github_url, docs_url, when_to_use, paper.id AS introducing_paper"
)
_BENCHMARK = "id, name, slug, full_name, description, hf_url, metrics, metric_directions, created_at"
_EVALUATION = (
    "benchmark_id, task_id, model_name, metrics, paper.id AS paper, paper_title, paper_published, harness, split,"
    " methodology AS protocol, best_rank AS rank, best_metric, is_open, num_parameters, result_url,"
    " evaluation.source_url, code_url, hf_model_url, updated_at, uses_additional_data"
)
_FLAGS = ("is_featured", "visible", "is_open", "uses_additional_data")


def _stated(row: Row) -> Row:
    """A row less its empty columns, with flags as such."""
    return {
        name: bool(value) if name in _FLAGS else value
        for name, value in row.items()
        if value is not None and value != []
    }


def _select(connection: sqlite3.Connection, table: str, columns: str, rest: str = "") -> Iterator[Row]:
    for row in connection.execute(f"SELECT {columns} FROM {table} {rest} ORDER BY {table}.id"):  # noqa: S608
        yield dict(row)


def _keyed(row: Row) -> Row:
    return _stated({"key": str(row["id"]), **row})


def _plain(connection: sqlite3.Connection, table: str, columns: str) -> Iterator[Row]:
    yield from map(_keyed, _select(connection, table, columns))


def _linked(connection: sqlite3.Connection, statement: str, number: int) -> list[str]:
    return [str(row[0]) for row in connection.execute(statement, (number,))]


def _aliases(connection: sqlite3.Connection, kind: str, number: int) -> list[str]:
    rows = connection.execute(
        "SELECT fold FROM entity_name WHERE kind = ? AND level = 'alias' AND id = ? ORDER BY fold", (kind, number)
    )
    return [row[0] for row in rows]


def _key(number: int | None) -> str | None:
    return None if number is None else str(number)


def _tasks(connection: sqlite3.Connection) -> Iterator[Row]:
    for row in _select(connection, "task", _TASK):
        number = row["id"]
        row["area"] = _key(row.pop("area_id"))
        parents = "SELECT parent_id FROM task_parent WHERE task_id = ? ORDER BY parent_id"
        row["parents"] = _linked(connection, parents, number)
        row["aliases"] = _aliases(connection, "task", number)
        for name in ("research_trends", "recommended_frameworks"):
            row[name] = orjson.loads(row[name])
        yield _keyed(row)


def _methods(connection: sqlite3.Connection) -> Iterator[Row]:
    for row in _select(connection, "method", _METHOD, "LEFT JOIN paper ON paper.pid = source_pid"):
        row["area"] = _key(row.pop("area_id"))
        row["source_paper"] = _key(row["source_paper"])
        yield _keyed(row)


def _frameworks(connection: sqlite3.Connection) -> Iterator[Row]:
    for row in _select(connection, "framework", _FRAMEWORK, "LEFT JOIN paper ON paper.pid = introducing_pid"):
        row["platforms"] = orjson.loads(row["platforms"])
        row["introducing_paper"] = _key(row["introducing_paper"])
        row["organization"] = row.pop("organization_name")
        for label in ("domain", "category"):
            slug, name = row.pop(f"{label}_slug"), row.pop(f"{label}_name")
            row[label] = {"slug": slug, "name": name} if slug and name else None
        yield _keyed(row)


def _benchmarks(connection: sqlite3.Connection) -> Iterator[Row]:
    for row in _select(connection, "benchmark", _BENCHMARK):
        number = row["id"]
        directions = orjson.loads(row.pop("metric_directions"))
        names = orjson.loads(row["metrics"])
        row["metrics"] = [_stated({"name": name, "direction": directions.get(name)}) for name in names]
        tasks = "SELECT task_id FROM benchmark_task WHERE benchmark_id = ? ORDER BY task_id"
        row["tasks"] = _linked(connection, tasks, number)
        row["aliases"] = _aliases(connection, "benchmark", number)
        yield _keyed(row)


def _evaluations(connection: sqlite3.Connection) -> Iterator[Row]:
    for row in _select(connection, "evaluation", _EVALUATION, "LEFT JOIN paper USING (pid)"):
        row["metrics"] = orjson.loads(row["metrics"])
        row["paper"] = _key(row["paper"])
        yield _stated({"benchmark": str(row.pop("benchmark_id")), "task": str(row.pop("task_id")), **row})


def _lineage(connection: sqlite3.Connection) -> Iterator[Row]:
    rows = connection.execute(
        "SELECT one.id, other.id FROM lineage JOIN paper AS one ON one.pid = predecessor"
        " JOIN paper AS other ON other.pid = successor ORDER BY 1, 2"
    )
    for one, other in rows:
        yield {"predecessor": str(one), "successor": str(other)}


def _write(path: Path, rows: Iterable[Row]) -> int:
    """Writes one file; none for an entity without rows."""
    count = 0
    rows = iter(rows)
    first = next(rows, None)
    if first is None:
        return count
    with path.open("wb") as file:
        for row in chain([first], rows):
            file.write(orjson.dumps(row) + b"\n")
            count += 1
    return count


def _write_texts(connection: sqlite3.Connection, folder: Path) -> int:
    count = 0
    for number, body in connection.execute("SELECT id, body FROM fulltext JOIN paper USING (pid) ORDER BY id"):
        folder.mkdir(exist_ok=True)
        front = f"---\npaper: {number}\n---\n".encode()
        (folder / f"{number}.md").write_bytes(front + cast(bytes, body))
        count += 1
    return count
