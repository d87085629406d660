"""What the client's judgements do to a scan: pure, from one scan to the next (scan contract 2.3, 2.4, 4.2, 4.3)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.scan import checking
from core.scan.answers.progress import open_batches
from core.scan.answers.refusals import Code, Refused
from core.scan.checking import Beside, ContinueRequest, Ranking, Screening, VerifyRequest
from core.scan.engine.scan import Scan
from core.scan.engine.stages.expanding import seeds_of
from core.scan.engine.steps import ACTIONS, RANKING, SCREENING, after_screening, is_stage
from core.scan.models import Query, RankedEntry, ScreenScore, Shortlist
from core.scan.vocabulary import Step

_NOTHING = ContinueRequest("")


def beside(scan: Scan | None) -> Beside:
    """What of a scan the rules for its next judgement are held against."""
    if scan is None:
        return Beside()
    step = scan.state.step
    return Beside(
        screening=Screening(scan.pool, scan.state.batches, scan.scores, scan.plan) if step in SCREENING else None,
        gap_plan=scan.plan if step is Step.GAP else None,
        ranking=Ranking(scan.shortlist, scan.pool, scan.plan) if scan.shortlist and step in RANKING else None,
    )


Judgement = ContinueRequest | VerifyRequest


def is_poll(request: Judgement) -> bool:
    """Whether a call brings nothing."""
    return request == replace(_NOTHING, scan_id=request.scan_id) if isinstance(request, ContinueRequest) else False


def takes(scan: Scan, request: Judgement) -> bool:
    """Whether the scan waits for a judgement of this kind now."""
    step = scan.state.step
    if isinstance(request, VerifyRequest) or request.ranked_entries is not None:
        return step in RANKING
    return step in SCREENING if request.screen_scores is not None else step is Step.GAP


def stands(scan: Scan, request: Judgement) -> bool:
    """Whether each score or entry stands as it was sent; gap queries are told by their digest alone."""
    names = scan.pool.aliases
    if isinstance(request, ContinueRequest) and request.screen_scores is not None:
        return all(_is_same(scan.scores, names, each) for each in request.screen_scores)
    sent = request.ranked_entries
    return sent is not None and all(_is_same(scan.entries, names, each) for each in sent)


def _is_same(
    known: Mapping[str, ScreenScore] | Mapping[str, RankedEntry],
    names: Mapping[str, str],
    sent: ScreenScore | RankedEntry,
) -> bool:
    cid = names.get(sent.cid, sent.cid)
    return known.get(cid) == replace(sent, cid=cid)


def judged(scan: Scan, request: Judgement, today: str) -> Scan:
    """The scan with what a call brings taken in; the very same scan where that changes nothing.

    Raises `Refused`. The scan waits for the client, or is complete.
    """
    if isinstance(request, VerifyRequest):
        return _verifiable(scan, request, today)
    if request.screen_scores is not None:
        return _screened(scan, request.screen_scores)
    if request.gap_queries is not None:
        return _searched_on(scan, request.gap_queries)
    return _ranked(scan, request.ranked_entries or ())


def _verifiable(scan: Scan, request: VerifyRequest, today: str) -> Scan:
    """The scan on its way to be verified. Raises `Refused`, also where a record is not ranked."""
    if request.ranked_entries is not None:
        scan = _ranked(scan, request.ranked_entries)
    shortlist = _shortlist_or_refuse(scan)
    checking.all_ranked(shortlist, scan.entries)
    return scan.moved(step=Step.VERIFY, verified_on=today)


def _ranked(scan: Scan, entries: Sequence[RankedEntry]) -> Scan:
    """The scan with more entries; ranked when none is missing."""
    shortlist = _shortlist_or_refuse(scan)
    merged = checking.entries(entries, shortlist, scan.pool, scan.plan, scan.entries)
    if merged == scan.entries:
        return scan
    is_whole = all(each.candidate.cid in merged for each in shortlist.records)
    counts = {**scan.state.counts, "ranked": len(merged)}
    return replace(scan.moved(step=Step.RANKED if is_whole else Step.RANK, counts=counts), entries=merged)


def _screened(scan: Scan, scores: Sequence[ScreenScore]) -> Scan:
    step = scan.state.step
    if step not in SCREENING:
        raise Refused(_done_or(scan, Code.NO_OPEN_BATCH))
    merged = checking.scores(scores, scan.pool, scan.state.batches, scan.scores, scan.plan)
    if merged == scan.scores:
        return scan
    after = replace(scan, scores=merged)
    if open_batches(after.pool, after.state.batches, merged):
        return after
    return after.moved(step=after_screening(step, has_seeds=bool(seeds_of(after))))


def _searched_on(scan: Scan, queries: Sequence[Query]) -> Scan:
    if scan.state.step is not Step.GAP:
        raise Refused(_done_or(scan, Code.GAP_NOT_ASKED))
    if not queries:
        return scan.moved(step=Step.SHORTLIST, has_skipped_gap=True)
    plan = checking.gap(queries, scan.plan)
    return replace(scan.moved(step=Step.RETRIEVE_R2), plan=plan)


def _shortlist_or_refuse(scan: Scan) -> Shortlist:
    step = scan.state.step
    if scan.shortlist is None or step is Step.COMPLETE:
        raise Refused(_done_or(scan, Code.NO_SHORTLIST))
    if step not in RANKING:
        expected = "wait" if is_stage(step) else ACTIONS[step]
        raise Refused(Code.ARTIFACT_NOT_EXPECTED, (f"expected: {expected}",))
    return scan.shortlist


def _done_or(scan: Scan, code: Code) -> Code:
    return Code.SCAN_COMPLETE if scan.state.step is Step.COMPLETE else code
