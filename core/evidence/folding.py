"""How texts become tokens, and queries become units that must be found (contract 5.1)."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_CJK = (
    "\u1100-\u11ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff"
)
_PIECE = re.compile(f"([{_CJK}]+)|([^\\W_{_CJK}]+)")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_SPACED_WORD = re.compile(f"[{_CJK}]+|(?:[^\\W_{_CJK}]|[\u0300-\u036f])+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_QUOTED = re.compile(r'"([^"]*)"')


def tokens(text: str) -> list[str]:
    """NFKC, case-folded, without diacritics, split at what is no letter or digit; CJK runs as overlapping pairs."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    return list(_tokens(_folded(text)))


def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFKC", _SURROGATE.sub(" ", text)).casefold()
    return folded if folded.isascii() else unicodedata.normalize("NFC", _without_marks(folded))


def _without_marks(text: str) -> str:
    """Letters without their diacritics; Kana and Hangul keep theirs, which are parts of the letter."""
    return "".join(_bare(letter) for letter in text)


@lru_cache(maxsize=2**16)
def _bare(letter: str) -> str:
    if letter.isascii():
        return letter
    if _PIECE.match(letter) is None:
        return "" if unicodedata.category(letter)[0] == "M" else letter
    if "\u1100" <= letter <= "\u11ff" or letter >= "\u3040":
        return letter
    # A second case fold: some letters have a folded form only without their marks.
    bare = (each for each in unicodedata.normalize("NFKD", letter) if unicodedata.category(each)[0] != "M")
    return "".join(bare).casefold()


def _tokens(folded: str) -> Iterator[str]:
    for run, word in _PIECE.findall(folded):
        if word or len(run) == 1:
            yield word or run
        else:
            yield from (run[i : i + 2] for i in range(len(run) - 1))


def folded_text(text: str) -> str:
    """The tokens of a text as one text: equal for titles that differ in case, marks and punctuation only."""
    return " ".join(tokens(text))


def spans(text: str) -> Iterator[tuple[int, int, list[str]]]:
    """Words of a text as they stand in it: start, end and their tokens; pairs of CJK letters one by one."""
    if text.isascii():
        for match in _ASCII_WORD.finditer(text.lower()):
            yield *match.span(), [match.group()]
        return
    for match in _SPACED_WORD.finditer(text):
        start, end = match.span()
        word = match.group()
        if _PIECE.match(word) and _PIECE.match(word)[1] and len(word) > 1:  # type: ignore[index]
            for i in range(start, end - 1):
                yield i, i + 2, tokens(text[i : i + 2])
        else:
            yield start, end, tokens(word)


@dataclass(frozen=True, slots=True)
class Unit:
    """What must be found in one field: a token, or several that stand next to each other."""

    tokens: tuple[str, ...]

    @property
    def label(self) -> str:
        """The unit as a note shows it."""
        return self.tokens[0] if len(self.tokens) == 1 else f'"{" ".join(self.tokens)}"'


def units(query: str) -> tuple[Unit, ...]:
    """The distinct units of a query in order; empty when nothing can be searched. Only paired quotes mean something."""
    found: list[Unit] = []
    position = 0
    for match in _QUOTED.finditer(query):
        found += _words(query[position : match.start()])
        phrase = tuple(tokens(match.group(1)))
        found += [Unit(phrase)] if phrase else []
        position = match.end()
    found += _words(query[position:])
    return tuple(dict.fromkeys(found))


def _words(text: str) -> list[Unit]:
    return [Unit((token,)) for token in tokens(text)]


def category_fold(text: str) -> str:
    """How outcome categories are compared: case, blanks, hyphens, underscores and `&` make no difference."""
    return re.sub(r"[\s\-_&]+", "_", unicodedata.normalize("NFKC", text).casefold()).strip("_")
