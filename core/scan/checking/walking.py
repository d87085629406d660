"""Holds values of a client against the shapes of the tools and brings them to their normal form (scan contract 2.1)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from core.scan.answers.refusals import LINES_MAX, Code
from core.scan.checking.problems import Problem, shown
from core.scan.checking.shapes import Anything, Choice, Field, Fields, Flag, Items, Marks, Shape, Text, Whole

BAD: Final[Any] = object()
"""Stands for a value that broke a rule, so that rules across values pass it over."""

_COUNTED = Problem(Code.SCHEMA_VIOLATION, "", "unknown key")
"""Stands for each problem behind so many of its like that its line is never shown."""

_INTEGER_TEXT = re.compile(r"-?[0-9]{1,9}(?:\.0{1,9})?")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_FLAG_TEXTS = {"true": True, "false": False}
_KINDS: Mapping[type, str] = {Fields: "an object", Marks: "an object", Items: "an array", Flag: "true or false"}


@dataclass(slots=True)
class Walk:
    """One pass over a call; `problems` grows with every rule that a value breaks."""

    problems: list[Problem] = field(default_factory=list)

    def add(self, path: str, reason: str, code: Code = Code.SCHEMA_VIOLATION) -> Any:
        """Notes a problem and gives the value that stands for a broken one."""
        self.problems.append(Problem(code, path, reason))
        return BAD

    def arguments(self, shape: Fields, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a tool; those that are no artifacts may be told by a text that loses nothing."""
        return self._fields(shape, given, "", is_argument=True)

    def value(self, shape: Shape, given: Any, path: str) -> Any:
        """The normal form of a value, or BAD; an object or array keeps BAD in the places of its broken parts."""
        match shape:
            case Text():
                return self._text(shape, given, path)
            case Choice():
                return self._choice(shape, given, path)
            case Whole():
                if isinstance(given, int) and not isinstance(given, bool) and shape.least <= given <= shape.most:
                    return given
                return self.add(path, f"must be an integer from {shape.least} to {shape.most}")
            case Anything():
                return None
            case Items() if isinstance(given, list):
                return self._items(shape, given, path)
            case Fields() if isinstance(given, Mapping):
                return self._fields(shape, given, f"{path}.")
            case Marks() if isinstance(given, Mapping):
                return {key: self.value(shape.of, each, f"{path}.{shown(key)}") for key, each in given.items()}
            case Flag() if isinstance(given, bool):
                return given
        return self.add(path, f"must be {_KINDS[type(shape)]}")

    def _fields(
        self, shape: Fields, given: Mapping[str, Any], prefix: str, *, is_argument: bool = False
    ) -> dict[str, Any]:
        known = shape.names
        unknown = [key for key in given if key not in known]
        for key in unknown[:LINES_MAX]:
            self.add(f"{prefix}{shown(key)}", f"unknown key; the known keys are {', '.join(known)}")
        self.problems += [_COUNTED] * (len(unknown) - LINES_MAX)
        taken: dict[str, Any] = {}
        for each in shape.fields:
            path = f"{prefix}{each.name}"
            value = given.get(each.name)
            if _is_absent(each, value):
                taken[each.name] = self.add(path, "is required") if each.required else each.default
            else:
                taken[each.name] = self.value(each.shape, _told(each.shape, value) if is_argument else value, path)
        return taken

    def _items(self, shape: Items, given: list[Any], path: str) -> list[Any]:
        if not shape.least <= len(given) <= shape.most:
            self.add(path, f"must have {shape.least} to {shape.most} items")
        # Beyond this many more lines are never shown.
        read = given[: shape.most + LINES_MAX]
        return [self.value(shape.of, each, f"{path}[{index}]") for index, each in enumerate(read)]

    def _text(self, shape: Text, given: Any, path: str) -> Any:
        if not isinstance(given, str):
            return self.add(path, "must be a string")
        text = given.strip()
        before = len(self.problems)
        if shape.pattern is not None and not re.fullmatch(shape.pattern, text):
            self.add(path, f"must be {shape.note}")
        if _SURROGATE.search(text):
            self.add(path, "must be Unicode text without lone surrogates")
        if shape.most is not None and not shape.least <= len(text) <= shape.most:
            self.add(path, f"must have {shape.least} to {shape.most} characters")
        if shape.words is not None and len(text.split()) > shape.words:
            self.add(path, f"must have at most {shape.words} words")
        return text if len(self.problems) == before else BAD

    def _choice(self, shape: Choice, given: Any, path: str) -> Any:
        text = given.strip() if isinstance(given, str) else None
        return text if text in shape.values else self.add(path, f"must be one of {', '.join(shape.values)}")


def _is_absent(field: Field, value: Any) -> bool:
    """Null is absence everywhere, an empty text only where the key may be left out."""
    return value is None or (not field.required and isinstance(value, str) and not value.strip())


def _told(shape: Shape, given: Any) -> Any:
    """What an argument says in another form without loss; the argument itself where it says nothing so."""
    match shape:
        case Whole() if isinstance(given, float) and given.is_integer():
            return int(given)
        case Whole() if isinstance(given, str) and _INTEGER_TEXT.fullmatch(given.strip()):
            return int(given.strip().partition(".")[0])
        case Flag() if isinstance(given, str):
            return _FLAG_TEXTS.get(given.strip(), given)
        case Items() | Fields() if isinstance(given, str):
            return _read(given)
    return given


def _read(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
