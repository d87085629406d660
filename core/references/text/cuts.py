"""Where a long text is cut for a reply, and where the next part starts (references contract 8.1, 3.10 and 3.11)."""

import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from core.references.text.document import Document, Section

MARKS_KEPT = 32
"""How far from a cut the rest of a letter is looked for: no script has more marks on one."""


@dataclass(frozen=True, slots=True)
class TextCut:
    """A part of a text; `next_offset` is where the next one starts, None after the last."""

    text: str
    next_offset: int | None

    @property
    def is_truncated(self) -> bool:
        """Whether more follows."""
        return self.next_offset is not None


@dataclass(frozen=True, slots=True)
class DocumentCut:
    """A part of a document: sections, the first and the last of which may be pieces of theirs."""

    sections: tuple[Section, ...]
    next_offset: int | None

    @property
    def is_truncated(self) -> bool:
        """Whether more follows."""
        return self.next_offset is not None

    @property
    def char_count(self) -> int:
        """Code points of the section texts in this part."""
        return sum(len(section.text) for section in self.sections)


def cut_text(text: str, offset: int, max_chars: int, max_units: int | None = None) -> TextCut:
    """At most `max_chars` code points from `offset` on, and at most `max_units` where that is given."""
    if max_chars <= 0:
        return TextCut("", offset)
    end = _end(text, offset, max_chars, max_units, must_advance=True)
    return TextCut(text[offset:end], end if end < len(text) else None)


def cut_document(
    document: Document, offset: int, max_chars: int, max_units: int | None = None, chosen: Sequence[int] | None = None
) -> DocumentCut:
    """The part of a document that starts at `offset` in code points of its whole text, of the `chosen` sections alone.

    Parts that follow each other by `next_offset` join without gap or overlap. A section without text comes with the
    part that starts at its place, or with the last one.
    """
    if max_chars <= 0:
        return DocumentCut((), offset)
    ahead = _ahead(document, offset, chosen)
    last_text = max((number for number, (section, _) in enumerate(ahead) if section.text), default=-1)
    part: list[tuple[Section, int]] = []
    room = _Room(max_chars, max_units)
    for number, (section, place) in enumerate(ahead):
        start = max(offset - place, 0)
        end = room.end(section.text, start)
        if end == start and number <= last_text and (section.text or room.is_full):
            return _cut_before(part, place + start)
        part.append((replace(section, text=section.text[start:end]), place))
        if end < len(section.text):
            return _cut_before(part, place + end)
    return DocumentCut(tuple(section for section, _ in part), None)


def units_of(text: str) -> int:
    """How large a text is for a model: 1 for an ASCII character, 3 for any other (references contract 1.4)."""
    return 3 * len(text) - 2 * len(text.encode("ascii", "ignore"))


class _Room:
    """What a part may still hold. It always takes a first letter, so that reading on gets somewhere."""

    def __init__(self, chars: int, units: int | None) -> None:
        self._chars = chars
        self._units = units
        self._is_untouched = True

    @property
    def is_full(self) -> bool:
        """Whether nothing more fits, whatever it is."""
        return not self._is_untouched and (self._chars == 0 or self._units == 0)

    def end(self, text: str, start: int) -> int:
        """Where the piece of a text ends that still fits; it counts as taken."""
        end = _end(text, start, self._chars, self._units, must_advance=self._is_untouched)
        if end > start:
            self._is_untouched = False
            self._chars = max(self._chars - (end - start), 0)
            if self._units is not None:
                self._units = max(self._units - units_of(text[start:end]), 0)
        return end


def _ahead(document: Document, offset: int, chosen: Sequence[int] | None) -> list[tuple[Section, int]]:
    """The chosen sections that do not end before `offset`, each with its place."""
    places = accumulate((len(section.text) for section in document.sections), initial=0)
    placed = list(zip(document.sections, places, strict=False))
    return [
        (section, place)
        for section, place in (placed if chosen is None else (placed[index] for index in chosen))
        if place >= offset or place + len(section.text) > offset
    ]


def _cut_before(part: list[tuple[Section, int]], next_offset: int) -> DocumentCut:
    """A part that ends at a place; sections without text at that very place come with the next part."""
    while part and not part[-1][0].text and part[-1][1] == next_offset:
        part.pop()
    return DocumentCut(tuple(section for section, _ in part), next_offset)


def _end(text: str, start: int, max_chars: int, max_units: int | None, *, must_advance: bool) -> int:
    """The last place within both bounds that does not part a letter from its marks."""
    limit = min(start + max_chars, len(text))
    if max_units is not None:
        limit = _units_end(text, start, limit, max_units)
    if limit >= len(text):
        return len(text)
    for end in range(limit, max(start, limit - MARKS_KEPT), -1):
        if not _is_mark(text[end]):
            return end
    if limit - start >= MARKS_KEPT or not must_advance:
        return limit if limit - start >= MARKS_KEPT else start
    for end in range(start + 1, min(start + MARKS_KEPT, len(text))):
        if not _is_mark(text[end]):
            return end
    return min(max(limit, start + MARKS_KEPT), len(text))


def _units_end(text: str, start: int, limit: int, max_units: int) -> int:
    ends = range(start, min(limit, start + max_units) + 1)
    return start + bisect_right(ends, max_units, key=lambda end: units_of(text[start:end])) - 1


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M") or character == "\u200d"
