"""How far a scan is, in the numbers that every answer carries (scan contract 3.2)."""

import math
from collections.abc import Container, Mapping, Sequence
from typing import Any

from core.scan.checking.screening import survivors_of, unscored
from core.scan.models import Batch, Pool, Shortlist
from core.scan.profiles import RANK_PAGE

COUNTS = (
    "retrieved",
    "deduped",
    "expanded",
    "screened_ge2",
    "shortlisted",
    "ranked",
    "verified",
    "emitted",
    "wall_clock_s",
)


def progress(
    pool: Pool,
    batches: Sequence[Batch],
    scored: Container[str],
    *,
    counts: Mapping[str, float | None] | None = None,
    shortlist: Shortlist | None = None,
    ranked: Container[str] = (),
) -> dict[str, Any]:
    """The progress of a scan. `counts` is None before `retrieve` has ended; in it, unknown ones are None or absent.

    `scored` and `ranked` are surviving cids.
    """
    open_ids = open_batches(pool, batches, scored)
    told: dict[str, Any] = {"batches_scored": len(batches) - len(open_ids), "batches_total": len(batches)}
    if counts is not None:
        told["counts"] = {name: counts[name] for name in COUNTS if counts.get(name) is not None}
    if shortlist is not None:
        cids = [each.candidate.cid for each in shortlist.records]
        page, of = current_page(cids, ranked)
        done = sum(1 for cid in cids if cid in ranked)
        told |= {"ranked": done, "shortlisted": len(cids), "page": page, "of": of}
    return told


def open_batches(pool: Pool, batches: Sequence[Batch], scored: Container[str]) -> tuple[str, ...]:
    """The ids of the batches in which a cid has no score, in order."""
    survivors = survivors_of(pool)
    return tuple(each.id for each in batches if unscored(each, survivors, scored))


def current_page(cids: Sequence[str], ranked: Container[str]) -> tuple[int, int]:
    """The first page with an unranked record, else the last one; and how many pages there are."""
    of = max(1, math.ceil(len(cids) / RANK_PAGE))
    first = next((index for index, cid in enumerate(cids) if cid not in ranked), len(cids) - 1)
    return max(0, first) // RANK_PAGE + 1, of
