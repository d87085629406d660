"""Reads the fields of foreign rows: absent, null and empty are None; a wrong type is a bad row that names the field."""

import math
from collections.abc import Mapping
from typing import Any

from core.errors import InvalidInput
from core.ingest.cleaning import clean_name, clean_text
from core.ingest.identity import first_url

Row = Mapping[str, Any]
MAX_URL_CHARS = 2000


def _wrong(key: str, expected: str) -> InvalidInput:
    return InvalidInput(f"`{key}` is not {expected}")


def as_row(value: object) -> Row:
    """A row as an object; anything else is a bad row."""
    if not isinstance(value, dict):
        raise InvalidInput("not an object")
    return value


def raw_text(row: Row, key: str) -> str | None:
    """A text as it stands, trimmed; a whole number counts as its digits."""
    value = row.get(key)
    if value is None or value == "":
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise _wrong(key, "text")
    return value.strip() or None


def name(row: Row, key: str) -> str | None:
    """A title or name, cleaned."""
    value = row.get(key)
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise _wrong(key, "text")
    return clean_name(value)


def prose(row: Row, key: str) -> str | None:
    """A text with its line ends, cleaned."""
    value = row.get(key)
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise _wrong(key, "text")
    return clean_text(value)


def url(row: Row, key: str) -> str | None:
    """A web address; a text that holds none is None."""
    value = raw_text(row, key)
    found = None if value is None else first_url(value)
    if found is None or len(found) > MAX_URL_CHARS:
        return None
    return clean_name(found)


def integer(row: Row, key: str, *, least: int = 0) -> int | None:
    """A whole number of at least `least`."""
    value = row.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 1 << 63:
        raise _wrong(key, "a whole number in range")
    return value


def is_number(value: object) -> bool:
    """Whether a value is a finite number that JSON writers and databases agree on: whole ones within 64 bits."""
    if isinstance(value, int):
        return not isinstance(value, bool) and -1 << 63 <= value < 1 << 63
    return isinstance(value, float) and math.isfinite(value)


def flag(row: Row, key: str) -> bool | None:
    """True or false; 0 and 1, which some exports write, count as such."""
    value = row.get(key)
    if value is None:
        return None
    if value not in (0, 1):
        raise _wrong(key, "true or false")
    return bool(value)


def items(row: Row, key: str) -> list[Any]:
    """A list; absent and null are empty."""
    value = row.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise _wrong(key, "a list")
    return value


def objects(row: Row, key: str) -> list[Row]:
    """A list of objects."""
    values = items(row, key)
    if not all(isinstance(value, dict) for value in values):
        raise _wrong(key, "a list of objects")
    return values


def names(row: Row, key: str) -> list[str]:
    """A list of names, cleaned, without empty ones and repeats."""
    values = items(row, key)
    if not all(isinstance(value, str) for value in values):
        raise _wrong(key, "a list of texts")
    cleaned = [clean_name(value) for value in values]
    return list(dict.fromkeys(each for each in cleaned if each))


def child(row: Row, key: str) -> Row | None:
    """An object."""
    value = row.get(key)
    if value is None:
        return None
    if not isinstance(value, dict):
        raise _wrong(key, "an object")
    return value


def known(**facts: Any) -> dict[str, Any]:
    """The facts that have a value."""
    return {key: value for key, value in facts.items() if value is not None}
