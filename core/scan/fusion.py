"""Reciprocal-rank fusion of the lists in which works were found (scan contract 7.4)."""

import math
from collections.abc import Iterable, Sequence

from core.scan.models import Candidate, Origin
from core.scan.profiles import FUSION_CONSTANT, SECONDARY_WEIGHT
from core.scan.vocabulary import SourceName


def fused_score(origins: Iterable[Origin]) -> float:
    """The sum, over all lists of all queries, of a list's weight by the place in it; 0.0 without a query origin.

    Two places in one list count as the better one. The order of the origins makes no difference.
    """
    best: dict[tuple[str, str | None, bool], int] = {}
    for origin in origins:
        if origin.relation == "query":
            list_of = (origin.source, origin.query_id, origin.secondary)
            best[list_of] = min(origin.rank, best.get(list_of, origin.rank))
    return math.fsum(
        (SECONDARY_WEIGHT if secondary else 1.0) / (FUSION_CONSTANT + 1 + rank)
        for (_, _, secondary), rank in best.items()
    )


def ordered(candidates: Iterable[Candidate], query_id: str, routing: Sequence[SourceName]) -> tuple[Candidate, ...]:
    """The candidates that a query found, best first.

    By fused score of this query, then best rank, then the source that comes first in `routing`, then cid.
    """
    places = {source: place for place, source in enumerate(routing)}
    keyed = []
    for candidate in candidates:
        found = [each for each in candidate.work.origins if each.relation == "query" and each.query_id == query_id]
        if found:
            rank = min(origin.rank for origin in found)
            place = min(places.get(origin.source, len(places)) for origin in found if origin.rank == rank)
            keyed.append((-fused_score(found), rank, place, candidate.cid, candidate))
    return tuple(candidate for *_, candidate in sorted(keyed, key=lambda row: row[:4]))
