"""Which of the works that queries found enter the pool, and in which order (scan contract 7.8)."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from core.scan.fusion import ordered
from core.scan.identity.merging import without_loose_versions
from core.scan.models import Candidate, Pool, Query
from core.scan.vocabulary import SourceName


@dataclass(frozen=True, slots=True)
class Admission:
    """The pool with what was let in behind what it held, the cids of that in pool order, and how many stayed out."""

    pool: Pool
    added: tuple[str, ...]
    dropped: int


def admit(
    pool: Pool,
    new: Sequence[Candidate],
    queries: Sequence[Query],
    *,
    cap: int,
    routing: Sequence[SourceName],
    anchors: Collection[str],
) -> Admission:
    """Lets new candidates in: all anchors, then each query's best in turn until `cap` others are in.

    Those that no query found come last. What the pool holds stays where it is.
    """
    named = frozenset(anchors)
    free = sorted((each for each in new if each.cid in named), key=_anchor_place)
    others = [each for each in new if each.cid not in named]
    taken = tuple(islice(_in_turn(others, queries, routing), max(cap, 0)))
    added = (*free, *taken)
    return Admission(
        pool=without_loose_versions(Pool(pool.candidates + added, pool.aliases)),
        added=tuple(each.cid for each in added),
        dropped=len(others) - len(taken),
    )


def _in_turn(
    candidates: Sequence[Candidate], queries: Sequence[Query], routing: Sequence[SourceName]
) -> Iterator[Candidate]:
    """Every candidate once: round-robin over the queries, each giving its best that was not taken yet."""
    taken: set[str] = set()
    waiting = [iter(ordered(candidates, query.id, routing)) for query in queries]
    while waiting:
        still_waiting = []
        for best_first in waiting:
            best = next((each for each in best_first if each.cid not in taken), None)
            if best is not None:
                taken.add(best.cid)
                still_waiting.append(best_first)
                yield best
        waiting = still_waiting
    yield from sorted((each for each in candidates if each.cid not in taken), key=lambda each: each.cid)


def _anchor_place(candidate: Candidate) -> tuple[int, str]:
    ranks = [origin.rank for origin in candidate.work.origins if origin.relation == "anchor"]
    return min(ranks, default=0), candidate.cid
