"""Screening batches: how candidates are dealt out, and what a batch shows of them (scan contract 6.1, 7.8)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from core.scan.models import Batch, Candidate, Plan, Pool
from core.scan.profiles import BATCH_ITEMS, PREVIEW_CHARS

BATCH_BYTES_MAX = 34_000
TITLE_CHARS = 300
VENUE_CHARS = 120

_BATCH_ID_SIGNS = 12
"""More than the id of any batch has."""


def made(candidates: Sequence[Candidate], plan: Plan, prefix: str) -> tuple[Batch, ...]:
    """The batches of candidates in their order, numbered from `01` behind `prefix`.

    Each has at most 25 items, and with the sub-criteria at most 34,000 UTF-8 bytes as compact JSON; a candidate that
    is larger alone is a batch of its own.
    """
    empty_bytes = len(orjson.dumps(_shown("", plan, ()))) + _BATCH_ID_SIGNS
    dealt: list[list[str]] = []
    batch_bytes = 0
    for candidate in candidates:
        item_bytes = len(orjson.dumps(_item(candidate))) + 1
        is_full = not dealt or len(dealt[-1]) == BATCH_ITEMS or batch_bytes + item_bytes > BATCH_BYTES_MAX
        if is_full:
            dealt.append([])
            batch_bytes = empty_bytes
        dealt[-1].append(candidate.cid)
        batch_bytes += item_bytes
    return tuple(Batch(f"{prefix}{number:02d}", tuple(cids)) for number, cids in enumerate(dealt, start=1))


def document(batch: Batch, pool: Pool, plan: Plan) -> dict[str, Any]:
    """A `screen_batch`: its id, the sub-criteria and the items in order.

    A work that was joined with another since is shown once, under the cid that it has now. Where works have gained
    abstracts since, and would make the batch too large, all previews are cut alike.
    """
    by_cid = {candidate.cid: candidate for candidate in pool.candidates}
    cids = dict.fromkeys(pool.aliases.get(cid, cid) for cid in batch.cids)
    candidates = [by_cid[cid] for cid in cids if cid in by_cid]
    preview_chars = PREVIEW_CHARS
    while True:
        shown = _shown(batch.id, plan, [_item(each, preview_chars) for each in candidates])
        if preview_chars < 1 or len(orjson.dumps(shown)) <= BATCH_BYTES_MAX:
            return shown
        preview_chars //= 2


def _shown(batch_id: str, plan: Plan, items: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    criteria = [{"id": each.id, "name": each.name, "text": each.text} for each in plan.sub_criteria]
    return {"batch": batch_id, "sub_criteria": criteria, "items": list(items)}


def _item(candidate: Candidate, preview_chars: int = PREVIEW_CHARS) -> dict[str, Any]:
    """What a reader judges by: no identifier and no citation count, so that fame does not sway the judgement."""
    work = candidate.work
    return {
        "cid": candidate.cid,
        "title": work.title[:TITLE_CHARS],
        "abstract_600": (work.abstract or work.tldr or "")[:preview_chars] or None,
        "year": work.year,
        "venue": (work.venue or "")[:VENUE_CHARS] or None,
        "origin_count": len(set(work.origins)),
        "outside_window": candidate.outside_window,
    }
