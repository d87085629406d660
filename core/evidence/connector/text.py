"""Text of a document within its size: cut at a paragraph end, with a last line that says where to read on."""

from collections.abc import Sequence
from typing import Final

import orjson

TEXT_BYTES: Final = 24_000
READ_ON: Final = "The text goes on: the catalog endpoint's `read_paper` reads on."


def escaped_bytes(text: str) -> int:
    """The size of a text in JSON-escaped UTF-8, without the quotes."""
    return len(orjson.dumps(text)) - 2


def assembled(blocks: Sequence[str], *, goes_on: bool = False) -> tuple[str, bool]:
    """Blocks as paragraphs within the size, and whether anything is missing.

    A paragraph is only cut inside where it is the first one and too large by itself. `goes_on` says that the caller
    left text away already.
    """
    paragraphs = [part.strip("\n") for block in blocks for part in block.split("\n\n") if part.strip()]
    whole = "\n\n".join(paragraphs)
    if not goes_on and escaped_bytes(whole) <= TEXT_BYTES:
        return whole, False
    room = TEXT_BYTES - escaped_bytes(READ_ON) - 4
    kept: list[str] = []
    for paragraph in paragraphs:
        size = escaped_bytes(paragraph) + (4 if kept else 0)
        if size > room:
            break
        kept.append(paragraph)
        room -= size
    if not kept and paragraphs:
        kept = [_cut(paragraphs[0], room)]
    return "\n\n".join([*kept, READ_ON]), True


def _cut(text: str, most_bytes: int) -> str:
    """The longest start of a text that fits, with `…`."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if escaped_bytes(text[:middle]) <= most_bytes - 3 else (low, middle - 1)
    return text[:low].rstrip() + "…"
