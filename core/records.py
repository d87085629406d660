"""The bibliographic values that all rooms share: partial dates, authors, venues, works (references contract, 4.1)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import total_ordering
from typing import Literal

from core.errors import InvalidInput, InvalidReference
from core.identifiers import Identifier, IdentifierKind, parse

Precision = Literal["year", "month", "day"]

_SCHEMES = frozenset(kind.value for kind in IdentifierKind)
_NUMBER = re.compile(r"[0-9]{1,4}")
_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")
_REGISTERED_DOI = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)*/[^\sA-Z]+")
_ARXIV_DOI = "10.48550/arxiv."
_ORCID = re.compile(r"(?:https?://orcid\.org/)?([0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9Xx])")


@total_ordering
@dataclass(frozen=True, slots=True)
class PartialDate:
    """A date as precisely as it is known. Ordered by its first day; of equal first days the vaguer date comes first."""

    year: int
    month: int | None = None
    day: int | None = None

    def __post_init__(self) -> None:
        if self.day is not None and self.month is None:
            raise InvalidInput("A date with a day needs its month. Write it as in 2019-03-05.")
        try:
            self.first_day()
        except (ValueError, OverflowError) as error:
            raise InvalidInput("There is no such day in the calendar. Write a date as in 2019-03-05.") from error

    @classmethod
    def parse(cls, text: str) -> "PartialDate":
        """The date that `2019`, `2019-03` or `2019-03-05` stands for; nothing else is read."""
        match = _DATE.fullmatch(text)
        if match is None:
            raise InvalidInput("A date is written as in 2019, 2019-03 or 2019-03-05.")
        return cls(*(int(part) for part in match.groups() if part is not None))

    @classmethod
    def from_parts(cls, parts: Sequence[int | str | None]) -> "PartialDate":
        """The date of one to three numbers, year first; a number may be decimal text, and None at the end is absent."""
        numbers = list(parts)
        while numbers and numbers[-1] is None:
            numbers.pop()
        if not 1 <= len(numbers) <= 3 or not all(_is_number(part) for part in numbers):
            raise InvalidInput("The parts of a date are year, month and day, as in 2019, 3, 5.")
        return cls(*(int(part) for part in numbers if part is not None))

    @property
    def precision(self) -> Precision:
        """The smallest unit that is known."""
        if self.month is None:
            return "year"
        return "month" if self.day is None else "day"

    def first_day(self) -> date:
        """The first day of the period that the date names: what it is compared as."""
        return date(self.year, 1 if self.month is None else self.month, 1 if self.day is None else self.day)

    def __str__(self) -> str:
        text = f"{self.year:04d}"
        if self.month is not None:
            text += f"-{self.month:02d}"
        if self.day is not None:
            text += f"-{self.day:02d}"
        return text

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, PartialDate):
            return NotImplemented
        return self._rank() < other._rank()

    def _rank(self) -> tuple[date, int]:
        return self.first_day(), (self.month is not None) + (self.day is not None)


@dataclass(frozen=True, slots=True)
class Author:
    """Who wrote a work. `name` is display text; a `group` is no person; `orcid` is bare, however it was given."""

    name: str
    family: str | None = None
    given: str | None = None
    orcid: str | None = None
    group: bool = False

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise InvalidInput("An author needs a name, as in Ashish Vaswani.")
        if self.orcid is not None:
            object.__setattr__(self, "orcid", _bare_orcid(self.orcid))


@dataclass(frozen=True, slots=True)
class Venue:
    """Where a work appeared, and where in it. `pages` has one ASCII hyphen between whole numbers, as in `895-897`."""

    name: str
    publisher: str | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None
    article_number: str | None = None
    issn: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise InvalidInput("A venue needs a name, as in Nature.")


@dataclass(frozen=True, slots=True)
class OaLocation:
    """A place where a work can be read without paying."""

    url: str | None = None
    url_for_pdf: str | None = None
    host_type: str | None = None
    version: str | None = None
    license: str | None = None


@dataclass(frozen=True, slots=True)
class UpdateNotice:
    """A notice about a work, such as a retraction; `doi` is the notice's own."""

    type: str
    doi: str | None = None
    date: PartialDate | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """A bibliographic record from anywhere; unknown is None, never a guess. Field names are the keys of its JSON.

    `key` is the key of the identifier that the record is kept under. Identifiers are in normal form: `doi` bare and
    lower-case, `arxiv_id` without version. If not given, `year` and `author_count` follow from `published`, `authors`.
    """

    key: str
    doi: str | None = None
    doi_registered: str | None = None
    arxiv_id: str | None = None
    arxiv_version: str | None = None
    arxiv_categories: tuple[str, ...] = ()
    pmid: str | None = None
    pmcid: str | None = None
    openalex_id: str | None = None
    s2_id: str | None = None
    title: str | None = None
    subtitle: str | None = None
    authors: tuple[Author, ...] = ()
    author_count: int | None = None
    published: PartialDate | None = None
    year: int | None = None
    type: str | None = None
    venue: str | None = None
    publisher: str | None = None
    volume: str | None = None
    issue: str | None = None
    pages: str | None = None
    article_number: str | None = None
    issn: tuple[str, ...] = ()
    isbn: tuple[str, ...] = ()
    language: str | None = None
    abstract: str | None = None
    url: str | None = None
    license: str | None = None
    oa_status: str | None = None
    oa_locations: tuple[OaLocation, ...] = ()
    cited_by_count: int | None = None
    reference_count: int | None = None
    updates: tuple[UpdateNotice, ...] = ()
    is_notice_for: tuple[str, ...] = ()
    preprint_of: str | None = None
    preprints: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    fetched_at: str | None = None

    def __post_init__(self) -> None:
        _check_key(self.key)
        for field, kind, example in _IDENTIFIER_FIELDS:
            value = getattr(self, field)
            if value is not None and not _is_normal(kind, value):
                raise InvalidInput(f"The {field} of a work is written in its normal form, as in {example}.")
        if self.arxiv_version is not None and self.arxiv_id is None:
            raise InvalidInput("A work with an arXiv version needs its arXiv id, as in 1706.03762 and v7.")
        if self.year is None and self.published is not None:
            object.__setattr__(self, "year", self.published.year)
        if self.authors:
            if self.author_count is None:
                object.__setattr__(self, "author_count", len(self.authors))
            elif self.author_count < len(self.authors):
                raise InvalidInput("The author count of a work is that of the whole list, as in 3 for 3 authors.")

    def identifiers(self) -> tuple[tuple[str, str], ...]:
        """(scheme, value) of everything that names this work, as in keys of `core.identifiers`, each pair once."""
        found = [
            _pair(kind, value) for field, kind, _ in _IDENTIFIER_FIELDS if (value := getattr(self, field)) is not None
        ]
        return tuple(dict.fromkeys(found))

    def published_in(self) -> Venue | None:
        """The venue with the place of the work in it, or None where no venue is known."""
        if self.venue is None:
            return None
        return Venue(self.venue, self.publisher, self.volume, self.issue, self.pages, self.article_number, self.issn)


_IDENTIFIER_FIELDS = (
    ("arxiv_id", IdentifierKind.ARXIV, "1706.03762"),
    ("doi", IdentifierKind.DOI, "10.1038/nature14539"),
    ("pmid", IdentifierKind.PMID, "9659853"),
    ("pmcid", IdentifierKind.PMCID, "PMC3531190"),
    ("openalex_id", IdentifierKind.OPENALEX, "W2741809807"),
    ("s2_id", IdentifierKind.S2, "204e3073870fae3d05bcbc2f6a8e263d9b72e776"),
)


def _is_normal(kind: IdentifierKind, value: str) -> bool:
    if kind is IdentifierKind.DOI:
        # Looser than the grammar: an agency may have registered a DOI that ends in a mark.
        return _REGISTERED_DOI.fullmatch(value) is not None
    try:
        found = _read(kind, value)
    except InvalidReference:
        return False
    return found.id == value and found.version is None


def _pair(kind: IdentifierKind, value: str) -> tuple[str, str]:
    if kind is IdentifierKind.DOI and not value.startswith(_ARXIV_DOI):
        return kind.value, value
    found = _read(kind, value)
    return found.kind.value, found.value


def _read(kind: IdentifierKind, value: str) -> Identifier:
    return parse(f"{kind}:{value}", titles=False, bare_digits="refuse")


def _check_key(key: str) -> None:
    scheme, _, value = key.partition(":")
    if not value or scheme not in _SCHEMES:
        raise InvalidInput("The key of a work is the key of an identifier, as in arxiv:1706.03762.")


def _is_number(part: int | str | None) -> bool:
    return isinstance(part, int) or (isinstance(part, str) and _NUMBER.fullmatch(part) is not None)


def _bare_orcid(text: str) -> str:
    match = _ORCID.fullmatch(text)
    if match is None or not _has_right_check_digit(match[1].upper()):
        raise InvalidInput("An ORCID iD is written as in 0000-0002-1825-0097.")
    return match[1].upper()


def _has_right_check_digit(orcid: str) -> bool:
    """ISO 7064 MOD 11-2 over the first 15 digits."""
    digits = orcid.replace("-", "")
    total = 0
    for digit in digits[:-1]:
        total = (total + int(digit)) * 2
    return "0123456789X"[(12 - total % 11) % 11] == digits[-1]
