"""Reads a tar archive as a stream: names and contents of its regular files, and nothing else.

The standard library's reader follows what headers of GNU, Solaris and POSIX ask for, keeps every header, and has gone
round in circles on crafted ones; here a header moves the stream forward by at least its own block, and nothing but
a file's name and size is believed.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from core.references.tex.limits import Effort, corrupt
from core.references.tex.stream import ByteStream

BLOCK = 512
_ZEROS = bytes(BLOCK)
_REGULAR = frozenset(b"\x0007")
_WITHOUT_DATA = frozenset(b"123456")
_LONG_NAME, _LONG_LINK, _PAX, _GLOBAL_PAX, _SPARSE = b"LKxgS"
_EXTENSIONS = frozenset((_LONG_NAME, _LONG_LINK, _PAX, _GLOBAL_PAX))
_EXTENSION_BYTES = 1 << 16
_EXTENSIONS_IN_A_ROW = 8
_NAME_BYTES = 1024
_DECIMAL_DIGITS = 18
_OCTAL = re.compile(rb"[ \x00]*([0-7]*)[ \x00]*")


@dataclass(slots=True)
class _Next:
    """What extension headers say about the member after them."""

    name: bytes | None = None
    size: int | None = None
    is_readable: bool = True


def is_tar(start: bytes) -> bool:
    """Whether a file that starts so is a tar archive: by its magic, or as a header of before there was one."""
    return len(start) >= BLOCK and (
        start[257:262] == b"ustar" or start[:BLOCK] == _ZEROS or _has_valid_checksum(start[:BLOCK])
    )


def regular_files(
    stream: ByteStream, effort: Effort, is_wanted: Callable[[str], bool]
) -> Iterator[tuple[str, bytes | None]]:
    """The regular files in the order of the archive, those with a safe name; contents only where the name is wanted."""
    members = extensions = 0
    coming = _Next()
    while (header := _header(stream, effort)) is not None:
        kind, size = header[156], _size(header, coming)
        effort.require(size, effort.limits.member_bytes)
        if kind in _EXTENSIONS:
            extensions += 1
            if extensions > _EXTENSIONS_IN_A_ROW:
                raise corrupt()
            _extend(coming, kind, _data(stream, size, keep=size <= _EXTENSION_BYTES))
            continue
        members += 1
        effort.require(members, effort.limits.members)
        if kind == _SPARSE:
            _skip_sparse_map(header, stream, effort)
        name = safe_name(_name(header) if coming.name is None else coming.name)
        if kind not in _REGULAR or not coming.is_readable:
            name = None
        extensions, coming = 0, _Next()
        content = _data(stream, size, keep=name is not None and is_wanted(name))
        if name is not None:
            yield name, content


def safe_name(raw: bytes) -> str | None:
    """A member's name in its shortest form; None for one that is not a plain way down from the archive's top."""
    if b"\x00" in raw or len(raw) > _NAME_BYTES:
        return None
    try:
        name = raw.decode("utf-8")
    except UnicodeDecodeError:
        name = raw.decode("latin-1")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    is_plain = name.isprintable() and ":" not in name and not name.startswith(("/", "\\")) and not name.endswith("/")
    return "/".join(parts) if parts and is_plain and ".." not in name.replace("\\", "/").split("/") else None


def _header(stream: ByteStream, effort: Effort) -> bytes | None:
    """The next header, None at the end of the archive."""
    effort.go_on()
    header = stream.read(BLOCK)
    if not header.strip(b"\x00"):
        return None
    if len(header) < BLOCK or not _has_valid_checksum(header):
        raise corrupt()
    return header


def _has_valid_checksum(header: bytes) -> bool:
    """Whether the bytes of a header sum up to what it states, that field as blanks; old tars summed signed bytes."""
    if not (stated := _OCTAL.fullmatch(header[148:156])):
        return False
    rest = header[:148] + b" " * 8 + header[156:]
    plain = sum(rest)
    signed = plain - 256 * sum(byte > 127 for byte in rest)
    return bool(stated[1]) and int(stated[1], 8) in (plain, signed)


def _number(field: bytes) -> int:
    """A number of a header: octal digits, or binary behind a first byte of 0x80."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    if found := _OCTAL.fullmatch(field):
        return int(found[1] or b"0", 8)
    raise corrupt()


def _size(header: bytes, coming: _Next) -> int:
    """How much data follows a header; links and devices have none, whatever theirs say."""
    kind = header[156]
    if kind in _WITHOUT_DATA:
        return 0
    return coming.size if coming.size is not None and kind not in _EXTENSIONS else _number(header[124:136])


def _name(header: bytes) -> bytes:
    name = header[:100].split(b"\x00", 1)[0]
    prefix = header[345:500].split(b"\x00", 1)[0] if header[257:263] == b"ustar\x00" else b""
    return prefix + b"/" + name if prefix else name


def _data(stream: ByteStream, size: int, *, keep: bool) -> bytes | None:
    """A member's data, or None when it is only moved over; the padding after it is."""
    content = stream.read(size) if keep else None
    have = stream.skip(size) if content is None else len(content)
    if have < size:
        raise corrupt()
    stream.skip(-size % BLOCK)
    return content


def _extend(coming: _Next, kind: int, content: bytes | None) -> None:
    """Takes in what an extension header says; of one that was too large to keep, that there is something unknown."""
    if kind == _LONG_NAME:
        coming.is_readable &= content is not None
        coming.name = (content or b"").split(b"\x00", 1)[0]
    elif kind == _PAX:
        coming.is_readable &= content is not None
        for key, value in _pax_records(content or b""):
            if key == b"path":
                coming.name = value
            elif key == b"size":
                coming.size = _decimal(value)
            elif key.startswith(b"GNU.sparse."):
                coming.is_readable = False


def _pax_records(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The records `<length> <key>=<value>\\n` of a POSIX extension header."""
    start = 0
    while start < len(content):
        blank = content.find(b" ", start, start + 8)
        end = start + _decimal(content[start:blank]) if blank > start else start
        key, equals, value = content[blank + 1 : end - 1].partition(b"=")
        if end <= blank or end > len(content) or content[end - 1 : end] != b"\n" or not equals:
            raise corrupt()
        yield key, value
        start = end


def _decimal(text: bytes) -> int:
    if not text.isdigit() or len(text) > _DECIMAL_DIGITS:
        raise corrupt()
    return int(text)


def _skip_sparse_map(header: bytes, stream: ByteStream, effort: Effort) -> None:
    """Moves over the further blocks that say where the holes of a sparse file are."""
    has_more = header[482]
    while has_more:
        effort.go_on()
        block = stream.read(BLOCK)
        if len(block) < BLOCK:
            raise corrupt()
        has_more = block[504]
