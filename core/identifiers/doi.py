"""DOIs: registrant, suffix, tail rule, alternates, and the DOIs that stand for arXiv ids."""

import re
from typing import NoReturn

from core.errors import InvalidReference
from core.identifiers.arxiv import match_arxiv, unmarked
from core.identifiers.clean import drop_tail
from core.identifiers.value import Identifier, IdentifierKind, Via

_MAX_SUFFIX_BYTES = 256
_ARXIV_REGISTRANT = "10.48550"

_REGISTRANT = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)*")
_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def starts_like_doi(text: str) -> bool:
    """Whether any failure to read `text` is the failure of a DOI."""
    return text.startswith("10.") and text[3:4].isdecimal()


def read_doi(text: str, via: Via, *, given: str | None = None, extracted: bool = False) -> Identifier:
    """The DOI, or arXiv id behind a DOI, that `text` must be; `text` is percent-decoded.

    `given` is a longer spelling that `text` was cut from. An `extracted` DOI has no alternate for its dropped tail:
    what followed it is the sentence around it.
    """
    registrant, slash, suffix = text.partition("/")
    if not slash:
        _refuse_without_slash(text)
    if not _REGISTRANT.fullmatch(registrant):
        _refuse_registrant(registrant)
    kept = drop_tail(suffix)
    _check_suffix(kept)
    if registrant == _ARXIV_REGISTRANT and (found := _arxiv_behind(kept)):
        return found
    if given is None and not extracted and kept != suffix:
        given = text
    doi = f"{registrant}/{kept}"
    folded = doi.lower() if doi.isascii() else doi.translate(_ASCII_LOWER)
    return Identifier(IdentifierKind.DOI, doi, None, f"doi:{folded}", _alternates(doi, given), True, via)


def _alternates(doi: str, given: str | None) -> tuple[str, ...]:
    registrant_chars = doi.index("/") + 1
    spellings = []
    if given is not None and _byte_count(given[registrant_chars:]) <= _MAX_SUFFIX_BYTES:
        spellings.append(given)
    if doi.endswith("/") and len(doi) - 1 > registrant_chars:
        spellings.append(doi[:-1])
    return tuple(spellings)


def _arxiv_behind(suffix: str) -> Identifier | None:
    arxiv_id = unmarked(suffix).rstrip("/")
    if arxiv_id == suffix:
        return None
    try:
        return match_arxiv(arxiv_id, Via.ARXIV_DOI)
    except InvalidReference:  # an impossible version: whatever it is, it is no arXiv id
        return None


def _check_suffix(suffix: str) -> None:
    if not suffix:
        raise InvalidReference(
            "The DOI has nothing after its slash. A DOI looks like 10.1038/nature14539.", reason="doi_empty_suffix"
        )
    if " " in suffix or not suffix.isprintable() or (not suffix.isascii() and _has_foreign_sign(suffix)):
        raise InvalidReference(
            "The DOI holds a blank or a character that no DOI has. A DOI looks like 10.1038/nature14539.",
            reason="doi_bad_character",
        )
    if _byte_count(suffix) > _MAX_SUFFIX_BYTES:
        raise InvalidReference(
            f"The part of the DOI after its slash is longer than {_MAX_SUFFIX_BYTES} bytes. Send one DOI, no more.",
            reason="doi_suffix_too_long",
        )


def _has_foreign_sign(suffix: str) -> bool:
    # U+FFFD stands for what could not be decoded: whatever the DOI was, it is lost.
    return any(c == "\ufffd" or (c.isdecimal() and not c.isascii()) for c in suffix)


def _byte_count(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode(errors="surrogatepass"))


def _refuse_without_slash(text: str) -> NoReturn:
    if starts_like_doi(text):
        raise InvalidReference(
            "The DOI lacks the slash and what follows it. A DOI looks like 10.1038/nature14539.",
            reason="doi_missing_slash",
        )
    _refuse_registrant(text)


def _refuse_registrant(registrant: str) -> NoReturn:
    if starts_like_doi(registrant) and registrant.isascii() and registrant.isprintable():
        told = f"The DOI prefix {registrant[:40]} needs 4 to 9 digits, as in 10.1038/nature14539."
    else:
        told = "A DOI starts with 10. and 4 to 9 digits, as in 10.1038/nature14539."
    raise InvalidReference(told, reason="doi_bad_registrant")
