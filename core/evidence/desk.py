"""The evidence room's front: fulfils the port `Evidence` over an opened set and the catalog beside it."""

from collections.abc import Awaitable, Callable, Sequence
from typing import cast

from core.catalog.backend import CatalogBackend
from core.catalog.models import PaperRecord, PaperRow
from core.catalog.resolve import Resolver
from core.clock import Clock
from core.errors import Unavailable
from core.evidence.authors import Authors
from core.evidence.claims import Claims, ClaimSearch
from core.evidence.digests import get_digest, list_digests
from core.evidence.identity import DEFAULT_SITE, names_of, read_reference
from core.evidence.lookup import by_identifier, by_paper_id, by_title
from core.evidence.papers import Papers, PaperSearch, check_years
from core.evidence.results import (
    AuthorPage,
    AuthorPapersPage,
    ClaimPage,
    ClaimPaper,
    Digest,
    DigestPage,
    FullClaim,
    PaperAnswer,
    PaperPage,
    SemanticPage,
)
from core.evidence.rows import Rows
from core.evidence.semantic import FLOOR, QueryEmbedder, Semantic
from core.evidence.service import (
    AUTHORS_LIMIT,
    CLAIMS_LIMIT,
    DIGESTS_LIMIT,
    PAPERS_LIMIT,
    SEMANTIC_LIMIT,
    Evidence,
    unmetered,
)
from core.evidence.stored.evidence_set import EvidenceSet, Json
from core.evidence.vocabulary import Direction, EffectType, EvidenceGrade, Level, PaperType, SearchType, Theme
from core.evidence.whole_paper import WholePapers, without_evidence
from core.identifiers import IdentifierKind


class EvidenceDesk:
    """Answers from one evidence set; `backend` is asked only for papers without evidence."""

    def __init__(
        self,
        stored: EvidenceSet,
        backend: CatalogBackend,
        *,
        clock: Clock,
        embedder: QueryEmbedder | None = None,
        floor: float = FLOOR,
        site_url: str = DEFAULT_SITE,
    ) -> None:
        rows = Rows(stored, site_url)
        self._stored = stored
        self._backend = backend
        self._site = site_url
        self._resolver = Resolver(backend, asks_public_metadata=False)
        self._claims = Claims(stored, rows)
        self._authors = Authors(stored, rows)
        self._papers = Papers(stored, rows, self._authors)
        self._whole = WholePapers(stored, rows)
        self._semantic = Semantic(stored, rows, embedder, clock=clock, floor=floor)

    async def search_claims(
        self,
        *,
        query: str | None = None,
        outcome_category: str | None = None,
        direction: Direction | None = None,
        effect_type: EffectType | None = None,
        evidence_grade: EvidenceGrade | None = None,
        paper_type: PaperType | None = None,
        min_evidence_weight: float | None = None,
        limit: int = CLAIMS_LIMIT,
    ) -> ClaimPage:
        """Graded claims."""
        asked = ClaimSearch(
            query=query,
            outcome_category=outcome_category,
            direction=direction,
            effect_type=effect_type,
            evidence_grade=evidence_grade,
            paper_type=paper_type,
            min_evidence_weight=min_evidence_weight,
            limit=limit,
        )
        return await self._stored.run(lambda connection: self._claims.search(connection, asked))

    async def search_papers(
        self,
        *,
        query: str | None = None,
        author: str | None = None,
        source: str | None = None,
        theme: Theme | None = None,
        paper_type: PaperType | None = None,
        methods_rigor: Level | None = None,
        evidence_strength: Level | None = None,
        min_relevance: int | None = None,
        year_from: int | None = None,
        year_to: int | None = None,
        limit: int = PAPERS_LIMIT,
    ) -> PaperPage:
        """Assessed papers."""
        asked = PaperSearch(
            query=query,
            author=author,
            source=source,
            theme=theme,
            paper_type=paper_type,
            methods_rigor=methods_rigor,
            evidence_strength=evidence_strength,
            min_relevance=min_relevance,
            year_from=year_from,
            year_to=year_to,
            limit=limit,
        )
        check_years(asked)
        return await self._stored.run(lambda connection: self._papers.search(connection, asked))

    async def find_authors(self, *, query: str | None = None, limit: int = AUTHORS_LIMIT) -> AuthorPage:
        """People by name."""
        return await self._stored.run(lambda connection: self._authors.find(connection, query, limit))

    async def get_author_papers(
        self, *, author_id: str | None = None, author_name: str | None = None, limit: int = PAPERS_LIMIT
    ) -> AuthorPapersPage:
        """The papers of one person."""
        return await self._stored.run(
            lambda connection: self._authors.papers(connection, author_id, author_name, limit)
        )

    async def semantic_search(
        self,
        *,
        query: str,
        search_type: SearchType = "papers",
        limit: int = SEMANTIC_LIMIT,
        reached: Callable[[], None] = unmetered,
    ) -> SemanticPage:
        """Claims or papers by meaning."""
        return await self._semantic.search(query, search_type, limit, reached)

    async def get_paper(self, *, paper_id: str) -> PaperAnswer:
        """One paper with all that bears on it."""
        own = await self._stored.run(lambda connection: by_paper_id(connection, paper_id))
        if own is not None:
            return await self._held(own, None)
        identifier = read_reference(paper_id, titles=True)
        version = identifier.version
        if identifier.kind is not IdentifierKind.TITLE:
            no = await self._stored.run(lambda connection: by_identifier(connection, identifier))
            if no is not None:
                return await self._held(no, version)
        elif (only := await self._only_titled(identifier.id)) is not None:
            return await self._held(only, version)
        reference = paper_id if identifier.kind is IdentifierKind.TITLE else str(identifier)
        record, _ = await self._resolver.with_paper(reference, self._backend.paper)
        return await self._of_record(record, version)

    async def _held(self, no: int, version: str | None) -> PaperAnswer:
        return await self._stored.run(lambda connection: self._whole.get(connection, no, version))

    async def _only_titled(self, title: str) -> int | None:
        """The paper of a title where the catalog, which may hold a second one, knows none or cannot be asked here."""
        found = await self._stored.run(lambda connection: by_title(connection, title))
        if len(found) != 1:
            return None
        if self._backend.capabilities().kind == "http":
            return found[0]
        matches = await self._backend.find_titles(title)
        return found[0] if not matches.rows else None

    async def _of_record(self, record: PaperRecord, version: str | None) -> PaperAnswer:
        names = names_of(record)
        identifier = read_reference(names.paper_id, titles=False)
        no = await self._stored.run(lambda connection: by_identifier(connection, identifier))
        if no is not None:
            return await self._held(no, version)
        return without_evidence(paper_body(record, self._site), self._stored.corpus_version, version)

    async def known(self, rows: Sequence[PaperRow]) -> dict[str, ClaimPaper]:
        """Those of some catalog papers that there is evidence on, in brief, by their canonical id."""
        ids = [row.canonical_id for row in rows]
        return await self._stored.run(lambda connection: self._whole.briefs(connection, ids))

    async def claim(self, claim_id: int) -> tuple[FullClaim, PaperAnswer] | None:
        """One claim with its relations, and its paper; None where there is no such claim."""
        return await self._stored.run(lambda connection: self._whole.claim(connection, claim_id))

    async def list_digests(self, *, limit: int = DIGESTS_LIMIT) -> DigestPage:
        """Digests, newest first."""
        version = self._stored.corpus_version
        return await self._stored.run(lambda connection: list_digests(connection, limit, version))

    async def get_digest(self, *, date: str) -> Digest:
        """One digest."""
        version = self._stored.corpus_version
        return await self._stored.run(lambda connection: get_digest(connection, date, version))


class _NoEvidence:
    """Every tool says that there is nothing to answer from."""

    def __getattr__(self, name: str) -> Callable[..., Awaitable[None]]:
        async def unavailable(**_: object) -> None:
            raise Unavailable(
                "This deployment has no evidence set. Its operator can name one with PAPERDESK_EVIDENCE, or build the"
                " catalog with evidence."
            )

        return unavailable


def no_evidence() -> Evidence:
    """The port where there is no evidence set: every call raises `Unavailable`."""
    return cast(Evidence, _NoEvidence())


def paper_body(record: PaperRecord, site: str = DEFAULT_SITE) -> Json:
    """A catalog paper with the keys of `core.evidence.results.Paper`, without what only evidence knows."""
    names = names_of(record)
    published = record.row.published
    body: Json = {
        "paper_id": names.paper_id,
        "source": names.source,
        "title": record.row.title,
        "authors": [{"name": name} for name in record.authors],
        "published": published,
        "year": None if published is None else int(published[:4]),
        "doi": None if names.doi is None else names.doi.casefold(),
        "arxiv_id": names.arxiv,
        "pdf_url": record.url_pdf,
        "url": names.url(site),
        "abstract": record.abstract,
        "themes": [],
        "retraction": {"status": "retracted" if record.is_retracted else "unknown"},
    }
    return {name: value for name, value in body.items() if value is not None}
