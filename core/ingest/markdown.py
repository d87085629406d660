"""Full texts: Markdown files named by their papers (catalog contract 20.5)."""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from core.errors import BuildFailed, InvalidInput
from core.identifiers import IdentifierKind, parse
from core.ingest.facts import PaperRef
from core.ingest.identity import ident_of
from core.ingest.report import FileReport, readable_name
from core.ingest.staging import Input

MAX_TEXT_BYTES = 8 << 20
TOO_LONG = "over 8 MiB"
NOT_UTF8 = "not UTF-8"
EMPTY = "empty text"
NO_REFERENCE = "neither its first lines nor its name name a paper"

_FRONT_MATTER = re.compile(rb"---[ \t]*\n(?P<lines>(?:.*\n)*?)---[ \t]*(?:\n|\Z)")
_PAPER_LINE = re.compile(r"paper[ \t]*:[ \t]*(?P<reference>.+?)[ \t]*\Z")


def read_texts(paths: list[Path], root: Path, file: FileReport, sink: Input, advanced: Callable[[int], None]) -> None:
    """Stages the texts of one folder; each file counts as one row. A file of no use is skipped, not bad."""
    digest = hashlib.sha256()
    for path in paths:
        file.read += 1
        name = readable_name(path.relative_to(root))
        try:
            data = path.read_bytes() if path.stat().st_size <= MAX_TEXT_BYTES else None
        except OSError as error:
            raise BuildFailed(f"{path} cannot be read: {error.strerror}. Nothing was built.") from error
        if data is None:
            file.skip(TOO_LONG, name, bad=False)
            continue
        advanced(len(data))
        digest.update(hashlib.sha256(data).digest())
        try:
            reference, body = split_text(data, PurePosixPath(name).stem)
        except InvalidInput as error:
            file.skip(error.message, name, bad=False)
            continue
        sink.fulltext(name, reference, body)
        file.kept += 1
    file.sha256 = digest.hexdigest()


def split_text(data: bytes, stem: str) -> tuple[PaperRef, bytes]:
    """The paper that a file is about, and its text: front matter removed, CR LF as LF, nothing else changed."""
    body = data.replace(b"\r\n", b"\n")
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(NOT_UTF8) from error
    reference = None
    if match := _FRONT_MATTER.match(body.removeprefix(b"\xef\xbb\xbf")):
        body = body.removeprefix(b"\xef\xbb\xbf")[match.end() :]
        reference = _stated(match["lines"].decode("utf-8"))
    if not body.strip():
        raise InvalidInput(EMPTY)
    return _paper(reference if reference is not None else _named(stem)), body


def _stated(lines: str) -> str | None:
    for line in lines.splitlines():
        if match := _PAPER_LINE.match(line):
            return match["reference"].strip("\"'")
    return None


def _named(stem: str) -> str:
    if stem.isascii() and stem.isdecimal():
        return f"catalog:{stem}"
    if stem.startswith("doi_"):
        return f"doi:{unquote(stem.removeprefix('doi_'))}"
    return stem.replace("_", "/", 1)


def _paper(reference: str) -> PaperRef:
    try:
        identifier = parse(reference, titles=True, bare_digits="catalog")
    except InvalidInput as error:
        raise InvalidInput(NO_REFERENCE) from error
    if identifier.kind is IdentifierKind.TITLE:
        return PaperRef(idents=[], title=identifier.id)
    ident = ident_of(identifier)
    return PaperRef(idents=[ident] if ident else [])
