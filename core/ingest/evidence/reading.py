"""Reads an evidence folder: every line of it, with all faults."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from core.catalog.embedded.connection import bindable
from core.errors import BuildFailed
from core.evidence.digests import is_day
from core.evidence.folding import category_fold
from core.evidence.vocabulary import DEFAULT_CATEGORIES, OTHER
from core.ingest.evidence.faults import Faults
from core.ingest.evidence.schema import AUTHOR, CLAIMS_FILE, Json, problems

CLAIMS_NAME = "claims.jsonl"
AUTHORS_NAME = "authors.jsonl"
DIGESTS_NAME = "digests"
CATEGORIES_NAME = "outcome_categories.json"
DIGEST_BYTES_MAX = 28_000
_H1 = re.compile(r"^#[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Line:
    """One record and where it stands."""

    number: int
    record: Json


@dataclass(frozen=True, slots=True)
class DigestText:
    """One digest as it is stored."""

    date: str
    title: str
    markdown: str


@dataclass(slots=True)
class Folder:
    """What a folder holds; sound only as far as its faults say."""

    faults: Faults
    assessments: list[Line] = field(default_factory=list)
    claims: list[Line] = field(default_factory=list)
    relations: list[Line] = field(default_factory=list)
    authors: list[Line] = field(default_factory=list)
    digests: list[DigestText] = field(default_factory=list)
    categories: tuple[str, ...] = DEFAULT_CATEGORIES


def has_evidence(path: Path) -> bool:
    """Whether a folder holds any of the inputs."""
    return any(_is_there(path / name) for name in (CLAIMS_NAME, AUTHORS_NAME, DIGESTS_NAME))


def _is_there(path: Path) -> bool:
    """Whether an input is given; a link to nothing is, and fails where it is read."""
    return os.path.lexists(path)


def read_folder(path: Path) -> Folder:
    """Reads all inputs of a folder; raises `BuildFailed` only where a file cannot be read."""
    folder = Folder(Faults())
    try:
        _read_categories(path / CATEGORIES_NAME, folder)
        kinds = {"assessment": folder.assessments, "claim": folder.claims, "relation": folder.relations}
        for line in _lines(path / CLAIMS_NAME, folder.faults):
            kind = line.record.get("kind")
            if not isinstance(kind, str) or kind not in CLAIMS_FILE:
                folder.faults.add(CLAIMS_NAME, line.number, f"kind must be one of: {', '.join(CLAIMS_FILE)}")
            elif _is_sound(CLAIMS_NAME, line, CLAIMS_FILE[kind], folder.faults):
                kinds[kind].append(line)
        for line in _lines(path / AUTHORS_NAME, folder.faults):
            if _is_sound(AUTHORS_NAME, line, AUTHOR, folder.faults):
                folder.authors.append(line)
        _read_digests(path / DIGESTS_NAME, folder)
    except OSError as error:
        raise BuildFailed(f"{error.filename or path} cannot be read: {error.strerror}. Nothing was built.") from error
    return folder


def _is_sound(file: str, line: Line, keys: Mapping[str, Any], faults: Faults) -> bool:
    found = problems(line.record, keys)
    for reason in found:
        faults.add(file, line.number, reason)
    return not found


def _lines(path: Path, faults: Faults) -> Iterator[Line]:
    if not _is_there(path):
        return
    for number, raw in enumerate(path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not raw.strip():
            continue
        record, reason = _parsed(raw)
        if reason:
            faults.add(path.name, number, reason)
        elif not isinstance(record, dict):
            faults.add(path.name, number, "must be a JSON object")
        else:
            yield Line(number, record)


def _parsed(raw: bytes) -> tuple[Any, str | None]:
    """The value of a line, lone surrogates as U+FFFD, or what is wrong with it."""
    try:
        return orjson.loads(raw), None
    except orjson.JSONDecodeError:
        pass
    try:
        return _paired(json.loads(raw.decode(), parse_constant=_refuse_constant)), None
    except UnicodeDecodeError:
        return None, "is not UTF-8"
    except (ValueError, RecursionError):
        return None, "is not JSON"


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _paired(value: Any) -> Any:
    if isinstance(value, str):
        return bindable(value)
    if isinstance(value, list):
        return [_paired(each) for each in value]
    return {_paired(name): _paired(each) for name, each in value.items()} if isinstance(value, dict) else value


def _read_categories(path: Path, folder: Folder) -> None:
    if not _is_there(path):
        return
    values, _ = _parsed(path.read_bytes())
    if not isinstance(values, list) or not all(
        isinstance(each, str) and each and category_fold(each) == each for each in values
    ):
        folder.faults.add(path.name, 1, "must be a JSON list of slugs such as firm_revenue")
        return
    folder.categories = tuple(sorted({*values, OTHER}))


def _read_digests(path: Path, folder: Folder) -> None:
    if not _is_there(path):
        return
    if not path.is_dir():
        folder.faults.add(path.name, 1, "must be a folder")
        return
    for each in sorted(path.glob("*.md")):
        name = f"{DIGESTS_NAME}/{each.name}"
        if not is_day(each.stem):
            folder.faults.add(name, 1, "the name must be an existing day as YYYY-MM-DD.md")
            continue
        try:
            text = each.read_bytes().removeprefix(b"\xef\xbb\xbf").decode()
        except UnicodeDecodeError:
            folder.faults.add(name, 1, "is not UTF-8")
            continue
        markdown = text.replace("\r\n", "\n").replace("\r", "\n")
        size = len(orjson.dumps(markdown)) - 2
        if size > DIGEST_BYTES_MAX:
            folder.faults.add(name, 1, f"has {size} bytes in JSON, the most is {DIGEST_BYTES_MAX}")
            continue
        heading = _H1.search(_FENCED.sub("", markdown))
        folder.digests.append(DigestText(each.stem, heading[1] if heading else f"Digest {each.stem}", markdown))
