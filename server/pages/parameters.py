"""A tool's parameters in words for readers: the type, the bounds and the default that its schema states."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

_DATE_FORMS = {"date": "YYYY-MM-DD", "date-time": "YYYY-MM-DDThh:mm:ssZ"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One row: `default` is its JSON text, None where there is none; `choices` are the JSON texts of all values."""

    name: str
    kind: str
    required: bool
    default: str | None
    choices: tuple[str, ...]
    bounds: str
    description: str


def parameters_of(schema: Mapping[str, Any]) -> list[Parameter]:
    """The rows of an input schema, in its order."""
    required = schema.get("required", ())
    return [
        Parameter(
            name=name,
            kind=_kind(wanted),
            required=name in required,
            default=_json(wanted["default"]) if "default" in wanted else None,
            choices=tuple(_json(value) for value in wanted.get("enum", ())),
            bounds="; ".join(_bounds(wanted)),
            description=wanted.get("description", ""),
        )
        for name, wanted in schema["properties"].items()
    ]


def _kind(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_kind(member) for member in schema["anyOf"])
    kind = str(schema.get("type", "any value"))
    if kind == "array":
        return f"array of {_kind(schema['items'])}"
    values = schema.get("additionalProperties")
    if kind == "object" and isinstance(values, Mapping):
        return f"object of {_kind(values)}"
    return kind


def _bounds(schema: Mapping[str, Any]) -> Iterator[str]:
    for member in schema.get("anyOf", ()):
        yield from _bounds(member)
    if form := _DATE_FORMS.get(schema.get("format", "")):
        yield form
    if "const" in schema:
        yield f"always {_json(schema['const'])}"
    if "pattern" in schema:
        yield f"matches {schema['pattern']}"
    yield from _range(schema, "minimum", "maximum", "")
    yield from _range(schema, "minLength", "maxLength", "characters")
    yield from _range(schema, "minItems", "maxItems", "items")
    yield from _range(schema, "minProperties", "maxProperties", "entries")
    yield from _inside(schema)


def _range(schema: Mapping[str, Any], low: str, high: str, unit: str) -> Iterator[str]:
    least, most = schema.get(low), schema.get(high)
    text = None
    if least is not None and most is not None:
        text = f"{_number(least)} to {_number(most)}"
    elif least is not None:
        text = f"at least {_number(least)}"
    elif most is not None:
        text = f"at most {_number(most)}"
    if text is not None:
        yield f"{text} {unit}".rstrip()


def _inside(schema: Mapping[str, Any]) -> Iterator[str]:
    """What holds for the items of a list, the values of a map, the fields of an object."""
    for inner, each in (("items", "each item"), ("additionalProperties", "each value")):
        if isinstance(schema.get(inner), Mapping):
            told = [*_choices(schema[inner]), *_bounds(schema[inner])]
            if told:
                yield f"{each} {', '.join(told)}"
    if fields := schema.get("properties"):
        required: Sequence[str] = schema.get("required", ())
        yield "fields " + ", ".join(f"{name} (required)" if name in required else name for name in fields)


def _choices(schema: Mapping[str, Any]) -> Iterator[str]:
    if "enum" in schema:
        yield "one of " + ", ".join(_json(value) for value in schema["enum"])


def _number(value: float) -> str:
    return f"{value:,}"


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
