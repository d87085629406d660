"""Finding and describing papers: search, exact lists and single records (catalog contract 6.1, 6.2 and 6.5)."""

from collections.abc import Sequence

from core.catalog import api_rows
from core.catalog.backend import CatalogBackend
from core.catalog.models import Direction, PaperFilters, PaperOrder, PaperRecord, PaperRow, SearchMode
from core.catalog.paging import applied, check_date_range, next_page, page_notes
from core.catalog.paper_filters import PaperSelection, resolve_filters
from core.catalog.present import (
    NAME_MAX,
    cap_notes,
    capped,
    cut,
    metric_notes,
    paper_detail,
    paper_evaluation,
    paper_summary,
)
from core.catalog.resolve import Resolver
from core.catalog.results import PaperInfoResult, PaperPage, Resolution, SearchPage
from core.errors import InvalidReference
from core.identifiers import parse

RECORD_EVALUATIONS_MAX = 50


class Papers:
    """Papers of one backend."""

    def __init__(self, backend: CatalogBackend, resolver: Resolver, *, site_url: str) -> None:
        self._backend = backend
        self._resolver = resolver
        self._site_url = site_url

    async def search(
        self,
        query: str,
        *,
        mode: SearchMode,
        page: int,
        limit: int,
        published_after: str | None,
        published_before: str | None,
        has_official_implementation: bool,
    ) -> SearchPage:
        """One page of a search; what was asked and what ran may differ, and a note says so."""
        check_date_range(published_after, published_before)
        filters = PaperFilters(
            published_after=published_after,
            published_before=published_before,
            has_official_implementation=has_official_implementation,
        )
        found = await self._backend.search(query, mode, filters, await self._named(query), page, limit)
        ran = applied(
            query=query,
            published_after=published_after,
            published_before=published_before,
            has_official_implementation=True if has_official_implementation else None,
        )
        notes = [f"Words alone were searched, not meaning. {found.fallback_reason}"] if found.fallback_reason else []
        how = {"search_mode_used": found.mode_used.value, "count_kind": found.count_kind.value}
        wire = api_rows.applied_filters(ran) | {"mode": found.mode_used.value}
        result = dict(self._page(found.rows, found.count, page, limit, ran, notes, wire))
        result["data"] = {**result["data"], **how} if result["data"] else None
        return SearchPage(**result, search_mode_used=found.mode_used.value, count_kind=found.count_kind.value)

    async def _named(self, query: str) -> tuple[str, ...]:
        """Canonical id of the paper that a query names as an identifier; bare numbers are words here."""
        try:
            identifier = parse(query, titles=False, bare_digits="refuse")
        except InvalidReference:
            return ()
        row = await self._backend.find(identifier)
        return (row.canonical_id,) if row else ()

    async def listing(
        self,
        asked: PaperSelection,
        *,
        order: PaperOrder,
        direction: Direction,
        include_resources: bool,
        page: int,
        limit: int,
    ) -> PaperPage:
        """One page of the papers that pass every filter; a name that is nothing or several things is an error."""
        check_date_range(asked.published_after, asked.published_before)
        resolved = await resolve_filters(self._resolver, asked)
        found = await self._backend.list_papers(resolved.filters, order, direction, page, limit, include_resources)
        wire = api_rows.applied_filters(resolved.applied)
        if resolved.authors:
            wire["authors"] = [api_rows.author(author) for author in resolved.authors]
        return self._page(found.rows, found.count, page, limit, resolved.applied, resolved.notes, wire)

    def _page(
        self,
        rows: Sequence[PaperRow],
        count: int,
        page: int,
        limit: int,
        ran: dict[str, str],
        notes: Sequence[str],
        wire_filters: api_rows.Json,
    ) -> PaperPage:
        following = next_page(count, page, limit)
        return PaperPage(
            items=[paper_summary(row, self._site_url) for row in rows],
            count=count,
            page=page,
            next_page=following,
            applied_filters=ran,
            as_of=self._backend.capabilities().as_of,
            notes=[*notes, *page_notes(count, page, limit)] or None,
            data=api_rows.envelope(
                map(api_rows.paper_row, rows),
                count=count,
                page=page,
                page_size=limit,
                next_page=following,
                applied=wire_filters,
            ),
        )

    async def info(
        self, paper: str, *, include_resources: bool, repo_limit: int, include_evaluations: bool
    ) -> PaperInfoResult:
        """One paper's record; with evaluations its first 50 raw rows and their true total."""
        record, resolution = await self._resolver.with_paper(paper, self._backend.paper)
        if not include_evaluations:
            return self._info(record, resolution, include_resources=include_resources, repo_limit=repo_limit)
        found = await self._backend.evaluations_of_paper(record.row.id, 1, RECORD_EVALUATIONS_MAX)
        result = self._info(record, resolution, include_resources=include_resources, repo_limit=repo_limit)
        notes = [*(result.notes or ()), *metric_notes(found.rows)]
        if found.count > len(found.rows):
            notes.append(
                f"The first {len(found.rows)} of {found.count} evaluations are shown;"
                " get_paper_evaluations pages through all of them."
            )
        return result.model_copy(
            update={
                "evaluation_count": found.count,
                "evaluations": [paper_evaluation(row, self._site_url) for row in found.rows],
                "notes": notes or None,
            }
        )

    def _info(
        self, record: PaperRecord, resolution: Resolution, *, include_resources: bool, repo_limit: int
    ) -> PaperInfoResult:
        shown = capped(record, include_resources=include_resources, limit=repo_limit, site_url=self._site_url)
        notes = _tolerance_notes(resolution)
        notes += cap_notes(record, resources_max=repo_limit if include_resources else None)
        if resolution.requested_version:
            notes.append(f"The catalog holds papers, not versions: {resolution.requested_version} was left aside.")
        if record.is_retracted:
            notes.append("This paper is marked as retracted.")
        return PaperInfoResult(
            paper=paper_detail(shown, self._site_url),
            resolution=resolution.model_copy(update={"paper": record.row.canonical_id}),
            notes=notes or None,
            data=api_rows.paper_record(shown),
        )


def _tolerance_notes(resolution: Resolution) -> list[str]:
    """What a caller should know of a match that allowed for a difference."""
    allowed = {"normalized_title": "the title", "short_name": "the short name"}.get(resolution.matched_by)
    return [f"'{cut(resolution.reference, NAME_MAX)}' was read as {allowed} of this paper."] if allowed else []
