"""What all lists share: rows cut and added while they fit, and notes that help to narrow or widen (2.2, 2.3)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

import orjson

from core.evidence.folding import Unit
from core.evidence.results import Envelope, Value

DEFAULT_BYTES: Final = 32_000
MOST_BYTES: Final = 60_000
CUTS: Final[Mapping[str, int]] = {
    "title": 300,
    "claim_text": 600,
    "evidence_basis": 300,
    "takeaway": 400,
    "rationale": 300,
    "quote": 300,
    "section": 200,
    "name": 200,
    "outcome_label": 100,
    "unit": 100,
}
"""The longest texts of rows, in code points; those below `takeaway` keep a single row within the size limit."""

_ABSENT_SHOWN = 10

Page = TypeVar("Page", bound=Envelope)
Filter = str | int | float


def cut(text: str, most: int) -> str:
    """A text of at most so many code points, ending in `…` where something was cut."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def cut_to_bytes(text: str, most: int) -> str:
    """The start of a text of at most so many UTF-8 bytes, ending in `…` where something was cut."""
    content = text.encode(errors="replace")
    return text if len(content) <= most else content[: most - 3].decode(errors="ignore").rstrip() + "…"


def bytes_of(value: Value) -> int:
    """The size of a value as compact JSON."""
    return len(orjson.dumps(value.model_dump(exclude_none=True)))


def ceiling(limit: int, default: int) -> int:
    """The size limit of a call; one that asks for more rows than by default may be larger."""
    return DEFAULT_BYTES if limit <= default else MOST_BYTES


def fitted(empty: Page, rows: Sequence[Value], most_bytes: int) -> Page:
    """A page with the rows that fit, always the first; `empty` is the page without rows and with its true total."""
    size = bytes_of(empty) + 16
    kept: list[Value] = []
    for row in rows:
        size += bytes_of(row) + 1
        if kept and size > most_bytes:
            break
        kept.append(row)
    changed = {"results": tuple(kept), "returned": len(kept), "has_more": empty.total > len(kept)}
    return empty.model_copy(update=changed)


def narrowing_note(total: int, shown: int, filters: Sequence[str], used: Mapping[str, Filter]) -> str:
    """What a reader can do when there is more than is shown."""
    unused = [name for name in filters if name not in used]
    advice = f" Narrow with {', '.join(unused)}." if unused else ""
    return f"{total} match, at most {shown} are shown.{advice}"


def widening_note(used: Mapping[str, Filter], count_without: Callable[[str], int]) -> str | None:
    """Names the one filter whose removal gives most matches, and that number; None without filters."""
    if not used:
        return None
    counts = {name: count_without(name) for name in used}
    best = max(counts, key=lambda name: counts[name])
    if not counts[best]:
        return "Nothing matches with any one filter removed either."
    return f"Without {best}={used[best]} there would be {counts[best]}."


def words_note(absent: Sequence[Unit], *, has_matches: bool) -> str:
    """Says that no row holds every word, or none half of them, and which words are found nowhere."""
    start = "partial match: no row holds all words of the query" if has_matches else "no row holds half of the words"
    if not absent:
        return f"{start}; each is found somewhere."
    names = ", ".join(unit.label for unit in absent[:_ABSENT_SHOWN])
    more = f" and {len(absent) - _ABSENT_SHOWN} more" if len(absent) > _ABSENT_SHOWN else ""
    return f"{start}; found nowhere: {names}{more}."
