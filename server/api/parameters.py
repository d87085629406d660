"""The query parameters of one API request: unknown ones are never looked at, bad values are refused by name."""

import math
import re
from collections.abc import Sequence
from datetime import date
from enum import StrEnum
from typing import TypeVar
from urllib.parse import parse_qsl

from core.catalog.models import Direction
from core.catalog.paging import as_text
from core.errors import InvalidInput
from server.api.problems import malformed

E = TypeVar("E", bound=StrEnum)

PAGE_MAX = 1_000_000
PAGE_SIZE = 20
PAGE_SIZE_MAX = 100
TEXT_MAX = 500

_FIELDS_MAX = 100
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_DIGITS = re.compile(r"[0-9]{1,19}", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,18})?", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_FLAGS = {"true": True, "1": True, "false": False, "0": False}


class Parameters:
    """What a query string says. Empty values are absent; of a repeated single parameter the last one counts.

    `applied` collects the filters that ran, as a handler echoes them. Raises `InvalidInput` and `Problem`.
    """

    def __init__(self, query: bytes) -> None:
        try:
            pairs = parse_qsl(query.decode("ascii"), errors="strict", max_num_fields=_FIELDS_MAX)
        except ValueError as error:
            raise malformed("The query string cannot be read; send at most 100 fields of UTF-8 text.") from error
        self._values: dict[str, list[str]] = {}
        for name, value in pairs:
            if value.strip():
                self._values.setdefault(name, []).append(value)
        self.applied: dict[str, object] = {}

    def echo(self, name: str, value: bool | int | float | str | None) -> None:
        """Puts a filter that ran into the echo, as text; one without a value did not run."""
        if value is not None:
            self.applied[name] = as_text(value)

    def text(self, name: str, *, most: int = TEXT_MAX) -> str | None:
        """A text of at most `most` characters, as it was sent."""
        values = self._values.get(name)
        return None if values is None else _text(name, values[-1], most)

    def texts(self, name: str, *, most: int, count_max: int) -> tuple[str, ...]:
        """All texts of a repeatable parameter."""
        values = self._values.get(name, [])
        if len(values) > count_max:
            raise InvalidInput(f"{name} may be given at most {count_max} times.")
        return tuple(_text(name, value, most) for value in values)

    def required_text(self, name: str) -> str:
        """A text that must be there."""
        value = self.text(name)
        if value is None:
            raise InvalidInput(f"{name} is missing; send a text.")
        return value

    def integer(self, name: str, *, low: int, high: int) -> int | None:
        """A whole number within bounds."""
        value = self.text(name)
        if value is None:
            return None
        if _DIGITS.fullmatch(value) is None or not low <= int(value) <= high:
            raise InvalidInput(f"{name} must be a whole number from {low} to {high}.")
        return int(value)

    def number(self, name: str) -> float | None:
        """A plain decimal, 0 or more."""
        value = self.text(name)
        if value is None:
            return None
        if _NUMBER.fullmatch(value) is None or not math.isfinite(float(value)):
            raise InvalidInput(f"{name} must be a plain decimal number, 0 or more.")
        return float(value)

    def flag(self, name: str) -> bool | None:
        """`true` or `false`, in any letter case."""
        value = self.text(name)
        if value is None:
            return None
        if value.lower() not in _FLAGS:
            raise InvalidInput(f"{name} must be true or false.")
        return _FLAGS[value.lower()]

    def day(self, name: str) -> str | None:
        """A calendar day as `YYYY-MM-DD`."""
        value = self.text(name)
        if value is None:
            return None
        try:
            if _DAY.fullmatch(value) is None:
                raise ValueError
            date.fromisoformat(value)
        except ValueError:
            raise InvalidInput(f"{name} must be a calendar day written YYYY-MM-DD.") from None
        return value

    def days(self) -> tuple[str | None, str | None]:
        """`start_date` and `end_date`, both inclusive, in this order."""
        first, last = self.day("start_date"), self.day("end_date")
        if first and last and first > last:
            raise InvalidInput("start_date is later than end_date; swap them or leave one out.")
        return first, last

    def choice(self, name: str, values: type[E], default: E) -> E:
        """One of the values of an enumeration."""
        value = self.text(name)
        if value is None:
            return default
        return _chosen(name, value, values)

    def ordering(self, values: type[E], default: E) -> tuple[E, Direction]:
        """`ordering` as `field` or, descending, `-field`."""
        value = self.text("ordering")
        if value is None:
            return default, Direction.ASC
        direction = Direction.DESC if value.startswith("-") else Direction.ASC
        return _chosen("ordering", value.removeprefix("-"), values), direction

    def one_ordering(self, allowed: Sequence[str]) -> None:
        """Refuses an `ordering` that is not among those served here."""
        value = self.text("ordering")
        if value is not None and value not in allowed:
            raise InvalidInput(f"ordering must be {' or '.join(allowed)} here.")

    def page(self, *, size_max: int = PAGE_SIZE_MAX) -> tuple[int, int]:
        """`page`, from 1, and `page_size`."""
        page = self.integer("page", low=1, high=PAGE_MAX)
        size = self.integer("page_size", low=1, high=size_max)
        return page or 1, size or PAGE_SIZE


def _chosen(name: str, value: str, values: type[E]) -> E:
    try:
        return values(value)
    except ValueError:
        raise InvalidInput(f"{name} must be one of {', '.join(values)}.") from None


def _text(name: str, value: str, most: int) -> str:
    if len(value) > most:
        raise InvalidInput(f"{name} may hold at most {most} characters.")
    if _CONTROL.search(value):
        raise InvalidInput(f"{name} holds a control character; leave it out.")
    return value
