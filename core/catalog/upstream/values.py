"""Single values of foreign JSON, read tolerantly: what is not of the wanted kind is missing, never a failure."""

import math
import re
from collections.abc import Iterator
from typing import Any

from core.catalog.models import Link, MetricValue, Repository

Json = dict[str, Any]

INTEGER_MAX = 10**18 - 1
"""A whole number of more digits is no value of a catalog, and may not fit into JSON either."""

IDENTIFIER_MAX = 1000
"""A longer text is no id: it would neither fit into an address nor into a message."""

_DAY = re.compile(r"([0-9]{4})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12][0-9]|3[01]))?)?(?![0-9-])", re.ASCII)
_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_VERSION = re.compile(r"v[0-9]{1,4}$", re.ASCII)


def identifier(value: object) -> str | None:
    """An id, which arrives as text or as a whole number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    found = value.strip() if isinstance(value, str) else ""
    return found if 0 < len(found) <= IDENTIFIER_MAX else None


def slug_text(value: object) -> str | None:
    """A text that names a thing in addresses and in messages."""
    found = text(value)
    return found if found and len(found) <= IDENTIFIER_MAX else None


def text(value: object) -> str | None:
    """A text that says something."""
    return value if isinstance(value, str) and value.strip() else None


def first_text(row: Json, *names: str) -> str | None:
    """The first of some fields that is a text."""
    return next((found for name in names if (found := text(row.get(name)))), None)


def integer(value: object) -> int | None:
    """A whole number of at most 18 digits, also as text or as a decimal without a fraction."""
    if isinstance(value, bool):
        return None
    is_text = isinstance(value, str) and _INTEGER.fullmatch(value.strip()) is not None
    is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if not isinstance(value, int | float | str) or not (is_text or is_whole):
        return None
    found = int(value)
    return found if abs(found) <= INTEGER_MAX else None


def count(value: object) -> int | None:
    """A whole number from 0."""
    found = integer(value)
    return found if found is not None and found >= 0 else None


def flag(value: object) -> bool | None:
    """An explicit true or false."""
    return value if isinstance(value, bool) else None


def day(value: object) -> str | None:
    """A date at its own precision, also as the beginning of a moment."""
    match = _DAY.match(value.strip()) if isinstance(value, str) else None
    return match[0] if match else None


def arxiv_id(value: object) -> str | None:
    """An arXiv id without its version."""
    found = identifier(text(value))
    return _VERSION.sub("", found) if found else None


def objects(value: object) -> list[Json]:
    """The objects of a list; anything else in it, and any other value, is left out."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def texts(value: object, *names: str) -> tuple[str, ...]:
    """The texts of a list; of an object in it the first of `names` that is a text."""
    return tuple(_texts(value, names))


def _texts(value: object, names: tuple[str, ...]) -> Iterator[str]:
    for each in value if isinstance(value, list) else []:
        found = first_text(each, *names) if isinstance(each, dict) else text(each)
        if found:
            yield found


def link(value: object) -> Link | None:
    """A named thing with its id; a bare name stands for itself."""
    if not isinstance(value, dict):
        name = slug_text(value)
        return Link(name, name) if name else None
    name, named = text(value.get("name")), slug_text(value.get("slug"))
    id_ = identifier(value.get("id")) or named
    return Link(id_, name or named or "Unknown", named) if id_ else None


def links(value: object) -> tuple[Link, ...]:
    """The named things of a list."""
    return tuple(found for each in value if (found := link(each))) if isinstance(value, list) else ()


def repositories(value: object) -> tuple[Repository, ...]:
    """The code repositories of a list."""
    return tuple(
        Repository(url, row.get("is_official") is True, text(row.get("framework")))
        for row in objects(value)
        if (url := text(row.get("url")))
    )


def metrics(value: object) -> dict[str, MetricValue]:
    """Metric values by name: numbers and texts as they are, anything else as text, null ones left out."""
    found = value.items() if isinstance(value, dict) else ()
    return {name: _metric(each) for name, each in found if name and each is not None}


def _metric(value: object) -> MetricValue:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return value if isinstance(value, int | str) else str(value)
