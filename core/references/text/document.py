"""What a full text is once it is read: a title and sections, whichever form it came in."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

THIN_CHARS = 1500
OUTLINE_ENTRIES = 200
OUTLINE_CHARS = 20_000


class Kind(StrEnum):
    """What part of a paper a section is."""

    BODY = "body"
    ABSTRACT = "abstract"
    REFERENCES = "references"
    APPENDIX = "appendix"


class Quality(StrEnum):
    """How good a text is; a text that is not `ok` is worth asking the next source."""

    OK = "ok"
    THIN = "thin"
    DAMAGED = "damaged"


@dataclass(frozen=True, slots=True)
class Section:
    """The text between two headings; `heading` is None for what stands under none, `number` is part of the heading."""

    heading: str | None
    text: str
    level: int = 1
    kind: Kind = Kind.BODY
    number: str | None = None


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One section in the outline; `chars` are code points of its own text."""

    heading: str | None
    level: int
    chars: int


@dataclass(frozen=True, slots=True)
class Document:
    """A whole text. Its places are code points into the texts of all sections, joined without anything between them."""

    title: str | None
    sections: tuple[Section, ...]
    is_damaged: bool = False
    license: str | None = None

    @property
    def total_chars(self) -> int:
        """Code points of all section texts."""
        return sum(len(section.text) for section in self.sections)

    @property
    def prose_chars(self) -> int:
        """Code points of all section texts but the references; 0 means that there is no text of the paper here."""
        return sum(len(section.text) for section in self.sections if section.kind is not Kind.REFERENCES)

    @property
    def quality(self) -> Quality:
        """Whether the text is whole, by what its page says and by how much of it there is."""
        if self.is_damaged:
            return Quality.DAMAGED
        has_own_part = any(section.text and section.kind in (Kind.BODY, Kind.ABSTRACT) for section in self.sections)
        return Quality.OK if has_own_part and self.prose_chars >= THIN_CHARS else Quality.THIN

    def outline(self) -> tuple[OutlineEntry, ...]:
        """The sections in order, as many as a reply has room for."""
        return tuple(self._outlined())

    def _outlined(self) -> Iterator[OutlineEntry]:
        room = OUTLINE_CHARS
        for section in self.sections[:OUTLINE_ENTRIES]:
            room -= len(section.heading or "")
            if room < 0:
                return
            yield OutlineEntry(section.heading, section.level, len(section.text))
