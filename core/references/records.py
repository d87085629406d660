"""Metadata of one reference: doiget_resolve_paper and doiget_metadata_only (references contract, 3.2, 3.3)."""

from typing import Any

from core.errors import Unsupported
from core.identifiers import Identifier, IdentifierKind
from core.references.asking import Asking
from core.references.attempts import traced
from core.references.dry_runs import planned
from core.references.resolution import Resolved
from core.references.results import ResolvedAnswer
from core.references.retraction_check import checked_retraction, retraction_of
from core.references.room import SCHEMA_VERSION, Room, read_reference
from core.references.shown_works import shown_work
from core.references.store.shape import NewEntry


class Records:
    """Looks one reference up; where there is a store, `metadata_only` keeps the record there."""

    def __init__(self, room: Room) -> None:
        self._room = room

    async def resolve(self, ref: str, *, include_oa: bool, check_retraction: bool) -> ResolvedAnswer:
        """The record of a reference; nothing is kept."""
        return await self._answer(ref, include_oa=include_oa, check_retraction=check_retraction)

    async def _answer(
        self, ref: str, *, include_oa: bool, check_retraction: bool, keeps: bool = False
    ) -> ResolvedAnswer:
        identifier = read_reference(ref)
        asking = self._room.asking()
        with traced(asking.trace, identifier):
            async with self._room.session("metadata"):
                async with self._room.resolving(identifier) as told:
                    found = await self._room.resolution.resolve(identifier, asking, include_oa=include_oa)
                    told.found(found)
                answer = await described(found, asking, check_retraction=check_retraction)
                if keeps and self._room.keeping is not None:
                    await self._room.keeping.save_metadata(new_entry(found))
        return ResolvedAnswer(ok=True, **head(ref, identifier, found), **answer)

    async def metadata_only(
        self, ref: str, *, include_oa: bool, check_retraction: bool, dry_run: bool
    ) -> ResolvedAnswer:
        """As `resolve`, and kept where there is a store; a dry run says what it would ask."""
        if dry_run:
            plan = planned(ref, read_reference(ref), self._room.rulebook, layout=self._room.layout)
            return ResolvedAnswer(ok=True, dry_run=True, **plan)
        return await self._answer(ref, include_oa=include_oa, check_retraction=check_retraction, keeps=True)


def new_entry(found: Resolved) -> NewEntry:
    """What is to be kept of a record; what an entry of the store said of itself, it goes on saying."""
    if found.identifier.kind not in (IdentifierKind.DOI, IdentifierKind.ARXIV):
        raise Unsupported(
            "This record has neither a DOI nor an arXiv id, under which the store could keep it;"
            " doiget_resolve_paper shows it."
        )
    kept = found.kept or {}
    preprint = kept.get("preprint_doi")
    return NewEntry(
        found.identifier,
        found.work,
        str(kept.get("source") or found.source),
        license=found.oa.license,
        oa_status=found.oa.status,
        repaired_fields=kept.get("repaired_fields") or found.repaired,
        preprint_doi=preprint if isinstance(preprint, str) else None,
    )


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
