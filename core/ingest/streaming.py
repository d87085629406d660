"""Reads rows of JSON lists and JSON lines, plain or gzipped, with memory bounded by one row.

Lists go through the decoder of the standard library, which parses one element at a given place of a buffer: measured
as fast as the yajl binding `ijson` (about 500 MB/s), and a lone surrogate can be told from a question mark, which yajl
makes of it.
"""

import gzip
import hashlib
import io
import json
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, cast

import orjson

from core.errors import BuildFailed
from core.ingest.report import FileReport

CHUNK_BYTES = 1 << 20
MAX_ROW_BYTES = 512 << 20
"""A task of evaluation tables is one element with all that hangs below it; the largest public one is under 40 MiB."""

_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_BETWEEN = re.compile(r"[ \t\r\n]*")
_AFTER_VALUE = frozenset(" \t\r\n,]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_LONG_DIGITS = 19
_NOT_JSON = "not JSON"


class _HashingReader(io.RawIOBase):
    """Passes bytes on, hashes them, and tells how many went by."""

    def __init__(self, raw: IO[bytes], advanced: Callable[[int], None]) -> None:
        self._raw = raw
        self._advanced = advanced
        self.sha256 = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = cast(Any, self._raw).readinto(buffer)
        if count:
            self.sha256.update(memoryview(buffer)[:count])
            self._advanced(count)
        return int(count or 0)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _whole_number(text: str) -> int | float:
    """What does not fit 64 bits comes as the faster parser gives it, and as storage could take it: a float."""
    if len(text) < _LONG_DIGITS:
        return int(text)
    value = int(text) if len(text) <= _LONG_DIGITS + 1 else None
    return value if value is not None and -(1 << 63) <= value < 1 << 64 else float(text)


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=_whole_number)


def parsed_line(line: bytes) -> Any:
    """One JSON text, lone surrogates as U+FFFD. Raises `ValueError`."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        # Of what is JSON, only lone surrogates are refused by the faster parser.
        return _without_surrogates(_DECODER.decode(line.decode("utf-8")))


def _without_surrogates(value: Any) -> Any:
    """Names, keys and identifiers go to storage as they were read, and it takes no lone surrogate."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_without_surrogates(each) for each in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(each) for key, each in value.items()}
    return value


def rows(file: FileReport, advanced: Callable[[int], None]) -> Iterator[tuple[str, int, Any]]:
    """Yields (unit, number from 1, row) of one file, where the unit is `line` or `element`.

    Counts `read`, skips lines that are not JSON, and sets `sha256` at the end. Raises `BuildFailed` for a file that
    cannot be read: no permission, broken gzip, not UTF-8, a list that is not JSON.
    """
    try:
        with file.path.open("rb", buffering=0) as raw:
            hashing = _HashingReader(raw, advanced)
            buffered = io.BufferedReader(hashing, CHUNK_BYTES)
            yield from _rows_of(_plain(cast(Any, buffered)), file)
            while buffered.read(CHUNK_BYTES):
                pass
            file.sha256 = hashing.sha256.hexdigest()
    except (OSError, EOFError, zlib.error) as error:
        raise BuildFailed(f"{file.path} cannot be read: {_cause(error)}. Nothing was built.") from error
    except UnicodeDecodeError as error:
        raise BuildFailed(f"{file.path} is not UTF-8. Nothing was built.") from error


def _cause(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return "its compressed data is broken or cut off"


def _plain(buffered: io.BufferedReader) -> io.BufferedReader:
    if buffered.peek(2)[:2] == _GZIP:
        buffered = io.BufferedReader(cast(Any, gzip.GzipFile(fileobj=buffered, mode="rb")), CHUNK_BYTES)
    if buffered.peek(3)[:3] == _BOM:
        buffered.read(3)
    return buffered


def _rows_of(stream: io.BufferedReader, file: FileReport) -> Iterator[tuple[str, int, Any]]:
    while (ahead := stream.peek(1)) and not ahead.lstrip():
        stream.read(len(ahead))
    if ahead.lstrip()[:1] == b"[":
        stream.read(len(ahead) - len(ahead.lstrip()))
        return _elements(stream, file)
    return _lines(stream, file)


def _lines(stream: io.BufferedReader, file: FileReport) -> Iterator[tuple[str, int, Any]]:
    number = 0
    while line := stream.readline(MAX_ROW_BYTES):
        number += 1
        if line.isspace():
            continue
        file.read += 1
        try:
            row = parsed_line(line)
        except (ValueError, RecursionError):
            file.skip(_NOT_JSON, f"line {number}", bad=True)
            continue
        yield "line", number, row


def _elements(stream: io.BufferedReader, file: FileReport) -> Iterator[tuple[str, int, Any]]:
    text = io.TextIOWrapper(cast(Any, stream), encoding="utf-8", newline="")
    text.read(1)
    window = _Window(text, file.path)
    number = 0
    while not window.ends_with("]"):
        number += 1
        window.element = number
        if number > 1:
            window.take(",")
        row = window.value()
        file.read += 1
        yield "element", number, row
    window.expect_end()
    text.detach()


class _Window:
    """The part of a text that is in memory: grows until one JSON value fits, and lets go of what was read."""

    def __init__(self, text: io.TextIOWrapper, path: Path) -> None:
        self._text = text
        self._path = path
        self._buffer = ""
        self._at = 0
        self.element = 0
        """The number of the element that is being read, from 1."""

    def _fault(self, said: str) -> BuildFailed:
        return BuildFailed(f"{self._path} {said}{'' if said.endswith('?') else '.'} Nothing was built.")

    def _more(self) -> bool:
        rest = len(self._buffer) - self._at
        if rest > MAX_ROW_BYTES:
            raise self._fault(f"holds an element of over {MAX_ROW_BYTES} bytes: element {self.element}")
        piece = self._text.read(max(CHUNK_BYTES, rest))
        self._buffer = self._buffer[self._at :] + piece
        self._at = 0
        return bool(piece)

    def _next(self) -> str:
        while True:
            match = _BETWEEN.match(self._buffer, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._more():
                raise self._fault(f"ends in the middle of its JSON list, at element {self.element}. Is it cut off?")

    def ends_with(self, closing: str) -> bool:
        """Whether the list closes here."""
        return self._next() == closing

    def take(self, separator: str) -> None:
        """Steps over the comma between two elements."""
        if self._next() != separator:
            raise self._fault(f"is not a JSON list: element {self.element - 1} is not followed by a comma")
        self._at += 1

    def value(self) -> Any:
        """The next element, whole."""
        self._next()
        while True:
            try:
                row, end = _DECODER.raw_decode(self._buffer, self._at)
            except (ValueError, RecursionError) as error:
                if not self._more():
                    raise self._fault(
                        f"is not a JSON list: element {self.element} cannot be parsed. Is it cut off?"
                    ) from error
                continue
            # A number may go on in the next piece; what ends it must be seen.
            if self._buffer[end : end + 1] not in _AFTER_VALUE and self._more():
                continue
            has_escapes = _SURROGATE_ESCAPE.search(self._buffer, self._at, end) is not None
            self._at = end
            return _without_surrogates(row) if has_escapes else row

    def expect_end(self) -> None:
        """Nothing but blanks may follow the list."""
        self._at += 1
        while True:
            match = _BETWEEN.match(self._buffer, self._at)
            if match and match.end() < len(self._buffer):
                raise self._fault("goes on after its JSON list")
            self._at = len(self._buffer)
            if not self._more():
                return
