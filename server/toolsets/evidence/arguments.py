"""The family's own rules for what is sent: every problem of a call is told at once (evidence contract 2.1, 2.4)."""

import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

import orjson

from core.errors import Entry, InvalidInput
from server.registry import without_surrogates

PROBLEMS_MAX = 10
ECHO_CHARS = 200
ECHOED_NAMES_MAX = 10
_NAME_CHARS = 60
_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_ALLOWED_CONTROLS = frozenset("\t\n")

Schema = Mapping[str, Any]


class _Refused(ValueError):
    """A value that its parameter does not take."""


class EvidenceArguments:
    """The parameters of one tool, made ready from their schema."""

    def __init__(self, tool: str, schema: Schema) -> None:
        self._tool = tool
        self._properties: Mapping[str, Schema] = schema["properties"]
        self._required = frozenset(schema.get("required", ()))

    def bind(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The named values; what is absent is left to the function's default. Raises `InvalidInput` for all at once."""
        unknown = [name for name in arguments if name not in self._properties]
        problems = [self._unknown(unknown)] if unknown else []
        values: dict[str, Any] = {}
        for name, schema in self._properties.items():
            value = arguments.get(name)
            if value is None or (isinstance(value, str) and not value.strip()):
                if name in self._required:
                    problems.append(f"{name} is missing: {self._tool} needs {_wanted(schema)}.")
                continue
            try:
                values[name] = _READERS[schema["type"]](schema, value)
            except _Refused as refused:
                problems.append(f"Invalid {name}{_echo(name, value)}. {refused}")
        if problems:
            raise InvalidInput(" ".join(problems[:PROBLEMS_MAX]), suggestions=self._near(unknown))
        return values

    def _unknown(self, names: list[str]) -> str:
        shown = ", ".join(f"'{_printable(name, _NAME_CHARS)}'" for name in names[:ECHOED_NAMES_MAX])
        noun = "argument" if len(names) == 1 else "arguments"
        return f"{self._tool} has no {noun} {shown}. It takes: {', '.join(self._properties)}."

    def _near(self, unknown: list[str]) -> list[Entry]:
        """The argument that an unknown one most likely meant, where a word of it says so."""
        words = {word for name in unknown for word in name[:_NAME_CHARS].split("_")}
        return [Entry(id=name, name=name) for name in self._properties if words & set(name.split("_"))]


def _printable(text: str, most: int) -> str:
    shown = "".join(each if each.isprintable() else "?" for each in text[:most])
    return shown + "…" if len(text) > most else shown


def _echo(name: str, value: Any) -> str:
    """A caller's value as it was sent, cut; what was searched for is not repeated."""
    if name == "query":
        return ""
    if isinstance(value, str):
        return f" '{_printable(value, ECHO_CHARS)}'"
    try:
        text = orjson.dumps(value).decode() if not isinstance(value, float) or math.isfinite(value) else str(value)
    except TypeError:
        return ""
    return f" {_printable(text, ECHO_CHARS)}"


def _text(schema: Schema, value: Any) -> str:
    if type(value) is int:
        value = str(value)
    if not isinstance(value, str):
        raise _Refused(_must_be(schema))
    text = without_surrogates(value.strip())
    if any(unicodedata.category(each) == "Cc" and each not in _ALLOWED_CONTROLS for each in text):
        raise _Refused("It holds a control character; only tabs and line breaks are allowed.")
    is_within = schema.get("minLength", 0) <= len(text) <= schema.get("maxLength", math.inf)
    is_allowed = text in schema.get("enum", (text,))
    if not is_within or not is_allowed or (schema.get("format") == "date" and not _is_day(text)):
        raise _Refused(_must_be(schema))
    return text


def _is_day(text: str) -> bool:
    if _DATE.fullmatch(text) is None:
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _integer(schema: Schema, value: Any) -> int:
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is not int or not _is_within(schema, value):
        raise _Refused(_must_be(schema))
    return value


def _number(schema: Schema, value: Any) -> float:
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if type(value) not in (int, float) or not _is_within(schema, value):
        raise _Refused(_must_be(schema))
    return float(value)


def _is_within(schema: Schema, value: float) -> bool:
    return bool(schema.get("minimum", -math.inf) <= value <= schema.get("maximum", math.inf))


def _must_be(schema: Schema) -> str:
    return f"Must be {_wanted(schema)}."


def _wanted(schema: Schema) -> str:
    if "enum" in schema:
        return f"one of: {', '.join(schema['enum'])}"
    if schema.get("format") == "date":
        return "an existing day as YYYY-MM-DD, such as 2026-04-03"
    if schema["type"] == "string":
        return f"text of {schema.get('minLength', 0)} to {schema['maxLength']} characters"
    kind = {"integer": "a whole number", "number": "a number"}[schema["type"]]
    return f"{kind} from {schema['minimum']} to {schema['maximum']}"


_READERS: Mapping[str, Callable[[Schema, Any], Any]] = {"string": _text, "integer": _integer, "number": _number}
