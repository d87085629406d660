"""Which `<` opens a tag: inline markup of JATS, HTML and MathML, and nothing that only looks like it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Attributes have values here: `T<Tc and H>Hc2` and `a<b and c>d` are comparisons.
_ATTRIBUTE = r"\s+[\w:.-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'=<>`]+)"
_TAG = re.compile(rf"<(/?)([A-Za-z][\w.-]*(?::[\w.-]+)?)(?:{_ATTRIBUTE})*\s*(/?)>", re.ASCII)


def _names(words: str) -> list[str]:
    return words.split()


SMALL_CAPITALS = frozenset({"sc", "scp", "small-caps", "smallcaps"})
RAISED_OR_LOWERED = frozenset({"sub", "sup", "inf"})
_INLINE = frozenset(
    _names(
        """abbr b bold em fixed-case font i inline-formula italic math monospace named-content overline roman sans-serif
        small span strike strong styled-content tex-math tt u underline"""
    )
)
KNOWN_INLINE = _INLINE | SMALL_CAPITALS | RAISED_OR_LOWERED
BLOCKS = frozenset(_names("br break div h1 h2 h3 h4 h5 h6 label li list list-item ol p sec section td title tr ul"))


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag and its span; `name` is lower-case and without its namespace."""

    start: int
    end: int
    name: str
    closes: bool
    is_empty: bool


def find_tags(text: str, *, in_pairs_only: bool = False) -> Iterator[Tag]:
    """The tags of `text` in order.

    A tag is self-closed, namespaced, a known inline element, or has its partner; `in_pairs_only` lets nothing but a
    partner or self-closing count.
    """
    found = list(_TAG.finditer(text))
    first_opening: dict[str, int] = {}
    last_closing: dict[str, int] = {}
    for match in found:
        if match[1]:
            last_closing[match[2]] = match.start()
        else:
            first_opening.setdefault(match[2], match.start())
    for match in found:
        name = match[2]
        if match[1]:
            has_partner = first_opening.get(name, len(text)) < match.start()
        else:
            has_partner = last_closing.get(name, -1) > match.start()
        local = name.rpartition(":")[2].lower()
        is_known = not in_pairs_only and (":" in name or local in KNOWN_INLINE)
        if has_partner or match[3] or is_known:
            yield Tag(match.start(), match.end(), local, bool(match[1]), bool(match[3]))
