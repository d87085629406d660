"""The ports of the evidence room: what the toolsets `evidence` and `connector` call, one method for each tool.

Arguments are those of the contract's section 4, checked against their bounds by whoever calls; None means absent.
Answers are values of `core.evidence.results`, cut to the size limit of section 2.3. `core.evidence.desk` fulfils them.
"""

from collections.abc import Callable
from typing import Protocol

from core.evidence.results import (
    AuthorPage,
    AuthorPapersPage,
    ClaimPage,
    Digest,
    DigestPage,
    Document,
    Hits,
    PaperAnswer,
    PaperPage,
    SemanticPage,
)
from core.evidence.vocabulary import Direction, EffectType, EvidenceGrade, Level, PaperType, SearchType, Theme

CLAIMS_LIMIT = 20
PAPERS_LIMIT = 20
AUTHORS_LIMIT = 20
SEMANTIC_LIMIT = 10
DIGESTS_LIMIT = 10


def unmetered() -> None:
    """What a caller passes as `reached` who counts nothing."""


class Evidence(Protocol):
    """The eight tools. Each raises `Unavailable` where this deployment has no evidence set.

    Beyond what each names, all may raise `SourceError` (a storage or catalog failure).
    """

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
        """Graded claims (4.1); raises `InvalidInput` for an unknown category or a query without a token."""
        ...

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
        """Assessed papers (4.2); raises `InvalidInput` for an unknown source, reversed years (before anything is
        asked) or a query without a token.
        """
        ...

    async def find_authors(self, *, query: str | None = None, limit: int = AUTHORS_LIMIT) -> AuthorPage:
        """People by name (4.3); raises `InvalidInput` for a query without a letter or digit."""
        ...

    async def get_author_papers(
        self, *, author_id: str | None = None, author_name: str | None = None, limit: int = PAPERS_LIMIT
    ) -> AuthorPapersPage:
        """The papers of one person (4.4); raises `InvalidInput` for neither argument, `NotFound` with near names."""
        ...

    async def semantic_search(
        self,
        *,
        query: str,
        search_type: SearchType = "papers",
        limit: int = SEMANTIC_LIMIT,
        reached: Callable[[], None] = unmetered,
    ) -> SemanticPage:
        """Claims or papers by meaning (4.5, 5.4); raises `SourceTimeout` and other `SourceError` of the embedder.

        `reached` is called once, before the answer or the failure, exactly when the embedder was reached (1.4).
        """
        ...

    async def get_paper(self, *, paper_id: str) -> PaperAnswer:
        """One paper with all that bears on it (4.6); raises `InvalidInput`, `NotFound` and `Ambiguous`."""
        ...

    async def list_digests(self, *, limit: int = DIGESTS_LIMIT) -> DigestPage:
        """Digests, newest first (4.7)."""
        ...

    async def get_digest(self, *, date: str) -> Digest:
        """One digest (4.8); raises `InvalidInput` for what is no day, `NotFound` with the nearest days."""
        ...


class Connector(Protocol):
    """The fixed pair of tools; papers and benchmarks work without an evidence set too."""

    async def search(self, *, query: str) -> Hits:
        """At most 20 documents (7.3); raises `InvalidInput` for a query without a letter or digit."""
        ...

    async def fetch(self, *, id: str) -> Document:  # the wire's name of the argument
        """One document (7.2); raises `InvalidInput`, `NotFound` and `Ambiguous`."""
        ...
