"""Source archives for the tests, made by hand where no tool would make them."""

import gzip
import struct
import zlib
from collections.abc import Iterable, Mapping

from core.clock import ManualClock
from core.references.tex.limits import HOSTED_LIMITS, TexLimits
from core.references.tex.source import TexSource, read_tex

BLOCK = 512
END = bytes(2 * BLOCK)
PAPER = b"\\documentclass{article}\n\\begin{document}\nText.\n\\end{document}\n"


def header(
    name: bytes,
    size: int,
    kind: bytes = b"0",
    *,
    magic: bytes = b"ustar\x0000",
    link: bytes = b"",
    prefix: bytes = b"",
    size_field: bytes | None = None,
    signed: bool = False,
) -> bytes:
    """A tar header with a right checksum, whatever else is in it."""
    block = bytearray(BLOCK)
    block[0 : len(name)] = name
    block[100:108] = b"0000644\x00"
    block[124:136] = b"%011o\x00" % size if size_field is None else size_field
    block[148:156] = b" " * 8
    block[156:157] = kind
    block[157 : 157 + len(link)] = link
    block[257 : 257 + len(magic)] = magic
    block[345 : 345 + len(prefix)] = prefix
    total = sum(struct.unpack("512b", block)) if signed else sum(block)
    block[148:156] = b"%06o\x00 " % total
    return bytes(block)


def member(name: bytes | str, data: bytes = b"", kind: bytes = b"0", **options: object) -> bytes:
    raw = name.encode() if isinstance(name, str) else name
    return header(raw, len(data), kind, **options) + padded(data)  # type: ignore[arg-type]


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % BLOCK)


def pax(records: Mapping[str, str], kind: bytes = b"x") -> bytes:
    lines = b""
    for key, value in records.items():
        rest = f" {key}={value}\n".encode()
        length = len(rest) + 1
        while len(str(length)) + len(rest) != length:
            length = len(str(length)) + len(rest)
        lines += str(length).encode() + rest
    return member(b"pax", lines, kind)


def tar(files: Mapping[str, bytes | str]) -> bytes:
    return archive(member(name, data if isinstance(data, bytes) else data.encode()) for name, data in files.items())


def archive(members: Iterable[bytes]) -> bytes:
    return b"".join(members) + END


def squeezed(blocks: Iterable[bytes]) -> bytes:
    """A gzip file of a content that is never in memory as a whole."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join([*(packer.compress(block) for block in blocks), packer.flush()])


def read(body: bytes, *, limits: TexLimits = HOSTED_LIMITS, expand: bool = True) -> TexSource:
    """The source in a body that comes in blocks of an odd size."""
    return read_tex(blocks(body), limits, ManualClock(), expand=expand)


def blocks(body: bytes, size: int = 4099) -> Iterable[bytes]:
    return (body[start : start + size] for start in range(0, len(body), size))


def packed(files: Mapping[str, bytes | str]) -> bytes:
    return gzip.compress(tar(files), mtime=0)
