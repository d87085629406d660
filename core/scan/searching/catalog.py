"""The catalog as a source of a scan: searches, known works, and its own links between papers (scan contract 7.2)."""

from collections.abc import Sequence
from datetime import date

from core.catalog.backend import CatalogBackend
from core.catalog.models import PaperFilters, PaperRow, SearchMode
from core.errors import InvalidInput, PaperdeskError, Unavailable
from core.identifiers import Identifier, IdentifierKind
from core.scan.models import FoundWork, Ids, Query
from core.scan.profiles import FUSION_CONSTANT, RECOMMENDATIONS_PER_SEED
from core.scan.queries.writers import conjunctions, native, tree_of
from core.scan.searching.asking import Got
from core.scan.searching.found import catalog_work
from core.scan.vocabulary import Relation
from core.sources.fields import identified

_NETWORKED = "http"


class CatalogSource:
    """The service's own catalog; a failure of it is counted like one of any other source."""

    def __init__(self, backend: CatalogBackend) -> None:
        self._backend = backend

    async def search(self, query: Query, since: date | None, until: date, limit: int) -> Got[tuple[FoundWork, ...]]:
        """What a query finds, best first."""
        tree = tree_of(query)
        texts = (native(query, "catalog"),) if tree is None else conjunctions(tree)
        lists = [await self._listed(text, since, until, limit, is_keyword=tree is not None) for text in texts if text]
        failed = next((each for each in lists if each.failure), None)
        if failed is not None:
            return Got(failure=failed.failure)
        return Got(await self._whole(_fused([each.value or () for each in lists], limit)))

    async def by_identifier(self, ids: Ids) -> FoundWork | None:
        """The paper that one of a work's ids names."""
        for identifier in identifiers_of(ids):
            row = await self._find(identifier)
            if row is not None:
                return next(iter(await self._whole([row])), None)
        return None

    async def by_title(self, text: str, limit: int) -> tuple[FoundWork, ...]:
        """Papers whose titles may be this one."""
        found = await self._listed(text, None, None, limit, is_keyword=True)
        return await self._whole((found.value or ())[:limit])

    async def neighbours(self, ids: Ids, *, with_related: bool) -> dict[Relation, tuple[FoundWork, ...]]:
        """Predecessors as references, successors as citations, related papers as recommendations; empty if unknown."""
        known = await self.by_identifier(ids)
        if known is None or known.ids.catalog is None:
            return {}
        return await self._linked(known.ids.catalog, with_related=with_related)

    async def _linked(self, paper_id: str, *, with_related: bool) -> dict[Relation, tuple[FoundWork, ...]]:
        try:
            lineage = await self._backend.lineage(paper_id)
            related = (await self._backend.related(paper_id, RECOMMENDATIONS_PER_SEED)).rows if with_related else ()
        except PaperdeskError:
            return {}
        before = [PaperRow(each.id, each.title, published=each.published) for each in lineage.predecessors]
        after = [PaperRow(each.id, each.title, published=each.published) for each in lineage.successors]
        groups: dict[Relation, Sequence[PaperRow]] = {
            "references": before,
            "citations": after,
            "recommendations": related,
        }
        return {relation: await self._whole(rows) for relation, rows in groups.items() if rows}

    async def _listed(
        self, text: str, since: date | None, until: date | None, limit: int, *, is_keyword: bool
    ) -> Got[tuple[PaperRow, ...]]:
        has_vectors = self._backend.capabilities().has_vectors
        mode = SearchMode.HYBRID if has_vectors and not is_keyword else SearchMode.KEYWORD
        filters = PaperFilters(
            published_after=None if since is None else since.isoformat(),
            published_before=None if until is None else until.isoformat(),
            latest_only=True,
        )
        try:
            found = await self._backend.search(text, mode, filters, (), 1, limit)
        except (InvalidInput, Unavailable):
            # The text holds nothing that this catalog could search for.
            return Got(())
        except PaperdeskError:
            return Got(failure="failed")
        return Got(found.rows)

    async def _whole(self, rows: Sequence[PaperRow]) -> tuple[FoundWork, ...]:
        """The papers with their abstracts, where those are at hand."""
        is_near = self._backend.capabilities().kind != _NETWORKED
        found = [await self._work(row, is_near=is_near) for row in rows]
        return tuple(work for work in found if work is not None)

    async def _work(self, row: PaperRow, *, is_near: bool) -> FoundWork | None:
        try:
            record = await self._backend.paper(row.id) if is_near else None
        except PaperdeskError:
            record = None
        return catalog_work(row if record is None else record.row, record)

    async def _find(self, identifier: Identifier) -> PaperRow | None:
        try:
            return await self._backend.find(identifier)
        except PaperdeskError:
            return None


def identifiers_of(ids: Ids) -> tuple[Identifier, ...]:
    """A work's ids as identifiers, the most telling first."""
    named = (
        (IdentifierKind.CATALOG, ids.catalog),
        (IdentifierKind.DOI, ids.doi),
        (IdentifierKind.ARXIV, ids.arxiv),
        (IdentifierKind.PMID, ids.pmid),
        (IdentifierKind.OPENALEX, ids.openalex),
        (IdentifierKind.S2, ids.s2),
    )
    found = (identified(f"{kind}:{value}") for kind, value in named if value is not None)
    return tuple(identifier for identifier in found if identifier is not None)


def _fused(lists: Sequence[Sequence[PaperRow]], limit: int) -> list[PaperRow]:
    """Several lists as one, by reciprocal ranks; of equals the earlier one stays ahead."""
    rows: dict[str, PaperRow] = {}
    scores: dict[str, float] = {}
    for each in lists:
        for rank, row in enumerate(each):
            rows.setdefault(row.id, row)
            scores[row.id] = scores.get(row.id, 0.0) + 1 / (FUSION_CONSTANT + 1 + rank)
    return sorted(rows.values(), key=lambda row: -scores[row.id])[:limit]
