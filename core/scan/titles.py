"""How titles are compared: normal form, ratio, and what keeps two near-equal titles apart (scan contract 7.1, 7.5)."""

import re
import unicodedata

from rapidfuzz import fuzz

SHORT_TITLE_CHARS = 12
"""A normalised title of fewer characters identifies no work."""

Sense = tuple[tuple[str, ...], tuple[str, ...]]
"""The numbers and the negation words of a normalised title, each sorted."""

_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"(?=[ivxlcdm])m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_NUMBER_WORDS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8"}
_NEGATIONS = frozenset({"not", "no", "without", "never"})


def normalised_title(text: str) -> str:
    """NFKD without combining marks, casefolded, every character that is no letter or digit a space, spaces collapsed.

    Normalising twice changes nothing.
    """
    folded = text.lower() if text.isascii() else _unmarked(_unmarked(text).casefold())
    if not folded.isalnum():
        folded = "".join(sign if sign.isalnum() else " " for sign in folded)
    return " ".join(folded.split())


def title_ratio(one: str, other: str) -> float:
    """The normalised indel similarity of two titles after normalising, 0.0 to 100.0; 0.0 where one has no text."""
    return normalised_ratio(normalised_title(one), normalised_title(other))


def normalised_ratio(one: str, other: str, *, at_least: float = 0.0) -> float:
    """As `title_ratio`, of titles that are normalised already; 0.0 for anything below `at_least`."""
    return fuzz.ratio(one, other, score_cutoff=at_least) if one and other else 0.0


def differ_in_kind(one: str, other: str) -> bool:
    """Whether two titles may not join works, however alike they are: other numbers, other negation, or too short."""
    first, second = normalised_title(one), normalised_title(other)
    return is_short(first) or is_short(second) or sense_of(first) != sense_of(second)


def differ_in_sense(one: str, other: str) -> bool:
    """Whether two titles differ in their numbers, Roman ones included, or in their negation words."""
    return sense_of(normalised_title(one)) != sense_of(normalised_title(other))


def is_short(normalised: str) -> bool:
    """Whether a normalised title is too short to tell one work from another."""
    return len(normalised) < SHORT_TITLE_CHARS


def sense_of(normalised: str) -> Sense:
    """The numbers and negation words of a normalised title; Roman numerals and `one` to `eight` count as numbers."""
    words = normalised.split()
    numbers = [digits.lstrip("0") or "0" for digits in _DIGITS.findall(normalised)]
    numbers += [_NUMBER_WORDS[word] for word in words if word in _NUMBER_WORDS]
    numbers += [str(_roman_value(word)) for word in words if _ROMAN.fullmatch(word)]
    return tuple(sorted(numbers)), tuple(sorted(word for word in words if word in _NEGATIONS))


def _unmarked(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in decomposed if unicodedata.category(sign)[0] != "M")


def _roman_value(numeral: str) -> int:
    digits = [_ROMAN_DIGITS[sign] for sign in numeral]
    following = [*digits[1:], 0]
    return sum(-digit if digit < after else digit for digit, after in zip(digits, following, strict=True))
