"""The family's own rules for what is sent (references contract, section 1.3)."""

import math
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

import orjson

from core.references.failures import BadArgument

_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?", re.ASCII)
_NAMED_MAX = 5
_NAME_CHARS = 60

Schema = Mapping[str, Any]


class ReferenceArguments:
    """The parameters of one tool, made ready from their schema."""

    def __init__(self, tool: str, schema: Schema) -> None:
        self._tool = tool
        self._properties: Mapping[str, Schema] = schema["properties"]
        self._required = frozenset(schema.get("required", ()))

    def bind(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The named values; what is absent is left to the function's default. Raises `BadArgument`."""
        unknown = [name for name in arguments if name not in self._properties]
        if unknown:
            raise self._unknown(unknown)
        values: dict[str, Any] = {}
        for name, schema in self._properties.items():
            value = arguments.get(name)
            if name in self._required:
                if value is None:
                    raise BadArgument(f"{name} is missing: {self._tool} needs {_wanted(schema)}.", field=name)
            elif value is None or value == "":
                continue
            values[name] = _read(name, schema, value)
        return values

    def _unknown(self, names: list[str]) -> BadArgument:
        shown = ", ".join(_printable(name) for name in names[:_NAMED_MAX])
        takes = ", ".join(self._properties)
        known = f"It takes {takes}." if takes else "It takes no arguments."
        return BadArgument(f"{self._tool} has no argument {shown}. {known}", field=_printable(names[0]))


def _printable(name: str) -> str:
    return "".join(each if each.isprintable() else "?" for each in name[:_NAME_CHARS])


def _read(name: str, schema: Schema, value: Any) -> Any:
    return _READERS[schema["type"]](name, schema, value)


def _text(name: str, schema: Schema, value: Any) -> str:
    if type(value) is int and (name == "ref" or name.startswith("refs[")):
        value = str(value)
    if not isinstance(value, str) or value not in _allowed(schema, value):
        raise _refusal(name, schema)
    return value


def _allowed(schema: Schema, value: str) -> Collection[str]:
    return (schema["const"],) if "const" in schema else schema.get("enum", (value,))


def _integer(name: str, schema: Schema, value: Any) -> int:
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is not int or not _is_within(schema, value):
        raise _refusal(name, schema)
    return value


def _number(name: str, schema: Schema, value: Any) -> float:
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if type(value) not in (int, float) or not math.isfinite(value) or not _is_within(schema, value):
        raise _refusal(name, schema)
    return float(value)


def _boolean(name: str, schema: Schema, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _refusal(name, schema)
    return value


def _list(name: str, schema: Schema, value: Any) -> list[Any]:
    if isinstance(value, str):
        # Some clients send lists as JSON text.
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            value = None
    if not isinstance(value, list):
        raise _refusal(name, schema)
    return [_read(f"{name}[{place}]", schema["items"], each) for place, each in enumerate(value)]


def _is_within(schema: Schema, value: float) -> bool:
    return bool(schema.get("minimum", -math.inf) <= value <= schema.get("maximum", math.inf))


def _refusal(name: str, schema: Schema) -> BadArgument:
    return BadArgument(f"{name} must be {_wanted(schema)}.", field=name)


def _wanted(schema: Schema) -> str:
    if "const" in schema:
        return str(schema["const"])
    if "enum" in schema:
        return f"one of {', '.join(schema['enum'])}"
    kind = str(schema["type"])
    if kind == "array":
        return "a list of texts"
    least, most = schema.get("minimum"), schema.get("maximum")
    span = f" from {least} to {most}" if most is not None else "" if least is None else f" of at least {least}"
    return _WORDS[kind] + span


_WORDS = {"string": "text", "integer": "a whole number", "number": "a number", "boolean": "true or false"}
_READERS: Mapping[str, Callable[[str, Schema, Any], Any]] = {
    "string": _text,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "array": _list,
}
