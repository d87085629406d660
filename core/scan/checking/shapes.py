"""The few kinds of value that a tool takes, described once: what is published and what is checked follow from them.

A description is plain data. `published` writes it as JSON Schema in the portable subset of 2.1; `walking.Walk` holds
values against it. What JSON Schema cannot say (words, marks of a month) stands in `note`, which goes into the
description and is the reason in an error line.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Text:
    """A string of `least` to `most` characters after trimming, perhaps of at most `words` words.

    `pattern` must match the whole; `note` says in words what it wants, such as `a month such as 2024-03`.
    """

    most: int | None = None
    least: int = 1
    words: int | None = None
    pattern: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few strings."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Whole:
    """An integer from `least` to `most`."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""


@dataclass(frozen=True, slots=True)
class Anything:
    """A value of any shape, which is ignored."""


@dataclass(frozen=True, slots=True)
class Items:
    """An array of `least` to `most` values of one kind."""

    of: "Shape"
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Marks:
    """An object whose keys are the client's own ids, each with an integer."""

    of: Whole


@dataclass(frozen=True, slots=True)
class Field:
    """A key of an object; `default` stands where an optional one is absent, None for absence itself."""

    name: str
    shape: "Shape"
    about: str
    required: bool = False
    default: Any = None


@dataclass(frozen=True, slots=True)
class Fields:
    """A closed object."""

    fields: tuple[Field, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The known keys in their order."""
        return tuple(field.name for field in self.fields)


Shape = Text | Choice | Whole | Flag | Anything | Items | Marks | Fields


def published(shape: Shape, about: str = "", default: Any = None) -> dict[str, Any]:
    """The JSON Schema of a shape: inlined, one type a place, closed objects, no null and no format."""
    schema = _schema(shape)
    note = shape.note if isinstance(shape, Text) else ""
    words = f"at most {shape.words} words" if isinstance(shape, Text) and shape.words else ""
    described = "; ".join(each for each in (about, note, words) if each)
    if described:
        schema["description"] = described
    if default is not None:
        schema["default"] = list(default) if isinstance(default, tuple) else default
    return schema


def _schema(shape: Shape) -> dict[str, Any]:
    match shape:
        case Text():
            bounds = {"minLength": shape.least, "maxLength": shape.most, "pattern": shape.pattern}
            if shape.pattern is not None:
                bounds = {"pattern": f"^{shape.pattern}$", "maxLength": shape.most}
            return {"type": "string", **{key: value for key, value in bounds.items() if value is not None}}
        case Choice():
            return {"type": "string", "enum": list(shape.values)}
        case Whole():
            return {"type": "integer", "minimum": shape.least, "maximum": shape.most}
        case Flag():
            return {"type": "boolean"}
        case Anything():
            return {}
        case Items():
            return {
                "type": "array",
                "items": published(shape.of),
                "minItems": shape.least,
                "maxItems": shape.most,
            }
        case Marks():
            return {"type": "object", "additionalProperties": published(shape.of)}
        case Fields():
            return _object(shape.fields)


def _object(fields: Sequence[Field]) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {each.name: published(each.shape, each.about, each.default) for each in fields},
        "additionalProperties": False,
    }
    required = [each.name for each in fields if each.required]
    return {**schema, "required": required} if required else schema
