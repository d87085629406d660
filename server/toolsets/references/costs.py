"""What a batch costs its caller: as many as it has items (references contract, section 3)."""

from collections.abc import Mapping
from typing import Any

import orjson

from core.references.bibliography.reading import count_entries
from core.references.citations.queries import QUERIES_MAX
from core.references.copies import REFS_MAX


def references_asked(arguments: Mapping[str, Any]) -> int:
    """The references of a batch; one that is refused for its form or size has none."""
    return _listed(arguments.get("refs"), REFS_MAX)


def citations_asked(arguments: Mapping[str, Any]) -> int:
    """The citations of a batch."""
    return _listed(arguments.get("queries"), QUERIES_MAX)


def entries_asked(arguments: Mapping[str, Any]) -> int:
    """The entries of a bibliography."""
    content, format = arguments.get("content"), arguments.get("format") or "auto"
    if not isinstance(content, str) or not isinstance(format, str):
        return 0
    return count_entries(content, format=format)


def _listed(value: Any, most: int) -> int:
    if isinstance(value, str):
        # Lists are taken as JSON text too.
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return 0
    return len(value) if isinstance(value, list) and len(value) <= most else 0
