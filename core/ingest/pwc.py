"""Papers With Code archive dumps (catalog contract 20.1): tells the five shapes apart by their fields.

All files of one build that are in these shapes form one source set: a result that names its paper only by title may be
linked to a paper of any of them.
"""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from core.errors import BuildFailed, InvalidInput
from core.ingest.facts import Precedence
from core.ingest.fields import Row, as_row
from core.ingest.pwc_datasets import read_dataset
from core.ingest.pwc_evaluations import read_task
from core.ingest.pwc_links import read_link
from core.ingest.pwc_methods import read_method
from core.ingest.pwc_papers import read_paper
from core.ingest.report import FileReport
from core.ingest.staging import Input, Staging

LICENCE = "CC BY-SA 4.0"
SOURCE_SET = "pwc"

Numbered = tuple[str, int, Any]
ReadRow = Callable[[Row, Input, int], None]
_ROW_READERS: dict[str, ReadRow] = {
    "papers-with-abstracts": read_paper,
    "links-between-papers-and-code": read_link,
    "methods": read_method,
    "datasets": read_dataset,
}
EVALUATION_TABLES = "evaluation-tables"
_SHAPES = ", ".join((*_ROW_READERS, EVALUATION_TABLES))


def shape_of(row: Row) -> str | None:
    """The shape that a row's fields tell, or None."""
    keys = row.keys()
    if "repo_url" in keys:
        return "links-between-papers-and-code"
    if "task" in keys and ("datasets" in keys or "subtasks" in keys):
        return EVALUATION_TABLES
    if "collections" in keys:
        return "methods"
    if "variants" in keys or "data_loaders" in keys or "modalities" in keys:
        return "datasets"
    if "paper_url" in keys and "title" in keys:
        return "papers-with-abstracts"
    return None


def read_pwc(rows: Iterator[Numbered], file: FileReport, staging: Staging) -> None:
    """Stages one file. Raises `BuildFailed` when its first rows have none of the shapes."""
    file.licence = LICENCE
    held: list[Numbered] = []
    shape: str | None = None
    for each in rows:
        held.append(each)
        shape = shape_of(each[2]) if isinstance(each[2], dict) else None
        if shape is not None or len(held) >= 100:
            break
    if not held:
        return
    if shape is None:
        raise BuildFailed(f"{file.path} has the fields of none of these archive files: {_SHAPES}. Nothing was built.")
    file.shape = shape
    precedence = Precedence.ARCHIVE_LINKS if shape == "links-between-papers-and-code" else Precedence.ARCHIVE
    sink = Input(staging, precedence, SOURCE_SET, file.left_out)
    file.input = sink.number
    if shape == EVALUATION_TABLES:
        # A task is no row of its own: the results below it are counted.
        _read_tables(chain(held, rows), file, sink)
    else:
        read_each(chain(held, rows), file, sink, _ROW_READERS[shape])


def read_each(rows: Iterator[Numbered], file: FileReport, sink: Input, read_row: ReadRow) -> None:
    """Reads row by row; a row that breaks the shape is skipped and counted as bad with its reason."""
    for unit, number, row in rows:
        try:
            read_row(as_row(row), sink, number)
        except InvalidInput as error:
            file.skip(error.message, f"{unit} {number}", bad=True)
        else:
            file.kept += 1


def _read_tables(rows: Iterator[Numbered], file: FileReport, sink: Input) -> None:
    for unit, number, row in rows:
        file.read -= 1
        try:
            task = as_row(row)
        except InvalidInput as error:
            file.read += 1
            file.skip(error.message, f"{unit} {number}", bad=True)
        else:
            read_task(task, sink, file, f"{unit} {number}")
