"""The neutral shape that every input format is brought into: what one row says of one thing.

Things other than papers are linked by natural key (catalog contract 17.2), papers by their identifiers. Facts are plain
dictionaries because hundreds of thousands of them go through the staging database as JSON.
"""

from enum import IntEnum
from typing import Any, NotRequired, TypedDict

from core.catalog.models import EntityKind, MetricValue
from core.folds import plain_fold, slug


class Precedence(IntEnum):
    """Whose word counts for single-valued fields; the smallest wins."""

    OWN = 0
    ARCHIVE = 10
    ARCHIVE_LINKS = 12
    ARXIV = 20
    OPENALEX = 30
    EVALUATIONS = 40
    MENTIONS = 50


STATED = "stated"
"""Source of a lineage link that is a row of its own; other links are values of rows about papers."""


class PaperRef(TypedDict):
    """How a row names a paper: identifiers in order of trust, and a title for the one case where that links."""

    idents: list[tuple[str, str]]
    title: NotRequired[str | None]
    set: NotRequired[str]


class RepositoryFacts(TypedDict):
    """A code repository of a paper; `framework` is the source's word for it."""

    url: str
    is_official: NotRequired[bool]
    framework: NotRequired[str | None]
    stars: NotRequired[int | None]
    mentioned_in_paper: NotRequired[bool | None]
    mentioned_in_repository: NotRequired[bool | None]


class PaperFacts(TypedDict, total=False):
    """What one row says of a paper. A field that is absent is unknown to the row.

    `authors` holds names, or natural keys of staged authors as one-element lists. `repositories` present and empty
    says that there are none.
    """

    id: int
    arxiv_id: str
    doi: str
    slug: str
    title: str
    abstract: str
    authors: list[str | list[str]]
    published: str
    venue: str
    conference: str
    url_abs: str
    url_pdf: str
    citation_count: int
    velocity: float
    is_retracted: bool
    version: str
    is_latest: bool
    tasks: list[str]
    methods: list[str]
    organizations: list[str]
    frameworks: list[str]
    repositories: list[RepositoryFacts]
    resources: dict[str, list[str]]


class EvaluationFacts(TypedDict, total=False):
    """What one row says of a result; `benchmark` and `task` are natural keys."""

    model_name: str
    metrics: dict[str, MetricValue]
    paper: PaperRef
    paper_title: str
    paper_published: str
    harness: str
    split: str
    methodology: str
    best_rank: int
    best_metric: str
    is_open: bool
    num_parameters: int
    result_url: str
    source_url: str
    code_url: str
    hf_model_url: str
    updated_at: str
    uses_additional_data: bool


EntityFacts = dict[str, Any]
"""What one row says of an area, task, method, conference, organization, framework or benchmark: columns of its table,
plus `aliases`, `parents` (natural keys), `area` (natural key) and the like."""

_NAMED_BY_FOLD = frozenset({EntityKind.AREA, EntityKind.TASK, EntityKind.BENCHMARK})


def natural_key(kind: EntityKind, name: str, *, given_slug: str | None = None) -> str:
    """The natural key of a thing: the folded name of areas, tasks and benchmarks, the slug of the others."""
    if kind in _NAMED_BY_FOLD:
        return plain_fold(name)
    return given_slug or slug(name) or plain_fold(name)
