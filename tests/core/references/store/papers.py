"""Records and references that the tests of the store use."""

from typing import Any

from core.identifiers import Identifier, parse
from core.records import Author, Work
from core.references.store.shape import NewEntry

PDF = b"%PDF-1.7\nfirst\n%%EOF\n"
OTHER_PDF = b"%PDF-1.7\nsecond, longer\n%%EOF\n"


def ref(text: str) -> Identifier:
    return parse(text, titles=False, bare_digits="refuse")


def entry(text: str = "10.1234/example", *, source: str = "crossref", **more: Any) -> NewEntry:
    """What a fetch brings; fields of the entry are given as such, all others are the work's."""
    identifier = ref(text)
    own = {name: more.pop(name) for name in list(more) if name in NewEntry.__dataclass_fields__}
    fields = {"title": "A Title", "authors": (Author("Ada Lovelace", "Lovelace", "Ada"),), "year": 1843, **more}
    return NewEntry(identifier, Work(key=identifier.key, **fields), source, **own)
