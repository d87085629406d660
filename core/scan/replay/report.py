"""What a recorded run's judgements come to when everything after them is computed again (scan contract 12)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.scan.coverage import coverage_round
from core.scan.expansion.seeds import seeds
from core.scan.models import Candidate, Pool
from core.scan.profiles import PROFILES
from core.scan.replay.loader import RecordedRun, load, packets_of
from core.scan.selection import select
from core.scan.shortlist import shortlist

_ROUND_KEYS = ("screened", "ge2", "unattributed_ge2", "criteria", "queries")
_DEFAULT_TOP, _DEFAULT_FOUNDATIONAL = 10, 2


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    text: str
    differs: bool = False


def replayed(directory: Path) -> Iterator[Finding]:
    """Coverage, seeds, shortlist and evidence of a run, each beside what was recorded. Raises `InvalidInput`.

    Parts that the run does not have are passed over.
    """
    run = load(directory)
    yield Finding(f"{run.rows} candidate rows, {len(run.pool.candidates)} works, {len(run.scores)} scores")
    yield from _coverage(run)
    yield from _seeds(run)
    yield from _shortlist(run)
    yield from _evidence(run)


def _coverage(run: RecordedRun) -> Iterator[Finding]:
    rounds: Sequence[Mapping[str, Any]] = (run.coverage or {}).get("rounds") or ()
    if rounds:
        last = rounds[-1]
        again = coverage_round(run.pool, run.scores, run.plan, last["round"], ())
        differing = [key for key in _ROUND_KEYS if again[key] != last[key]]
        yield _told("coverage", differing, f"round {last['round']}")


def _seeds(run: RecordedRun) -> Iterator[Finding]:
    recorded = run.expansions.get("expanded.json")
    if recorded is not None:
        anchors = [each.cid for each in run.pool.candidates if _relations(each) & {"anchor"}]
        again = seeds(_before_expansion(run), run.scores, anchors)
        yield _told("seeds", _unlike(recorded["seeds"], again), f"{len(again)} in order")


def _shortlist(run: RecordedRun) -> Iterator[Finding]:
    if run.shortlist is not None:
        profile = PROFILES[(run.run.get("defaults") or {}).get("profile") or "standard"]
        again = shortlist(run.pool, run.scores, run.plan, profile)
        for side in ("in_window", "outside_window"):
            was = [each.candidate.cid for each in getattr(run.shortlist, side)]
            now = [each.candidate.cid for each in getattr(again, side)]
            yield _told(f"shortlist, {side}", _unlike(was, now), f"{len(now)} in order")


def _evidence(run: RecordedRun) -> Iterator[Finding]:
    if run.evidence is not None and run.shortlist is not None:
        defaults = run.run.get("defaults") or {}
        again = select(
            run.shortlist,
            run.entries,
            run.verifications,
            top=defaults.get("top", _DEFAULT_TOP),
            foundational=defaults.get("foundational", _DEFAULT_FOUNDATIONAL),
        )
        for part, packets in (("packets", again.packets), ("alternates", again.alternates)):
            was = [candidate.cid for candidate, _ in packets_of(run.evidence, part)]
            now = [packet.shortlisted.candidate.cid for packet in packets]
            yield _told(f"evidence, {part}", _unlike(was, now), f"{len(now)} in order")


def _before_expansion(run: RecordedRun) -> Pool:
    """The pool as it was before the graph and the second round were searched."""
    later = {query.id for query in run.plan.round2}

    def earlier(candidate: Candidate) -> Candidate:
        kept = [
            origin
            for origin in candidate.work.origins
            if origin.relation in ("query", "anchor") and origin.query_id not in later
        ]
        return replace(candidate, work=replace(candidate.work, origins=tuple(kept)))

    return Pool(tuple(each for each in map(earlier, run.pool.candidates) if each.work.origins), run.pool.aliases)


def _relations(candidate: Candidate) -> set[str]:
    return {origin.relation for origin in candidate.work.origins}


def _unlike(was: Sequence[str], now: Sequence[str]) -> list[str]:
    """What is in one of two lists only; where they hold the same in another order, all that moved."""
    apart = sorted(set(was) ^ set(now))
    return apart or [one for one, other in zip(was, now, strict=True) if one != other]


def _told(part: str, differing: Sequence[str], whole: str) -> Finding:
    if not differing:
        return Finding(f"{part}: the same ({whole})")
    return Finding(f"{part}: {len(differing)} differ: {', '.join(differing)}", differs=True)
