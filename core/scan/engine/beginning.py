"""A new scan, made of a checked start (scan contract 2.2, 7.1)."""

from collections.abc import Mapping
from datetime import date

from core.scan import checking
from core.scan.checking import StartRequest
from core.scan.engine.scan import Scan, begun
from core.scan.engine.state import ScanState
from core.scan.engine.who import Who
from core.scan.profiles import PROFILES
from core.scan.searching.port import Literature
from core.scan.vocabulary import Step


def first_of(
    request: StartRequest,
    hashes: Mapping[str, str],
    who: Who,
    literature: Literature,
    *,
    started_s: float,
    today: date,
    version: str,
) -> Scan:
    """The scan before its first stage. Raises `Refused` for a window that begins after today."""
    profile, plan = PROFILES[request.profile], request.plan
    state = ScanState(
        step=Step.RETRIEVE,
        owner=who.owner,
        is_key=who.is_key,
        started_s=started_s,
        start_day=today.isoformat(),
        window=checking.scan_window(request, today),
        profile_name=request.profile,
        top=request.top,
        foundational=request.foundational,
        slug=request.slug,
        per_query=request.per_query or profile.per_query,
        cap=request.max_candidates or default_cap(request, literature),
        is_forced=request.force_gap_round,
        hashes=dict(hashes),
        sources=literature.routing(plan.domain, (*plan.queries, *plan.round2)),
    )
    return begun(Scan(state, plan), version)


def default_cap(request: StartRequest, literature: Literature) -> int:
    """The pool cap that the profile gives here."""
    plan = request.plan
    live = literature.live(plan.domain, (*plan.queries, *plan.round2))
    return PROFILES[request.profile].cap(len(live))
