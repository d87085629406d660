"""Finds identifiers in running text: bibliography notes, citations, plain lines."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from core.errors import InvalidReference
from core.identifiers.arxiv import match_arxiv
from core.identifiers.clean import HTML_TAG, clean_running_text, decode_percent, drop_tail, partnered_closers
from core.identifiers.doi import read_doi
from core.identifiers.registries import match_pmcid, match_pmid
from core.identifiers.urls import DOI_RESOLVERS, PAPER_HOSTS, read_url
from core.identifiers.value import Identifier, Via

_HOSTS = "|".join(re.escape(host) for host in sorted({*DOI_RESOLVERS, *PAPER_HOSTS}))
_NEW_ARXIV = r"[0-9]{4}\.[0-9]{4,5}(?:v[0-9]{1,3})?(?![\w%/]|\.[0-9])"
_OLD_ARXIV = r"[a-z]{1,20}(?:-[a-z]{1,20}){0,3}(?:\.[a-z]{1,20}(?:-[a-z]{1,20}){0,3})?/[0-9]{7}(?:v[0-9]{1,3})?(?!\w)"
# Every repeat is bounded, so that a match that fails costs the same everywhere in a text of any length.
_START = re.compile(
    rf"""
      (?P<url>(?<![\w+.-])https?://)
    | (?P<host>(?<![\w.@/-])(?:www\.|export\.|ar5iv\.labs\.)?(?:{_HOSTS})(?::[0-9]{{1,5}})?/)
    | (?:(?<![a-z])doi[ ]?:?[ ]?)?(?P<doi>(?<![0-9.])10\.[0-9]{{4,9}}(?:\.[0-9]{{1,9}}){{0,9}}(?:/|%2F|%252F))
    | (?<![a-z])arxiv[ ]?[:.]?[ ]?(?P<arxiv>{_NEW_ARXIV}|{_OLD_ARXIV})
    | (?P<bare>(?<![\w./@%$€£]){_NEW_ARXIV})
    | (?<![a-z])pmid[ ]?:?[ ]?(?P<pmid>[0-9]{{1,12}})(?!\w)
    | (?<![\w/])(?:pmcid[ ]?:?[ ]?)(?P<pmcid>(?:PMC)?[0-9]{{1,12}})(?!\w)
    | (?<![\w/])(?P<pmc>PMC[0-9]{{1,12}})(?!\w)
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_STOP = re.compile(
    rf"""[\s"`]|{HTML_TAG}|[,;|](?=doi:|https?:|arxiv:|pmid:|10\.[0-9]{{4}})""", re.IGNORECASE | re.ASCII
)
_CLOSED_LIST_ITEM = re.compile(r"[)\]}>](?=[,;])")
_LONGEST_TOKEN = 2048


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An identifier and the span of the text, mark included, that it was read from."""

    start: int
    end: int
    identifier: Identifier


def find_all(text: str) -> tuple[Identifier, ...]:
    """Every identifier in `text` in order of appearance, each once by key.

    DOIs; arXiv ids that are marked, or bare, new-style and plausible; marked PubMed ids; PMC ids; known URLs.
    """
    first: dict[str, Identifier] = {}
    for occurrence in occurrences(clean_running_text(text)):
        first.setdefault(occurrence.identifier.key, occurrence.identifier)
    return tuple(first.values())


def occurrences(text: str) -> Iterator[Occurrence]:
    """The identifiers of a cleaned text in order, repeats included; spans do not overlap."""
    position = 0
    while match := _START.search(text, position):
        position, found = _read(text, match)
        if found is not None:
            via = found.via if found.via is Via.ARXIV_DOI else Via.EXTRACTED
            yield Occurrence(match.start(), position, replace(found, via=via))


def _read(text: str, match: re.Match[str]) -> tuple[int, Identifier | None]:
    """Where reading goes on, and what the match turned out to be."""
    sort = match.lastgroup or ""
    start, end = match.span(sort)
    token = _token(text, start, end) if sort in _OPEN_ENDED else text[start:end]
    try:
        found = _READERS[sort](token)
    except InvalidReference:
        found = None
    if found and sort == "bare" and not found.plausible:
        found = None
    return max(end, start + len(token)), found


def _token(text: str, start: int, end: int) -> str:
    """The text from `start` up to what can no longer belong to it, `end` being the least."""
    limit = min(len(text), end + _LONGEST_TOKEN)
    stop = _STOP.search(text, end, limit)
    token = text[start : stop.start() if stop else limit]
    if _CLOSED_LIST_ITEM.search(token):
        partnered = partnered_closers(token)
        for closer in _CLOSED_LIST_ITEM.finditer(token):
            if closer.start() not in partnered:
                token = token[: closer.start()]
                break
    return drop_tail(token)


_OPEN_ENDED = frozenset({"url", "host", "doi"})
_READERS: dict[str, Callable[[str], Identifier | None]] = {
    "url": lambda token: read_url(token, extracted=True),
    "host": lambda token: read_url(token, extracted=True),
    "doi": lambda token: read_doi(decode_percent(token), Via.EXTRACTED, extracted=True),
    "arxiv": lambda token: match_arxiv(token, Via.EXTRACTED),
    "bare": lambda token: match_arxiv(token, Via.EXTRACTED),
    "pmid": lambda token: match_pmid(token, Via.EXTRACTED),
    "pmcid": lambda token: match_pmcid(token, Via.EXTRACTED),
    "pmc": lambda token: match_pmcid(token, Via.EXTRACTED),
}
