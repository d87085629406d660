"""Any reference to one catalog paper, any name to one entity or author; ambiguity is an error with candidates.

Catalog contract sections 8 and 9. The parser (`core.identifiers`) decides by form alone; this module asks the backend.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.catalog.backend import CatalogBackend
from core.catalog.missing import Missing, paper_entry, quoted
from core.catalog.models import Author, Entity, EntityKind, MatchLevel, PaperRow
from core.catalog.public_models import PUBLIC_NOT_ASKED
from core.catalog.results import MatchedBy, Resolution
from core.errors import Ambiguous, Entry, NotFound
from core.identifiers import Identifier, IdentifierKind, parse

Value = TypeVar("Value")

CANDIDATES_MAX = 10
NEAR_TITLES_MAX = 3
NEAR_NAMES_MAX = 3
AREAS_SHOWN_MAX = 200

_MATCHED_BY: dict[IdentifierKind, MatchedBy] = {
    IdentifierKind.ARXIV: "arxiv_id",
    IdentifierKind.CATALOG: "catalog_id",
    IdentifierKind.DOI: "doi",
    IdentifierKind.PMID: "pmid",
    IdentifierKind.PMCID: "pmcid",
    IdentifierKind.OPENALEX: "openalex_id",
    IdentifierKind.S2: "semantic_scholar_id",
    IdentifierKind.SLUG: "slug",
}
_TITLE_LEVELS: dict[MatchLevel, MatchedBy] = {
    MatchLevel.TITLE: "title",
    MatchLevel.NORMALIZED_TITLE: "normalized_title",
    MatchLevel.SHORT_NAME: "short_name",
}

_LISTED_BY = {
    EntityKind.AREA: "list_tasks with group_by_area",
    EntityKind.TASK: "list_tasks",
    EntityKind.METHOD: "list_methods",
    EntityKind.CONFERENCE: "list_conferences",
    EntityKind.ORGANIZATION: "list_organizations",
    EntityKind.FRAMEWORK: "list_frameworks",
    EntityKind.BENCHMARK: "list_benchmarks",
}


@dataclass(frozen=True, slots=True)
class Resolved:
    """A reference that names one paper. An arXiv id is taken as canonical before anyone asked whether it is held."""

    canonical_id: str
    resolution: Resolution
    identifier: Identifier


def entity_entry(entity: Entity) -> Entry:
    """An entity as a candidate or suggestion; its slug is what to send, unless it is needed to tell equals apart."""
    return Entry(id=entity.slug or entity.id, name=entity.name, note=entity.note)


class Resolver:
    """Resolves references and names against one backend."""

    def __init__(self, backend: CatalogBackend, *, asks_public_metadata: bool = True) -> None:
        self._backend = backend
        self._asks_public_metadata = asks_public_metadata

    async def paper(self, reference: str) -> Resolved:
        """The paper that a reference names; arXiv ids are canonical at once, without a backend call (8.2 step 2).

        Raises `InvalidInput` for an empty or unsupported reference, `NotFound`, and `Ambiguous` with candidates.
        """
        found = await self._look_up(reference)
        if isinstance(found, Missing):
            raise found.failure()
        return found

    async def with_paper(self, reference: str, ask: Callable[[str], Awaitable[Value]]) -> tuple[Value, Resolution]:
        """`ask` for the paper that a reference names; its miss becomes the miss of the reference (8.2 step 8)."""
        found = await self.held_or_missing(reference, ask)
        if isinstance(found, Missing):
            raise found.failure()
        return found

    async def held_or_missing(
        self, reference: str, ask: Callable[[str], Awaitable[Value]]
    ) -> tuple[Value, Resolution] | Missing:
        """`with_paper` for who can do something with a miss.

        A paper that public metadata finds in this catalog after all is asked for once more.
        """
        found = await self._look_up(reference)
        if isinstance(found, Missing):
            return found
        try:
            return await ask(found.canonical_id), found.resolution
        except NotFound:
            if found.resolution.matched_by == "public_metadata":
                raise
        missing = await self._missing(reference, found.identifier)
        mapped = self._mapped(missing)
        if mapped is None or mapped.canonical_id == found.canonical_id:
            return missing
        try:
            return await ask(mapped.canonical_id), mapped.resolution
        except NotFound:
            return missing

    async def _look_up(self, reference: str) -> Resolved | Missing:
        identifier = parse(reference, titles=True, bare_digits="catalog", title_minimum="one_alphanumeric")
        if not identifier.plausible:
            raise NotFound(f"There is no paper with the arXiv id {identifier.id}: no such id can exist.")
        if identifier.kind is IdentifierKind.ARXIV:
            return self._resolved(reference, identifier, identifier.id, "arxiv_id")
        if identifier.kind is IdentifierKind.TITLE:
            return await self._by_title(reference, identifier)
        row = await self._backend.find(identifier)
        if row is not None:
            return self._resolved(reference, identifier, row.canonical_id, _MATCHED_BY[identifier.kind])
        missing = await self._missing(reference, identifier)
        return self._mapped(missing) or missing

    async def _missing(self, reference: str, identifier: Identifier, near: tuple[PaperRow, ...] = ()) -> Missing:
        public = PUBLIC_NOT_ASKED
        if self._asks_public_metadata:
            public = await self._backend.public_metadata(identifier)
        return Missing(reference, identifier, public, near)

    def _mapped(self, missing: Missing) -> Resolved | None:
        """The catalog paper that public metadata names, if any."""
        paper = missing.public.paper
        if paper is None or paper.catalog_paper is None:
            return None
        return self._resolved(missing.reference, missing.identifier, paper.catalog_paper, "public_metadata")

    async def entity(self, kind: EntityKind, text: str) -> tuple[Entity, str | None]:
        """The entity that a name, slug or id names, and a note when only its key fold matched.

        Raises `NotFound` with near names (for areas: with all of them) and `Ambiguous` with candidates.
        """
        matches = await self._backend.find_entity(kind, text)
        if not matches.entities:
            raise await self._no_entity(kind, text)
        if len(matches.entities) > 1:
            candidates = tuple(
                Entry(id=found.id, name=found.name, note=found.note) for found in matches.entities[:CANDIDATES_MAX]
            )
            raise Ambiguous(
                f"Several {_plural(kind)} are called {quoted(text)}; pass the id of one.", candidates=candidates
            )
        found = matches.entities[0]
        folded = matches.level is MatchLevel.FOLDED
        return found, f"{kind.value} {quoted(text)} was read as {found.name}." if folded else None

    async def authors(self, names: Sequence[str]) -> tuple[Author, ...]:
        """One author for each name, numeric id or `@hf_username`; raises `NotFound` and `Ambiguous`."""
        return tuple([await self._author(name) for name in names])

    async def _author(self, name: str) -> Author:
        found = await self._backend.find_authors(name)
        if not found:
            near = await self._backend.near_authors(name, NEAR_NAMES_MAX)
            raise NotFound(
                f"No author is called {quoted(name)}; pass the full name as papers print it, or a numeric id.",
                suggestions=[Entry(id=author.name, name=author.name) for author in near],
            )
        if len(found) > 1:
            raise Ambiguous(
                f"Several authors are called {quoted(name)}; pass the numeric id of one.",
                candidates=[
                    Entry(id=author.id, name=author.name, note=_author_note(author))
                    for author in found[:CANDIDATES_MAX]
                ],
            )
        return found[0]

    async def _by_title(self, reference: str, identifier: Identifier) -> Resolved | Missing:
        matches = await self._backend.find_titles(identifier.id)
        papers = {row.canonical_id: row for row in matches.rows}
        if matches.level is None or not papers:
            near = matches.near
            if near is None:
                near = await self._backend.near_titles(identifier.id, NEAR_TITLES_MAX)
            missing = await self._missing(reference, identifier, near[:NEAR_TITLES_MAX])
            return self._mapped(missing) or missing
        if len(papers) > 1:
            raise Ambiguous(
                f"Several papers match {quoted(reference)}; pass the id of one.",
                candidates=[paper_entry(row) for row in list(papers.values())[:CANDIDATES_MAX]],
            )
        return self._resolved(reference, identifier, next(iter(papers)), _TITLE_LEVELS[matches.level])

    async def _no_entity(self, kind: EntityKind, text: str) -> NotFound:
        is_short = kind is EntityKind.AREA
        if is_short:
            offered = (await self._backend.entities(kind))[:AREAS_SHOWN_MAX]
        else:
            offered = await self._backend.near_entities(kind, text, NEAR_NAMES_MAX)
        return NotFound(
            f"No {kind.value} is called {quoted(text)}."
            + ("" if offered else f" {_LISTED_BY[kind]} shows what is held."),
            suggestions=[entity_entry(found) for found in offered],
            all_of=_plural(kind) if is_short else None,
        )

    @staticmethod
    def _resolved(reference: str, identifier: Identifier, canonical_id: str, matched_by: MatchedBy) -> Resolved:
        resolution = Resolution(
            reference=reference,
            paper=canonical_id,
            matched_by=matched_by,
            requested_version=identifier.version,
        )
        return Resolved(canonical_id, resolution, identifier)


def _plural(kind: EntityKind) -> str:
    return f"{kind.value}s"


def _author_note(author: Author) -> str:
    parts = [f"@{author.hf_username}"] if author.hf_username else []
    if author.paper_count is not None:
        parts.append(f"{author.paper_count} paper" + ("" if author.paper_count == 1 else "s"))
    return ", ".join(parts)
