"""Indexes that are asked for an open copy after Unpaywall, where they are on (references contract, 3.4, 4.6, 4.7)."""

from collections.abc import Mapping
from typing import Any

from core.errors import NoOpenCopy, PaperdeskError
from core.identifiers import IdentifierKind
from core.references.asking import Asking, first_known, spellings
from core.references.locating import is_located
from core.references.resolution import Resolved, enriched
from core.sources.answers import Record
from core.sources.configuration import Rulebook


async def with_indexes(found: Resolved, asking: Asking, rulebook: Rulebook) -> Resolved:
    """With the locations of Europe PMC and DOAJ, asked in turn until a copy can be passed on; failures are noted."""
    if found.identifier.kind is not IdentifierKind.DOI:
        return found
    for source in (_europe_pmc, _doaj):
        if is_located(found, rulebook):
            break
        try:
            record = await source(found, asking)
        except PaperdeskError:
            continue
        if record is not None:
            found = enriched(found, [record])
    return found


def require_open(found: Resolved, pdf: Mapping[str, Any], asking: Asking) -> None:
    """Raises `NoOpenCopy` where Unpaywall alone knows the work, as closed, and no copy was found."""
    if found.source == "unpaywall" and found.oa.status == "closed" and pdf["status"] == "no_oa_url":
        asking.trace.note("unpaywall", "consulted_not_open_access")
        raise NoOpenCopy("The work exists, but no open copy of it is known; look for it where you have access.")


async def _europe_pmc(found: Resolved, asking: Asking) -> Record | None:
    reader, caller = asking.sources.europe_pmc, asking.caller
    if reader is None:
        return None

    async def ask(doi: str) -> Record:
        return await asking.of("europe-pmc", reader, lambda each: each.work(doi, caller=caller))

    return await first_known(spellings(found.identifier), ask)


async def _doaj(found: Resolved, asking: Asking) -> Record | None:
    reader, caller = asking.sources.doaj, asking.caller
    if reader is None:
        return None

    async def ask(doi: str) -> Record:
        return await asking.of("doaj", reader, lambda each: each.work(doi, caller=caller))

    return await first_known(spellings(found.identifier), ask)
