"""Unpacks a source in memory, by its bytes alone: gzip, tar, or one plain file (references contract 8.2)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from core.errors import NoFullText
from core.references.tex.limits import Effort, corrupt
from core.references.tex.stream import GZIP_MAGIC, ByteStream, counted, inflated
from core.references.tex.tar import BLOCK, is_tar, regular_files

_SNIFFED_BYTES = 1024
_PDF = re.compile(rb"(?:\xef\xbb\xbf)?[\x00\t\n\x0c\r ]*%PDF-")
_NOT_TEX = (b"%!PS", b"\x04%!PS", b"PK\x03\x04", b"<!DOCTYPE", b"<!doctype", b"<html", b"<HTML")
"""PostScript, Office and HTML submissions: papers that were never TeX."""
_NEVER_TEXT = re.compile(
    r"\.(?:avi|bmp|bz2|docx?|dvi|eps|gif|gz|ico|jpe?g|mov|mp[34]|np[yz]|otf|pdf|pfb|pkl|png|pptx?|ps|psd|svgz?|tar|tiff?|ttf|"
    r"webp|xlsx?|xz|zip)\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Unpacked:
    """The files of a source by name, or the one plain file that it is, under no name."""

    files: dict[str, bytes]
    has_tex: bool = False
    """Whether a file is called TeX, readable or not."""
    single: bytes | None = None


def unpack(body: Iterable[bytes], effort: Effort) -> Unpacked:
    """Unpacks a source; raises `NoFullText` for one that is no TeX, and what `Effort` and a corrupt archive raise."""
    packed = ByteStream(counted(body, effort))
    is_packed = packed.peek(len(GZIP_MAGIC)) == GZIP_MAGIC
    stream = ByteStream(inflated(packed, effort)) if is_packed else packed
    start = stream.peek(_SNIFFED_BYTES)
    if _PDF.match(start) or start.startswith(_NOT_TEX):
        raise no_tex()
    if is_tar(start[:BLOCK]):
        return _unpacked_files(stream, effort)
    single = stream.read(effort.limits.member_bytes + 1)
    effort.require(len(single), effort.limits.member_bytes)
    if b"\x00" in single[:_SNIFFED_BYTES] or not single.strip():
        raise corrupt()
    return Unpacked({}, single=single)


def no_tex() -> NoFullText:
    """The failure for a paper whose source is not TeX."""
    return NoFullText("This paper was not submitted as TeX, so it has no TeX source. Read its text instead.")


def _unpacked_files(stream: ByteStream, effort: Effort) -> Unpacked:
    """The text files of an archive; once they are too many to hold, further ones are as if they were not there."""
    kept: dict[str, bytes] = {}
    has_tex = False
    room = effort.limits.kept_bytes
    for name, content in regular_files(stream, effort, is_text_name):
        has_tex |= is_tex_name(name)
        # Of two members of one name the later one is the file.
        room += len(kept.pop(name, b""))
        if content is not None and len(content) <= room and b"\x00" not in content[:_SNIFFED_BYTES]:
            room -= len(content)
            kept[name] = content
    return Unpacked(kept, has_tex)


def is_tex_name(name: str) -> bool:
    """Whether a file of that name is TeX."""
    return name.lower().endswith((".tex", ".ltx"))


def is_text_name(name: str) -> bool:
    """Whether a file of that name may be text that TeX reads."""
    return _NEVER_TEXT.search(name) is None
