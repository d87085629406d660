"""What the readers of sources hand out, beside works (references contract 3.1, 3.9, 6.2, 9)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.errors import Entry
from core.records import OaLocation, UpdateNotice, Work


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a source that answered says of a work's retraction: the notices it knows, of any type."""

    source: str
    notices: tuple[UpdateNotice, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """What a source says of one work: the record that all families share, and the object shown as the source's own.

    `trimmed` names what was cut from `metadata`, `quality` the damaged fields. `stale`: a remembered answer past its
    life that stands in while the source is left alone. `evidence` is None where the answer is silent on retraction.
    """

    work: Work
    metadata: Mapping[str, Any] = field(default_factory=dict, repr=False)
    trimmed: tuple[str, ...] = ()
    quality: tuple[str, ...] = ()
    stale: bool = False
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class OaAnswer:
    """Where a work can be read. `oa_status` None is not determined, which never means closed."""

    record: Record
    oa_status: str | None
    best: OaLocation | None
    locations: tuple[OaLocation, ...]

    @property
    def oa_url(self) -> str | None:
        """The best copy's PDF, else its page."""
        return None if self.best is None else self.best.url_for_pdf or self.best.url

    @property
    def license(self) -> str | None:
        """The best copy's licence."""
        return None if self.best is None else self.best.license


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One work that a search found; `retracted` is None where the source does not say so."""

    work: Work
    fwci: float | None = None
    cited_by_percentile_year_min: float | None = None
    retracted: bool | None = None


@dataclass(frozen=True, slots=True)
class SearchPage:
    """What a search found, in the source's order; `total` is the source's own figure."""

    hits: tuple[SearchHit, ...]
    total: int | None
    stale: bool = False


@dataclass(frozen=True, slots=True)
class CitingWork:
    """A work with the ids of those that it cites, in the source's order and as the source has them."""

    id: str
    references: tuple[str, ...] = ()
    title: str | None = None
    doi: str | None = None
    arxiv: str | None = None
    year: int | None = None
    cited_by_count: int | None = None
    is_retracted: bool = False


@dataclass(frozen=True, slots=True)
class NameCandidate:
    """An author, venue or publisher that a name may mean; `score` is the source's, 0 where it gives none."""

    id: str
    name: str
    score: float = 0.0

    def entry(self) -> Entry:
        """As a candidate of an ambiguous name."""
        return Entry(self.id, name=self.name)


@dataclass(frozen=True, slots=True)
class Document:
    """The bytes of a paper's text, as a source has them, and where they came from."""

    source: str
    body: bytes = field(repr=False)
    url: str
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Person:
    """An author of a listed work, with the source's own id of the person."""

    name: str
    id: str | None = None


@dataclass(frozen=True, slots=True)
class ListedWork:
    """One work of a list, with what only some sources know.

    `raw_type` is the source's own word for the kind of work, `tldr` a summary in one line, `retracts` the DOIs that
    this record says are retracted. `references` are the ids of what it cites, where they were asked for.
    """

    work: Work
    people: tuple[Person, ...] = ()
    raw_type: str | None = None
    tldr: str | None = None
    influential_citation_count: int | None = None
    is_retracted: bool = False
    retracts: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
