"""The literature of a scan in a world of a test's own: scripted sources, and a catalog that holds what it is given."""

import contextlib
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any
from xml.sax.saxutils import escape

from core.catalog.models import (
    Capabilities,
    PaperFilters,
    PaperLink,
    PaperRecord,
    PaperRow,
    SearchMode,
    SearchRows,
    TitleMatches,
)
from core.catalog.taxonomy_models import Lineage, RelatedRows
from core.errors import NotFound, PaperdeskError
from core.identifiers import Identifier
from core.scan.days import ScanWindow
from core.scan.models import Candidate, FoundWork, Ids, Origin, Query
from core.scan.searching.literature import ScanLiterature
from core.scan.searching.port import Retrieval, Retrieved
from core.scan.searching.reach import scan_rulebook
from core.scan.vocabulary import Domain, QueryMode
from core.sources.bundle import open_sources
from core.sources.configuration import SourceChoices
from tests.polite_desk import CONTACT, Desk, desk_in
from tests.scripted_upstream import Behaviour, answer
from tests.source_world import Asked, World

EVERY = ("catalog", "openalex", "s2", "arxiv", "crossref")
WINDOW = ScanWindow(date(2024, 1, 1), date(2026, 8, 31))
OPENALEX = "api.openalex.org/works"
CROSSREF = "api.crossref.org/works"
S2 = "api.semanticscholar.org/graph/v1/paper"
ARXIV = "export.arxiv.org/api/query"
Json = dict[str, Any]


@dataclass
class Shelf:
    """A catalog of a few papers; `failure` is raised by whatever is asked of it."""

    papers: Mapping[str, PaperRecord] = field(default_factory=dict)
    failure: PaperdeskError | None = None
    kind: str = "sample"
    has_vectors: bool = False
    searches: list[tuple[str, SearchMode, PaperFilters, int]] = field(default_factory=list)
    successors: tuple[PaperLink, ...] = ()

    def capabilities(self) -> Capabilities:
        return Capabilities(self.kind, self.has_vectors)

    async def search(
        self, query: str, mode: SearchMode, filters: PaperFilters, pinned: Sequence[str], page: int, size: int
    ) -> SearchRows:
        self.searches.append((query, mode, filters, size))
        self._fail()
        words = query.replace('"', "").lower().split()
        rows = [each.row for each in self.papers.values() if any(word in each.row.title.lower() for word in words)]
        return SearchRows(tuple(rows[:size]), len(rows), None, mode)

    async def paper(self, paper_id: str) -> PaperRecord:
        self._fail()
        if paper_id not in self.papers:
            raise NotFound("No such paper.")
        return self.papers[paper_id]

    async def find(self, identifier: Identifier) -> PaperRow | None:
        self._fail()
        for each in self.papers.values():
            if identifier.value in (each.doi, each.row.arxiv_id, each.row.id):
                return each.row
        return None

    async def find_titles(self, text: str) -> TitleMatches:
        raise NotImplementedError

    async def lineage(self, paper_id: str) -> Lineage:
        self._fail()
        return Lineage(PaperLink(paper_id, "-"), (), self.successors)

    async def related(self, paper_id: str, limit: int) -> RelatedRows:
        self._fail()
        return RelatedRows(tuple(each.row for key, each in self.papers.items() if key != paper_id)[:limit], None)

    def _fail(self) -> None:
        if self.failure is not None:
            raise self.failure


@dataclass
class LiteratureDesk:
    """The literature and what is around it."""

    desk: Desk
    literature: ScanLiterature
    shelf: Shelf

    @property
    def world(self) -> World:
        return self.desk.world

    def asked(self, place: str) -> list[Asked]:
        """The requests at a host and path."""
        return [each for each in self.world.asked if f"{each.host}{each.path}" == place]

    async def retrieve(self, *queries: Query, domain: Domain = "cs", left: int = 0, limit: int = 20) -> Retrieved:
        return await self.literature.retrieve(Retrieval(queries, domain, WINDOW, limit, (), left, "scan"))


@contextlib.asynccontextmanager
async def literature_of(
    named: Collection[str] = EVERY,
    *,
    choices: SourceChoices | None = None,
    shelf: Shelf | None = None,
    world: World | None = None,
) -> AsyncIterator[LiteratureDesk]:
    choices = choices or SourceChoices(contact=CONTACT)
    async with desk_in(choices, world=world) as desk:
        shelf = shelf or Shelf()
        sources = open_sources(desk.client, scan_rulebook(choices, named))
        time = desk.time
        literature = ScanLiterature(shelf, sources, named, clock=time.clock, sleep=time.sleep)  # type: ignore[arg-type]
        yield LiteratureDesk(desk, literature, shelf)


def query(id: str = "Q1", text: str = "deep learning", mode: QueryMode = "semantic") -> Query:
    return Query(id, "direct", text, mode)


def openalex_row(number: int, **more: Any) -> Json:
    row = {"id": f"https://openalex.org/W{number}", "title": f"Openalex work {number}", "type": "article"}
    return {**row, "publication_date": "2025-03-04", "is_retracted": False, **more}


def s2_row(number: int, **more: Any) -> Json:
    return {"paperId": f"{number:040x}", "title": f"Scholar work {number}", "year": 2025, **more}


def crossref_row(doi: str, title: str, **more: Any) -> Json:
    row = {"DOI": doi, "title": [title], "type": "journal-article", "issued": {"date-parts": [[2025, 3]]}}
    return {**row, "author": [{"given": "Ann", "family": "Other"}], **more}


def openalex(*rows: Json) -> Behaviour:
    return answer({"results": list(rows)})


def s2(*rows: Json) -> Behaviour:
    return answer({"data": list(rows)})


def crossref(*rows: Json) -> Behaviour:
    return answer({"status": "ok", "message": {"items": list(rows)}})


def arxiv(*papers: tuple[str, str]) -> Behaviour:
    entries = "".join(
        f"<entry><id>http://arxiv.org/abs/{id}v1</id><title>{escape(title)}</title>"
        f"<published>2025-03-04T00:00:00Z</published><author><name>Ann Other</name></author></entry>"
        for id, title in papers
    )
    return answer(f'<feed xmlns="http://www.w3.org/2005/Atom">{entries}</feed>'.encode())


def silent() -> dict[str, Any]:
    """Every search source, with nothing to say."""
    return {
        OPENALEX: openalex(),
        CROSSREF: crossref(),
        f"{S2}/search": s2(),
        f"{S2}/search/bulk": s2(),
        ARXIV: arxiv(),
    }


def candidate(cid: str, title: str = "A title that is long enough", *sources: str, **ids: str) -> Candidate:
    origins = tuple(Origin(source, "query", "Q1", None, 0) for source in sources)  # type: ignore[arg-type]
    return Candidate(cid, FoundWork(title, year=2025, ids=Ids(**ids), origins=origins))
