"""Reads the members of foreign answers: what is absent, empty or of another type is unknown, unless it is needed."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.errors import InvalidInput, InvalidReference
from core.identifiers import Identifier, IdentifierKind, parse
from core.records import PartialDate

Row = Mapping[str, Any]

_DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.[0-9]{4,9}(?:\.[0-9]+)*/\S+)", re.IGNORECASE)
_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_URL = re.compile(r"https?://[^\s/?#]+\S*", re.IGNORECASE)
_ISSN = re.compile(r"([0-9]{4})-?([0-9]{3}[0-9X])", re.ASCII)
_ISBN = re.compile(r"(?:[0-9]{9}|[0-9]{12})[0-9X]", re.ASCII)
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*", re.ASCII)
_MAX_URL_CHARS = 2_000
_COUNT_MAX = 1 << 53


class MissingField(Exception):
    """An answer lacks a member that its reader cannot do without; `field` is our name of its place."""

    def __init__(self, field: str) -> None:
        super().__init__(field)
        self.field = field


def needed_row(row: Row, key: str, place: str) -> Row:
    """An object that must be there; `place` is its name in a failure."""
    value = row.get(key)
    if not isinstance(value, dict):
        raise MissingField(place)
    return value


def needed_rows(row: Row, key: str, place: str) -> list[Row]:
    """A list that must be there, without what in it is no object."""
    value = row.get(key)
    if not isinstance(value, list):
        raise MissingField(place)
    return [each for each in value if isinstance(each, dict)]


def as_row(value: object) -> Row:
    """An object, empty where there is none."""
    return value if isinstance(value, dict) else {}


def row_in(row: Row, key: str) -> Row:
    """A member that is an object."""
    return as_row(row.get(key))


def items(row: Row, key: str) -> list[Any]:
    """A member that is a list."""
    value = row.get(key)
    return value if isinstance(value, list) else []


def rows(row: Row, key: str) -> list[Row]:
    """A member that is a list of objects."""
    return [each for each in items(row, key) if isinstance(each, dict)]


def text(row: Row, key: str) -> str | None:
    """A text as it stands, trimmed; a whole number counts as its digits."""
    return as_text(row.get(key))


def as_text(value: object) -> str | None:
    """A value as a text; None where it is empty or none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return (value.strip() or None) if isinstance(value, str) else None


def texts(row: Row, key: str) -> list[str]:
    """A list of texts; one alone counts as a list."""
    value = row.get(key)
    found = [as_text(each) for each in (value if isinstance(value, list) else [value])]
    return [each for each in found if each]


def first_text(row: Row, key: str) -> str | None:
    """The first text of a list, or the one text there is."""
    return next(iter(texts(row, key)), None)


def count(row: Row, key: str) -> int | None:
    """A number of things; what is missing is unknown and never 0."""
    value = row.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _COUNT_MAX:
        return None
    return value


def number(row: Row, key: str) -> float | None:
    """A number that is not negative."""
    value = row.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _COUNT_MAX:
        return None
    return float(value)


def registered_doi(value: str | None) -> str | None:
    """A DOI as its agency spells it, without its URL; such a one may end in a mark, as no text of a caller does."""
    match = _DOI.fullmatch(value.strip()) if value else None
    return match[1] if match else None


def folded_doi(doi: str) -> str:
    """A DOI as it is compared and asked for: ASCII letters in lower case."""
    return doi.lower() if doi.isascii() else doi.translate(_ASCII_LOWER)


def identified(value: str | None) -> Identifier | None:
    """The identifier that a text of a source is, or None."""
    try:
        return parse(value, titles=False, bare_digits="refuse") if value else None
    except InvalidReference:
        return None


def arxiv_in(urls: Iterable[str | None]) -> Identifier | None:
    """The arXiv id of the first address that has one."""
    for url in urls:
        found = identified(url) if url and "arxiv" in url.lower() else None
        if found is not None and found.kind is IdentifierKind.ARXIV:
            return found
    return None


def registry_id(kind: IdentifierKind, value: str | None) -> str | None:
    """The id that a text is under a registry, such as a PubMed id, alone or at the end of an address."""
    if not value:
        return None
    found = identified(f"{kind.value}:{value.strip().rstrip('/').rpartition('/')[2]}")
    return found.id if found is not None and found.kind is kind else None


def partial_date(value: str | None) -> PartialDate | None:
    """A date that is written `YYYY-MM-DD`, with or without its end; as much of it as is in the calendar."""
    return date_of(value.partition("T")[0].strip().split("-")) if value else None


def date_of(parts: Sequence[Any]) -> PartialDate | None:
    """A date of year, month and day, numbers or their texts; as much of it as is in the calendar."""
    known = list(parts[:3])
    while known:
        try:
            return PartialDate.from_parts(known)
        except InvalidInput:
            known.pop()
    return None


def https_url(value: str | None) -> str | None:
    """A web address, over https; a text that is none is None."""
    if not value or len(value) > _MAX_URL_CHARS or not _URL.fullmatch(value):
        return None
    scheme, _, rest = value.partition(":")
    if scheme.lower() == "https":
        return f"https:{rest}"
    return f"https:{rest}".replace("https://dx.doi.org/", "https://doi.org/", 1)


def issns(values: Iterable[str]) -> tuple[str, ...]:
    """ISSNs with their hyphen, each once."""
    found = (_ISSN.fullmatch(value.strip().upper()) for value in values)
    return tuple(dict.fromkeys(f"{match[1]}-{match[2]}" for match in found if match))


def isbns(values: Iterable[str]) -> tuple[str, ...]:
    """ISBNs as digits, each once; they may stand at the end of an address."""
    bare = (value.rpartition("/")[2].replace("-", "").replace(" ", "").upper() for value in values)
    return tuple(dict.fromkeys(value for value in bare if _ISBN.fullmatch(value)))


def language(value: str | None) -> str | None:
    """A language tag of BCP 47; a text that is none is None."""
    return value if value and _LANGUAGE.fullmatch(value) else None
