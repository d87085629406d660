"""Where an open copy of a work is; nothing is downloaded and its host is not asked (references contract, 4.6, 4.7)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx

from core.errors import Denial
from core.http.hosts import ascii_host, host_of
from core.http.urls import secured
from core.identifiers import IdentifierKind
from core.records import OaLocation
from core.references.asking import Asking
from core.references.failures import Code, Failure
from core.references.preprints import known_preprint
from core.references.resolution import Resolved
from core.references.shelf import arxiv_location
from core.sources.configuration import Rulebook

SOURCE = "oa-publisher"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place where a copy may be, and who told of it."""

    location: OaLocation
    found_by: str | None

    @property
    def url(self) -> str | None:
        """The PDF, else the page."""
        return self.location.url_for_pdf or self.location.url


async def located(found: Resolved, asking: Asking, rulebook: Rulebook) -> dict[str, Any]:
    """The object `pdf` of a hosted fetch: the first usable copy, or why there is none."""
    if found.identifier.kind is IdentifierKind.ARXIV:
        return _shown(Candidate(arxiv_location(found.identifier), None), rulebook)
    block: Denial | None = None
    seen: set[str] = set()
    for candidate in known_candidates(found):
        if candidate.url is None or candidate.url in seen:
            continue
        seen.add(candidate.url)
        denial = _denial(candidate.url, rulebook)
        if denial is None:
            return _shown(candidate, rulebook)
        block = block or denial
    preprint = await known_preprint(found, asking)
    if preprint is not None:
        return _shown(Candidate(arxiv_location(preprint.identifier), preprint.found_by), rulebook)
    return {"status": "no_oa_url"} if block is None else _blocked(block)


def is_located(found: Resolved, rulebook: Rulebook) -> bool:
    """Whether a source has told of a copy that can be passed on."""
    return any(each.url is not None and _denial(each.url, rulebook) is None for each in known_candidates(found))


def known_candidates(found: Resolved) -> Iterator[Candidate]:
    """The copies that the sources told of: Unpaywall's first, its best one before the others."""
    by_source = {record.work.sources[0]: record.work for record in found.records if record.work.sources}
    order = ("unpaywall", *(name for name in by_source if name != "unpaywall"))
    for source in order:
        work = by_source.get(source)
        for location in work.oa_locations if work is not None else ():
            yield Candidate(location, {"unpaywall": "unpaywall", "openalex": "openalex_location"}.get(source))


def _denial(url: str, rulebook: Rulebook) -> Denial | None:
    """Why an address is none that a caller should be sent to; None for one that is."""
    try:
        parsed = httpx.URL(secured(url))
    except httpx.InvalidURL:
        return Denial("redirect_not_in_allowlist", SOURCE, hop_index=0)
    host = host_of(parsed)
    if parsed.scheme != "https":
        return Denial("insecure_scheme", SOURCE, f"{parsed.scheme}:", ("https",), 0)
    if parsed.userinfo or parsed.port not in (None, 443) or rulebook.blocked.match(host):
        return Denial("host_in_block_list", SOURCE, host, hop_index=0)
    try:
        ascii_host(host)
    except ValueError:
        # An address in place of a name.
        return Denial("redirect_not_in_allowlist", SOURCE, host, rulebook["oa-publisher"].reach.hosts.texts, 0)
    return None


def _shown(candidate: Candidate, rulebook: Rulebook) -> dict[str, Any]:
    location, url = candidate.location, secured(candidate.url or "")
    host = host_of(httpx.URL(url))
    shown: dict[str, Any] = {
        "status": "located",
        "url": url,
        "host": host,
        "host_allowed": rulebook["oa-publisher"].reach.hosts.match(host),
    }
    known = {"version": location.version, "license": location.license, "found_by": candidate.found_by}
    return {**shown, **{name: value for name, value in known.items() if value}}


def _blocked(denial: Denial) -> dict[str, Any]:
    failure = Failure.of(
        Code.CAPABILITY_DENIED,
        "A copy is known, but its address is none that can be passed on; look for another copy.",
        denial=denial,
    )
    return {"status": "blocked", **failure.shown()}
