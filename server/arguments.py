"""What a caller sent, turned into what a tool takes: lossless coercion and checks with messages of ours.

The rules are catalog contract section 2.1. Every breach is an `InvalidInput`; no validator's text reaches a caller.
"""

import difflib
import math
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

import orjson

from core.errors import Entry, InvalidInput

MAX_ECHO = 64
MAX_SUGGESTIONS = 5
MAX_UNKNOWN = 5

_INTEGER_TEXT = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_DECIMAL_TEXT = re.compile(r"-?[0-9]{1,300}(\.[0-9]{1,300})?", re.ASCII)
_DATE_TEXT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_ALLOWED_CONTROLS = frozenset("\t\n")
_ABSENT: tuple[Any, ...] = (None, "", [], {})


def bind(
    tool: str, schema: Mapping[str, Any], arguments: Mapping[str, Any], synonyms: Mapping[str, str]
) -> dict[str, Any]:
    """The named values for a tool's function; what is absent is left to the function's default.

    Raises `InvalidInput` for all unknown names, else for the first breach in the order of the parameters.
    """
    properties: Mapping[str, Mapping[str, Any]] = schema["properties"]
    if unknown := [name for name in arguments if name not in properties]:
        raise _unknown_arguments(tool, unknown, list(properties), synonyms)
    required = frozenset(schema.get("required", ()))
    values: dict[str, Any] = {}
    for name, wanted in properties.items():
        value = arguments.get(name)
        value = value.strip() if isinstance(value, str) else value
        if name not in required and _is_absent(value):
            continue
        if value is None:
            raise InvalidInput(f"{name} is missing: {tool} needs {_expected(wanted)}.")
        value = coerce(name, wanted, value)
        if name in required or not _is_absent(value):
            values[name] = value
    return values


def coerce(where: str, schema: Mapping[str, Any], value: Any) -> Any:
    """`value` as the type that `schema` wants, checked against its bounds; `where` names it in messages."""
    if "anyOf" in schema:
        return _coerce_union(where, schema, value)
    kind = schema.get("type")
    if kind is None:
        return value
    return _COERCIONS[kind](where, schema, value)


def without_surrogates(text: str) -> str:
    """The text with U+FFFD for what no encoding can write: unpaired surrogates, as from a terminal's odd bytes."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def printable(text: str, limit: int = MAX_ECHO) -> str:
    """The caller's own text, safe to repeat: printable characters only, cut to `limit`."""
    kept = "".join(character for character in text[: limit * 4] if character.isprintable())
    return kept if len(kept) <= limit else kept[: limit - 1] + "…"


def near(name: str, known: Sequence[str], synonyms: Mapping[str, str] | None = None) -> list[str]:
    """The names of `known` that `name` most likely meant, best first, at most five."""
    close = difflib.get_close_matches(name[: MAX_ECHO * 2].lower(), known, n=MAX_SUGGESTIONS, cutoff=0.6)
    meant = (synonyms or {}).get(name.lower())
    if meant is not None:
        close = [meant, *(other for other in close if other != meant)]
    return close[:MAX_SUGGESTIONS]


def _is_absent(value: Any) -> bool:
    return any(value is absent or (type(value) is type(absent) and value == absent) for absent in _ABSENT)


def _unknown_arguments(
    tool: str, names: Sequence[str], known: Sequence[str], synonyms: Mapping[str, str]
) -> InvalidInput:
    quoted = [f"'{printable(name)}'" for name in names[:MAX_UNKNOWN]]
    more = f" and {len(names) - MAX_UNKNOWN} more" if len(names) > MAX_UNKNOWN else ""
    noun = "argument" if len(names) == 1 else "arguments"
    takes = f"It takes {', '.join(known)}." if known else "It takes no arguments."
    return InvalidInput(
        f"{tool} has no {noun} {', '.join(quoted)}{more}. {takes}",
        suggestions=_meant(names[:MAX_UNKNOWN], known, synonyms),
    )


def _meant(names: Sequence[str], known: Sequence[str], synonyms: Mapping[str, str]) -> list[Entry]:
    """What unknown names most likely meant, the best of each first; with several names, a note says of which."""
    close = [near(name, known, synonyms) for name in names]
    sources: dict[str, list[str]] = {}
    for place in range(MAX_SUGGESTIONS):
        for name, suggestions in zip(names, close, strict=True):
            if place < len(suggestions):
                sources.setdefault(suggestions[place], []).append(printable(name))
    return [
        Entry(id=found, name=found, note=f"for {', '.join(asked)}" if len(names) > 1 else None)
        for found, asked in list(sources.items())[:MAX_SUGGESTIONS]
    ]


def _refusal(where: str, schema: Mapping[str, Any], value: Any) -> InvalidInput:
    allowed = [str(item) for item in schema.get("enum", ())]
    meant = near(value, allowed) if isinstance(value, str) else []
    return InvalidInput(
        f"{where} must be {_expected(schema)}.", suggestions=[Entry(id=item, name=item) for item in meant]
    )


def _coerce_text(where: str, schema: Mapping[str, Any], value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise _refusal(where, schema, value)
    text = without_surrogates(value.strip())
    if any(unicodedata.category(character) == "Cc" and character not in _ALLOWED_CONTROLS for character in text):
        raise InvalidInput(f"{where} holds a control character; only tabs and line breaks are allowed.")
    allowed = schema.get("enum") or ([schema["const"]] if "const" in schema else None)
    outside = not schema.get("minLength", 0) <= len(text) <= schema.get("maxLength", math.inf)
    if outside or (allowed is not None and text not in allowed):
        raise _refusal(where, schema, value)
    if schema.get("format") == "date" and not _is_date(text):
        raise _refusal(where, schema, value)
    if "pattern" in schema and re.search(schema["pattern"], text) is None:
        raise InvalidInput(f"{where} does not have the form that its description states.")
    return text


def _is_date(text: str) -> bool:
    if _DATE_TEXT.fullmatch(text) is None:
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _coerce_integer(where: str, schema: Mapping[str, Any], value: Any) -> int:
    is_text = isinstance(value, str) and _INTEGER_TEXT.fullmatch(value.strip()) is not None
    if is_text or (isinstance(value, float) and value.is_integer()):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not _within(schema, value):
        raise _refusal(where, schema, value)
    return value


def _coerce_number(where: str, schema: Mapping[str, Any], value: Any) -> float:
    if isinstance(value, str) and _DECIMAL_TEXT.fullmatch(value.strip()):
        value = float(value)
    if not isinstance(value, int | float) or isinstance(value, bool) or abs(value) > 1e300 or value != value:
        raise _refusal(where, schema, value)
    if not _within(schema, value):
        raise _refusal(where, schema, value)
    return float(value)


def _within(schema: Mapping[str, Any], value: float) -> bool:
    if "enum" in schema and value not in schema["enum"]:
        return False
    return bool(
        schema.get("minimum", -math.inf) <= value <= schema.get("maximum", math.inf)
        and value > schema.get("exclusiveMinimum", -math.inf)
        and value < schema.get("exclusiveMaximum", math.inf)
    )


def _coerce_boolean(where: str, schema: Mapping[str, Any], value: Any) -> bool:
    if isinstance(value, str):
        value = {"true": True, "false": False}.get(value)
    if not isinstance(value, bool):
        raise _refusal(where, schema, value)
    return value


def _coerce_array(where: str, schema: Mapping[str, Any], value: Any) -> list[Any]:
    value = _from_json_text(value)
    if not isinstance(value, list):
        raise _refusal(where, schema, value)
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", math.inf):
        raise _refusal(where, schema, value)
    return [coerce(f"{where}[{index}]", schema["items"], item) for index, item in enumerate(value)]


def _coerce_object(where: str, schema: Mapping[str, Any], value: Any) -> dict[str, Any]:
    value = _from_json_text(value)
    if not isinstance(value, dict):
        raise _refusal(where, schema, value)
    if "properties" in schema:
        return bind(where, schema, value, {})
    if not schema.get("minProperties", 0) <= len(value) <= schema.get("maxProperties", math.inf):
        raise _refusal(where, schema, value)
    keys = {key: _coerce_text(f"A key of {where}", {"type": "string", "minLength": 1}, key) for key in value}
    values = schema["additionalProperties"]
    return {keys[key]: coerce(f"{where}['{printable(keys[key])}']", values, item) for key, item in value.items()}


def _from_json_text(value: Any) -> Any:
    """Some clients send lists and objects as JSON text."""
    if not isinstance(value, str):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return value


def _coerce_union(where: str, schema: Mapping[str, Any], value: Any) -> Any:
    """The member whose type the value already has comes first, so that text stays text where text is allowed."""
    members = sorted(schema["anyOf"], key=lambda member: not _has_type(member, value))
    for member in members:
        try:
            return coerce(where, member, value)
        except InvalidInput as refusal:
            if _has_type(member, value):
                raise refusal
    raise _refusal(where, schema, value)


def _has_type(schema: Mapping[str, Any], value: Any) -> bool:
    types: dict[str, tuple[type, ...]] = {
        "string": (str,),
        "integer": (int,),
        "number": (int, float),
        "boolean": (bool,),
        "array": (list,),
        "object": (dict,),
    }
    wanted = schema.get("type")
    if isinstance(value, bool):
        return wanted == "boolean"
    return wanted is not None and isinstance(value, types[wanted])


def _expected(schema: Mapping[str, Any]) -> str:
    """What a schema wants, in words that state its bounds or allowed values."""
    if "anyOf" in schema:
        return " or ".join(_expected(member) for member in schema["anyOf"])
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
    items = _expected(schema["items"])
    return "a list" + _span(schema, "minItems", "maxItems", "entries") + f", each {items}"


def _expected_object(schema: Mapping[str, Any]) -> str:
    if "properties" in schema:
        return "an object with the keys " + ", ".join(schema["properties"])
    return f"an object of names, each with {_expected(schema['additionalProperties'])}"


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


_COERCIONS: Mapping[str, Callable[[str, Mapping[str, Any], Any], Any]] = {
    "string": _coerce_text,
    "integer": _coerce_integer,
    "number": _coerce_number,
    "boolean": _coerce_boolean,
    "array": _coerce_array,
    "object": _coerce_object,
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
