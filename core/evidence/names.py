"""How names of people are folded and matched (contract section 6)."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations, product

from core.evidence.vocabulary import AuthorMatch

Token = frozenset[str]
"""The spellings of one part of a name: `müller` is both `muller` and `mueller`."""

_LETTERS = str.maketrans({"ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
_UMLAUTS = {"ü": "ue", "ö": "oe", "ä": "ae"}
_APOSTROPHES = re.compile("['`´‘’‚‛ʹʻʼʽʾʿˈ′＇]")
_NO_LETTER = re.compile(r"[\W_]+")
_PREFIX_LETTERS_MIN = 3
_SLUG_CHARS = 190
_SLUG_START = 160
_PERMUTED_MAX = 6
CLASSES: tuple[AuthorMatch, ...] = ("exact", "variant", "initials", "partial")
"""Best first."""


def turned(name: str) -> str:
    """`Family, Given` as `Given Family`; what follows a second comma stays behind."""
    family, comma, rest = name.partition(",")
    given, _, behind = rest.partition(",")
    return " ".join(f"{given} {family} {behind}".split()) if comma else name


def folded_name(name: str) -> str:
    """A name as words of plain small letters; `ü` is `u`."""
    return " ".join(_plain(word) for word in _words(name))


def name_slug(name: str) -> str:
    """The folded name with hyphens, as it stands in `name:` ids; a very long one ends in a hash of the whole."""
    slug = folded_name(name).replace(" ", "-")
    if len(slug) <= _SLUG_CHARS:
        return slug
    return f"{slug[:_SLUG_START]}-{hashlib.sha256(slug.encode(errors='surrogatepass')).hexdigest()[:16]}"


def _words(name: str) -> list[str]:
    """Words in small letters of one code point each where possible, apostrophes gone."""
    composed = unicodedata.normalize("NFKC", _APOSTROPHES.sub("", turned(name))).casefold()
    bare = _APOSTROPHES.sub("", composed)
    return _NO_LETTER.sub(" ", _kept_marks(bare)).split()


def _kept_marks(text: str) -> str:
    """Combining marks that have no composed form are dropped, so that they split no word."""
    return "".join(each for each in text if unicodedata.category(each)[0] != "M")


def _plain(word: str) -> str:
    if word.isascii():
        return word
    decomposed = unicodedata.normalize("NFKD", word.translate(_LETTERS))
    bare = "".join(each for each in decomposed if unicodedata.category(each)[0] != "M")
    return unicodedata.normalize("NFC", bare.translate(_LETTERS))


def name_tokens(name: str) -> tuple[Token, ...]:
    """The parts of a name in order, each with its spellings."""
    return tuple(_spellings(word) for word in _words(name))


def _spellings(word: str) -> Token:
    plain = _plain(word)
    if word.isascii():
        return frozenset((plain,))
    for umlaut, pair in _UMLAUTS.items():
        word = word.replace(umlaut, pair)
    return frozenset((plain, _plain(word)))


@dataclass(frozen=True, slots=True)
class Named:
    """A person's display name and recorded variants, as parts."""

    display: tuple[Token, ...]
    variants: tuple[tuple[Token, ...], ...] = ()

    @classmethod
    def of(cls, display: str, variants: Iterable[str] = ()) -> "Named":
        """From the names as they are written."""
        return cls(name_tokens(display), tuple(name_tokens(variant) for variant in variants))

    def match(self, query: Sequence[Token]) -> AuthorMatch | None:
        """The best class in which a query's parts match; None for none."""
        names = (self.display, *self.variants)
        if _same(query, self.display):
            return "exact"
        if any(_same(query, name) for name in self.variants) or _same_in_any_order(query, self.display):
            return "variant"
        if any(_initials(query, name) for name in names):
            return "initials"
        return "partial" if any(_partial(query, name) for name in names) else None


def _same(one: Sequence[Token], other: Sequence[Token]) -> bool:
    return bool(one) and len(one) == len(other) and all(a & b for a, b in zip(one, other, strict=True))


def _same_in_any_order(query: Sequence[Token], name: Sequence[Token]) -> bool:
    if len(query) != len(name):
        return False
    if len(query) > _PERMUTED_MAX:
        return sorted(map(sorted, query)) == sorted(map(sorted, name))
    return any(_same(query, order) for order in permutations(name))


def _initials(query: Sequence[Token], name: Sequence[Token]) -> bool:
    """Each part equal or the first letter of its partner; the family name, which comes last, in full."""
    if len(query) != len(name) or len(query) < 2 or not query[-1] & name[-1]:
        return False
    if max(map(len, query[-1])) == 1:
        return False
    return all(a & b or _is_initial(a, b) or _is_initial(b, a) for a, b in zip(query[:-1], name[:-1], strict=True))


def _is_initial(short: Token, long: Token) -> bool:
    return any(len(letter) == 1 and word.startswith(letter) for letter, word in product(short, long))


def _partial(query: Sequence[Token], name: Sequence[Token]) -> bool:
    if not query or not all(any(part & word for word in name) for part in query[:-1]):
        return False
    last = query[-1]
    if any(last & word for word in name):
        return True
    return any(
        len(start) >= _PREFIX_LETTERS_MIN and spelling.startswith(start)
        for start in last
        for word in name
        for spelling in word
    )
