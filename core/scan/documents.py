"""The JSON of a scan's documents, written and read back (scan contract 8.2).

Writers give plain dictionaries with their keys in the order of the contract. Readers accept unknown keys, nulls in the
place of absent values, and the older form of recorded runs.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from core.scan.models import (
    Anchor,
    Batch,
    Candidate,
    Flags,
    FoundWork,
    Ids,
    Origin,
    Plan,
    PlanWindow,
    Pool,
    Query,
    RankedEntry,
    Retraction,
    ScanAuthor,
    ScreenScore,
    Shortlist,
    Shortlisted,
    SubCriterion,
    Verification,
)

Row = Mapping[str, Any]
Json = dict[str, Any]

_QUERY_KEYS = ("id", "type", "text", "mode", "target_criterion")
_ID_KEYS = ("doi", "arxiv", "pmid", "openalex", "s2", "catalog")
_AUTHOR_KEYS = ("name", "s2_id", "openalex_id")
_ORIGIN_KEYS = ("source", "relation", "query_id", "seed_id", "rank", "secondary")
_WORK_KEYS = (
    "title",
    "abstract",
    "tldr",
    "authors",
    "year",
    "publication_date",
    "venue",
    "type",
    "raw_type",
    "ids",
    "citation_count",
    "influential_citation_count",
    "is_retracted",
    "oa_url",
    "origins",
)
_ENTRY_TEXTS = ("key_finding", "methodology", "why_it_matters")


def plan_json(plan: Plan) -> Json:
    """`queries.json`."""
    return {
        "brief_summary": plan.brief_summary,
        "domain": plan.domain,
        "window": None if plan.window is None else {"from": plan.window.lower, "to": plan.window.upper},
        "sub_criteria": [{"id": each.id, "name": each.name, "text": each.text} for each in plan.sub_criteria],
        "must_not": list(plan.must_not),
        "queries": [_taken(each, _QUERY_KEYS) for each in plan.queries],
        "anchors": [{"title": each.title, "doi": each.doi} for each in plan.anchors],
        "round2": [_taken(each, _QUERY_KEYS) for each in plan.round2],
    }


def plan_of(row: Row) -> Plan:
    """What `plan_json` wrote, or a sound plan as a client sends it."""
    window = row.get("window")
    return Plan(
        brief_summary=row["brief_summary"],
        domain=row["domain"],
        window=None if window is None else PlanWindow(window.get("from"), window.get("to")),
        sub_criteria=tuple(SubCriterion(each["id"], each["name"], each["text"]) for each in row["sub_criteria"]),
        must_not=tuple(row.get("must_not") or ()),
        queries=tuple(map(query_of, row["queries"])),
        anchors=tuple(Anchor(each.get("title"), each.get("doi")) for each in row.get("anchors") or ()),
        round2=tuple(map(query_of, row.get("round2") or ())),
    )


def query_of(row: Row) -> Query:
    """One query of a plan."""
    return Query(row["id"], row["type"], row["text"], row.get("mode") or "semantic", row.get("target_criterion"))


def work_json(work: FoundWork) -> Json:
    """The part of a candidate that sources gave."""
    told = _taken(work, _WORK_KEYS)
    told["authors"] = [_taken(each, _AUTHOR_KEYS) for each in work.authors]
    told["ids"] = _taken(work.ids, _ID_KEYS)
    told["origins"] = [_taken(each, _ORIGIN_KEYS) for each in work.origins]
    return told


def work_of(row: Row) -> FoundWork:
    """What `work_json` wrote."""
    values: Json = {key: row.get(key) for key in _WORK_KEYS}
    values["title"] = row.get("title") or ""
    values["authors"] = tuple(
        ScanAuthor(each["name"], each.get("s2_id"), each.get("openalex_id")) for each in row.get("authors") or ()
    )
    ids = row.get("ids") or {}
    values["ids"] = Ids(**{key: ids.get(key) for key in _ID_KEYS})
    values["type"] = row.get("type") or "other"
    values["is_retracted"] = bool(row.get("is_retracted"))
    values["origins"] = tuple(map(_origin_of, row.get("origins") or ()))
    return FoundWork(**values)


def candidate_json(candidate: Candidate) -> Json:
    """One candidate."""
    return {
        "cid": candidate.cid,
        **work_json(candidate.work),
        "outside_window": candidate.outside_window,
        "versions": list(candidate.versions),
    }


def candidate_of(row: Row) -> Candidate:
    """What `candidate_json` wrote."""
    outside = bool(row.get("outside_window"))
    return Candidate(row["cid"], work_of(row), outside, tuple(row.get("versions") or ()))


def candidates_json(run: Row, pool: Pool) -> Json:
    """`candidates.json`, in pool order."""
    return {"run": dict(run), "candidates": [candidate_json(each) for each in pool.candidates]}


def aliases_json(pool: Pool) -> Json:
    """`aliases.json`: the surviving cid of each alias, and the works that are versions of each other."""
    groups = {tuple(sorted((each.cid, *each.versions))) for each in pool.candidates if each.versions}
    return {"aliases": dict(sorted(pool.aliases.items())), "versions": [list(each) for each in sorted(groups)]}


def pool_of(candidates: Row, aliases: Row | None = None) -> Pool:
    """The pool of the two documents."""
    found = tuple(map(candidate_of, candidates.get("candidates") or ()))
    return Pool(found, MappingProxyType(dict((aliases or {}).get("aliases") or {})))


def batch_of(row: Row) -> Batch:
    """A batch as it was handed out."""
    return Batch(row["batch"], tuple(each["cid"] for each in row["items"]))


def score_json(score: ScreenScore) -> Json:
    """One screening score."""
    return {
        "cid": score.cid,
        "score": score.score,
        "reason": score.reason,
        "criteria_hit": list(score.criteria_hit),
    }


def score_of(row: Row) -> ScreenScore:
    """What `score_json` wrote."""
    return ScreenScore(row["cid"], row["score"], row.get("reason") or "", tuple(row.get("criteria_hit") or ()))


def scores_json(scores: Mapping[str, ScreenScore]) -> Json:
    """`screen.json`."""
    return {"scores": [score_json(each) for each in scores.values()]}


def scores_of(row: Row) -> Mapping[str, ScreenScore]:
    """Scores by cid; of several of one cid the last one counts."""
    return MappingProxyType({each["cid"]: score_of(each) for each in row.get("scores") or ()})


def shortlisted_json(shortlisted: Shortlisted) -> Json:
    """One record of the shortlist."""
    return {**candidate_json(shortlisted.candidate), "score": shortlisted.score}


def shortlist_json(shortlist: Shortlist) -> Json:
    """`shortlist.json`."""
    return {
        "in_window": [shortlisted_json(each) for each in shortlist.in_window],
        "outside_window": [shortlisted_json(each) for each in shortlist.outside_window],
    }


def shortlist_of(row: Row) -> Shortlist:
    """What `shortlist_json` wrote."""
    return Shortlist(_shortlisted(row.get("in_window") or ()), _shortlisted(row.get("outside_window") or ()))


def entry_json(entry: RankedEntry, verification: Verification | None = None) -> Json:
    """One ranked entry; `verification` is left out before there is one."""
    told: Json = {
        "cid": entry.cid,
        "criteria": dict(entry.criteria),
        "overall": entry.overall,
        "evidence_level": entry.evidence_level,
        "relation": entry.relation,
        "flags": _taken(entry.flags, ("review", "contradicts", "methods_paper")),
        **_taken(entry, _ENTRY_TEXTS),
        "limitations": list(entry.limitations),
        "relevance_reason": entry.relevance_reason,
    }
    return told if verification is None else {**told, "verification": verification_json(verification)}


def entry_of(row: Row) -> RankedEntry:
    """What `entry_json` wrote, without the verification."""
    flags = row.get("flags") or {}
    return RankedEntry(
        cid=row["cid"],
        criteria=MappingProxyType(dict(row["criteria"])),
        overall=row["overall"],
        evidence_level=row["evidence_level"],
        relation=row.get("relation"),
        flags=Flags(*(bool(flags.get(name)) for name in ("review", "contradicts", "methods_paper"))),
        limitations=tuple(row.get("limitations") or ()),
        relevance_reason=row["relevance_reason"],
        **{name: row[name] for name in _ENTRY_TEXTS},
    )


def ranked_json(entries: Iterable[RankedEntry], verifications: Mapping[str, Verification]) -> list[Json]:
    """`ranked.json`; `verifications` by cid, empty before `verify`."""
    return [entry_json(each, verifications.get(each.cid)) for each in entries]


def ranked_of(rows: Sequence[Row]) -> tuple[Mapping[str, RankedEntry], Mapping[str, Verification]]:
    """Entries and verifications by cid."""
    entries = {row["cid"]: entry_of(row) for row in rows}
    found = {row["cid"]: verification_of(row["verification"]) for row in rows if row.get("verification")}
    return MappingProxyType(entries), MappingProxyType(found)


def verification_json(verification: Verification) -> Json:
    """The verdict on one entry."""
    return {
        "verified": verification.verified,
        "verified_by": list(verification.verified_by),
        "verified_on": verification.verified_on,
        "title_match_ratio": verification.title_match_ratio,
        "mismatches": list(verification.mismatches),
        "state": verification.state,
        "independent": verification.independent,
        "unchecked": list(verification.unchecked),
        "records": list(verification.records),
        "retraction": {
            "status": verification.retraction.status,
            "checked": list(verification.retraction.checked),
            "unchecked": list(verification.retraction.unchecked),
        },
    }


def verification_of(row: Row) -> Verification:
    """What `verification_json` wrote; of a run recorded before there were states, the state that its flag means."""
    retraction = row.get("retraction") or {}
    mismatches = tuple(row.get("mismatches") or ())
    recorded: Any = "verified" if row.get("verified") else "mismatched" if mismatches else "unverifiable"
    return Verification(
        state=row.get("state") or recorded,
        verified_by=tuple(row.get("verified_by") or ()),
        verified_on=row.get("verified_on"),
        title_match_ratio=row.get("title_match_ratio"),
        mismatches=mismatches,
        independent=bool(row.get("independent")),
        unchecked=tuple(row.get("unchecked") or ()),
        records=tuple(row.get("records") or ()),
        retraction=Retraction(
            retraction.get("status") or "unknown",
            tuple(retraction.get("checked") or ()),
            tuple(retraction.get("unchecked") or ()),
        ),
    )


def _shortlisted(rows: Sequence[Row]) -> tuple[Shortlisted, ...]:
    return tuple(Shortlisted(candidate_of(each), each["score"]) for each in rows)


def _origin_of(row: Row) -> Origin:
    return Origin(
        row["source"],
        row["relation"],
        row.get("query_id"),
        row.get("seed_id"),
        row["rank"],
        bool(row.get("secondary")),
    )


def _taken(value: Any, names: Iterable[str]) -> Json:
    return {name: getattr(value, name) for name in names}
