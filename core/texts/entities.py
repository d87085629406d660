"""HTML entities in text from upstream: decoded where no one can have meant them literally."""

import html
import re
from html.entities import html5

_ENTITY = re.compile(r"&(#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31})(;?)")
# Without their semicolon only these count, and only as whole words: `AT&T` and `R&Dept` are names.
_BARE_NAMES = frozenset({"amp", "gt", "lt", "nbsp", "quot"})


def decode_entities(text: str) -> str:
    """`text` with its entities decoded, those that were escaped twice too."""
    for _ in range(2):
        if "&" not in text:
            break
        text = _ENTITY.sub(_decoded, text)
    return text


def _decoded(match: re.Match[str]) -> str:
    name, semicolon = match.groups()
    if name[0] == "#":
        return html.unescape(f"&{name};")
    if semicolon:
        return html5.get(f"{name};", match[0])
    # An equals sign after the word makes it a parameter of a web address.
    is_entity = name in _BARE_NAMES and not match.string.startswith("=", match.end())
    return html5[f"{name};"] if is_entity else match[0]
