"""What a client may score, beside the batches that were handed out, and how scores merge (scan contract 2.3, 7.5)."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from core.scan.answers.refusals import Code
from core.scan.checking.problems import Problem, refuse, shown
from core.scan.models import Batch, Plan, Pool, ScreenScore


@dataclass(frozen=True, slots=True)
class Screening:
    """What scores are held against. `so_far` is by surviving cid; a batch is open while a cid of it has no score."""

    pool: Pool
    batches: Sequence[Batch]
    so_far: Mapping[str, ScreenScore]
    plan: Plan


def scores(
    sent: Sequence[ScreenScore],
    pool: Pool,
    batches: Sequence[Batch],
    so_far: Mapping[str, ScreenScore],
    plan: Plan,
) -> Mapping[str, ScreenScore]:
    """All scores by surviving cid, those sent included; equal to `so_far` where each stands already.

    Raises `Refused` for unknown cids and criteria, contradictions, and batches that would stay incomplete.
    """
    refuse(score_problems(sent, Screening(pool, batches, so_far, plan)))
    survivors = survivors_of(pool)
    new: dict[str, ScreenScore] = {}
    for each in {score.cid: score for score in sent}.values():
        cid = survivors[each.cid]
        score = replace(each, cid=cid)
        new[cid] = united(new[cid], score) if cid in new else score
    return MappingProxyType({**so_far, **new})


def united(first: ScreenScore, second: ScreenScore) -> ScreenScore:
    """The score of a work that was scored under two cids: the higher one, under the first cid, with all criteria."""
    higher = second if second.score > first.score else first
    hit = dict.fromkeys((*first.criteria_hit, *second.criteria_hit))
    return replace(higher, cid=first.cid, criteria_hit=tuple(hit))


def score_of(given: Mapping[str, Any]) -> ScreenScore:
    """The score that a sound, walked one is; a criterion named twice counts once."""
    hit = tuple(dict.fromkeys(given["criteria_hit"]))
    return ScreenScore(given["cid"], given["score"], given["reason"], hit)


def survivors_of(pool: Pool) -> Mapping[str, str]:
    """Each cid that was ever given out, with the one that stands for it now."""
    held = {each.cid: each.cid for each in pool.candidates}
    return {**held, **{alias: cid for alias, cid in pool.aliases.items() if cid in held}}


def unscored(batch: Batch, survivors: Mapping[str, str], scored: Container[str]) -> tuple[str, ...]:
    """The cids of a batch whose works have no score, as they stand for them now."""
    named = dict.fromkeys(survivors.get(cid, cid) for cid in batch.cids)
    return tuple(cid for cid in named if cid not in scored)


def score_problems(sent: Sequence[ScreenScore], beside: Screening, *, is_whole: bool = True) -> list[Problem]:
    """Every problem of scores beside the scan; batches are passed over unless `sent` is the whole of the call."""
    survivors = survivors_of(beside.pool)
    known_criteria = {each.id for each in beside.plan.sub_criteria}
    problems = []
    contents: dict[str, set[ScreenScore]] = {}
    for each in sent:
        if each in contents.get(each.cid, ()):
            continue
        contents.setdefault(each.cid, set()).add(each)
        problems += [
            Problem(Code.UNKNOWN_CRITERION, each.cid, f"unknown criterion '{shown(name)}'")
            for name in each.criteria_hit
            if name not in known_criteria
        ]
    for cid, different in contents.items():
        if cid not in survivors:
            problems.append(Problem(Code.UNKNOWN_CID, "", f"unknown cid: {cid}"))
        if len(different) > 1:
            problems.append(Problem(Code.DUPLICATE_SCORE, cid, f"{len(different)} different entries"))
    if is_whole:
        missing = _missing({survivors[cid] for cid in contents if cid in survivors}, beside, survivors)
        problems += [Problem(Code.UNSCORED_ITEMS, "", f"unscored cid: {cid}") for cid in missing]
    return problems


def _missing(named: set[str], beside: Screening, survivors: Mapping[str, str]) -> tuple[str, ...]:
    """What the sent scores leave open in the batches that they touch with a first score.

    Scores that complete no batch and yet are no mere changes are told what the first open batch lacks.
    """
    first = named - beside.so_far.keys()
    if not first:
        return ()
    scored = named | beside.so_far.keys()
    touched = [batch for batch in beside.batches if first & {survivors.get(cid, cid) for cid in batch.cids}]
    if not touched:
        touched = [batch for batch in beside.batches if unscored(batch, survivors, scored)][:1]
    return tuple(dict.fromkeys(cid for batch in touched for cid in unscored(batch, survivors, scored)))
