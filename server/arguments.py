"""What a caller sent, turned into what a function takes: named values, checked with messages of ours.

The rules are catalog contract section 2.1. Every breach is an `InvalidInput`; no validator's text reaches a caller.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from core.errors import Entry, InvalidInput
from server.coercions import Coercion, coercion, expected
from server.spelling import MAX_SUGGESTIONS, near, printable

MAX_UNKNOWN = 5

_NO_SYNONYMS: Mapping[str, str] = MappingProxyType({})


class Arguments:
    """The parameters of one function, made ready once from their schema; `owner` names the function in messages."""

    def __init__(self, owner: str, schema: Mapping[str, Any], synonyms: Mapping[str, str] = _NO_SYNONYMS) -> None:
        properties: Mapping[str, Mapping[str, Any]] = schema["properties"]
        required = frozenset(schema.get("required", ()))
        self._owner = owner
        self._synonyms = synonyms
        self._known = properties.keys()
        self._parameters: tuple[tuple[str, bool, Coercion, Mapping[str, Any]], ...] = tuple(
            (name, name in required, coercion(wanted, _inner), wanted) for name, wanted in properties.items()
        )

    def bind(self, arguments: Mapping[str, Any], *, owner: str | None = None) -> dict[str, Any]:
        """The named values; what is absent is left to the function's default.

        Raises `InvalidInput` for all unknown names, else for the first breach in the order of the parameters.
        """
        if not arguments.keys() <= self._known:
            raise self._unknown(owner or self._owner, [name for name in arguments if name not in self._known])
        values: dict[str, Any] = {}
        for name, is_required, coerce, wanted in self._parameters:
            value = arguments.get(name)
            if isinstance(value, str):
                value = value.strip()
            if not is_required and _is_absent(value):
                continue
            if value is None:
                raise InvalidInput(f"{name} is missing: {owner or self._owner} needs {expected(wanted)}.")
            value = coerce(name, value)
            if is_required or not _is_absent(value):
                values[name] = value
        return values

    def _unknown(self, owner: str, names: Sequence[str]) -> InvalidInput:
        quoted = [f"'{printable(name)}'" for name in names[:MAX_UNKNOWN]]
        more = f" and {len(names) - MAX_UNKNOWN} more" if len(names) > MAX_UNKNOWN else ""
        noun = "argument" if len(names) == 1 else "arguments"
        takes = f"It takes {', '.join(self._known)}." if self._known else "It takes no arguments."
        return InvalidInput(
            f"{owner} has no {noun} {', '.join(quoted)}{more}. {takes}",
            suggestions=_meant(names[:MAX_UNKNOWN], list(self._known), self._synonyms),
        )


def _inner(schema: Mapping[str, Any]) -> Coercion:
    """An object with named members inside an argument is bound like the arguments themselves."""
    members = Arguments("", schema)
    return lambda where, value: members.bind(value, owner=where)


def _is_absent(value: Any) -> bool:
    return value is None or (not value and type(value) in (str, list, dict))


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
