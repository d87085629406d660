"""The values of a scan: plan, works found, candidates, judgements (scan contract 2.6, 7.5, 8.2).

All are frozen and hold tuples. `core.scan.documents` writes them as the JSON of artifacts and reads them back.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.scan.vocabulary import (
    Bearing,
    Domain,
    EvidenceLevel,
    Mismatch,
    QueryMode,
    QueryType,
    Relation,
    RetractionStatus,
    SelectionReason,
    SourceName,
    VerificationState,
    WorkType,
)


@dataclass(frozen=True, slots=True)
class PlanWindow:
    """Months as `YYYY-MM`; None is an open or defaulted end."""

    lower: str | None = None
    upper: str | None = None


@dataclass(frozen=True, slots=True)
class SubCriterion:
    """One question that a paper may answer."""

    id: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    """One search of the plan."""

    id: str
    type: QueryType
    text: str
    mode: QueryMode = "semantic"
    target_criterion: str | None = None


@dataclass(frozen=True, slots=True)
class Anchor:
    """A work that the client knows: a title, or a DOI or arXiv id as it was sent, or both."""

    title: str | None = None
    doi: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole QueryPlan, normalised."""

    brief_summary: str
    domain: Domain
    sub_criteria: tuple[SubCriterion, ...]
    queries: tuple[Query, ...]
    window: PlanWindow | None = None
    must_not: tuple[str, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    round2: tuple[Query, ...] = ()


@dataclass(frozen=True, slots=True)
class Ids:
    """The identifiers of a work in the normal form of 7.5; `doi` is never an arXiv DOI."""

    doi: str | None = None
    arxiv: str | None = None
    pmid: str | None = None
    openalex: str | None = None
    s2: str | None = None
    catalog: str | None = None


@dataclass(frozen=True, slots=True)
class ScanAuthor:
    """An author by the name as given, with the ids that indexes have for the person."""

    name: str
    s2_id: str | None = None
    openalex_id: str | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a work was found: `rank` is zero-based in one list; `secondary` marks a relaxed query's list."""

    source: SourceName
    relation: Relation
    query_id: str | None
    seed_id: str | None
    rank: int
    secondary: bool = False


@dataclass(frozen=True, slots=True)
class FoundWork:
    """A work as sources gave it, or as several records of it were merged.

    `publication_date` is the text of a full date `YYYY-MM-DD` or of a month `YYYY-MM`, or None.
    """

    title: str
    abstract: str | None = None
    tldr: str | None = None
    authors: tuple[ScanAuthor, ...] = ()
    year: int | None = None
    publication_date: str | None = None
    venue: str | None = None
    type: WorkType = "other"
    raw_type: str | None = None
    ids: Ids = Ids()
    citation_count: int | None = None
    influential_citation_count: int | None = None
    is_retracted: bool = False
    oa_url: str | None = None
    origins: tuple[Origin, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A work in the pool. `cid` never changes; `versions` are the cids of works that are versions of this one."""

    cid: str
    work: FoundWork
    outside_window: bool = False
    versions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pool:
    """All candidates in pool order, and the aliases: cids that were shown once and now mean another candidate.

    `aliases` always points to a cid that is in the pool, never to another alias.
    """

    candidates: tuple[Candidate, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)

    def surviving(self, cid: str) -> str | None:
        """The candidate's cid that a cid or alias stands for; None for one that was never given out."""
        named = self.aliases.get(cid, cid)
        return named if any(each.cid == named for each in self.candidates) else None


@dataclass(frozen=True, slots=True)
class Batch:
    """A screening batch as it was handed out: cids in order; `id` is `01`, `x01`, `r01` or `xr01`."""

    id: str
    cids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScreenScore:
    """The client's judgement of one candidate from title and abstract; `score` 0 to 3."""

    cid: str
    score: int
    reason: str
    criteria_hit: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Flags:
    """What a ranked entry says of a paper's nature."""

    review: bool = False
    contradicts: bool = False
    methods_paper: bool = False


@dataclass(frozen=True, slots=True)
class RankedEntry:
    """The client's judgement of one shortlisted work; `criteria` by sub-criterion id, 0 to 3, in the plan's order."""

    cid: str
    criteria: Mapping[str, int]
    overall: int
    evidence_level: EvidenceLevel
    key_finding: str
    methodology: str
    why_it_matters: str
    relevance_reason: str
    limitations: tuple[str, ...]
    relation: Bearing | None = None
    flags: Flags = Flags()


@dataclass(frozen=True, slots=True)
class Retraction:
    """What the sources say of a retraction; `unchecked` are those that could not be asked."""

    status: RetractionStatus = "unknown"
    checked: tuple[SourceName, ...] = ()
    unchecked: tuple[SourceName, ...] = ()


@dataclass(frozen=True, slots=True)
class LiveRecord:
    """What a source said of a work while it was verified, or the fact that it was asked and has none.

    `by` tells how it was asked: by the registry's identifier, or by a bibliographic search.
    """

    source: SourceName
    title: str | None
    year: int | None = None
    first_author_family: str | None = None
    doi: str | None = None
    is_retracted: bool = False
    by: str = "identifier"


@dataclass(frozen=True, slots=True)
class Verification:
    """The verdict on one ranked entry (7.13); `title_match_ratio` 0.0 to 100.0 of the authority record."""

    state: VerificationState
    verified_by: tuple[SourceName, ...] = ()
    verified_on: str | None = None
    title_match_ratio: float | None = None
    mismatches: tuple[Mismatch, ...] = ()
    independent: bool = False
    unchecked: tuple[SourceName, ...] = ()
    records: tuple[SourceName, ...] = ()
    retraction: Retraction = Retraction()

    @property
    def verified(self) -> bool:
        """Whether the work is confirmed by an independent live record."""
        return self.state == "verified"


@dataclass(frozen=True, slots=True)
class Shortlisted:
    """A candidate of the shortlist with its screening score."""

    candidate: Candidate
    score: int


@dataclass(frozen=True, slots=True)
class Shortlist:
    """Both sides, each in the total order of 7.12."""

    in_window: tuple[Shortlisted, ...] = ()
    outside_window: tuple[Shortlisted, ...] = ()

    @property
    def records(self) -> tuple[Shortlisted, ...]:
        """All, in-window first."""
        return self.in_window + self.outside_window


@dataclass(frozen=True, slots=True)
class Packet:
    """One emitted paper, or an alternate: `rank` and `reason` are None for an alternate."""

    shortlisted: Shortlisted
    entry: RankedEntry
    verification: Verification
    rank: int | None
    reason: SelectionReason | None
    url: str | None
