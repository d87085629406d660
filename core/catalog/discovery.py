"""Papers by recency, attention, likeness and lineage: fixed windows without paging (catalog contract 6.6 and 6.7)."""

from collections.abc import Sequence
from datetime import date, timedelta
from functools import partial
from typing import Any

from core.catalog import api_rows
from core.catalog.backend import CatalogBackend
from core.catalog.models import PaperRow
from core.catalog.paging import applied
from core.catalog.present import LINEAGE_MAX, paper_reference, paper_summary
from core.catalog.resolve import Resolver
from core.catalog.results import PaperLineageResult, PaperWindow, RelatedPapers
from core.catalog.taxonomy_models import RelatedBasis

COVERAGE_NOTE = (
    "Only links that a source of this catalog states are listed; an empty list does not prove that there is none."
)
_BASIS_NOTES = {
    RelatedBasis.VECTORS: "Related by the meaning of title and abstract.",
    RelatedBasis.SHARED: (
        "Related by shared methods, tasks, authors and benchmarks; this catalog holds no vector of the paper."
    ),
}


class Discovery:
    """Windows on the papers of one backend."""

    def __init__(self, backend: CatalogBackend, resolver: Resolver, *, site_url: str) -> None:
        self._backend = backend
        self._resolver = resolver
        self._site_url = site_url

    async def recent(self, limit: int) -> PaperWindow:
        """The newest papers."""
        rows = await self._backend.recent(limit)
        notes = ["list_papers with order_by=date_published continues this list."] if len(rows) == limit else []
        return PaperWindow(**self._window(rows), notes=notes or None, data=_wire(rows))

    async def trending(self, *, limit: int, max_age_days: int, min_velocity: float | None) -> PaperWindow:
        """The most noticed papers of the last `max_age_days` before the as-of date."""
        rows = await self._backend.trending(limit, max_age_days, min_velocity)
        is_measured = await self._backend.has_velocities()
        notes = [] if is_measured else [_no_velocities(min_velocity)]
        if len(rows) == limit:
            notes.append(self._continued(max_age_days, is_filtered=min_velocity is not None))
        if not rows:
            lower = " or lower min_velocity" if is_measured and min_velocity is not None else ""
            notes.append(f"No paper of these days passes; raise max_age_days{lower}.")
        ran = applied(max_age_days=max_age_days, min_velocity=min_velocity)
        return PaperWindow(**self._window(rows), applied_filters=ran, notes=notes or None, data=_wire(rows))

    async def related(self, paper: str, limit: int) -> RelatedPapers:
        """The papers most like one paper, and what made them so."""
        ask = partial(self._backend.related, limit=limit)
        found, resolution = await self._resolver.with_paper(paper, ask)
        wire = _wire(found.rows)
        notes = [_BASIS_NOTES[found.basis]]
        if len(found.rows) == limit:
            notes.append("search_papers with the paper's topic finds more.")
        elif not found.rows:
            notes.append("No other paper here shares any of these; search_papers finds papers by topic.")
        return RelatedPapers(
            **self._window(found.rows),
            notes=notes,
            resolution=resolution,
            # Related papers are a page in `/api/v1`, the other windows bare lists (contract 16.2).
            data=api_rows.envelope(wire, count=len(wire), page=1, page_size=limit, next_page=None, applied={}),
        )

    async def lineage(self, paper: str) -> PaperLineageResult:
        """Explicit predecessors and successors of one paper."""
        found, resolution = await self._resolver.with_paper(paper, self._backend.lineage)
        lists = {"predecessors": found.predecessors, "successors": found.successors}
        notes = [
            f"The first {LINEAGE_MAX} of {len(links)} {name} are shown."
            for name, links in lists.items()
            if len(links) > LINEAGE_MAX
        ]
        if resolution.matched_by != "arxiv_id":
            notes.append(f"The reference was read as {resolution.paper} (by {resolution.matched_by}).")
        shown = {name: links[:LINEAGE_MAX] for name, links in lists.items()}
        return PaperLineageResult(
            paper=paper_reference(found.paper),
            predecessors=[paper_reference(link) for link in shown["predecessors"]],
            successors=[paper_reference(link) for link in shown["successors"]],
            coverage_note=COVERAGE_NOTE,
            notes=notes or None,
            data={
                "paper": api_rows.lineage_link(found.paper),
                "predecessors": [api_rows.lineage_link(link) for link in shown["predecessors"]],
                "successors": [api_rows.lineage_link(link) for link in shown["successors"]],
            },
        )

    def _window(self, rows: Sequence[PaperRow]) -> dict[str, Any]:
        return {
            "items": [paper_summary(row, self._site_url) for row in rows],
            "as_of": self._backend.capabilities().as_of,
        }

    def _continued(self, max_age_days: int, *, is_filtered: bool) -> str:
        as_of = self._backend.capabilities().as_of
        since = f" and published_after={date.fromisoformat(as_of) - timedelta(max_age_days)}" if as_of else ""
        further = "goes on, without min_velocity" if is_filtered else "continues this list"
        return f"list_papers with order_by=trending{since} {further}."


def _wire(rows: Sequence[PaperRow]) -> list[api_rows.Json]:
    return [api_rows.paper_row(row) for row in rows]


def _no_velocities(min_velocity: float | None) -> str:
    said = "This catalog holds no measured attention; trending goes by citations for a paper's age, then by date."
    return f"{said} min_velocity therefore leaves nothing." if min_velocity is not None else said
