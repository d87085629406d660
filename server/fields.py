"""The header fields of one request, read in one pass: blanks around values are gone before anything looks at them."""

from collections.abc import Iterable
from itertools import chain


class Fields:
    """Values by lower-case name, as bytes. `size_bytes` is what they took on the wire, `count` how many lines."""

    __slots__ = ("_first", "_further", "count", "size_bytes")

    def __init__(self, raw: Iterable[tuple[bytes, bytes]]) -> None:
        lines = raw if isinstance(raw, list) else list(raw)
        # httptools keeps trailing blanks, which the protocol's SDK would take for a part of the value.
        first = {name: value.strip(b" \t") for name, value in lines}
        further: dict[bytes, list[bytes]] = {}
        if len(first) < len(lines):
            first.clear()
            for name, value in lines:
                stripped = value.strip(b" \t")
                if name in first:
                    further.setdefault(name, []).append(stripped)
                else:
                    first[name] = stripped
        self._first = first
        self._further = further
        self.count = len(lines)
        # A name, a colon, a blank, a value and a line end.
        self.size_bytes = sum(map(len, chain.from_iterable(lines))) + 4 * len(lines)

    def get(self, name: bytes) -> bytes | None:
        """The first value of a field, or None."""
        return self._first.get(name)

    def text(self, name: bytes) -> str | None:
        """The first value as text, each byte a character, or None."""
        value = self._first.get(name)
        return None if value is None else value.decode("latin-1")

    def all(self, name: bytes) -> list[bytes]:
        """All values of a field, in order."""
        value = self._first.get(name)
        return [] if value is None else [value, *self._further.get(name, ())]

    def is_doubled(self, *names: bytes) -> bool:
        """Whether any of these fields came more than once."""
        return bool(self._further) and any(name in self._further for name in names)

    def without(self, name: bytes) -> list[tuple[bytes, bytes]]:
        """Every line but those of one field."""
        return [(each, value) for each in self._first if each != name for value in self.all(each)]
