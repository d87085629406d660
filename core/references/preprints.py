"""The preprint of a published work: by what records say of it, and in local mode by its title (4.6)."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from core.errors import InvalidReference, PaperdeskError
from core.http.hosts import HostPatterns
from core.identifiers import Identifier, IdentifierKind, parse
from core.records import Work
from core.references.asking import Asking
from core.references.resolution import Resolved
from core.works.names import name_parts

FoundBy = Literal["unpaywall", "crossref_relation", "openalex_location", "arxiv_title_search"]

_TITLE_LETTERS_MIN = 12
_OPENALEX = "openalex"
_PLATFORMS = {
    "10.1101": "bioRxiv",
    "10.2139": "SSRN",
    "10.12688": "F1000Research",
    "10.20944": "Preprints.org",
    "10.21203": "Research Square",
    "10.22541": "Authorea",
    "10.26434": "ChemRxiv",
    "10.31219": "OSF Preprints",
    "10.31223": "EarthArXiv",
    "10.31234": "PsyArXiv",
    "10.31235": "SocArXiv",
    "10.35542": "EdArXiv",
    "10.36227": "TechRxiv",
}
_SHARED_PREFIXES = ((HostPatterns(("*.medrxiv.org",)), "medRxiv"),)
"""Servers that give DOIs under the prefix of another one."""


@dataclass(frozen=True, slots=True)
class Preprint:
    """An arXiv paper that is a preprint of the work; `found_by` is None where the catalog told of it."""

    identifier: Identifier
    found_by: FoundBy | None


async def known_preprint(found: Resolved, asking: Asking) -> Preprint | None:
    """The arXiv preprint of a DOI: by Crossref's relation, else by OpenAlex's locations."""
    relation = next((each for each in _related(found.work) if each.kind is IdentifierKind.ARXIV), None)
    if relation is not None and relation.plausible:
        return Preprint(relation, "crossref_relation")
    works = {record.work.sources[0]: record.work for record in found.records if record.work.sources}
    if found.work.arxiv_id is not None:
        is_openalex = _OPENALEX in works and works[_OPENALEX].arxiv_id == found.work.arxiv_id
        return Preprint(_arxiv(found.work.arxiv_id), "openalex_location" if is_openalex else None)
    if _OPENALEX in works:
        return None
    openalex = asking.sources.openalex
    try:
        record = await asking.of(_OPENALEX, openalex, lambda each: each.work(found.identifier, caller=asking.caller))
    except PaperdeskError:
        return None
    if record.work.arxiv_id is None:
        return None
    return Preprint(_arxiv(f"{record.work.arxiv_id}{record.work.arxiv_version or ''}"), "openalex_location")


async def titled_preprint(found: Resolved, asking: Asking) -> Preprint | None:
    """The arXiv paper with the very title and the first author of the work, if it names no other published one."""
    work = found.work
    if not work.title or not work.authors or not _is_telling(work.title):
        return None
    surname = name_parts(work.authors[0])[0]
    arxiv, title = asking.sources.arxiv, work.title
    try:
        records = await asking.of("arxiv", arxiv, lambda each: each.search(title, surname, caller=asking.caller))
    except PaperdeskError:
        return None
    for record in records:
        if record.work.arxiv_id is not None and is_preprint_of(record.work, work):
            return Preprint(_arxiv(record.work.arxiv_id), "arxiv_title_search")
    asking.trace.note("arxiv", "consulted_no_record", "no paper there has its title and first author")
    return None


def is_preprint_of(preprint: Work, work: Work) -> bool:
    """Whether title and first author say that one is the preprint of the other; a near miss does not count."""
    if not work.title or not work.authors or not preprint.title or not _is_telling(work.title):
        return False
    if preprint.preprint_of is not None and preprint.preprint_of != work.doi:
        return False
    first = _letters(name_parts(work.authors[0])[0])
    names = {_letters(name_parts(author)[0]) for author in preprint.authors}
    return _letters(preprint.title) == _letters(work.title) and bool(first) and first in names


def other_preprints(work: Work) -> tuple[Identifier, ...]:
    """The DOIs of preprints on other servers than arXiv, by Crossref's relation."""
    return tuple(each for each in _related(work) if each.kind is IdentifierKind.DOI)


def platform_of(preprint: Identifier, host: str) -> str:
    """The preprint server of a DOI whose file came from a host; the host itself where the server is not known."""
    at_host = next((name for patterns, name in _SHARED_PREFIXES if patterns.match(host)), None)
    return at_host or _PLATFORMS.get(preprint.value.partition("/")[0], host)


def _related(work: Work) -> Iterable[Identifier]:
    for id in work.preprints:
        try:
            yield parse(id, titles=False, bare_digits="refuse")
        except InvalidReference:
            continue


def _arxiv(id: str) -> Identifier:
    return parse(f"arxiv:{id}", titles=False, bare_digits="refuse")


def _is_telling(title: str) -> bool:
    return sum(each.isalpha() for each in title) >= _TITLE_LETTERS_MIN


def _letters(text: str) -> str:
    """Letters and digits alone, whatever their case."""
    return "".join(each for each in unicodedata.normalize("NFC", text.casefold()) if each.isalnum())
