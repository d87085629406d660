"""Checks of values, made ready once from a schema: lossless coercion, bounds, and what was expected instead.

A check takes where the value stands, for messages, and the value; what it gives is in the schema's type and bounds.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

import orjson

from core.errors import Entry, InvalidInput
from server.spelling import near, printable, without_surrogates

Schema = Mapping[str, Any]
Coercion = Callable[[str, Any], Any]
Inner = Callable[[Schema], Coercion]
"""How an object with named members is checked: whoever binds arguments knows."""

_INTEGER_TEXT = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_DECIMAL_TEXT = re.compile(r"-?[0-9]{1,300}(\.[0-9]{1,300})?", re.ASCII)
_DATE_TEXT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_ALLOWED_CONTROLS = frozenset("\t\n")
_BOUNDS = {"enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
_TRUTHS = {"true": True, "false": False}
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


def coercion(schema: Schema, inner: Inner) -> Coercion:
    """The check of one schema. It raises `InvalidInput`."""
    if "anyOf" in schema:
        return _union(schema, inner)
    kind = schema.get("type")
    if kind is None:
        return lambda where, value: value
    return _COERCIONS[kind](schema, inner)


def _refusal(where: str, schema: Schema, value: Any) -> InvalidInput:
    allowed = [str(item) for item in schema.get("enum", ())]
    meant = near(value, allowed) if isinstance(value, str) else []
    return InvalidInput(
        f"{where} must be {expected(schema)}.", suggestions=[Entry(id=item, name=item) for item in meant]
    )


def _text(schema: Schema, _: Inner) -> Coercion:
    least, most = schema.get("minLength", 0), schema.get("maxLength", math.inf)
    allowed = schema.get("enum") or ([schema["const"]] if "const" in schema else None)
    is_date = schema.get("format") == "date"
    form = re.compile(schema["pattern"]) if "pattern" in schema else None

    def coerce(where: str, value: Any) -> str:
        text = _plain(where, schema, value)
        if not least <= len(text) <= most or (allowed is not None and text not in allowed):
            raise _refusal(where, schema, value)
        if is_date and not _is_date(text):
            raise _refusal(where, schema, value)
        if form is not None and form.search(text) is None:
            raise InvalidInput(f"{where} does not have the form that its description states.")
        return text

    return coerce


def _plain(where: str, schema: Schema, value: Any) -> str:
    """The value as text that can be written, without blanks around it and without control characters."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise _refusal(where, schema, value)
    text = value.strip()
    if text.isprintable():
        # Neither controls nor surrogates are.
        return text
    text = without_surrogates(text)
    if any(unicodedata.category(character) == "Cc" and character not in _ALLOWED_CONTROLS for character in text):
        raise InvalidInput(f"{where} holds a control character; only tabs and line breaks are allowed.")
    return text


def _is_date(text: str) -> bool:
    if _DATE_TEXT.fullmatch(text) is None:
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _integer(schema: Schema, _: Inner) -> Coercion:
    is_within = _bounds(schema)

    def coerce(where: str, value: Any) -> int:
        number: int = value
        if type(value) is not int:
            is_text = isinstance(value, str) and _INTEGER_TEXT.fullmatch(value.strip()) is not None
            if not is_text and not (isinstance(value, float) and value.is_integer()):
                raise _refusal(where, schema, value)
            number = int(value)
        if not is_within(number):
            raise _refusal(where, schema, value)
        return number

    return coerce


def _number(schema: Schema, _: Inner) -> Coercion:
    is_within = _bounds(schema)

    def coerce(where: str, value: Any) -> float:
        if isinstance(value, str) and _DECIMAL_TEXT.fullmatch(value.strip()):
            value = float(value)
        if not isinstance(value, (int, float)) or isinstance(value, bool) or abs(value) > 1e300 or value != value:
            raise _refusal(where, schema, value)
        if not is_within(value):
            raise _refusal(where, schema, value)
        return float(value)

    return coerce


def _anything(value: float) -> bool:
    return True


def _bounds(schema: Schema) -> Callable[[float], bool]:
    if not schema.keys() & _BOUNDS:
        return _anything
    allowed = schema.get("enum")
    least, most = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    above, below = schema.get("exclusiveMinimum", -math.inf), schema.get("exclusiveMaximum", math.inf)

    def is_within(value: float) -> bool:
        return least <= value <= most and above < value < below and (allowed is None or value in allowed)

    return is_within


def _boolean(schema: Schema, _: Inner) -> Coercion:
    def coerce(where: str, value: Any) -> bool:
        if isinstance(value, str):
            value = _TRUTHS.get(value)
        if not isinstance(value, bool):
            raise _refusal(where, schema, value)
        return value

    return coerce


def _array(schema: Schema, inner: Inner) -> Coercion:
    least, most = schema.get("minItems", 0), schema.get("maxItems", math.inf)
    item = coercion(schema["items"], inner)

    def coerce(where: str, value: Any) -> list[Any]:
        value = _from_json_text(value)
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise _refusal(where, schema, value)
        return [item(f"{where}[{index}]", each) for index, each in enumerate(value)]

    return coerce


def _object(schema: Schema, inner: Inner) -> Coercion:
    if "properties" in schema:
        members = inner(schema)

        def coerce_members(where: str, value: Any) -> Any:
            value = _from_json_text(value)
            if not isinstance(value, dict):
                raise _refusal(where, schema, value)
            return members(where, value)

        return coerce_members
    least, most = schema.get("minProperties", 0), schema.get("maxProperties", math.inf)
    key = coercion({"type": "string", "minLength": 1}, inner)
    item = coercion(schema["additionalProperties"], inner)

    def coerce(where: str, value: Any) -> dict[str, Any]:
        value = _from_json_text(value)
        if not isinstance(value, dict) or not least <= len(value) <= most:
            raise _refusal(where, schema, value)
        keys = {name: key(f"A key of {where}", name) for name in value}
        return {keys[name]: item(f"{where}['{printable(keys[name])}']", each) for name, each in value.items()}

    return coerce


def _from_json_text(value: Any) -> Any:
    """Some clients send lists and objects as JSON text."""
    if not isinstance(value, str):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return value


def _union(schema: Schema, inner: Inner) -> Coercion:
    """The member whose type the value already has comes first, so that text stays text where text is allowed."""
    members = [(member, coercion(member, inner)) for member in schema["anyOf"]]

    def coerce(where: str, value: Any) -> Any:
        for member, check in sorted(members, key=lambda pair: not _has_type(pair[0], value)):
            try:
                return check(where, value)
            except InvalidInput as refusal:
                if _has_type(member, value):
                    raise refusal
        raise _refusal(where, schema, value)

    return coerce


def _has_type(schema: Schema, value: Any) -> bool:
    wanted = schema.get("type")
    if isinstance(value, bool):
        return wanted == "boolean"
    return wanted is not None and isinstance(value, _TYPES[wanted])


def expected(schema: Mapping[str, Any]) -> str:
    """What a schema wants, in words that state its bounds or allowed values."""
    if "anyOf" in schema:
        return " or ".join(expected(member) for member in schema["anyOf"])
    if "enum" in schema:
        return "one of " + ", ".join(str(value) for value in schema["enum"])
    if "const" in schema:
        return str(schema["const"])
    if schema.get("format") == "date":
        return "a calendar date as YYYY-MM-DD, such as 2024-03-31"
    return _EXPECTED[schema.get("type", "any")](schema)


def _expected_text(schema: Mapping[str, Any]) -> str:
    return "text" + _span(schema, "minLength", "maxLength", "characters")


def _expected_array(schema: Mapping[str, Any]) -> str:
    items = expected(schema["items"])
    return "a list" + _span(schema, "minItems", "maxItems", "entries") + f", each {items}"


def _expected_object(schema: Mapping[str, Any]) -> str:
    if "properties" in schema:
        return "an object with the keys " + ", ".join(schema["properties"])
    return f"an object of names, each with {expected(schema['additionalProperties'])}"


def _expected_number(noun: str, schema: Mapping[str, Any]) -> str:
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    strict = [f"above {above}"] * (above is not None) + [f"below {below}"] * (below is not None)
    return noun + _span(schema, "minimum", "maximum", "") + "".join(f" {bound}" for bound in strict)


def _span(schema: Mapping[str, Any], low: str, high: str, unit: str) -> str:
    least, most = schema.get(low), schema.get(high)
    unit = f" {unit}" if unit else ""
    if least is not None and most is not None:
        return f" from {least} to {most}{unit}" if not unit else f" of {least} to {most}{unit}"
    if least is not None:
        return f" of at least {least}{unit}"
    return f" of at most {most}{unit}" if most is not None else ""


_COERCIONS: Mapping[str, Callable[[Schema, Inner], Coercion]] = {
    "string": _text,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "array": _array,
    "object": _object,
}
_EXPECTED: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "string": _expected_text,
    "integer": lambda schema: _expected_number("a whole number", schema),
    "number": lambda schema: _expected_number("a number", schema),
    "boolean": lambda schema: "true or false",
    "array": _expected_array,
    "object": _expected_object,
    "any": lambda schema: "a value",
}
