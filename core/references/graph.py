"""The citation graph around one work: breadth first over its references, within bounds (references contract, 6.2)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from core.errors import SourceError
from core.sources.answers import CitingWork

DEPTH_MAX, TOTAL_MAX, PER_PAPER_MAX = 3, 100, 20
EDGES_MAX = 800
BATCH_MAX = 50


@dataclass(frozen=True, slots=True)
class GraphBounds:
    """How far to go; what is above the ceiling acts as the ceiling."""

    depth: int = DEPTH_MAX
    total: int = TOTAL_MAX
    per_paper: int = PER_PAPER_MAX

    def __post_init__(self) -> None:
        for name, most in (("depth", DEPTH_MAX), ("total", TOTAL_MAX), ("per_paper", PER_PAPER_MAX)):
            object.__setattr__(self, name, min(getattr(self, name), most))

    @property
    def expands(self) -> bool:
        """Whether anything beyond the seed is wanted."""
        return min(self.depth, self.total, self.per_paper) > 0


FetchBatch = Callable[[Sequence[str]], Awaitable[Mapping[str, CitingWork]]]
"""Asks the source for at most 50 ids; ids that it does not know are absent; raises `SourceError`."""


@dataclass(frozen=True, slots=True)
class Node:
    """One work of the graph and its distance from the seed; `work` is None when it could not be read."""

    id: str
    depth: int
    work: CitingWork | None


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes and edges in the order of their discovery; an edge is (citing id, cited id).

    `truncated` is true exactly when something was left out; `failures` are those of batches that could not be read.
    """

    nodes: tuple[Node, ...]
    edges: tuple[tuple[str, str], ...]
    truncated: bool
    failures: tuple[SourceError, ...]


@dataclass(slots=True)
class _Walk:
    """What is known so far."""

    bounds: GraphBounds
    depth_of: dict[str, int]
    works: dict[str, CitingWork]
    edges: list[tuple[str, str]] = field(default_factory=list)
    failures: list[SourceError] = field(default_factory=list)
    truncated: bool = False

    def expand(self, id: str, depth: int) -> list[str]:
        """Adds the references of a work that is expanded; gives the ids that are new."""
        citing = self.works.get(id)
        distinct = tuple(dict.fromkeys(citing.references)) if citing else ()
        if depth >= self.bounds.depth or not self.bounds.expands:
            self.truncated = self.truncated or bool(distinct)
            return []
        if len(distinct) > self.bounds.per_paper:
            self.truncated = True
        new = []
        for cited in distinct[: self.bounds.per_paper]:
            is_known = cited in self.depth_of
            if len(self.edges) == EDGES_MAX or not (is_known or len(self.depth_of) < self.bounds.total):
                self.truncated = True
                continue
            if not is_known:
                self.depth_of[cited] = depth + 1
                new.append(cited)
            self.edges.append((id, cited))
        return new

    async def read(self, ids: Sequence[str], fetch: FetchBatch) -> None:
        """Reads the works of one level; one failing batch leaves the others alone."""
        for start in range(0, len(ids), BATCH_MAX):
            batch = ids[start : start + BATCH_MAX]
            try:
                found = await fetch(batch)
            except SourceError as error:
                self.failures.append(error)
                found = {}
            self.works.update((id, found[id]) for id in batch if id in found)
            if any(id not in found for id in batch):
                self.truncated = True


async def walk(seed: CitingWork, bounds: GraphBounds, fetch: FetchBatch) -> Graph:
    """The graph around a work that has been read already."""
    known = _Walk(bounds, {seed.id: 0}, {seed.id: seed})
    level = [seed.id]
    depth = 0
    while level:
        discovered = [new for id in level for new in known.expand(id, depth)]
        await known.read(discovered, fetch)
        level = discovered
        depth += 1
    nodes = tuple(Node(id, depth, known.works.get(id)) for id, depth in known.depth_of.items())
    return Graph(nodes, tuple(known.edges), known.truncated, tuple(known.failures))
