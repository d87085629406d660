"""Pieces of texts around what matched, with the matched words in `**`."""

from collections.abc import Iterable, Sequence

from core.evidence.folding import spans

SNIPPET_CHARS = 240
_WINDOW = 160
_MARK = "**"
_MARKS_MAX = (SNIPPET_CHARS - _WINDOW - 2) // (2 * len(_MARK))

Span = tuple[int, int]


def best_snippet(texts: Iterable[str], tokens: frozenset[str]) -> str | None:
    """The snippet of the text in which most words match, the first of equals; None where none matches."""
    best: tuple[int, str, list[Span]] | None = None
    for text in texts:
        hits = [(start, end) for start, end, found in spans(text) if not tokens.isdisjoint(found)]
        if hits and (best is None or len(hits) > best[0]):
            best = (len(hits), text, hits)
    return None if best is None else _snippet(best[1], _joined(best[2]))


def opening(text: str) -> str:
    """The start of a text, as a snippet without matched words."""
    flat = " ".join(text.split())
    return flat if len(flat) <= SNIPPET_CHARS else flat[: SNIPPET_CHARS - 1].rstrip() + "…"


def _joined(hits: Sequence[Span]) -> list[Span]:
    """Overlapping spans, as pairs of letters give them, as one."""
    joined: list[Span] = []
    for start, end in hits:
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return [(start, min(end, start + _WINDOW)) for start, end in joined]


def _densest(hits: Sequence[Span]) -> list[Span]:
    """The hits of the window that holds most of them, the first of equals."""
    first = best = 0
    best_count = 0
    for last in range(len(hits)):
        while hits[last][1] - hits[first][0] > _WINDOW:
            first += 1
        if last - first + 1 > best_count:
            best, best_count = first, last - first + 1
    return list(hits[best : best + best_count])


def _snippet(text: str, hits: Sequence[Span]) -> str:
    chosen = _densest(hits)
    slack = (_WINDOW - (chosen[-1][1] - chosen[0][0])) // 2
    start, end = max(0, chosen[0][0] - slack), min(len(text), chosen[-1][1] + slack)
    start = _word_start(text, start, chosen[0][0])
    end = _word_end(text, end, chosen[-1][1])
    pieces = ["…" if start > 0 else ""]
    position = start
    for from_, to in chosen[:_MARKS_MAX]:
        pieces += [text[position:from_], _MARK, text[from_:to], _MARK]
        position = to
    pieces += [text[position:end], "…" if end < len(text) else ""]
    return " ".join("".join(pieces).split())


def _word_start(text: str, start: int, hit: int) -> int:
    """The first word start at or after `start`, so that no word is cut; `start` where there is none before the hit."""
    if start == 0 or text[start - 1].isspace():
        return start
    blank = text.find(" ", start, hit)
    return start if blank < 0 else blank + 1


def _word_end(text: str, end: int, hit: int) -> int:
    if end == len(text) or text[end].isspace():
        return end
    blank = text.rfind(" ", hit, end)
    return end if blank < 0 else blank
