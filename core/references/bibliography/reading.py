"""Reads a bibliography of any format that is known, within bounds."""

from collections.abc import Callable, Iterator
from typing import Literal

from core.errors import InvalidInput, InvalidReference
from core.references.bibliography.bibtex import count_bibtex, read_bibtex
from core.references.bibliography.csl_json import count_csl_json, read_csl_json
from core.references.bibliography.entries import ENTRIES_MAX, ROWS_MAX, BadEntry, Bibliography, Entry, too_many
from core.references.bibliography.identifying import read_reference, refused_line

CONTENT_BYTES_MAX = 1024 * 1024

Format = Literal["csl-json", "bibtex", "refs"]

_FORMATS: dict[str, Format | None] = {
    "auto": None,
    "csl-json": "csl-json",
    "csl_json": "csl-json",
    "bibtex": "bibtex",
    "biblatex": "bibtex",
    "refs": "refs",
}
_FORMAT_OF_ENDING: dict[str, Format] = {
    ".bib": "bibtex",
    ".biblatex": "bibtex",
    ".json": "csl-json",
    ".csl": "csl-json",
}
_FORMAT_OF_MARK: dict[str, Format] = {"@": "bibtex", "[": "csl-json", "{": "csl-json"}


def read_bibliography(
    content: str | bytes,
    *,
    format: str = "auto",
    ending: str | None = None,
    strict: bool = False,
    bytes_max: int = CONTENT_BYTES_MAX,
) -> Bibliography:
    """The entries of a bibliography; `ending` is that of its file, where it has one.

    Raises `InvalidInput` for what cannot be read as a whole or holds too much; `strict` raises the first entry's error.
    """
    if format.lower() not in _FORMATS:
        raise InvalidInput(f"The format is one of {', '.join(_FORMATS)}.")
    text = _decoded(content, bytes_max)
    known = _FORMATS[format.lower()] or _detected(text, ending)
    entries: list[Entry] = []
    bad_entries: list[BadEntry] = []
    for row in _READERS[known](text):
        if isinstance(row, Entry):
            entries.append(row)
        elif strict:
            raise row.error
        else:
            bad_entries.append(row)
        if len(entries) > ENTRIES_MAX or len(entries) + len(bad_entries) > ROWS_MAX:
            raise too_many()
    return Bibliography(tuple(entries), tuple(bad_entries))


def count_entries(content: str, *, format: str = "auto") -> int:
    """How many entries a bibliography seems to have, at most as many as may be followed; 0 for one that is refused."""
    try:
        if format.lower() not in _FORMATS:
            return 0
        text = _decoded(content, CONTENT_BYTES_MAX)
    except InvalidInput:
        return 0
    return min(_COUNTERS[_FORMATS[format.lower()] or _detected(text, None)](text), ENTRIES_MAX)


def _decoded(content: str | bytes, bytes_max: int) -> str:
    try:
        data = content.encode() if isinstance(content, str) else content
        if len(data) > bytes_max:
            raise InvalidInput(f"A bibliography has at most {bytes_max // 1024} KiB. Send it in parts.")
        return data.decode("utf-8-sig")
    except UnicodeError as error:
        raise InvalidInput("The bibliography is not UTF-8 text. Save it as UTF-8 and send it again.") from error


def _detected(text: str, ending: str | None) -> Format:
    if known := _FORMAT_OF_ENDING.get((ending or "").lower()):
        return known
    first = next(_lines(text), "")
    return _FORMAT_OF_MARK.get(first[:1], "refs")


def _read_lines(text: str) -> Iterator[Entry | BadEntry]:
    """One reference a line; blank lines and comments count for nothing."""
    for line in _lines(text):
        try:
            yield Entry(None, read_reference(line))
        except InvalidReference as error:
            yield refused_line(line, error)


def _lines(text: str) -> Iterator[str]:
    return (line for line in map(str.strip, text.splitlines()) if line and line[0] != "#")


_READERS: dict[Format, Callable[[str], Iterator[Entry | BadEntry]]] = {
    "refs": _read_lines,
    "csl-json": read_csl_json,
    "bibtex": read_bibtex,
}
_COUNTERS: dict[Format, Callable[[str], int]] = {
    "refs": lambda text: sum(1 for _ in _lines(text)),
    "csl-json": count_csl_json,
    "bibtex": count_bibtex,
}
