"""Cuts stored Markdown at its headings, and writes sections as Markdown (references contract 8.1)."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from core.references.text.document import Document, Kind, Section
from core.references.text.headings import inherited_kind, kind_of, number_of
from core.references.text.prose import normalised

_MARKED = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_CLOSING_MARKS = re.compile(r"(?:\A|[ \t])#+\Z")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_UNDERLINE = re.compile(r" {0,3}(={2,}|-{3,})[ \t]*\Z")
_NO_HEADING_LINE = re.compile(r" {0,3}(?:[-*+>|#]|\d{1,9}[.)]\s|`{3}|~{3})|\s{4}|\t")


class _Heading(NamedTuple):
    level: int
    text: str


def read_markdown(body: bytes) -> Document:
    """A stored text, cut at its headings. A first heading of the first level, above all text, is the title."""
    title: str | None = None
    sections: list[Section] = []
    inherited: list[tuple[int, Kind]] = []
    for heading, lines in _parts(body.decode("utf-8-sig", errors="replace")):
        text = "\n".join(lines).strip()
        if heading is not None and title is None and not sections and _is_title(heading):
            title, heading = heading.text, None
        if heading is not None:
            kind = inherited_kind(inherited, heading.level, kind_of(heading.text))
            sections.append(Section(heading.text, text, heading.level, kind, number_of(heading.text)))
        elif text:
            sections.append(Section(None, text))
    return Document(title, tuple(sections))


def as_markdown(sections: Iterable[Section]) -> str:
    """Sections as one Markdown text: a heading line over each that has one."""
    parts: list[str] = []
    for section in sections:
        if section.heading is not None:
            parts.append(f"{'#' * min(max(section.level, 2), 6)} {section.heading}")
        if section.text:
            parts.append(section.text)
    return "\n\n".join(parts)


def _parts(text: str) -> Iterator[tuple[_Heading | None, list[str]]]:
    """Each heading with the lines below it; the first part has none."""
    heading: _Heading | None = None
    lines: list[str] = []
    fence = ""
    for line in normalised(text.replace("\r\n", "\n").replace("\r", "\n")).split("\n"):
        found = None
        if fence_line := _FENCE.match(line):
            fence = _fence_after(fence, fence_line[1], fence_line[2])
        elif not fence:
            found = _marked(line) or _underlined(line, lines)
        if found is None:
            lines.append(line)
            continue
        yield heading, lines
        heading, lines = found, []
    yield heading, lines


def _fence_after(fence: str, mark: str, rest: str) -> str:
    """The fence that is open after a fence line: a longer or equal one of the same sign ends it."""
    if not fence:
        return mark
    return "" if mark.startswith(fence) and not rest.strip() else fence


def _marked(line: str) -> _Heading | None:
    """A heading behind number signs."""
    found = _MARKED.match(line)
    text = _CLOSING_MARKS.sub("", found[2].strip()).strip() if found else ""
    return _Heading(len(found[1]), text) if found and text else None


def _underlined(line: str, lines: list[str]) -> _Heading | None:
    """A heading above a line of `=` or `-`; its one line is taken off the text so far."""
    found = _UNDERLINE.match(line)
    if not found or not lines or not lines[-1].strip() or _NO_HEADING_LINE.match(lines[-1]):
        return None
    if len(lines) > 1 and lines[-2].strip():
        return None
    return _Heading(1 if found[1][0] == "=" else 2, lines.pop().strip())


def _is_title(heading: _Heading) -> bool:
    return heading.level == 1 and kind_of(heading.text) is None and number_of(heading.text) is None
