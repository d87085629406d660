"""Conditional requests: which tags a caller holds of what it asks for."""

import re
from collections.abc import Iterable

_TAG = re.compile(r'(?:W/)?("[^"]*")')


def held_tags(headers: Iterable[tuple[bytes, bytes]]) -> set[str]:
    """The strong tags of `If-None-Match`, compared weakly as RFC 9110 13.1.2 wants; `{"*"}` for any at all."""
    given = ",".join(value.decode("latin-1") for name, value in headers if name == b"if-none-match")
    return {"*"} if given.strip() == "*" else set(_TAG.findall(given))
