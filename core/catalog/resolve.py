"""Any reference to one catalog paper, any name to one entity or author; ambiguity is an error with candidates.

Catalog contract sections 8 and 9. The parser (`core.identifiers`) decides by form alone; this module asks the backend.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from core.catalog.backend import CatalogBackend
from core.catalog.models import Author, Entity, EntityKind, MatchLevel, PaperRow
from core.catalog.present import cut
from core.catalog.results import MatchedBy, Resolution
from core.errors import Ambiguous, Entry, InvalidInput, NotFound
from core.identifiers import Identifier, IdentifierKind, Via, parse

Value = TypeVar("Value")

CANDIDATES_MAX = 10
NEAR_TITLES_MAX = 3
NEAR_NAMES_MAX = 3
AREAS_SHOWN_MAX = 200
_ECHO_MAX = 200

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
_KIND_NAMES = {
    IdentifierKind.ARXIV: "arXiv id",
    IdentifierKind.CATALOG: "catalog id",
    IdentifierKind.DOI: "DOI",
    IdentifierKind.PMID: "PubMed id",
    IdentifierKind.PMCID: "PubMed Central id",
    IdentifierKind.OPENALEX: "OpenAlex id",
    IdentifierKind.S2: "Semantic Scholar id",
    IdentifierKind.SLUG: "Papers With Code page",
}
_PUBLIC_METADATA_NOTE = "Nothing was looked up outside this catalog."
_OLD_ARXIV_DIGITS = 7
_DIGITS = re.compile(r"[0-9]+")


@dataclass(frozen=True, slots=True)
class Resolved:
    """A reference that names one paper. An arXiv id is taken as canonical before anyone asked whether it is held."""

    canonical_id: str
    resolution: Resolution
    identifier: Identifier


def paper_entry(row: PaperRow) -> Entry:
    """A paper as a candidate or suggestion."""
    year = int(row.published[:4]) if row.published else None
    return Entry(id=row.canonical_id, title=cut(row.title, 500), year=year)


def entity_entry(entity: Entity) -> Entry:
    """An entity as a candidate or suggestion; its slug is what to send, unless it is needed to tell equals apart."""
    return Entry(id=entity.slug or entity.id, name=entity.name, note=entity.note)


class Resolver:
    """Resolves references and names against one backend."""

    def __init__(self, backend: CatalogBackend) -> None:
        self._backend = backend

    async def paper(self, reference: str) -> Resolved:
        """The paper that a reference names; arXiv ids are canonical at once, without a backend call (8.2 step 2).

        Raises `InvalidInput` for an empty or unsupported reference, `NotFound`, and `Ambiguous` with candidates.
        """
        identifier = parse(reference, titles=True, bare_digits="catalog", title_minimum="one_alphanumeric")
        if not identifier.plausible:
            raise NotFound(f"There is no paper with the arXiv id {identifier.id}: no such id can exist.")
        if identifier.kind is IdentifierKind.ARXIV:
            return self._resolved(reference, identifier, identifier.id, "arxiv_id")
        if identifier.kind is IdentifierKind.TITLE:
            return await self._by_title(reference, identifier)
        row = await self._backend.find(identifier)
        if row is None:
            raise _missing(reference, identifier)
        return self._resolved(reference, identifier, row.canonical_id, _MATCHED_BY[identifier.kind])

    async def with_paper(self, reference: str, ask: Callable[[str], Awaitable[Value]]) -> tuple[Value, Resolution]:
        """`ask` for the paper that a reference names; its miss becomes the miss of the reference (8.2 step 8)."""
        resolved = await self.paper(reference)
        try:
            return await ask(resolved.canonical_id), resolved.resolution
        except NotFound:
            raise _missing(reference, resolved.identifier) from None

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
                f"Several {_plural(kind)} are called {_quoted(text)}; pass the id of one.", candidates=candidates
            )
        found = matches.entities[0]
        folded = matches.level is MatchLevel.FOLDED
        return found, f"{kind.value} {_quoted(text)} was read as {found.name}." if folded else None

    async def authors(self, names: Sequence[str]) -> tuple[Author, ...]:
        """One author for each name, numeric id or `@hf_username`; raises `NotFound` and `Ambiguous`."""
        return tuple([await self._author(name) for name in names])

    async def _author(self, name: str) -> Author:
        found = await self._backend.find_authors(name)
        if not found:
            near = await self._backend.near_authors(name, NEAR_NAMES_MAX)
            raise NotFound(
                f"No author is called {_quoted(name)}.",
                suggestions=[Entry(id=author.name, name=author.name) for author in near],
            )
        if len(found) > 1:
            raise Ambiguous(
                f"Several authors are called {_quoted(name)}; pass the numeric id of one.",
                candidates=[
                    Entry(id=author.id, name=author.name, note=_author_note(author))
                    for author in found[:CANDIDATES_MAX]
                ],
            )
        return found[0]

    async def _by_title(self, reference: str, identifier: Identifier) -> Resolved:
        matches = await self._backend.find_titles(identifier.id)
        papers = {row.canonical_id: row for row in matches.rows}
        if matches.level is None or not papers:
            near = await self._backend.near_titles(identifier.id, NEAR_TITLES_MAX)
            raise NotFound(
                f"No paper is titled {_quoted(reference)} here. {_PUBLIC_METADATA_NOTE}"
                " Try search_papers, or pass an arXiv id or DOI.",
                suggestions=[paper_entry(row) for row in near],
            )
        if len(papers) > 1:
            raise Ambiguous(
                f"Several papers match {_quoted(reference)}; pass the id of one.",
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
            f"No {kind.value} is called {_quoted(text)}.",
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


def refuse_blank(name: str, value: str) -> None:
    """Refuses a text that is empty after trimming."""
    if not value.strip():
        raise InvalidInput(f"{name} is empty; pass a name, an id or a title.")


def _missing(reference: str, identifier: Identifier) -> NotFound:
    kind = _KIND_NAMES.get(identifier.kind, "title")
    sent = _digits_sent(reference, identifier) if identifier.kind is IdentifierKind.CATALOG else identifier.id
    hint = ""
    if identifier.kind is IdentifierKind.CATALOG and identifier.via is Via.BARE and len(sent) == _OLD_ARXIV_DIGITS:
        hint = f" A bare number is a catalog id; an old arXiv id needs its archive, as in hep-th/{sent}."
    return NotFound(
        f"No paper here has the {kind} {cut(sent, _ECHO_MAX)}.{hint} {_PUBLIC_METADATA_NOTE}"
        " Try search_papers with words of its title."
    )


def _digits_sent(reference: str, identifier: Identifier) -> str:
    """A catalog id with the leading zeros it was sent with, which tell an old arXiv id's digits."""
    written = (found for found in _DIGITS.findall(reference) if (found.lstrip("0") or "0") == identifier.id)
    return next(written, identifier.id)


def _quoted(text: str) -> str:
    return f"'{cut(text, _ECHO_MAX)}'"


def _plural(kind: EntityKind) -> str:
    return f"{kind.value}s"


def _author_note(author: Author) -> str:
    parts = [f"@{author.hf_username}"] if author.hf_username else []
    if author.paper_count is not None:
        parts.append(f"{author.paper_count} paper" + ("" if author.paper_count == 1 else "s"))
    return ", ".join(parts)
