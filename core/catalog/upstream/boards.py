"""Raw evaluation rows of an upstream, gathered over its pages (catalog contract 12 and 12.5)."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from core.catalog.models import EvaluationRow, EvaluationRows, SizeCoverage
from core.catalog.notices import notice
from core.catalog.upstream.api import Api, Path, item
from core.catalog.upstream.confirm import confirm_if_echoed, confirm_rows
from core.catalog.upstream.pages import ROWS_PER_PAGE, Gathered, WirePage, gather
from core.catalog.upstream.paper_rows import evaluation_row
from core.catalog.upstream.papers import UpstreamPapers
from core.catalog.upstream.values import count, integer
from core.errors import NotFound
from core.http.urls import Params

BOARD_ROWS_MAX = 5_000


class UpstreamBoards:
    """Evaluations of one API."""

    def __init__(self, api: Api, papers: UpstreamPapers) -> None:
        self._api = api
        self._papers = papers

    async def of_paper(self, paper_id: str, page: int, size: int) -> EvaluationRows:
        """One page of a paper's rows; none for an unknown paper."""
        try:
            sent = {"paper_id": await self._papers.catalog_id(paper_id), "ordering": "-benchmark_popularity"}
        except NotFound:
            return EvaluationRows((), 0)
        return await self._rows(("evaluations", ""), sent, page, size)

    async def leaderboard(self, benchmark_id: str, page: int, size: int) -> EvaluationRows:
        """One page of a benchmark's rows by best rank; none for an unknown benchmark."""
        return await self._rows(
            (*item("datasets", benchmark_id, "evaluations"), ""), {"ordering": "best_rank"}, page, size
        )

    async def within(self, benchmark_id: str, max_parameters: int) -> EvaluationRows:
        """The rows of at most that many parameters; both coverage figures must come with them."""
        limit = {"max_parameters_exclusive": max_parameters + 1}
        fetch = self._fetch(("evaluations", ""), {"dataset_id": benchmark_id, "ordering": "best_rank", **limit})
        found = await gather(fetch, BOARD_ROWS_MAX)
        confirm_if_echoed(self._api, found.first, limit)

        def is_within(size: object) -> bool:
            return 0 < (integer(size) or 0) <= max_parameters

        confirm_rows(self._api, found.rows, "num_parameters", is_within, name="max_parameters")
        known = count(found.first.envelope.get("parameter_coverage_known"))
        total = count(found.first.envelope.get("parameter_coverage_total"))
        if known is None or total is None:
            raise self._api.unconfirmed("max_parameters")
        return replace(_read(found), size_coverage=SizeCoverage(known, total))

    async def _rows(self, path: Path, sent: Params, page: int, size: int) -> EvaluationRows:
        try:
            found = _read(await gather(self._fetch(path, sent), page * size))
        except NotFound:
            return EvaluationRows((), 0)
        # Rows beyond the page asked for are not missing from it.
        is_cut = found.is_cut and not (page * size < BOARD_ROWS_MAX and len(found.rows) == page * size)
        return replace(found, rows=found.rows[(page - 1) * size :], is_cut=is_cut)

    def _fetch(self, path: Path, sent: Params) -> Callable[[int], Awaitable[WirePage]]:
        return lambda page: self._api.page(path, {**sent, "page_size": ROWS_PER_PAGE}, page)


def _read(found: Gathered) -> EvaluationRows:
    rows: list[EvaluationRow] = [read for row in found.rows if (read := evaluation_row(row))]
    if len(rows) < len(found.rows):
        notice(f"{len(found.rows) - len(rows)} evaluations of the catalog's service were unreadable and are left out.")
    return EvaluationRows(tuple(rows), len(rows) if found.count is None else found.count, is_cut=found.is_cut)
