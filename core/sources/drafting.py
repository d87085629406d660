"""Drafts a record from the texts of one source: they are cleaned, and what was wrong with them is noted."""

import re
from collections.abc import Iterable

from core.errors import InvalidInput
from core.records import Author
from core.texts import Cleaned, cleaned, quality
from core.works.names import split_name

_INITIALS = re.compile(r"[A-Z]{1,4}(?: (?:Jr|Sr|2nd|3rd|[IV]+))?")


class Draft:
    """The texts of one record. `quality` names the fields that are damaged, such as `replacement_char:venue`."""

    def __init__(self) -> None:
        self._found: dict[str, Cleaned] = {}

    @property
    def quality(self) -> tuple[str, ...]:
        """What is wrong with the texts so far."""
        return quality(self._found)

    def clean(self, field: str, text: str | None) -> str | None:
        """A text as it is kept."""
        if not text:
            return None
        found = cleaned(text)
        known = self._found.get(field)
        damage = tuple(dict.fromkeys((*(known.damage if known else ()), *found.damage)))
        self._found[field] = Cleaned(found.text, damage)
        return found.text

    def person(
        self, family: str | None, given: str | None, *, suffix: str | None = None, orcid: str | None = None
    ) -> Author | None:
        """A person by the parts of the name; a suffix such as Jr. stays with the given name."""
        family, given, suffix = (self.clean("authors", part) for part in (family, given, suffix))
        name = " ".join(part for part in (given, family, suffix) if part)
        if not name:
            return None
        first = " ".join(part for part in (given, suffix) if part) or None
        return _author(Author(name, family, first if family else None), orcid)

    def named(self, name: str | None, *, orcid: str | None = None) -> Author | None:
        """A person by the printed name; `Vaswani, Ashish` is turned around."""
        name = self.clean("authors", name)
        if not name:
            return None
        family, given = split_name(name)
        shown = f"{given} {family}" if given and "," in name else name
        return _author(Author(shown, family, given), orcid)

    def indexed(self, name: str | None) -> Author | None:
        """A person as medical indexes print them: family name, then initials, as in `Smith JA`."""
        name = self.clean("authors", name)
        if not name:
            return None
        words = name.split(" ")
        for start in (1, 2, 3, 4):
            initials = " ".join(words[start:])
            if _INITIALS.fullmatch(initials):
                return Author(name, " ".join(words[:start]), initials)
        return self.named(name)

    def group(self, name: str | None) -> Author | None:
        """A group, which is no person."""
        name = self.clean("authors", name)
        return Author(name, group=True) if name else None


def present(authors: Iterable[Author | None]) -> tuple[Author, ...]:
    """The authors that have a name."""
    return tuple(author for author in authors if author is not None)


def _author(author: Author, orcid: str | None) -> Author:
    """With the ORCID iD, where it is one: a mistyped one takes nobody's name away."""
    if not orcid:
        return author
    try:
        return Author(author.name, author.family, author.given, orcid=orcid.strip().rstrip("/"))
    except InvalidInput:
        return author
