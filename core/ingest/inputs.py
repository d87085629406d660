"""Finds the files of each source and has each read by its format."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import BuildFailed
from core.ingest.arxiv import ArxivReader
from core.ingest.facts import Precedence
from core.ingest.markdown import read_texts
from core.ingest.openalex import OpenAlexReader
from core.ingest.own_format import read_own
from core.ingest.own_keys import OwnKeys
from core.ingest.own_schema import FILES
from core.ingest.pwc import read_each, read_pwc
from core.ingest.report import FileReport, readable_name
from core.ingest.sources import Source, SourceKind
from core.ingest.staging import Input, Staging
from core.ingest.streaming import rows

TEXTS_FOLDER = "texts"
_JSON_ENDINGS = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
_OWN_ENDINGS = (".jsonl", ".jsonl.gz")


@dataclass(slots=True)
class InputFile:
    """One file, or one folder of full texts, to be read as one input."""

    kind: SourceKind
    report: FileReport
    entity: str = ""
    folder: int = 0
    texts: list[Path] = field(default_factory=list)

    @property
    def paths(self) -> list[Path]:
        """The files on disk."""
        return self.texts if self.kind is SourceKind.MARKDOWN else [self.report.path]

    @property
    def bytes(self) -> int:
        """How much there is to read."""
        try:
            return sum(path.stat().st_size for path in self.paths)
        except OSError as error:
            raise BuildFailed(f"{self.report.path} cannot be read: {error.strerror}. Nothing was built.") from error


def find_inputs(sources: Sequence[Source]) -> list[InputFile]:
    """The files of all sources in an order in which each may be read; raises `BuildFailed` for one that is missing."""
    if not sources:
        raise BuildFailed("No source was given. Name at least one, such as pwc:dumps/.")
    inputs: list[InputFile] = []
    for number, source in enumerate(sources):
        if not os.path.exists(source.path):  # unlike the path's own method, False for names that no file can have
            raise BuildFailed(f"The source {source.kind}:{source.path} does not exist. Nothing was built.")
        found = list(_found(source, number))
        if not found:
            raise BuildFailed(f"The source {source.kind}:{source.path} holds no file of its kind. Nothing was built.")
        for path in (path for each in found for path in each.paths):
            _check_regular(path)
        inputs.extend(found)
    return inputs


def _check_regular(path: Path) -> None:
    """A pipe or a device would be waited for, or read, without an end."""
    try:
        is_regular = stat.S_ISREG(path.stat().st_mode)
    except OSError as error:
        raise BuildFailed(f"{path} cannot be read: {error.strerror}. Nothing was built.") from error
    if not is_regular:
        raise BuildFailed(f"{path} is no regular file, so it cannot be a source. Nothing was built.")


def _found(source: Source, number: int) -> Iterator[InputFile]:
    if source.kind is SourceKind.PAPERDESK:
        yield from _own_files(source.path, number)
    elif source.kind is SourceKind.MARKDOWN:
        texts = _text_files(source.path) if source.path.is_dir() else [source.path]
        if texts:
            yield _texts(source.path, texts)
    else:
        for path in _json_files(source.path):
            yield InputFile(source.kind, FileReport(source.kind.value, readable_name(Path(path.name)), path))


def _json_files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted(each for each in path.rglob("*") if each.name.endswith(_JSON_ENDINGS) and not each.is_dir())


def _text_files(folder: Path) -> list[Path]:
    return sorted(each for each in folder.rglob("*.md") if not each.is_dir())


def _texts(root: Path, paths: list[Path]) -> InputFile:
    report = FileReport(SourceKind.MARKDOWN.value, readable_name(Path(root.name)), root, shape="texts")
    return InputFile(SourceKind.MARKDOWN, report, texts=paths)


def _own_files(path: Path, number: int) -> Iterator[InputFile]:
    folder = path if path.is_dir() else path.parent
    present = {each.name: each for each in (sorted(path.iterdir()) if path.is_dir() else [path]) if not each.is_dir()}
    for entity in FILES:
        for ending in _OWN_ENDINGS:
            if each := present.pop(entity + ending, None):
                report = FileReport(SourceKind.PAPERDESK.value, each.name, each, shape=entity)
                yield InputFile(SourceKind.PAPERDESK, report, entity=entity, folder=number)
    strangers = [name for name in present if name.endswith(_OWN_ENDINGS)]
    if strangers:
        known = ", ".join(FILES)
        raise BuildFailed(f"{folder / strangers[0]} is none of the own format's files: {known}. Nothing was built.")
    if path.is_dir() and (texts := _text_files(folder / TEXTS_FOLDER)):
        yield _texts(folder / TEXTS_FOLDER, texts)


class InputReader:
    """Reads input files one after the other into the staging database."""

    def __init__(self, staging: Staging, *, categories: Iterable[str], topics_as_tasks: bool) -> None:
        self._staging = staging
        self._arxiv = ArxivReader(frozenset(categories))
        self._openalex = OpenAlexReader(topics_as_tasks=topics_as_tasks)
        self._keys: dict[int, OwnKeys] = {}

    def read(self, each: InputFile, advanced: Callable[[int], None]) -> None:
        """Stages one file whole; raises `BuildFailed`."""
        file = each.report
        match each.kind:
            case SourceKind.PWC:
                read_pwc(rows(file, advanced), file, self._staging)
            case SourceKind.ARXIV:
                file.shape, file.licence = "arxiv-metadata", "CC0 1.0"
                sink = self._sink(file, Precedence.ARXIV, "arxiv")
                wanted = (row for row in rows(file, advanced) if self._wants(file, row))
                read_each(wanted, file, sink, self._arxiv.read)
            case SourceKind.OPENALEX:
                file.shape, file.licence = "works", "CC0 1.0"
                sink = self._sink(file, Precedence.OPENALEX, "openalex")
                read_each(rows(file, advanced), file, sink, self._openalex.read)
            case SourceKind.PAPERDESK:
                keys = self._keys.get(each.folder) or OwnKeys(self._staging, each.folder)
                self._keys[each.folder] = keys
                sink = self._sink(file, Precedence.OWN, keys.scheme)
                read_own(each.entity, rows(file, advanced), file, sink, keys)
            case SourceKind.MARKDOWN:
                root = file.path if file.path.is_dir() else file.path.parent
                read_texts(each.texts, root, file, self._sink(file, Precedence.OWN, "markdown"), advanced)

    def _sink(self, file: FileReport, precedence: Precedence, source_set: str) -> Input:
        sink = Input(self._staging, precedence, source_set, file.left_out)
        file.input = sink.number
        return sink

    def _wants(self, file: FileReport, row: tuple[str, int, object]) -> bool:
        # A row that is no object is left to the reader, which names it as bad.
        if not isinstance(row[2], dict) or self._arxiv.wants(row[2]):
            return True
        file.skip("in none of the wanted categories", f"{row[0]} {row[1]}", bad=False)
        return False

    def check_references(self) -> None:
        """Raises `BuildFailed` for a folder of the own format whose papers' keys are used twice or dangling."""
        self._staging.flush()
        self._staging.connection.execute("CREATE INDEX own_paper_key ON own_paper(owner, key)")
        for keys in self._keys.values():
            if fault := keys.paper_fault():
                raise BuildFailed(f"{fault}. Nothing was built.")
