"""Records that are one work by title, authors and year (scan contract 7.5, rules 2, 4 and 5)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from core.scan.identity.keys import NameKey, name_keys
from core.scan.models import FoundWork
from core.scan.profiles import MERGE_RATIO
from core.scan.titles import Sense, is_short, normalised_ratio, normalised_title, sense_of

_RAREST_WORDS = 4
"""So many of its rarest words speak for a title: two spellings of one title share one unless four of them differ."""

_RARE_TITLES_MAX = 64
"""A word that more titles have is not rare: of those titles only near neighbours in alphabetical order are compared."""

_NEIGHBOURS = 12
_BEARERS_MAX = 64
"""A title that more works bear, such as that of every editorial, tells nothing of any of them."""

_YEARS_APART_MAX = 1
_LENGTH_SHARE_MIN = MERGE_RATIO / (200.0 - MERGE_RATIO)
"""How long the shorter of two alike titles is at least, as a share of the longer one."""


@dataclass(frozen=True, slots=True)
class _Face:
    """What a title edge looks at; records of one set that look alike count once."""

    root: int
    title: str
    authors: frozenset[NameKey]
    year: int | None


def title_edges(works: Sequence[FoundWork], roots: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of places that title and authors make one work, the most alike first, then by place.

    `roots` tells what is one work already: such places make no pair.
    """
    bearers: dict[str, dict[_Face, int]] = {}
    for place, work in enumerate(works):
        title = normalised_title(work.title)
        if not is_short(title):
            face = _Face(roots[place], title, name_keys(work.authors), work.year)
            bearers.setdefault(title, {}).setdefault(face, place)
    titles = sorted(title for title, faces in bearers.items() if len(faces) <= _BEARERS_MAX)
    edges = []
    for title in titles:
        edges += [(-100.0, *_places(pair)) for pair in combinations(bearers[title].items(), 2) if _is_one_work(*pair)]
    for ratio, one, other in _alike(titles):
        pairs = product(bearers[one].items(), bearers[other].items())
        edges += [(-ratio, *_places(pair)) for pair in pairs if _is_one_work(*pair)]
    return [(one, other) for _, one, other in sorted(edges)]


def _is_one_work(one: tuple[_Face, int], other: tuple[_Face, int]) -> bool:
    first, second = one[0], other[0]
    if first.root == second.root:
        return False
    if first.authors and second.authors:
        return not first.authors.isdisjoint(second.authors)
    return first.year is None or second.year is None or abs(first.year - second.year) <= _YEARS_APART_MAX


def _places(pair: tuple[tuple[_Face, int], tuple[_Face, int]]) -> tuple[int, int]:
    (_, one), (_, other) = pair
    return (one, other) if one < other else (other, one)


def _alike(titles: Sequence[str]) -> Iterator[tuple[float, str, str]]:
    """The ratio and the two titles of each pair that is alike, differs in no number or negation and shares a word."""
    for one, other in sorted(_compared(titles)):
        ratio = normalised_ratio(one, other, at_least=MERGE_RATIO)
        if ratio:
            yield ratio, one, other


def _compared(titles: Sequence[str]) -> set[tuple[str, str]]:
    """The pairs of distinct titles worth a comparison; their number grows with that of the titles, not its square."""
    pairs: set[tuple[str, str]] = set()
    for bearing in _by_rare_word(titles).values():
        reach = len(bearing) if len(bearing) <= _RARE_TITLES_MAX else _NEIGHBOURS
        for place, one in enumerate(bearing):
            for other in bearing[place + 1 : place + 1 + reach]:
                if min(len(one), len(other)) >= _LENGTH_SHARE_MIN * max(len(one), len(other)):
                    pairs.add((one, other))
    return pairs


def _by_rare_word(titles: Sequence[str]) -> dict[tuple[str, Sense], list[str]]:
    """Titles, in the order given, by each of their rarest words and by what must be equal in titles of one work."""
    words = {title: set(title.split()) for title in titles}
    counts = Counter(word for found in words.values() for word in found)
    bearing: dict[tuple[str, Sense], list[str]] = {}
    for title in titles:
        sense = sense_of(title)
        for word in sorted(words[title], key=lambda word: (counts[word], word))[:_RAREST_WORDS]:
            bearing.setdefault((word, sense), []).append(title)
    return bearing
