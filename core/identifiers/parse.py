"""Reads a reference: the steps of the identifier grammar in their order."""

import re

from core.errors import InvalidReference
from core.folds import plain_fold
from core.identifiers.arxiv import match_arxiv, read_arxiv, unmarked
from core.identifiers.clean import clean, clean_title, decode_percent, drop_tail
from core.identifiers.doi import read_doi, starts_like_doi
from core.identifiers.registries import match_registry_id, read_registry_id
from core.identifiers.running_text import occurrences
from core.identifiers.urls import is_url, read_url, refuse_url
from core.identifiers.value import MAX_REFERENCE_CHARS, BareDigits, Identifier, IdentifierKind, TitleMinimum, Via

_MAX_OTHER_WORDS = 3

_PREFIX = re.compile(
    r"(?:(doi|arxiv|pmid|pmcid)(?: ?(:) ?| )"
    r"|(openalex|s2|corpusid|catalog|isbn|mag|acl|ssrn|hal|url) ?: ?)(.*)",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)
_FOREIGN_PREFIXES = frozenset({"isbn", "mag", "acl", "ssrn", "hal", "url"})
_STAMPED = re.compile(
    r"((?:arxiv(?: ?: ?| ))?[^ ]+) \[[a-z-]+(?:\.[a-z-]+)?\](?: (.*))?", re.IGNORECASE | re.ASCII | re.DOTALL
)


def parse(
    text: str | int, *, titles: bool, bare_digits: BareDigits, title_minimum: TitleMinimum = "two_letters"
) -> Identifier:
    """The one identifier that `text` names; raises `InvalidReference`, whose `reason` says what is wrong with its form.

    `titles` lets a text that is no identifier and holds `title_minimum` be a title; `bare_digits` decides what digits
    alone mean. A title keeps its brackets, quotes and marks: they are taken off only to look for an identifier under
    them.
    """
    if isinstance(text, int):
        text = _decimal(text)
    if len(text) > MAX_REFERENCE_CHARS:
        raise InvalidReference(
            f"The reference is longer than {MAX_REFERENCE_CHARS} characters. Send one identifier.", reason="too_long"
        )
    cleaned = clean(text)
    found = _read_words(cleaned, titles) if " " in cleaned else _read_word(cleaned, bare_digits)
    return found or _read_title(text, titles, title_minimum)


def _read_word(text: str, bare_digits: BareDigits) -> Identifier | None:
    """What a text without blanks is, or None for a title."""
    if is_url(text):
        return read_url(text)
    if prefix := _PREFIX.fullmatch(text):
        return _read_prefixed(prefix)
    if starts_like_doi(text):
        return read_doi(decode_percent(text), Via.BARE)
    text = drop_tail(text)
    return match_arxiv(unmarked(text), Via.BARE) or match_registry_id(text, bare_digits=bare_digits)


def _read_words(text: str, titles: bool) -> Identifier | None:
    """What a text with blanks is, or None for a title; its identifier may stand among a few other words."""
    prefix = _PREFIX.fullmatch(text)
    if prefix and " " not in prefix[4]:
        is_word = not prefix[2] and prefix[3] is None and titles and not any(c.isdecimal() for c in prefix[4])
        return None if is_word else _read_prefixed(prefix)
    if found := _read_stamped(text) or _extract(text, titles):
        return found
    if is_url(text):
        refuse_url()
    if titles:
        return None
    if prefix:
        return _read_prefixed(prefix)
    return read_doi(text, Via.BARE) if starts_like_doi(text) else None


def _read_prefixed(prefix: re.Match[str]) -> Identifier:
    """The identifier that must follow a prefix."""
    name, rest = (prefix[1] or prefix[3]).lower(), prefix[4]
    if name in _FOREIGN_PREFIXES:
        raise InvalidReference(
            f"References of the kind {name}: are not taken. Send the DOI or arXiv id.", reason="unsupported_scheme"
        )
    if name in ("doi", "arxiv") and is_url(rest):
        found = read_url(rest)
        if found.kind == name or found.via is Via.ARXIV_DOI:
            return found
    if name == "doi":
        return read_doi(decode_percent(rest), Via.PREFIX)
    if name == "arxiv":
        return _read_arxiv_prefixed(rest)
    return read_registry_id(name, drop_tail(rest), Via.PREFIX)


def _read_arxiv_prefixed(rest: str) -> Identifier:
    if starts_like_doi(rest):
        found = read_doi(decode_percent(rest), Via.PREFIX)
        if found.via is Via.ARXIV_DOI:
            return found
    return read_arxiv(rest, Via.PREFIX)


def _read_stamped(text: str) -> Identifier | None:
    """The arXiv id of the stamp that arXiv prints on a page: id, subject in brackets, date."""
    match = _STAMPED.fullmatch(text)
    if match is None or any(occurrences(match[2] or "")):
        return None
    marked = _PREFIX.fullmatch(match[1])
    if marked is None:
        return match_arxiv(unmarked(match[1]), Via.BARE)
    return match_arxiv(marked[4], Via.PREFIX) if (marked[1] or "").lower() == "arxiv" else None


def _extract(text: str, titles: bool) -> Identifier | None:
    """The only identifier among at most three other words, or None."""
    found = list(occurrences(text))
    if not found:
        return None
    is_short = _other_word_count(text, [(one.start, one.end) for one in found]) <= _MAX_OTHER_WORDS
    if len({one.identifier.key for one in found}) > 1:
        if titles and not is_short:
            return None
        raise InvalidReference(
            "The reference holds several identifiers. Send them one at a time.", reason="several_identifiers"
        )
    return found[0].identifier if is_short else None


def _other_word_count(text: str, spans: list[tuple[int, int]]) -> int:
    rest = []
    position = 0
    for start, end in spans:
        rest.append(text[position:start])
        position = end
    rest.append(text[position:])
    return sum(any(c.isalnum() for c in word) for word in " ".join(rest).split())


def _read_title(text: str, titles: bool, minimum: TitleMinimum) -> Identifier:
    title = clean_title(text)
    if not titles:
        raise InvalidReference(
            "This is no identifier. Send a DOI, arXiv id or PubMed id; a title or a citation must be looked up first.",
            reason="not_an_identifier",
        )
    if not _is_title(title, minimum):
        raise InvalidReference(
            "This is neither an identifier nor a title. Send a DOI such as 10.1038/nature14539, an arXiv id such as"
            " 1706.03762, or a title.",
            reason="not_an_identifier",
        )
    return Identifier(IdentifierKind.TITLE, title, None, f"title:{plain_fold(title)}", (), True, Via.TITLE)


def _is_title(text: str, minimum: TitleMinimum) -> bool:
    if minimum == "one_alphanumeric":
        return any(c.isalnum() for c in text)
    return sum(c.isalpha() for c in text) >= 2


def _decimal(number: int) -> str:
    # Python refuses to print integers of more than a few thousand digits; none of those is a reference.
    return str(int(number)) if abs(number) < 10**MAX_REFERENCE_CHARS else "9" * (MAX_REFERENCE_CHARS + 1)
