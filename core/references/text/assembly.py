"""Puts a page's text together as it is read: lines to paragraphs, paragraphs to sections."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

from core.references.text.document import Kind, Section
from core.references.text.headings import HEADING_CHARS, inherited_kind, kind_of, number_of, number_of_tag
from core.references.text.prose import Formula, Piece, code_lines, equation, line

ABSTRACT_HEADING = "Abstract"
REFERENCES_HEADING = "References"
_DEFAULT_HEADINGS = {Kind.ABSTRACT: ABSTRACT_HEADING, Kind.REFERENCES: REFERENCES_HEADING}
_PART_LEVEL = 2


class Line(Enum):
    """What becomes of the text inside an element that is a line of its own."""

    TITLE = auto()
    HEADING = auto()
    CAPTION = auto()
    ROW = auto()
    EQUATION = auto()
    REFERENCE = auto()
    CODE = auto()


class Place(NamedTuple):
    """A place in the present line, good until that line ends; `solid` counts all pieces so far that are not blank."""

    size: int
    solid: int
    breaks: int


@dataclass(slots=True)
class _Draft:
    """A section that is being filled; lines of one group follow each other without a blank line."""

    heading: str | None
    level: int
    kind: Kind
    number: str | None
    part: int
    lines: list[tuple[str, int]] = field(default_factory=list)

    def section(self) -> Section:
        parts: list[str] = []
        group = 0
        for text, its_group in self.lines:
            if parts:
                parts.append("\n" if its_group and its_group == group else "\n\n")
            parts.append(text)
            group = its_group
        return Section(self.heading, "".join(parts), self.level, self.kind, self.number)


class Assembly:
    """Takes text in the order of the page. At most one element at a time is a line of its own, its `owner`."""

    def __init__(self) -> None:
        self.title: str | None = None
        self.mode: Line | None = None
        self.serial = 0
        """Which line of its own the present one is."""
        self._owner: object = None
        self._level = 0
        self._drafts: list[_Draft] = []
        self._inherited: list[tuple[int, Kind]] = []
        self._parts: list[Kind] = [Kind.BODY]
        self._part = 0
        self._pieces: list[Piece] = []
        self._solid = 0
        self._solid_before = 0
        self._breaks = 0
        self._cells: list[str] = []
        self._tag: str | None = None
        self._late: list[Piece] = []
        self._prefix = ""
        self._is_label = False
        self._group = 0
        self.open_notes = 0

    @property
    def place(self) -> Place:
        """Where the present line ends, to come back to."""
        return Place(len(self._pieces), self._solid, self._breaks)

    def add(self, piece: Piece) -> None:
        """Adds running text or a formula."""
        self._pieces.append(piece)
        if isinstance(piece, Formula) or (piece and not piece.isspace()):
            self._is_label = False
            self._solid += 1

    def space(self) -> None:
        """Parts what was added from what follows."""
        self._pieces.append(" ")

    def block(self) -> None:
        """Starts or ends a paragraph; inside a line of its own or a note, and after a label, that is a blank."""
        if self.mode is Line.HEADING and self._has_text:
            self._finish()
        elif self._owner is not None or self._is_label or self.open_notes:
            self._pieces.append(" ")
        else:
            self._flush()

    def since(self, place: Place) -> list[Piece]:
        """What was added to the present line after a place; nothing where that line has ended since."""
        return self._pieces[place.size :] if place.breaks == self._breaks else []

    def solid_since(self, place: Place) -> int:
        """How many pieces that are not blank were added after a place."""
        return self._solid - place.solid

    def take(self, place: Place) -> list[Piece]:
        """Takes back what was added to the present line after a place."""
        taken = self.since(place)
        if taken:
            del self._pieces[place.size :]
            self._solid = place.solid
        return taken

    def open_section_with(self, pieces: Sequence[Piece]) -> None:
        """Keeps what belongs to a heading but not into it for the start of its section."""
        self._late.extend(pieces)

    def new_group(self) -> None:
        """The lines from here on, a table's or a list's, follow each other without blank lines."""
        if self._owner is None:
            self._flush()
            self._group += 1

    def start_item(self, prefix: str) -> None:
        """Starts an item of a list."""
        if self._owner is None:
            self._flush()
            self._prefix = prefix
        else:
            self.space()

    def end_item(self) -> None:
        """Ends it, with or without text."""
        if self._owner is None:
            self._flush()
            self._prefix = ""
        else:
            self.space()

    def label(self) -> None:
        """What the line holds so far is a label that the next paragraph goes on from."""
        self._pieces.append(" ")
        self._is_label = self._owner is None and self._has_text

    def open_line(self, owner: object, kind: Line, level: int = 0) -> None:
        """An element starts that is a line of its own, unless it stands inside of one. A heading always is."""
        if self._owner is not None and kind not in (Line.HEADING, Line.TITLE):
            self.space()
            return
        self._finish()
        self._owner, self.mode, self._level = owner, kind, level
        self.serial += 1
        if kind not in (Line.HEADING, Line.TITLE):
            self._prefix = ""

    def close_line(self, owner: object) -> None:
        """That element ends."""
        if self._owner is owner:
            self._finish()
        else:
            self.block()

    def cell(self) -> None:
        """The present cell of a row is whole."""
        self._cells.append(line(self._cleared()))

    def tag(self, pieces: Sequence[Piece]) -> None:
        """The number of a heading or an equation; the heading shows it too."""
        self._tag = line(pieces)

    def open_part(self, kind: Kind) -> bool:
        """Enters the abstract, the references or an appendix; False where the text is in one already."""
        if self._parts[-1] is kind:
            return False
        self._change_part()
        self._parts.append(kind)
        return True

    def close_part(self) -> None:
        """Leaves it; what follows is no longer its text."""
        self._change_part()
        self._parts.pop()

    def sections(self) -> tuple[Section, ...]:
        """All that was read. Reading has ended."""
        self._finish()
        return tuple(draft.section() for draft in self._drafts)

    def _change_part(self) -> None:
        self._finish()
        self._part += 1
        self._prefix = ""

    @property
    def _has_text(self) -> bool:
        return self._solid > self._solid_before

    def _cleared(self) -> list[Piece]:
        """The pieces of the present line, which ends here."""
        pieces, self._pieces = self._pieces, []
        self._solid_before, self._is_label = self._solid, False
        self._breaks += 1
        return pieces

    def _finish(self) -> None:
        """Ends the present line, whatever it is."""
        kind, self.mode, self._owner = self.mode, None, None
        if kind is None:
            self._flush()
            return
        pieces = self._cleared()
        tag, self._tag = self._tag, None
        match kind:
            case Line.TITLE if self.title is None:
                self.title = line(pieces) or None
            case Line.TITLE | Line.HEADING:
                self._start_section(line(pieces), tag)
            case Line.CAPTION:
                self._add(line(pieces))
            case Line.ROW:
                cells, self._cells = self._cells, []
                self._add(_row([*cells, *filter(None, [line(pieces)])]), self._group)
            case Line.EQUATION:
                self._add(equation(pieces, _in_brackets(tag)))
            case Line.REFERENCE:
                self._add(line(pieces), self._group)
            case _:
                self._add(code_lines(pieces), self._group)

    def _flush(self) -> None:
        if text := line(self._cleared()):
            self._add(f"{self._prefix}{text}")
            self._prefix = ""

    def _add(self, text: str, group: int = 0) -> None:
        if not text:
            return
        if not self._drafts or self._drafts[-1].part != self._part:
            kind = self._parts[-1]
            heading = _DEFAULT_HEADINGS.get(kind)
            self._drafts.append(_Draft(heading, _PART_LEVEL if heading else 1, kind, None, self._part))
        self._drafts[-1].lines.append((text, group))

    def _start_section(self, heading: str, tag: str | None) -> None:
        if heading:
            self._prefix = ""
            heading, rest = _parted(heading)
            self._drafts.append(self._draft(heading, tag))
            self._add(rest)
        late, self._late = self._late, []
        self._add(line(late))

    def _draft(self, heading: str, tag: str | None) -> _Draft:
        part = self._parts[-1]
        is_first = not self._drafts or self._drafts[-1].part != self._part
        if part is Kind.ABSTRACT and is_first:
            return _Draft(ABSTRACT_HEADING, _PART_LEVEL, part, None, self._part)
        number = number_of_tag(tag) if tag else number_of(heading)
        kind = inherited_kind(self._inherited, self._level, kind_of(heading)) if part is Kind.BODY else part
        return _Draft(heading, self._level, kind, number, self._part)


def _parted(heading: str) -> tuple[str, str]:
    """A heading within its bound, and what is over it."""
    if len(heading) <= HEADING_CHARS:
        return heading, ""
    end = heading.rfind(" ", 1, HEADING_CHARS)
    end = end if end > 0 else HEADING_CHARS
    return heading[:end], heading[end:].strip()


def _row(cells: list[str]) -> str:
    return " ".join(" | ".join(cells).split()) if any(cells) else ""


def _in_brackets(number: str | None) -> str:
    return f"({number})" if number and number[0] not in "([" else number or ""
