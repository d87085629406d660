"""`retrieve` and `retrieve-r2`: queries and anchors become candidates and batches (scan contract 7.2 to 7.8, 7.11)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anyio.to_thread import run_sync

from core.scan import admitting, batches
from core.scan.answers.refusals import Code
from core.scan.answers.warnings import WarningCode
from core.scan.checking.screening import united
from core.scan.engine.scan import Scan, appended
from core.scan.engine.stages.turns import StageFailed, Turn
from core.scan.engine.state import ScanState, said, with_warnings
from core.scan.engine.steps import PREFIXES, after_retrieval
from core.scan.filters import drop_reason
from core.scan.identity.merging import merge
from core.scan.models import Batch, Candidate, Pool, Query, ScreenScore
from core.scan.profiles import CANDIDATES_MAX
from core.scan.searching.port import AnchorsFound, Retrieval, Retrieved, Tally, Warned
from core.scan.vocabulary import SourceName, Step

EXPANSION_ROOM = 500
"""Of the candidates that a scan may hold, those that are kept free for what citations and anchors bring."""
DROPPED = ("retracted", "must_not", "type", "window", "preprint", "cap")


async def retrieve(scan: Scan, turn: Turn) -> Scan:
    """The scan with the pool of this round's queries and its batches. Raises `StageFailed` (`all_sources_failed`)."""
    state, plan = scan.state, scan.plan
    is_first = state.step is Step.RETRIEVE
    queries = plan.queries if is_first else plan.round2
    found = await turn.literature.retrieve(
        Retrieval(
            queries=queries,
            domain=plan.domain,
            window=state.window,
            per_query=state.per_query,
            must_not=plan.must_not,
            secondary_left=max(0, state.profile.secondary_requests - state.secondary_spent),
            caller=turn.caller,
        )
    )
    silence = _silence(found, is_last_try=turn.is_last_try)
    anchors = AnchorsFound({})
    if is_first and plan.anchors:
        anchors = await turn.literature.anchors(plan.anchors, state.window, turn.caller)
    routing = turn.literature.routing(plan.domain, queries)
    # Comparing thousands of records takes a second, in which nobody else should have to wait.
    return await run_sync(_with_round, scan, _Round(queries, routing, found, anchors, silence))


@dataclass(frozen=True, slots=True)
class _Round:
    """What a round of queries brought."""

    queries: Sequence[Query]
    routing: Sequence[SourceName]
    found: Retrieved
    anchors: AnchorsFound
    silence: tuple[Warned, ...]


def _with_round(scan: Scan, brought: _Round) -> Scan:
    state, found, anchors = scan.state, brought.found, brought.anchors
    works = [*(anchors.works[place] for place in sorted(anchors.works)), *found.works]
    merged = merge(scan.pool, works, state.window)
    kept, dropped = _sifted(merged.new, scan.plan.must_not)
    anchored = anchor_cids(merged.pool.candidates, kept)
    room = max(0, CANDIDATES_MAX - EXPANSION_ROOM - len(merged.pool.candidates))
    admission = admitting.admit(
        merged.pool, kept, brought.queries, cap=min(state.cap, room), routing=brought.routing, anchors=anchored
    )
    dropped["cap"] = admission.dropped
    new = _named(admission.pool, admission.added)
    scores, joined = rescored(scan.scores, merged.joined)
    is_first = state.step is Step.RETRIEVE
    warned = (
        *brought.silence,
        *found.warnings,
        *anchors.warnings,
        *joined,
        *_of_dates(scan, new),
        *_of_nothing(admission.pool, is_first=is_first),
    )
    name = "retrieval.log.jsonl" if is_first else "retrieval-r2.log.jsonl"
    section = _section(found, new, dropped, len(merged.new) + (len(merged.pool.candidates) if is_first else 0))
    return replace(
        scan,
        state=_after(state, brought, batches.made(new, scan.plan, PREFIXES[state.step]), anchored, warned),
        pool=admission.pool,
        scores=scores,
        manifest={**scan.manifest, "retrieval" if is_first else "retrieval_round2": section},
        logs=appended(scan.logs, name, (*found.events, *anchors.events)),
    )


def _after(
    state: ScanState,
    brought: _Round,
    made: Sequence[Batch],
    anchored: Sequence[str],
    warned: Sequence[Warned],
) -> ScanState:
    is_first = state.step is Step.RETRIEVE
    counts = dict(state.counts)
    counts["retrieved"] = counts.get("retrieved", 0) + sum(each.hits for each in brought.found.tallies.values())
    if is_first:
        counts["deduped"] = sum(len(each.cids) for each in made)
    return replace(
        state,
        step=after_retrieval(state.step, has_new=bool(made)),
        batches=(*state.batches, *made),
        anchors=tuple(anchored) if is_first else state.anchors,
        secondary_spent=state.secondary_spent + brought.found.secondary_spent,
        counts=counts,
        tallies=_summed(state.tallies, brought.found.tallies),
        warnings=with_warnings(state.warnings, tuple(warned)),
    )


def _section(found: Retrieved, new: Sequence[Candidate], dropped: Mapping[str, int], remaining: int) -> dict[str, Any]:
    return {
        "per_source": {source: _shown(tally) for source, tally in found.tallies.items()},
        "deduped_remaining": remaining,
        "abstracts_present": sum(1 for each in new if each.work.abstract),
        "dropped": {reason: dropped.get(reason, 0) for reason in DROPPED},
        "cost_estimate_usd": 0.0,
    }


def anchor_cids(*groups: Sequence[Candidate]) -> tuple[str, ...]:
    """The works that the client knew, in the order of the plan."""
    known = {}
    for candidate in (each for group in groups for each in group):
        ranks = [origin.rank for origin in candidate.work.origins if origin.relation == "anchor"]
        if ranks:
            known[candidate.cid] = min(ranks)
    return tuple(sorted(known, key=lambda cid: (known[cid], cid)))


def rescored(
    scores: Mapping[str, ScreenScore], joined: Sequence[tuple[str, str]]
) -> tuple[Mapping[str, ScreenScore], tuple[Warned, ...]]:
    """Scores after works were joined: the higher one stays, under the cid that survives, with the criteria of both."""
    if not any(alias in scores for _, alias in joined):
        return scores, ()
    found, differ = dict(scores), False
    for survivor, alias in joined:
        gone = found.pop(alias, None)
        if gone is None:
            continue
        held = found.get(survivor, replace(gone, cid=survivor))
        differ = differ or held.score != gone.score
        found[survivor] = united(held, gone)
    return found, (said(WarningCode.MERGED_SCORES_DIFFER),) if differ else ()


def sifted_reasons(new: Sequence[Candidate], must_not: Sequence[str], *, in_expansion: bool) -> dict[str, str]:
    """Why candidates stay out, by cid."""
    reasons = {each.cid: drop_reason(each, must_not, in_expansion=in_expansion) for each in new}
    return {cid: reason for cid, reason in reasons.items() if reason is not None}


def _sifted(new: Sequence[Candidate], must_not: Sequence[str]) -> tuple[list[Candidate], Counter[str]]:
    out = sifted_reasons(new, must_not, in_expansion=False)
    return [each for each in new if each.cid not in out], Counter(out.values())


def _silence(found: Retrieved, *, is_last_try: bool) -> tuple[Warned, ...]:
    """A warning where every live source failed and the catalog has something, once that was tried twice.

    Raises `StageFailed` where no source answered, or every live source failed and the catalog had nothing.
    """
    asked = {source: tally for source, tally in found.tallies.items() if tally.queried}
    failed = {source for source, tally in asked.items() if tally.failed >= tally.queried}
    live = asked.keys() - {"catalog"}
    if asked.keys() - failed and (not live or live - failed):
        return ()
    has_some = "catalog" in asked and "catalog" not in failed and asked["catalog"].hits > 0
    if is_last_try and has_some:
        return (said(WarningCode.LIVE_SOURCES_FAILED),)
    lines = [f"{source}: {tally.failed}/{tally.queried} failed" for source, tally in asked.items() if tally.failed]
    raise StageFailed(Code.ALL_SOURCES_FAILED, lines, may_pass=True)


def _of_dates(scan: Scan, new: Sequence[Candidate]) -> tuple[Warned, ...]:
    window = scan.state.window
    if any(window.holds(each.work.publication_date, each.work.year) is None for each in new):
        return (said(WarningCode.DATE_UNKNOWN),)
    return ()


def _of_nothing(pool: Pool, *, is_first: bool) -> tuple[Warned, ...]:
    if is_first and not pool.candidates:
        return (said(WarningCode.NOTHING_FOUND),)
    return ()


def _named(pool: Pool, cids: Sequence[str]) -> list[Candidate]:
    by_cid = {each.cid: each for each in pool.candidates}
    return [by_cid[cid] for cid in cids]


def _shown(tally: Tally) -> dict[str, Any]:
    return {
        "queried": tally.queried,
        "hits": tally.hits,
        "failed": tally.failed,
        "unavailable": tally.queried > 0 and tally.failed >= tally.queried,
        "auth": tally.auth,
        "skipped": tally.skipped,
        "secondary": tally.secondary,
    }


def _summed(held: Mapping[str, Tally], found: Mapping[SourceName, Tally]) -> dict[str, Tally]:
    """Tallies over all rounds."""
    summed: dict[str, Tally] = dict(held)
    for source, tally in found.items():
        before = summed.get(source, Tally())
        summed[source] = Tally(
            queried=before.queried + tally.queried,
            hits=before.hits + tally.hits,
            failed=before.failed + tally.failed,
            skipped=before.skipped + tally.skipped,
            secondary=before.secondary + tally.secondary,
            reason=tally.reason or before.reason,
            auth=tally.auth,
        )
    return summed
