"""What the stages of a scan need of the literature, and the values that go to and fro (scan contract 7.2, 7.9, 7.13).

Answers never depend on the order in which sources answered. Nothing raises for a failing source: what failed is
counted. The time that is left is that of `core.deadline`. No event and no warning holds text of a query or a title.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from core.scan.days import ScanWindow
from core.scan.models import Anchor, Candidate, FoundWork, LiveRecord, Query
from core.scan.vocabulary import Domain, Relation, SourceName

Event = Mapping[str, Any]
"""A line of a stage's log without its time: `event` and counts."""


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning of the closed list (6.6), and a sentence of ours."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of one source's queries in a round; `hits` counts rows, `reason` says why one was skipped."""

    queried: int = 0
    hits: int = 0
    failed: int = 0
    skipped: int = 0
    secondary: int = 0
    reason: str | None = None
    auth: str = "anon"


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The queries of one round. `secondary_left` is what is left of the scan's budget of relaxed requests."""

    queries: Sequence[Query]
    domain: Domain
    window: ScanWindow
    per_query: int
    must_not: Sequence[str]
    secondary_left: int
    caller: str


@dataclass(frozen=True, slots=True)
class Retrieved:
    """One work for each hit, with its one origin; in plan order, then routing order, then rank."""

    works: tuple[FoundWork, ...]
    tallies: Mapping[SourceName, Tally]
    secondary_spent: int = 0
    events: tuple[Event, ...] = ()
    warnings: tuple[Warned, ...] = ()


@dataclass(frozen=True, slots=True)
class AnchorsFound:
    """`works` by the anchor's place in the plan, each with origins of relation `anchor`; the others are unresolved."""

    works: Mapping[int, FoundWork]
    unresolved: tuple[int, ...] = ()
    events: tuple[Event, ...] = ()
    warnings: tuple[Warned, ...] = ()


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What is asked of the citation graph; recommendations come from the first five seeds."""

    seeds: Sequence[Candidate]
    window: ScanWindow
    caller: str


@dataclass(frozen=True, slots=True)
class GraphList:
    """The rows of one seed and relation, at most 300, in the source's order; their origins are set by who chooses."""

    seed_id: str
    relation: Relation
    source: SourceName
    works: tuple[FoundWork, ...]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """All lists, by seed, then references, citations, recommendations. `asked` and `failed` count calls."""

    lists: tuple[GraphList, ...] = ()
    asked: int = 0
    failed: int = 0
    auth: Mapping[SourceName, str] = field(default_factory=dict)
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Answers:
    """What live sources said of one work: `absent` were asked and have none, `unchecked` could not be asked.

    `is_doi_unresolved`: the registration agency says that there is no such DOI.
    """

    records: tuple[LiveRecord, ...] = ()
    absent: tuple[SourceName, ...] = ()
    unchecked: tuple[SourceName, ...] = ()
    is_doi_unresolved: bool = False


@dataclass(frozen=True, slots=True)
class Lookups:
    """Answers by cid. `is_offline`: no live source is configured; `answered` and `failed` name the sources."""

    answers: Mapping[str, Answers]
    answered: frozenset[SourceName] = frozenset()
    failed: frozenset[SourceName] = frozenset()
    is_offline: bool = False
    events: tuple[Event, ...] = ()


class Literature(Protocol):
    """The catalog and the sources that this deployment asks."""

    def routing(self, domain: Domain, queries: Sequence[Query]) -> tuple[SourceName, ...]:
        """The search sources of a plan in routing order, those that are not asked here included (7.2)."""
        ...

    def live(self, domain: Domain, queries: Sequence[Query]) -> tuple[SourceName, ...]:
        """Those of the routing but the catalog that are asked here."""
        ...

    async def retrieve(self, ask: Retrieval) -> Retrieved:
        """One round of searches, with relaxed requests within the budget, and exclusions applied."""
        ...

    async def anchors(self, anchors: Sequence[Anchor], window: ScanWindow, caller: str) -> AnchorsFound:
        """The works that the client knows (7.9)."""
        ...

    async def neighbours(self, ask: Neighbourhood) -> Neighbours:
        """References, citations and recommendations of the seeds."""
        ...

    async def lookups(self, candidates: Sequence[Candidate], caller: str) -> Lookups:
        """Live records of works, registries first and in bulk (7.13)."""
        ...
