"""The TeX source of a paper: from the bytes that arXiv serves to one text (references contract 8.2)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from core.clock import Clock
from core.errors import NotFound, SourceMalformed
from core.references.tex.archive import no_tex, unpack
from core.references.tex.decoding import decode
from core.references.tex.expansion import Expansion
from core.references.tex.limits import SOURCE, Effort, TexLimits
from core.references.tex.main_file import choose_main_file
from core.references.tex.names import Names

FILES_LISTED = 200
_WRAPPER_CHARS = 2_000
_WRAPPER_READ_CHARS = 200_000
"""A longer text is no wrapper: not even with comments and options as long as they are ever written."""
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*+)%[^\n]*")
_PDF_COMMAND = r"\includepdf"
_INCLUDED_PDF = re.compile(r"\\includepdf(?![A-Za-z])\*?\s{0,20}(?:\[[^\]]{0,500}\])?\s{0,20}(?:\{[^}]{0,500}\})?")
_BLANKS = re.compile(r"\s+")
_WITHDRAWN = re.compile(r"\s*%auto-ignore\b.{0,1000}?\bwithdrawn\b", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TexFile:
    """One text file of an archive."""

    name: str
    chars: int


@dataclass(frozen=True, slots=True)
class TexSource:
    """A whole source; `main_file` is None for one plain file, and a cut of `text` is a view of it."""

    main_file: str | None
    text: str
    encoding: str
    files: tuple[TexFile, ...] = ()
    unresolved: tuple[str, ...] = ()


def read_tex(body: Iterable[bytes], limits: TexLimits, clock: Clock, *, expand: bool = True) -> TexSource:
    """The source in the bytes that arXiv serves for a paper, with its files in their places where `expand` is set.

    Raises `NoFullText` for a paper that is not TeX, `NotFound` for one that was withdrawn, `SourceMalformed` for a
    corrupt archive or one without readable TeX, `SourceTooLarge` over a cap, and `SourceTimeout` after the time for it.
    """
    effort = Effort(limits, clock)
    unpacked = unpack(body, effort)
    if unpacked.single is not None:
        text, encoding = decode(unpacked.single)
        _require_paper(text)
        _require_own_words(text)
        return TexSource(None, text, encoding)
    main_file = choose_main_file(unpacked.files, effort)
    if main_file is None:
        if unpacked.has_tex:
            raise SourceMalformed(
                "No TeX file of this paper's source can be read. Read its text instead.", source=SOURCE
            )
        raise no_tex()
    return _read_files(unpacked.files, main_file, effort, expand=expand)


def _read_files(files: dict[str, bytes], main_file: str, effort: Effort, *, expand: bool) -> TexSource:
    main = decode(files[main_file])
    _require_paper(main.text)
    listed = []
    for name, data in list(files.items())[:FILES_LISTED]:
        effort.go_on()
        listed.append(TexFile(name, len(decode(data, main.encoding).text)))
    source = TexSource(main_file, main.text, main.encoding, tuple(listed))
    if not expand and _PDF_COMMAND not in main.text:
        return source
    expanded = Expansion(Names(files), lambda name: decode(files[name], main.encoding).text, effort).expand(main_file)
    if _PDF_COMMAND in main.text:
        _require_own_words(expanded.text)
    return replace(source, text=expanded.text, unresolved=expanded.unresolved) if expand else source


def _require_paper(main: str) -> None:
    """Raises for a source that only says that the paper was withdrawn."""
    if _WITHDRAWN.match(main) and len(main) <= _WRAPPER_CHARS:
        raise NotFound("This paper was withdrawn and has no source. Ask for an earlier version of it.")


def _require_own_words(whole: str) -> None:
    """Raises for a source that does little more than to show a PDF."""
    if len(whole) <= _WRAPPER_READ_CHARS:
        rest, count = _INCLUDED_PDF.subn("", _COMMENT.sub(r"\1", whole))
        if count and len(_BLANKS.sub(" ", rest)) < _WRAPPER_CHARS:
            raise no_tex()
