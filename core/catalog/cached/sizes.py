"""How many bytes a value of the catalog takes in memory, about."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from itertools import chain
from operator import attrgetter
from sys import getsizeof
from typing import Any

_LEAVES = (str, bytes, int, float)
_SHARED = (type(None), bool, Enum)
"""What a program holds only once, wherever it is named."""

_NOTHING = object()
_known: dict[type, Any] = {}
"""By type met so far: a function that gives a value's parts, None where it has none, `_NOTHING` for shared ones."""


def size_of(value: object) -> int:
    """Bytes of a frozen value and all that it holds, as CPython holds them; parts that values share count for each.

    Walks a stack and looks types up, since answers of thousands of parts are measured while others wait.
    """
    total = 0
    waiting = [value]
    extend, pop = waiting.extend, waiting.pop
    while waiting:
        held = pop()
        kind = type(held)
        try:
            parts = _known[kind]
        except KeyError:
            parts = _known[kind] = _parts_of(kind)
        if parts is _NOTHING:
            continue
        total += getsizeof(held)
        if parts is not None:
            extend(parts(held))
    return total


def _parts_of(kind: type) -> Any:
    if issubclass(kind, _SHARED):
        return _NOTHING
    if issubclass(kind, _LEAVES):
        return None
    if issubclass(kind, tuple | list | set | frozenset):
        return iter
    if issubclass(kind, Mapping):
        return lambda mapping: chain.from_iterable(mapping.items())
    if is_dataclass(kind):
        names = [field.name for field in fields(kind)]
        # A getter of one name gives the bare value, of several a tuple.
        get = attrgetter(*names)
        return get if len(names) > 1 else lambda value: (get(value),)
    raise TypeError(f"no size is known for {kind.__name__}")
