"""Ids of the registries: PubMed, PubMed Central, OpenAlex, Semantic Scholar and the catalog itself."""

import re
from collections.abc import Callable

from core.errors import InvalidReference
from core.identifiers.value import BareDigits, Identifier, IdentifierKind, Via

_PMID = re.compile(r"0*([1-9][0-9]{0,11})")
_PMCID = re.compile(r"PMC0*([1-9][0-9]{0,11})(?:\.[0-9]+)?", re.IGNORECASE | re.ASCII)
_PMCID_DIGITS = re.compile(r"(?:PMC)?0*([1-9][0-9]{0,11})(?:\.[0-9]+)?", re.IGNORECASE | re.ASCII)
_OPENALEX = re.compile(r"[Ww]([1-9][0-9]{5,11})")
_OPENALEX_ANY = re.compile(r"[Ww]([1-9][0-9]{0,11})")
_S2 = re.compile(r"[0-9A-Fa-f]{40}")
_CORPUS_ID = re.compile(r"(?:CorpusId ?: ?)?0*([1-9][0-9]{0,11})", re.IGNORECASE | re.ASCII)
_DIGITS = re.compile(r"[0-9]{1,20}")


def match_registry_id(text: str, *, bare_digits: BareDigits) -> Identifier | None:
    """The unmarked id that `text` is as a whole, or None; raises for digits under the policy `refuse`."""
    if match := _DIGITS.fullmatch(text):
        if bare_digits == "refuse":
            _refuse_digits(text)
        return match_catalog(text, Via.BARE)
    if match := _PMCID.fullmatch(text):
        return _pmcid(match[1], Via.BARE)
    if match := _OPENALEX.fullmatch(text):
        return _openalex(match[1], Via.BARE)
    return match_s2_paper(text, Via.BARE)


def match_pmid(text: str, via: Via) -> Identifier | None:
    """The PubMed id that `text` is, or None."""
    match = _PMID.fullmatch(text)
    return match and Identifier(IdentifierKind.PMID, match[1], None, f"pmid:{match[1]}", (), True, via)


def match_pmcid(text: str, via: Via) -> Identifier | None:
    """The PubMed Central id that `text` is, with or without `PMC`, or None; a version is dropped."""
    match = _PMCID_DIGITS.fullmatch(text)
    return match and _pmcid(match[1], via)


def match_openalex(text: str, via: Via) -> Identifier | None:
    """The OpenAlex work that `text` is, however few digits it has, or None."""
    match = _OPENALEX_ANY.fullmatch(text)
    return match and _openalex(match[1], via)


def match_s2_paper(text: str, via: Via) -> Identifier | None:
    """The Semantic Scholar paper that 40 hexadecimal digits are, or None."""
    if not _S2.fullmatch(text):
        return None
    folded = text.lower()
    return Identifier(IdentifierKind.S2, folded, None, f"s2:{folded}", (), True, via)


def match_corpus_id(text: str, via: Via) -> Identifier | None:
    """The Semantic Scholar corpus id that digits are, with or without their mark, or None."""
    match = _CORPUS_ID.fullmatch(text)
    if match is None:
        return None
    return Identifier(IdentifierKind.S2, f"CorpusId:{match[1]}", None, f"s2:corpusid:{match[1]}", (), True, via)


def match_catalog(text: str, via: Via) -> Identifier | None:
    """The catalog id that 1 to 20 digits are, or None; leading zeros mean nothing."""
    if not _DIGITS.fullmatch(text):
        return None
    number = text.lstrip("0") or "0"
    return Identifier(IdentifierKind.CATALOG, number, None, f"catalog:{number}", (), True, via)


def read_registry_id(prefix: str, text: str, via: Via) -> Identifier:
    """The id that must follow a registry's prefix, `prefix` being a key of `REGISTRY_PREFIXES`."""
    match, reason, example = REGISTRY_PREFIXES[prefix]
    found = match(text, via)
    if found is None:
        raise InvalidReference(f"What follows {prefix}: does not fit it. Write it as in {example}.", reason=reason)
    return found


def _match_s2(text: str, via: Via) -> Identifier | None:
    return match_s2_paper(text, via) or (None if text.isdecimal() else match_corpus_id(text, via))


def _pmcid(digits: str, via: Via) -> Identifier:
    return Identifier(IdentifierKind.PMCID, f"PMC{digits}", None, f"pmcid:PMC{digits}", (), True, via)


def _openalex(digits: str, via: Via) -> Identifier:
    return Identifier(IdentifierKind.OPENALEX, f"W{digits}", None, f"openalex:W{digits}", (), True, via)


def _refuse_digits(digits: str) -> None:
    hint = f"For a PubMed id write pmid:{digits}"
    if len(digits) == 7:
        hint += f", for an old arXiv id put its archive before it, as in hep-th/{digits}"
    raise InvalidReference(f"Digits alone do not say which id they are. {hint}.", reason="bare_digits")


REGISTRY_PREFIXES: dict[str, tuple[Callable[[str, Via], Identifier | None], str, str]] = {
    "pmid": (match_pmid, "pmid_bad_shape", "pmid:9659853"),
    "pmcid": (match_pmcid, "pmcid_bad_shape", "pmcid:PMC3531190"),
    "openalex": (match_openalex, "openalex_bad_shape", "openalex:W2741809807"),
    "s2": (_match_s2, "s2_bad_shape", "s2:204e3073870fae3d05bcbc2f6a8e263d9b72e776"),
    "corpusid": (match_corpus_id, "s2_bad_shape", "CorpusId:13756489"),
    "catalog": (match_catalog, "catalog_bad_shape", "catalog:4711"),
}
"""Prefix -> how its rest is read, the reason when that fails, a correct example."""
