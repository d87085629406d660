"""The manifest of a built catalog: what is in it, where it came from, and the hashes that prove it whole."""

import dataclasses
import glob
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import blake3
import orjson
from pydantic import TypeAdapter, ValidationError

from core.errors import CatalogUnusable

FORMAT = 1
MANIFEST_NAME = "manifest.json"
REPLACED = ".replaced-"
"""In the name of a folder beside a catalog: what a build moves away while it replaces the catalog."""
_BUFFER_BYTES = 8 * 2**20
_REBUILD = "Rebuild it with `paperdesk catalog build`, or copy the whole directory again."


@dataclasses.dataclass(frozen=True, slots=True)
class SourceRecord:
    """One input of a build: its rows read, kept, skipped and merged by reason; values left out of kept rows."""

    kind: str
    name: str
    sha256: str
    licence: str | None
    read: int
    kept: int
    skipped: Mapping[str, int]
    merged: Mapping[str, int]
    left_out: Mapping[str, int]


@dataclasses.dataclass(frozen=True, slots=True)
class EmbeddingRecord:
    """The vector space of the catalog's vectors and the paper fields that were embedded."""

    model: str
    dimensions: int
    fields: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class FileRecord:
    """Size and BLAKE3 of one file of the catalog."""

    bytes: int
    blake3: str


@dataclasses.dataclass(frozen=True, slots=True)
class Manifest:
    """What a catalog directory says of itself. `files` are keyed by relative path with `/`."""

    format: int
    built_at: str
    as_of: str | None
    content_id: str
    counts: Mapping[str, int]
    sources: tuple[SourceRecord, ...]
    embedding: EmbeddingRecord | None
    conflicts: Mapping[str, int]
    files: Mapping[str, FileRecord]
    seal: str


_MANIFEST = TypeAdapter(Manifest)


def file_record(path: Path) -> FileRecord:
    """Size and hash of a file."""
    # Read through one bounded buffer: hashing a mapped file would count the whole catalog as resident memory.
    hasher = blake3.blake3(max_threads=blake3.blake3.AUTO)
    buffer = memoryview(bytearray(_BUFFER_BYTES))
    size = 0
    with path.open("rb", buffering=0) as file:
        while count := file.readinto(buffer):
            hasher.update(buffer[:count])
            size += count
    return FileRecord(size, hasher.hexdigest())


def _seal(fields: Mapping[str, Any]) -> str:
    unsealed = {name: value for name, value in fields.items() if name != "seal"}
    return blake3.blake3(orjson.dumps(unsealed, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _is_content(path: Path) -> bool:
    return path.name != MANIFEST_NAME and path.suffix != ".lock"


def write_manifest(
    directory: Path,
    *,
    built_at: str,
    as_of: str | None,
    content_id: str,
    counts: Mapping[str, int],
    sources: Sequence[SourceRecord],
    embedding: EmbeddingRecord | None,
    conflicts: Mapping[str, int],
) -> Manifest:
    """Hashes every file but locks of a finished catalog directory and writes the sealed manifest; returns it."""
    paths = sorted(path for path in directory.rglob("*") if path.is_file() and _is_content(path))
    manifest = Manifest(
        format=FORMAT,
        built_at=built_at,
        as_of=as_of,
        content_id=content_id,
        counts=dict(counts),
        sources=tuple(sources),
        embedding=embedding,
        conflicts=dict(conflicts),
        files={path.relative_to(directory).as_posix(): file_record(path) for path in paths},
        seal="",
    )
    fields = orjson.loads(orjson.dumps(manifest))
    fields["seal"] = _seal(fields)
    (directory / MANIFEST_NAME).write_bytes(orjson.dumps(fields, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS))
    return dataclasses.replace(manifest, seal=fields["seal"])


def _advice_on_missing(directory: Path) -> str:
    try:
        moved = next(iter(sorted(directory.parent.glob(f".{glob.escape(directory.name)}{REPLACED}*"))), None)
    except (OSError, ValueError):
        moved = None
    if moved is None:
        return "Build one with `paperdesk catalog build`."
    return f"A replacement that was cut short moved it to {moved}: rename that back, or build the catalog again."


def _read(directory: Path) -> Manifest:
    if not os.path.isdir(directory):  # unlike the path's own method, False for names that no file can have
        raise CatalogUnusable(f"There is no catalog directory at {directory}. {_advice_on_missing(directory)}")
    try:
        data = (directory / MANIFEST_NAME).read_bytes()
        fields = orjson.loads(data)
    except FileNotFoundError:
        raise CatalogUnusable(
            f"{directory} holds no {MANIFEST_NAME}, so it is no finished catalog. {_REBUILD}"
        ) from None
    except (OSError, orjson.JSONDecodeError) as error:
        raise CatalogUnusable(f"The {MANIFEST_NAME} of {directory} cannot be read. {_REBUILD}") from error
    if not isinstance(fields, dict) or type(fields.get("format")) is not int:
        raise CatalogUnusable(f"The {MANIFEST_NAME} of {directory} names no format. {_REBUILD}")
    if fields["format"] != FORMAT:
        raise CatalogUnusable(
            f"The catalog at {directory} has format {fields['format']}, this paperdesk reads format {FORMAT}. "
            "Rebuild it with this version's `paperdesk catalog build`, or run the paperdesk version that built it."
        )
    if fields.get("seal") != _seal(fields):
        raise CatalogUnusable(f"The {MANIFEST_NAME} of {directory} was changed after the build. {_REBUILD}")
    try:
        return _MANIFEST.validate_json(data, strict=True)
    except ValidationError as error:
        raise CatalogUnusable(
            f"The {MANIFEST_NAME} of {directory} lacks a field or has one of another type. {_REBUILD}"
        ) from error


def open_manifest(directory: Path) -> Manifest:
    """The manifest of a catalog directory, after every file that it lists was found whole.

    Raises `CatalogUnusable` that says what is wrong: no directory, no readable manifest, another format, a broken seal,
    or a file that is missing, of another size or of another content. Memory stays at one buffer.
    """
    manifest = _read(directory)
    for name, record in manifest.files.items():
        path = directory / name
        try:
            size = path.stat().st_size
            if size != record.bytes:
                raise CatalogUnusable(
                    f"{name} of the catalog at {directory} has {size} bytes instead of {record.bytes}. {_REBUILD}"
                )
            if file_record(path) != record:
                raise CatalogUnusable(f"The content of {name} of the catalog at {directory} was changed. {_REBUILD}")
        except FileNotFoundError:
            raise CatalogUnusable(f"{name} is missing from the catalog at {directory}. {_REBUILD}") from None
        except (OSError, ValueError) as error:  # a name that no file can have, such as one with a NUL
            raise CatalogUnusable(f"{name!r} of the catalog at {directory} cannot be read. {_REBUILD}") from error
    return manifest
