"""Which handler a path names: one table, fixed parts before references, references with any character in them."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from server.api import (
    about,
    areas,
    communities,
    datasets,
    evaluations,
    methods,
    papers,
    public_metadata,
    research,
    tasks,
)
from server.api.naming import Desk
from server.api.parameters import Parameters
from server.api.problems import malformed
from server.api.replies import Reply

Handler = Callable[[Desk, tuple[str, ...], Parameters], Awaitable[Reply]]

SEARCH_S = 60
RECORD_S = 300
TAXONOMY_S = 600
ABOUT_S = 3600
PINNED_TEXT_S = 3600

# A `*` stands for one path part of the caller's, percent-decoded. The first pattern that fits is taken.
# The number says for how long an answer stays fresh, in the tiers of catalog contract 15.
ROUTES: tuple[tuple[str, Handler, int], ...] = (
    ("about", about.about, ABOUT_S),
    ("papers", papers.listing, SEARCH_S),
    ("papers/search", papers.search, SEARCH_S),
    ("papers/recent", papers.recent, SEARCH_S),
    ("papers/trending", papers.trending, SEARCH_S),
    ("papers/titles", papers.titles, RECORD_S),
    ("papers/public-metadata/search", public_metadata.by_title, RECORD_S),
    ("papers/*", papers.record, RECORD_S),
    ("papers/*/related", papers.related, RECORD_S),
    ("papers/*/public-metadata", public_metadata.by_reference, RECORD_S),
    ("research/papers/*/read", research.read, SEARCH_S),
    ("research/papers/*/lineage", research.lineage, RECORD_S),
    ("evaluations", evaluations.listing, RECORD_S),
    ("tasks", tasks.listing, TAXONOMY_S),
    ("tasks/*", tasks.one, TAXONOMY_S),
    ("tasks/*/page", tasks.page, TAXONOMY_S),
    ("tasks/*/trending-benchmarks", tasks.trending_benchmarks, RECORD_S),
    ("tasks/*/papers", papers.of_task, SEARCH_S),
    ("methods", methods.listing, TAXONOMY_S),
    ("methods/*", methods.one, TAXONOMY_S),
    ("areas", areas.listing, TAXONOMY_S),
    ("areas/with-tasks", areas.with_tasks, TAXONOMY_S),
    ("areas/with-task-benchmarks", areas.with_task_benchmarks, TAXONOMY_S),
    ("conferences", communities.conferences, TAXONOMY_S),
    ("conferences/*", communities.conference, TAXONOMY_S),
    ("organizations", communities.organizations, TAXONOMY_S),
    ("organizations/*", communities.organization, TAXONOMY_S),
    ("frameworks", communities.frameworks, TAXONOMY_S),
    ("datasets", datasets.listing, RECORD_S),
    ("datasets/*", datasets.one, RECORD_S),
    ("datasets/*/evaluations", evaluations.of_dataset, RECORD_S),
)

_TABLE = tuple((tuple(pattern.split("/")), handler, age_s) for pattern, handler, age_s in ROUTES)
_ARCHIVE = re.compile(rb"[A-Za-z][A-Za-z-]*(?:\.[A-Za-z-]+)?")
_NUMBER = re.compile(rb"[0-9]{7}(?:v[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Place:
    """A handler with the caller's parts of the path."""

    handler: Handler
    parts: tuple[str, ...]
    age_s: int

    def max_age_s(self, query: Parameters) -> int:
        """For how long an answer stays fresh; a text whose version the caller names never changes."""
        is_pinned = self.handler is research.read and query.text("content_version") is not None
        return PINNED_TEXT_S if is_pinned else self.age_s


def place(path: bytes) -> Place | None:
    """Where a raw path (below the API's root, without the leading slash) leads; one trailing slash means nothing.

    Raises a `Problem` for parts that are no UTF-8.
    """
    segments = path.removesuffix(b"/").split(b"/")
    for tried in (segments, _with_old_ids(segments)):
        for pattern, handler, age_s in _TABLE:
            if len(pattern) == len(tried) and all(map(_fits, pattern, tried)):
                free = (part for want, part in zip(pattern, tried, strict=True) if want == "*")
                return Place(handler, tuple(map(_decoded, free)), age_s)
    return None


def _fits(wanted: str, segment: bytes) -> bool:
    return bool(segment) if wanted == "*" else segment == wanted.encode()


def _with_old_ids(segments: list[bytes]) -> list[bytes]:
    """An old-style arXiv id holds a slash; some clients send it as it is, so its two parts are put together again."""
    for at in range(1, len(segments) - 1):
        archive, number = segments[at], segments[at + 1]
        if segments[at - 1] == b"papers" and _ARCHIVE.fullmatch(archive) and _NUMBER.fullmatch(number):
            return [*segments[:at], archive + b"/" + number, *segments[at + 2 :]]
    return segments


def _decoded(segment: bytes) -> str:
    try:
        return unquote_to_bytes(segment).decode()
    except UnicodeDecodeError as error:
        raise malformed("The path holds bytes that are no UTF-8; send it percent-encoded.") from error
