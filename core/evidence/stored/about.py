"""What an evidence set says of itself: versions, counts, vector space and the hashes that prove it whole."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson
from pydantic import TypeAdapter, ValidationError

from core.catalog.embedded.manifest import FileRecord, file_record
from core.errors import CatalogUnusable

FOLDER = "evidence"
"""Where a catalog directory keeps its evidence set."""

FORMAT = 1
ABOUT_NAME = "evidence.json"
_REBUILD = "Rebuild it with `paperdesk catalog build`, or copy the whole directory again."


@dataclass(frozen=True, slots=True)
class About:
    """`model` and `dimensions` of the vectors, where there are any; `files` by relative path with `/`."""

    format: int
    corpus_version: str
    weight_version: str
    counts: Mapping[str, int]
    model: str | None
    dimensions: int | None
    files: Mapping[str, FileRecord]


_ABOUT = TypeAdapter(About)


def write_about(
    directory: Path,
    *,
    corpus_version: str,
    weight_version: str,
    counts: Mapping[str, int],
    space: tuple[str, int] | None,
) -> None:
    """Hashes every file of a finished set and writes what it says of itself."""
    paths = sorted(path for path in directory.rglob("*") if path.is_file() and path.name != ABOUT_NAME)
    about = About(
        format=FORMAT,
        corpus_version=corpus_version,
        weight_version=weight_version,
        counts=dict(counts),
        model=space[0] if space else None,
        dimensions=space[1] if space else None,
        files={path.relative_to(directory).as_posix(): file_record(path) for path in paths},
    )
    (directory / ABOUT_NAME).write_bytes(orjson.dumps(about, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS))


def located(directory: Path) -> Path | None:
    """The evidence set that a directory is or holds; None where there is none."""
    for each in (directory, directory / FOLDER):
        if (each / ABOUT_NAME).is_file():
            return each
    return None


def read_about(directory: Path, *, checked: bool) -> About:
    """What a set says of itself, after its files were found whole; `checked` says that somebody did that already.

    Raises `CatalogUnusable`.
    """
    try:
        about = _ABOUT.validate_json((directory / ABOUT_NAME).read_bytes(), strict=True)
    except (OSError, ValidationError) as error:
        raise CatalogUnusable(f"The {ABOUT_NAME} of {directory} cannot be read. {_REBUILD}") from error
    if about.format != FORMAT:
        raise CatalogUnusable(
            f"The evidence set at {directory} has format {about.format}, this paperdesk reads format {FORMAT}."
            f" {_REBUILD}"
        )
    if not checked:
        _check(directory, about)
    return about


def _check(directory: Path, about: About) -> None:
    for name, record in about.files.items():
        try:
            is_whole = file_record(directory / name) == record
        except (OSError, ValueError):
            is_whole = False
        if not is_whole:
            raise CatalogUnusable(f"{name} of the evidence set at {directory} is missing or was changed. {_REBUILD}")
