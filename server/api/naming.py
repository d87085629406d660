"""What a path or a filter names: a paper by any identifier, an entity by id, slug or name, an author."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.catalog.backend import CatalogBackend
from core.catalog.models import Author, EntityKind, EvaluationRow, MatchLevel, PaperRow
from core.catalog.resolve import Resolver
from core.errors import Ambiguous, InvalidReference, NotFound
from core.identifiers import Identifier, IdentifierKind, parse
from server.api.problems import Problem
from server.api.replies import shown

AUTHOR_MAX = 200
AUTHORS_MAX = 10

_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
_DIRECT = (MatchLevel.ID, MatchLevel.SLUG)
_NO_PAPER = "No paper here has this id. Search for it with papers/search."


class ServedCatalog(CatalogBackend, Protocol):
    """What the API asks of a catalog beside the port."""

    async def best_rows(self, benchmark_ids: Sequence[str]) -> dict[str, EvaluationRow]:
        """The best ranked raw row of each benchmark that has one, by benchmark id."""
        ...


@dataclass(frozen=True, slots=True)
class Desk:
    """What every handler works with."""

    backend: ServedCatalog
    resolver: Resolver

    async def paper_id(self, reference: str) -> str:
        """The canonical id of the paper that a path names by an identifier or a slug; raises `NotFound`.

        An arXiv id is canonical before anyone asked whether the paper is held.
        """
        identifier = read_reference(reference)
        if identifier is not None and identifier.kind is IdentifierKind.ARXIV and identifier.plausible:
            return identifier.id
        row = await self._paper(identifier, reference)
        if row is None:
            raise NotFound(_NO_PAPER)
        return row.canonical_id

    async def _paper(self, identifier: Identifier | None, reference: str) -> PaperRow | None:
        if identifier is not None and identifier.kind is not IdentifierKind.TITLE:
            return await self.backend.find(identifier)
        slug = reference.strip().lower()
        if _SLUG.fullmatch(slug) is None:
            return None
        page = parse(f"https://paperswithcode.com/paper/{slug}", titles=False, bare_digits="catalog")
        return await self.backend.find(page)

    async def entity_id(self, kind: EntityKind, text: str) -> str:
        """The id of what a path names by id or slug; raises `NotFound`."""
        matches = await self.backend.find_entity(kind, text)
        if matches.level not in _DIRECT:
            raise NotFound(f"No {kind.value} here has this id or slug. List {kind.value}s to find it.")
        return matches.entities[0].id

    async def named_id(self, kind: EntityKind, text: str | None) -> str | None:
        """The id of what a filter names by id, slug or name; raises `NotFound` and `Ambiguous`."""
        return None if text is None else (await self.resolver.entity(kind, text))[0].id

    async def authors(self, names: Sequence[str]) -> tuple[Author, ...]:
        """One author for each name, id or `@hf_username`; a name of nobody or of several people is a 422."""
        try:
            return await self.resolver.authors(names)
        except Ambiguous as error:
            raise Problem(422, "ambiguous_author", error.message, candidates=shown(error.candidates)) from error
        except NotFound as error:
            near = {"suggestions": shown(error.suggestions)} if error.suggestions else {}
            raise Problem(422, "unknown_author", error.message, **near) from error


def read_reference(reference: str) -> Identifier | None:
    """A path's reference by its form alone; None for a text that is neither an identifier nor a title.

    Raises `InvalidReference` for a URL or prefix that is not read here.
    """
    try:
        return parse(reference, titles=True, bare_digits="catalog")
    except InvalidReference as error:
        if error.reason == "not_an_identifier":
            return None
        raise
