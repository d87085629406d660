"""How well one record answers one citation text: the public contract's score, and a better one with a verdict."""

from dataclasses import dataclass
from typing import Literal

from core.records import Author, Work
from core.references.citations.tokens import content, folded_tokens, plain_tokens
from core.works.names import name_parts

Confidence = Literal["exact", "probable", "weak"]
Verdict = Literal["match", "likely", "no_match"]

LEAST_SCORE = 0.5
_TITLE, _AUTHOR, _YEAR, _VENUE = 0.50, 0.30, 0.12, 0.08


@dataclass(frozen=True, slots=True)
class Evidence:
    """How well each part agrees, from 0 to 1; None where the text or the record has no such part."""

    title: float | None
    author: float | None
    year: float | None
    venue: float | None

    @property
    def rank_score(self) -> float:
        """The weighted mean of the parts that are there; 1 when there is nothing to disagree about."""
        weighted = ((self.title, _TITLE), (self.author, _AUTHOR), (self.year, _YEAR), (self.venue, _VENUE))
        present = [(value, weight) for value, weight in weighted if value is not None]
        if not present:
            return 1.0
        return round(sum(value * weight for value, weight in present) / sum(weight for _, weight in present), 3)

    @property
    def verdict(self) -> Verdict:
        """A near miss is no match: title, author and year must each agree."""
        title = 1.0 if self.title is None else self.title
        if self.rank_score >= 0.80 and title >= 0.70 and self.author in (None, 0.6, 1.0) and self.year != 0:
            return "match"
        return "likely" if self.rank_score >= 0.60 and title >= 0.50 else "no_match"


@dataclass(frozen=True, slots=True)
class Score:
    """What a citation text and a record have in common."""

    score: float
    matched: tuple[str, ...]
    evidence: Evidence

    @property
    def confidence(self) -> Confidence:
        """`exact` is strong and no proof; `weak` is a negative where a known item is looked for."""
        if self.score >= 0.999:
            return "exact"
        return "probable" if self.score >= 0.8 else "weak"


def score(query: str, work: Work, *, identifier: str | None = None) -> Score:
    """Scores a record against a citation text.

    `identifier` is the piece of the text that names the record: its words are found by definition, and no part of the
    title. A text without words for a title then says nothing about it.
    """
    named = identifier or ""
    asked = plain_tokens(query)
    held = {*plain_tokens(_whole_text(work)), *plain_tokens(named)}
    matched = tuple(token for token in asked if token in held)
    return Score(len(matched) / len(asked) if asked else 0.0, matched, _evidence(query, work, named))


def _whole_text(work: Work) -> str:
    names = (author.name for author in work.authors)
    return " ".join((work.title or "", *names, work.venue or "", str(work.year or "")))


def _evidence(query: str, work: Work, named: str) -> Evidence:
    ignored = frozenset(folded_tokens(named))
    asked = [token for token in folded_tokens(query) if token not in ignored]
    title = frozenset(content(folded_tokens(work.title or "")))
    names = {token for author in work.authors for token in folded_tokens(author.name)}
    venue = frozenset(content(folded_tokens(work.venue or "")))
    beside_title = (names | venue) - title
    words = frozenset(token for token in content(asked) if not token.isdecimal() and token not in beside_title)
    everything = frozenset(asked)
    return Evidence(
        None if named and not words else _title_part(title, everything, words),
        _author_part(work.authors, everything, words <= title),
        _year_part(everything, work.year),
        _venue_part(venue, title, everything),
    )


def _title_part(title: frozenset[str], asked: frozenset[str], words: frozenset[str]) -> float:
    if not title or not words:
        return 0.0
    recall, precision = len(title & asked) / len(title), len(title & words) / len(words)
    return 2 * recall * precision / (recall + precision) if recall and precision else 0.0


def _author_part(authors: tuple[Author, ...], asked: frozenset[str], asks_only_title: bool) -> float | None:
    families = [frozenset(folded_tokens(name_parts(author)[0])) for author in authors]
    found = [bool(family) and family <= asked for family in families]
    if not any(found):
        return None if not authors or asks_only_title else 0.0
    return 1.0 if found[0] else 0.6


def _year_part(asked: frozenset[str], year: int | None) -> float | None:
    years = [int(token) for token in asked if len(token) == 4 and token.isdecimal() and 1500 <= int(token) <= 2099]
    if not years or year is None or not 1500 <= year <= 2099:
        return None
    apart = min(abs(each - year) for each in years)
    return {0: 1.0, 1: 0.5}.get(apart, 0.0)


def _venue_part(venue: frozenset[str], title: frozenset[str], asked: frozenset[str]) -> float | None:
    if not (venue - title) & asked:
        return None
    return len(venue & asked) / len(venue)
