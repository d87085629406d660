"""Which sections of a document a caller asked for (references contract 3.10)."""

from core.errors import Entry, InvalidInput
from core.references.text.document import Document, Kind
from core.references.text.headings import asked_names, names_of


def chosen_sections(document: Document, section: str | None, *, include_references: bool) -> tuple[int, ...]:
    """The places in `sections` of what was asked for: all, or one with those below it, found by heading or number.

    Raises `InvalidInput`, with the headings there are, for a section that the document does not have.
    """
    places = range(len(document.sections)) if section is None else _with_those_below(document, _find(document, section))
    return tuple(
        place for place in places if include_references or document.sections[place].kind is not Kind.REFERENCES
    )


def _find(document: Document, section: str) -> int:
    named = [
        (place, names_of(found.heading, found.number))
        for place, found in enumerate(document.sections)
        if found.heading is not None
    ]
    for asked in filter(None, asked_names(section)):
        for which in range(3):
            for place, names in named:
                if names[which] == asked:
                    return place
    raise InvalidInput(
        "This text has no section of that heading or number. Use a heading or number of its outline.",
        suggestions=[Entry(id=entry.heading) for entry in document.outline() if entry.heading],
        all_of="headings",
    )


def _with_those_below(document: Document, place: int) -> range:
    level = document.sections[place].level
    end = place + 1
    while end < len(document.sections) and document.sections[end].level > level:
        end += 1
    return range(place, end)
