"""What happens to the text where an element of a certain role starts and ends."""

from collections.abc import Callable
from dataclasses import dataclass

from core.references.text.assembly import Assembly, Line, Place
from core.references.text.document import Kind
from core.references.text.elements import Element
from core.references.text.latexml import Role
from core.references.text.prose import Formula, Piece

_NOTE = " [note: "
_LINES = {
    Role.TITLE: Line.TITLE,
    Role.HEADING: Line.HEADING,
    Role.CAPTION: Line.CAPTION,
    Role.ROW: Line.ROW,
    Role.EQUATION_ROW: Line.EQUATION,
    Role.REFERENCE: Line.REFERENCE,
    Role.CODE: Line.CODE,
    Role.CODE_LINE: Line.CODE,
}
_GROUPS = frozenset((Role.CODE, Role.LISTING))
_PARTS = {Role.ABSTRACT: Kind.ABSTRACT, Role.APPENDIX: Kind.APPENDIX, Role.REFERENCES: Kind.REFERENCES}
_TAGS = frozenset((Role.TAG, Role.ITEM_TAG, Role.EQUATION_NUMBER))
_ITEM = "- "


@dataclass(slots=True)
class Part:
    """What is remembered of an open element: its role, where its text began, and whether its end does anything."""

    role: Role | None = None
    place: Place | None = None
    serial: int = 0
    is_live: bool = False


class Layout:
    """Turns the starts and ends of elements into lines, paragraphs and sections of an assembly."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._tag: Part | None = None
        """The outermost open tag: a tag inside of it is part of it."""
        self._nested_tables = 0
        self._nested_serial = 0
        self._starts: dict[Role, Callable[[Element[Part]], None]] = {
            **dict.fromkeys(_LINES, self._start_line),
            **dict.fromkeys(_PARTS, self._start_part),
            **dict.fromkeys(_TAGS, self._start_tag),
            Role.SPACED: self._part_words,
            Role.NOTE: self._start_note,
            Role.TABLE: self._start_table,
            Role.CELL: self._start_cell,
            Role.ITEM: self._start_item,
            Role.TERM: self._start_item,
            Role.LISTING: self._start_group,
        }
        self._ends: dict[Role, Callable[[Element[Part]], None]] = {
            **dict.fromkeys(_LINES, self._end_line),
            **dict.fromkeys(_PARTS, self._end_part),
            **dict.fromkeys(_TAGS, self._end_tag),
            Role.SPACED: self._part_words,
            Role.NOTE: self._end_note,
            Role.TABLE: self._end_table,
            Role.CELL: self._end_cell,
            Role.LIST: self._end_item,
            Role.ITEM: self._end_item,
            Role.DEFINITION: self._end_item,
            Role.TERM: self._end_term,
        }

    def start(self, element: Element[Part]) -> None:
        """An element of the paper starts."""
        if (role := element.payload.role) and role is not Role.INLINE:
            self._starts.get(role, self._block)(element)

    def end(self, element: Element[Part]) -> None:
        """It ends."""
        if (role := element.payload.role) and role is not Role.INLINE:
            self._ends.get(role, self._block)(element)

    def _block(self, _: Element[Part]) -> None:
        self._assembly.block()

    def _part_words(self, _: Element[Part]) -> None:
        self._assembly.space()

    def _start_group(self, _: Element[Part]) -> None:
        self._assembly.new_group()

    def _start_line(self, element: Element[Part]) -> None:
        role = element.payload.role
        if role in _GROUPS:
            self._assembly.new_group()
        level = int(element.name[1]) if role is Role.HEADING else 1
        self._assembly.open_line(element, _LINES[role or Role.ROW], level)

    def _end_line(self, element: Element[Part]) -> None:
        self._assembly.close_line(element)

    def _start_part(self, element: Element[Part]) -> None:
        kind = _PARTS[element.payload.role or Role.ABSTRACT]
        element.payload.is_live = self._assembly.open_part(kind)
        if kind is Kind.REFERENCES:
            self._assembly.new_group()
        else:
            self._assembly.block()

    def _end_part(self, element: Element[Part]) -> None:
        if element.payload.is_live:
            self._assembly.close_part()
        else:
            self._assembly.block()

    def _start_tag(self, element: Element[Part]) -> None:
        if self._tag is None:
            self._tag = element.payload
            element.payload.place = self._assembly.place

    def _end_tag(self, element: Element[Part]) -> None:
        tag, assembly = element.payload, self._assembly
        assembly.space()
        if self._tag is not tag or tag.place is None:
            return
        self._tag = None
        if tag.role is Role.EQUATION_NUMBER and assembly.mode is Line.EQUATION:
            assembly.tag(assembly.take(tag.place))
        elif tag.role is Role.TAG and assembly.mode is Line.HEADING:
            assembly.tag(assembly.since(tag.place))
        elif tag.role is Role.ITEM_TAG and not any(map(_has_words, assembly.since(tag.place))):
            assembly.take(tag.place)
        elif tag.role is Role.ITEM_TAG:
            assembly.label()

    def _start_note(self, element: Element[Part]) -> None:
        element.payload.place = self._assembly.place
        self._assembly.add(_NOTE)
        self._assembly.open_notes += 1

    def _end_note(self, element: Element[Part]) -> None:
        place, assembly = element.payload.place, self._assembly
        assembly.open_notes -= 1
        if place is None or (assembly.solid_since(place) <= 1 and assembly.take(place)):
            return
        assembly.add("]")
        if assembly.mode is Line.HEADING:
            assembly.open_section_with(assembly.take(place))

    def _start_table(self, element: Element[Part]) -> None:
        assembly = self._assembly
        if assembly.mode is None:
            assembly.new_group()
            return
        # A table inside of a cell is how LaTeX breaks lines there: its cells are words of the outer one.
        self._nested_tables = self._nested() + 1
        self._nested_serial = element.payload.serial = assembly.serial
        element.payload.is_live = True
        assembly.space()

    def _end_table(self, element: Element[Part]) -> None:
        if element.payload.is_live and element.payload.serial == self._nested_serial:
            self._nested_tables -= 1
        self._assembly.block()

    def _nested(self) -> int:
        return self._nested_tables if self._nested_serial == self._assembly.serial else 0

    def _start_cell(self, element: Element[Part]) -> None:
        assembly = self._assembly
        if assembly.mode is None:
            assembly.open_line(element, Line.ROW)
        elif assembly.mode is Line.ROW and not self._nested():
            element.payload.is_live = True
            element.payload.serial = assembly.serial
        else:
            assembly.space()

    def _end_cell(self, element: Element[Part]) -> None:
        assembly = self._assembly
        if element.payload.is_live and element.payload.serial == assembly.serial and assembly.mode is Line.ROW:
            assembly.cell()
        else:
            assembly.close_line(element)

    def _start_item(self, _: Element[Part]) -> None:
        self._assembly.start_item(_ITEM)

    def _end_item(self, _: Element[Part]) -> None:
        self._assembly.end_item()

    def _end_term(self, _: Element[Part]) -> None:
        self._assembly.label()


def _has_words(piece: Piece) -> bool:
    return isinstance(piece, Formula) or any(character.isalnum() for character in piece)
