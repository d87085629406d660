"""How paths and parameters are written into a URL (catalog contract 14)."""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlencode

Scalar = str | int | float | bool
Params = Mapping[str, Scalar | Sequence[Scalar] | None]

_PLAIN = re.compile(r"http://([^/?#]*?)(?::80)?(?=[/?#]|$)", re.IGNORECASE)


def path_part(text: str) -> str:
    """One part of a path: only letters, digits, `-`, `_`, `~` and `.` stay bare, so `math.GT/0309136` is one part.

    A part of dots alone would be read as a step in the path; its dots are encoded too.
    """
    # `quote` leaves exactly the unreserved characters bare when nothing else is declared safe.
    part = quote(text, safe="", errors="replace")
    return part.replace(".", "%2E") if part.strip(".") == "" else part


def query(params: Params) -> str:
    """Parameters as a query: null ones dropped, booleans as `true` and `false`, lists as repeated keys."""
    pairs: list[tuple[str, str]] = []
    for name, value in params.items():
        values = value if isinstance(value, Sequence) and not isinstance(value, str) else (value,)
        pairs += [(name, _text(each)) for each in values if each is not None]
    return urlencode(pairs, errors="replace")


def secured(url: str) -> str:
    """An address over https where it is written with http; any other is left as it is."""
    return _PLAIN.sub(r"https://\1", url, count=1) if _PLAIN.match(url) else url


def _text(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
