"""Whether a caller is shown the page or its JSON form (hosting contract 1.7)."""

import re
from collections.abc import Iterable
from urllib.parse import parse_qsl

_WEIGHT = re.compile(r"(0(\.[0-9]{0,3})?|1(\.0{0,3})?)")
_JSON_RANGES = ("application/json", "application/*", "*/*")
"""From the most specific on: the first that is named decides."""


def wants_page(headers: Iterable[tuple[bytes, bytes]], query: bytes) -> bool:
    """`?format=` decides; else `text/html` must be named with a higher weight than JSON can get."""
    asked = [value for name, value in parse_qsl(query.decode("latin-1")) if name == "format"]
    known = [value for value in asked if value in ("html", "json")]
    if known:
        return known[-1] == "html"
    accept = ",".join(value.decode("latin-1") for name, value in headers if name == b"accept")
    weights = _weights(accept)
    json_weight = next((weights[name] for name in _JSON_RANGES if name in weights), 0.0)
    return weights.get("text/html", 0.0) > json_weight


def _weights(accept: str) -> dict[str, float]:
    """The highest weight of each media range; one that is not well formed is passed over."""
    weights: dict[str, float] = {}
    for part in accept.split(","):
        name, *parameters = (piece.strip().lower() for piece in part.split(";"))
        given = [value.strip() for key, _, value in (each.partition("=") for each in parameters) if key.strip() == "q"]
        weight = given[-1] if given else "1"
        if _WEIGHT.fullmatch(weight):
            weights[name] = max(weights.get(name, 0.0), float(weight))
    return weights
