"""TOML files that people may edit too: changed in place, in a fixed order, with their comments (10.2)."""

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.container import Container
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Array, Comment, Item, Key, Null, Table, Whitespace

from core.errors import StoreFailed

FIRST = "schema_version"
OWN_TABLE = "doiget"
_ALWAYS = ("authors",)
"""Written even where it is empty."""

_Part = tuple[Key | None, Item]

_DEPTH_MAX = 32
"""What nests deeper is no entry, and could not be answered as JSON."""


def plain_values(content: bytes) -> dict[str, Any]:
    """The values of a file; raises `StoreFailed`."""
    try:
        values = tomllib.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise StoreFailed(
            "An entry of the store is not readable TOML, and is left as it is; correct it, or move it away."
        ) from error
    if _is_too_deep(values):
        raise StoreFailed("An entry of the store is nested too deeply, and is left as it is; simplify its TOML.")
    return values


class Document:
    """One file being changed."""

    def __init__(self, content: bytes = b"") -> None:
        self._expected = plain_values(content)
        try:
            self._document = tomlkit.parse(content.decode().replace("\r\n", "\n"))
        except (TOMLKitError, RecursionError) as error:
            raise StoreFailed("An entry of the store cannot be changed; correct its TOML, or move it away.") from error
        # Kept apart until the end: the library would put them below comments that belong to what follows.
        self._added: dict[str, object] = {}
        self._added_to_own: dict[str, object] = {}

    @property
    def values(self) -> Mapping[str, Any]:
        """Everything in it."""
        return self._expected

    @property
    def own(self) -> Mapping[str, Any] | None:
        """The table that is ours; None where there is none."""
        found = self._expected.get(OWN_TABLE)
        return found if isinstance(found, dict) else None

    def put(self, key: str, value: object) -> None:
        """Gives a key at the top a value; None or an empty one takes the key away."""
        _put(self._document, self._expected, self._added, key, value)

    def put_own(self, key: str, value: object) -> None:
        """The same in the table that is ours, which is made where there is none."""
        if self.own is None:
            if OWN_TABLE in self._expected:
                raise StoreFailed("An entry of the store has a doiget that is no table; give that key another name.")
            self._document.add(tomlkit.nl())
            self._document[OWN_TABLE] = tomlkit.table()
            self._expected[OWN_TABLE] = {}
        _put(self._document[OWN_TABLE], self._expected[OWN_TABLE], self._added_to_own, key, value)

    def put_own_list(self, key: str, wanted: Sequence[str]) -> None:
        """The same of a list, item by item, so that what a person wrote beside an item stays."""
        found = (self.own or {}).get(key)
        held = found if isinstance(found, list) else []
        array = self._document[OWN_TABLE].get(key) if held else None
        kept = [each for each in held if each in wanted]
        if not isinstance(array, Array) or not kept or list(wanted[: len(kept)]) != kept:
            self.put_own(key, list(wanted))
            return
        for item in [each for each in held if each not in wanted]:
            array.remove(item)
        for item in wanted[len(kept) :]:
            array.append(item)
        self._expected[OWN_TABLE][key] = list(wanted)

    def rendered(self) -> bytes:
        """The file: keys in alphabetical order after the schema version, then tables; it is read back and compared."""
        own = self._document.get(OWN_TABLE)
        if isinstance(own, Table):
            _arrange(own.value, self._added_to_own)
        _arrange(self._document, self._added)
        content = (self._document.as_string().strip("\n") + "\n").encode()
        if plain_values(content) != self._expected:
            raise StoreFailed("An entry of the store is written in a way that cannot be changed; simplify its TOML.")
        return content


def _is_too_deep(values: object) -> bool:
    """Whether there is anything below the deepest level that is read; level by level, since calls have a depth too."""
    level = [values]
    for _ in range(_DEPTH_MAX):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    return bool(level)


def _put(place: Any, expected: dict[str, Any], added: dict[str, object], key: str, value: object) -> None:
    value = _encodable(value)
    if value in (None, "", [], {}) and (value is None or key not in _ALWAYS):
        is_held = expected.pop(key, None) is not None
        if is_held and added.pop(key, None) is None:
            del place[key]
        return
    if key not in expected or key in added:
        added[key] = value
    elif expected[key] != value or type(expected[key]) is not type(value):
        place[key] = _written(value)
    expected[key] = value


def _encodable(value: object) -> object:
    """A lone surrogate is no text in any encoding."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_encodable(each) for each in value]
    return {key: _encodable(each) for key, each in value.items()} if isinstance(value, dict) else value


def _written(value: object) -> Any:
    if not isinstance(value, dict):
        return value
    table = tomlkit.inline_table()
    table.update(value)
    return table


def _taken_from_end(container: Container) -> list[_Part]:
    """What stands after a blank line at the end of a table speaks of the table below."""
    start = len(container.body)
    for place in range(len(container.body) - 1, -1, -1):
        key, item = container.body[place]
        if key is not None or not isinstance(item, Comment | Whitespace | Null):
            break
        if isinstance(item, Whitespace):
            start = place
    taken = container.body[start:]
    del container.body[start:]
    return taken


def _arrange(container: Container, added: Mapping[str, object]) -> None:
    """Keys in order, then tables in order, each with the comments above it; what stands at the end stays there."""
    blocks: list[tuple[tuple[bool, bool, str], list[_Part]]] = []
    above: list[_Part] = []
    for part in container.body:
        key, item = part
        if isinstance(item, Null):
            continue
        if key is None and isinstance(item, Comment | Whitespace):
            above.append(part)
            continue
        is_table = isinstance(item, Table | AoT) and key is not None and not key.is_dotted()
        name = "" if key is None else key.key
        blocks.append(((is_table, name != FIRST, name), [*above, part]))
        above = _taken_from_end(item.value) if isinstance(item, Table) and is_table else []
    for name, value in added.items():
        alone = tomlkit.document()
        alone[name] = _written(value)
        blocks.append(((False, name != FIRST, name), list(alone.body)))
    blocks.sort(key=lambda block: block[0])
    container.body[:] = [part for _, parts in blocks for part in parts] + above
