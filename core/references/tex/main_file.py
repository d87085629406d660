"""Chooses the file that a paper's source starts from (references contract 8.2)."""

import re
from collections.abc import Iterator, Mapping

from core.references.tex.archive import is_tex_name
from core.references.tex.decoding import without_comments
from core.references.tex.includes import commands
from core.references.tex.limits import Effort
from core.references.tex.names import Names, directory_of
from core.references.tex.readme import named_main_files

_DOCUMENT_CLASS = re.compile(rb"\\document(?:class|style)(?![A-Za-z])")
_CLASS_NAME = re.compile(rb"\s{0,50}(?:\[[^\]]{0,2000}\])?\s{0,50}\{\s{0,50}([A-Za-z0-9_.-]{1,80})")
_STARTS_PAPER = 1_000_000
_NAMED_MAIN = 100_000
_INCLUDED = -2_000_000
_PART_CLASS = -500_000
_PART_CLASSES = (b"standalone", b"subfiles")


def choose_main_file(files: Mapping[str, bytes], effort: Effort) -> str | None:
    """The name of the main file: the one that `00README` names, else the best by its looks; None without any TeX."""
    tex = {name: data for name, data in files.items() if is_tex_name(name) and data.strip()}
    names = Names(tex)
    for named in named_main_files(files):
        if found := names.find(named, ("",)):
            return found
    included = set(_included(tex, Names(files), effort))
    scores = {name: _score(name, data, name in included) for name, data in tex.items()}
    return min(scores, key=lambda name: (-scores[name], name), default=None)


def _score(name: str, data: bytes, is_included: bool) -> int:
    score = len(data)
    source = without_comments(data) if _DOCUMENT_CLASS.search(data) else b""
    if found := _DOCUMENT_CLASS.search(source):
        score += _STARTS_PAPER
        class_name = _CLASS_NAME.match(source, found.end())
        score += _PART_CLASS if class_name and class_name[1] in _PART_CLASSES else 0
    score += _NAMED_MAIN if name.lower().endswith("main.tex") else 0
    return score + (_INCLUDED if is_included else 0)


def _included(tex: Mapping[str, bytes], names: Names, effort: Effort) -> Iterator[str]:
    """The files that another file takes in."""
    for name, data in tex.items():
        # Names are all that matters here, and bytes as they are hold them without the cost of a decoding.
        for include in commands(data.decode("latin-1").replace("\r", "\n"), effort):
            path = include.path.encode("latin-1").decode("utf-8", errors="replace")
            found = names.find(path, ("", directory_of(name)))
            if found and found != name:
                yield found
