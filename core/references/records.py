"""Metadata of one reference: doiget_resolve_paper and, when hosted, doiget_metadata_only (3.2, 3.3)."""

from typing import Any

from core.identifiers import Identifier
from core.references.asking import Asking
from core.references.attempts import traced
from core.references.dry_runs import planned
from core.references.resolution import Resolved
from core.references.results import ResolvedAnswer
from core.references.retraction_check import checked_retraction, retraction_of
from core.references.room import SCHEMA_VERSION, Room, read_reference
from core.references.shown_works import shown_work


class Records:
    """Looks one reference up and keeps nothing."""

    def __init__(self, room: Room) -> None:
        self._room = room

    async def resolve(self, ref: str, *, include_oa: bool, check_retraction: bool) -> ResolvedAnswer:
        """The record of a reference."""
        identifier = read_reference(ref)
        asking = self._room.asking()
        with traced(asking.trace, identifier):
            found = await self._room.resolution.resolve(identifier, asking, include_oa=include_oa)
            answer = await described(found, asking, check_retraction=check_retraction)
        return ResolvedAnswer(ok=True, **head(ref, identifier, found), **answer)

    async def metadata_only(
        self, ref: str, *, include_oa: bool, check_retraction: bool, dry_run: bool
    ) -> ResolvedAnswer:
        """As `resolve`; a dry run says what it would ask."""
        if dry_run:
            return ResolvedAnswer(ok=True, dry_run=True, **planned(ref, read_reference(ref), self._room.rulebook))
        return await self.resolve(ref, include_oa=include_oa, check_retraction=check_retraction)


def head(ref: str, identifier: Identifier, found: Resolved) -> dict[str, Any]:
    """What opens an answer on one reference."""
    shown: dict[str, Any] = {
        "ref": ref,
        "canonical": identifier.key,
        "source": found.source,
        "resolver_profile": found.source,
        "license": found.oa.license,
        "oa_status": found.oa.status,
        "schema_version": SCHEMA_VERSION,
    }
    return {**shown, "stale": True} if found.stale else shown


async def described(found: Resolved, asking: Asking, *, check_retraction: bool = False) -> dict[str, Any]:
    """What follows in an answer on metadata."""
    retraction = await checked_retraction(found, asking) if check_retraction else retraction_of(found)
    shown: dict[str, Any] = {"oa_url": found.oa.url, "metadata": dict(found.metadata)}
    if found.trimmed:
        shown["metadata_trimmed"] = list(found.trimmed)
    return {
        **shown,
        "metadata_quality": list(found.quality),
        "repaired_fields": dict(found.repaired),
        "work": shown_work(found.work),
        "retraction": dict(retraction.shown()),
        "attempts": asking.trace.shown(),
    }
