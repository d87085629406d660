"""What the evidence tools answer (contract sections 3 and 4), field for field and in the contract's order of keys.

A field without a value is None here and left out of the wire form, never null; `0`, `false` and `[]` are facts.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.evidence.vocabulary import (
    AuthorMatch,
    Direction,
    EffectType,
    EvidenceGrade,
    Level,
    PaperType,
    RelationType,
    RetractionStatus,
    Retriever,
    Role,
    Theme,
)

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Degraded = Literal["no_vectors", "no_embedder"]
SearchedField = Literal["title", "authors", "themes", "abstract", "summary", "claims"]
MatchedField = Literal["identifier", "title", "authors", "themes", "abstract", "summary", "claims", "chunk"]


class Value(BaseModel):
    """Base of all values: frozen, closed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Effect(Value):
    """What was measured and how large it was."""

    type: EffectType
    value: float | None = None
    unit: str | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    sample_size: int | None = None


class Locator(Value):
    """Where in the paper a claim stands."""

    section: str | None = None
    page: int | str | None = None
    quote: str | None = None


class Assessment(Value):
    """How somebody judged a paper."""

    paper_type: PaperType
    methods_rigor: Level | None = None
    evidence_strength: Level | None = None
    relevance: Annotated[int, Field(ge=1, le=10)] | None = None
    rationale: str | None = None


class Retraction(Value):
    """Whether a paper still stands; `unknown` unless somebody checked."""

    status: RetractionStatus
    notice_doi: str | None = None
    checked_at: str | None = None


class Resource(Value):
    """One thing on the Hugging Face hub."""

    id: str
    url: str


class HubResources(Value):
    """Things on the Hugging Face hub; empty lists say that somebody looked and found none."""

    models: list[Resource]
    datasets: list[Resource]
    spaces: list[Resource]


class RelationshipCounts(Value):
    """How many other claims stand in each relation to a claim (section 3.3)."""

    supports: int
    contradicts: int
    extends: int
    qualifies: int
    replicates: int


class Provenance(Value):
    """How a row was found; `model` where vectors found it."""

    retriever: Retriever
    source: str
    corpus_version: str
    model: str | None = None


class Claim(Value):
    """One claim of one paper."""

    claim_id: Annotated[int, Field(ge=1)]
    paper_id: str
    claim_text: str
    evidence_basis: str | None = None
    direction: Direction | None = None
    outcome_category: str
    outcome_label: str | None = None
    effect: Effect | None = None
    evidence_grade: EvidenceGrade
    grade_capped_from: EvidenceGrade | None = None
    evidence_weight: Share
    weight_version: str
    locator: Locator | None = None
    extracted_at: str | None = None


class ClaimPaper(Value):
    """The paper of a claim, as rows of claims show it."""

    paper_id: str
    title: str
    year: int | None = None
    paper_type: PaperType | None = None
    evidence_strength: Level | None = None
    url: str
    retraction_status: RetractionStatus


class ClaimRow(Claim):
    """A claim in a list."""

    paper: ClaimPaper
    relationship_counts: RelationshipCounts
    score: Share
    provenance: Provenance


class Snippet(Value):
    """A piece of a field, matched words in `**`."""

    field: MatchedField
    text: str


class Chunk(Value):
    """The piece of a paper whose vector is nearest to the query."""

    chunk_id: str
    section: str | None = None


class PaperRow(Value):
    """A paper in a list: at most 8 authors."""

    paper_id: str
    source: str
    title: str
    authors: list[str]
    author_count: int
    year: int | None = None
    published: str | None = None
    url: str
    pdf_url: str | None = None
    doi: str | None = None
    arxiv_id: str | None = None
    takeaway: str | None = None
    themes: list[Theme]
    assessment: Assessment | None = None
    claim_count: int
    retraction_status: RetractionStatus
    score: Share
    matched_fields: list[MatchedField]
    snippets: list[Snippet]
    chunk: Chunk | None = None
    provenance: Provenance


class Envelope(Value):
    """What every list holds (section 2.2): rows in a stated total order, and the true number of matches."""

    results: tuple[Value, ...]
    total: int
    returned: int
    limit: int
    has_more: bool
    order: str
    filters_applied: dict[str, str | int | float]
    notes: list[str]
    corpus_version: str
    degraded: Degraded | None = None


class ClaimPage(Envelope):
    """Answer of `search_claims`."""

    results: tuple[ClaimRow, ...]


class PaperPage(Envelope):
    """Answer of `search_papers`."""

    results: tuple[PaperRow, ...]


class SemanticPage(Envelope):
    """Answer of `semantic_search`: papers or claims, by `search_type`."""

    results: tuple[PaperRow, ...] | tuple[ClaimRow, ...]


class SamplePaper(Value):
    """A paper by which an author can be told from others of the name."""

    paper_id: str
    title: str
    year: int | None = None


class AuthorRow(Value):
    """One person, or the papers that carry one name."""

    author_id: str
    display_name: str
    is_entity: bool
    name_variants: list[str]
    orcid: str | None = None
    affiliations: list[str]
    paper_count: int
    match: AuthorMatch | None = None
    sample_papers: list[SamplePaper]


class AuthorPage(Envelope):
    """Answer of `find_authors`."""

    results: tuple[AuthorRow, ...]


class MatchedAuthor(Value):
    """Someone whose papers a listing by author holds."""

    author_id: str
    display_name: str
    is_entity: bool
    paper_count: int


class AuthorPapersPage(Envelope):
    """Answer of `get_author_papers`."""

    results: tuple[PaperRow, ...]
    authors_matched: list[MatchedAuthor]


class NamedAuthor(Value):
    """One author of a paper; the id finds their other papers."""

    name: str
    author_id: str | None = None


class Paper(Value):
    """One paper in full (section 3); `author_count` is the true number where `authors` had to be cut."""

    paper_id: str
    source: str
    title: str
    authors: list[NamedAuthor]
    author_count: int | None = None
    published: str | None = None
    year: int | None = None
    doi: str | None = None
    arxiv_id: str | None = None
    pdf_url: str | None = None
    url: str
    abstract: str | None = None
    takeaway: str | None = None
    summary_markdown: str | None = None
    themes: list[Theme]
    assessment: Assessment | None = None
    hf_resources: HubResources | None = None
    retraction: Retraction


class Relationship(Value):
    """One relation of a claim, seen from that claim; the other end is `claim_id`."""

    relation_id: int
    type: RelationType
    role: Role
    claim_id: int
    claim_text: str
    paper_id: str
    paper_title: str
    confidence: Share
    rationale: str | None = None


class FullClaim(Claim):
    """A claim with all that bears on it."""

    relationship_counts: RelationshipCounts
    balance: float | None = None
    relationships: list[Relationship]


class Omitted(Value):
    """What did not fit the size limit."""

    claims: int
    relationships: int


class PaperAnswer(Value):
    """Answer of `get_paper`; `requested_version` where the reference named one."""

    paper: Paper
    requested_version: str | None = None
    claims_total: int
    claims: list[FullClaim]
    omitted: Omitted
    notes: list[str]
    corpus_version: str


class DigestRow(Value):
    """One digest in a list."""

    date: str
    title: str
    paper_count: int


class DigestPage(Envelope):
    """Answer of `list_digests`; `dates` are those of the rows."""

    results: tuple[DigestRow, ...]
    dates: list[str]


class Digest(Value):
    """Answer of `get_digest`: the text as it was written, its UTF-8 size and SHA-256.

    `notes` say that there are more papers than `paper_ids` had room for.
    """

    date: str
    title: str
    markdown: str
    paper_ids: list[str]
    bytes: int
    sha256: str
    notes: list[str] | None = None
    corpus_version: str


class Hit(Value):
    """One document that a connector's search found."""

    id: str
    title: str
    url: str


class Hits(Value):
    """Answer of the connector's `search`."""

    results: list[Hit]


class Document(Value):
    """Answer of the connector's `fetch`."""

    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, str]
