"""What a client may rank, beside the shortlist, and how entries merge (scan contract 2.3, 2.4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from core.scan.answers.refusals import Code, Refused
from core.scan.checking.problems import Problem, refuse, shown
from core.scan.checking.screening import survivors_of
from core.scan.models import Flags, Plan, Pool, RankedEntry, Shortlist


@dataclass(frozen=True, slots=True)
class Ranking:
    """What entries are held against."""

    shortlist: Shortlist
    pool: Pool
    plan: Plan


def entries(
    sent: Sequence[RankedEntry],
    shortlist: Shortlist,
    pool: Pool,
    plan: Plan,
    so_far: Mapping[str, RankedEntry],
) -> Mapping[str, RankedEntry]:
    """All entries by surviving cid, those sent included; equal to `so_far` where each stands already.

    Raises `Refused` for a cid outside the shortlist, criteria that are not the plan's, and contradictions.
    """
    refuse(entry_problems(sent, Ranking(shortlist, pool, plan)))
    survivors = survivors_of(pool)
    new = {}
    for each in sent:
        cid = survivors.get(each.cid, each.cid)
        marks = MappingProxyType({criterion.id: each.criteria[criterion.id] for criterion in plan.sub_criteria})
        new[cid] = replace(each, cid=cid, criteria=marks)
    return MappingProxyType({**so_far, **new})


def all_ranked(shortlist: Shortlist, ranked: Mapping[str, RankedEntry]) -> None:
    """Raises `Refused` that names the shortlisted records without an entry."""
    missing = [each.candidate.cid for each in shortlist.records if each.candidate.cid not in ranked]
    if missing:
        raise Refused(Code.RANKING_INCOMPLETE, tuple(f"unranked cid: {cid}" for cid in missing))


def entry_of(given: Mapping[str, Any]) -> RankedEntry:
    """The entry that a sound, walked one is; a sent `verification` is gone."""
    kept = {name: value for name, value in given.items() if name != "verification"}
    kept["limitations"] = tuple(given["limitations"])
    kept["flags"] = Flags() if given["flags"] is None else Flags(**given["flags"])
    return RankedEntry(**kept)


def entry_problems(sent: Sequence[RankedEntry], beside: Ranking) -> list[Problem]:
    """Every problem of entries beside the scan."""
    survivors = survivors_of(beside.pool)
    listed = {each.candidate.cid for each in beside.shortlist.records}
    criteria = [each.id for each in beside.plan.sub_criteria]
    problems: list[Problem] = []
    contents: dict[str, list[RankedEntry]] = {}
    for each in sent:
        different = contents.setdefault(each.cid, [])
        if each in different:
            continue
        different.append(each)
        for name in criteria:
            if name not in each.criteria:
                problems.append(Problem(Code.CRITERIA_MISMATCH, each.cid, f"missing '{shown(name)}'"))
        for name in each.criteria:
            if name not in criteria:
                problems.append(Problem(Code.CRITERIA_MISMATCH, each.cid, f"unknown '{shown(name)}'"))
    for cid, different in contents.items():
        if survivors.get(cid, cid) not in listed:
            problems.append(Problem(Code.UNKNOWN_CID, "", f"unknown cid: {cid}"))
        if len(different) > 1:
            problems.append(Problem(Code.DUPLICATE_SCORE, cid, f"{len(different)} different entries"))
    return problems
