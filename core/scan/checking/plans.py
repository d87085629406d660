"""The rules that span the parts of a plan, and the plan that a sound one becomes (scan contract 2.6)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from core.errors import InvalidInput
from core.identifiers import IdentifierKind
from core.identifiers import parse as parse_identifier
from core.scan.answers.refusals import Code
from core.scan.checking.problems import refuse
from core.scan.checking.walking import BAD, Walk
from core.scan.models import Anchor, Plan, PlanWindow, Query, SubCriterion
from core.scan.queries.grammar import parse as parse_keywords

_NEEDED_TYPES = ("direct", "terminology", "contradictory", "review")


@dataclass(frozen=True, slots=True)
class _Rules:
    """What holds for one list of queries; `criteria` None passes targets over."""

    code: Code
    takes_gap: bool
    criteria: frozenset[str] | None


def check_plan(walk: Walk, plan: Mapping[str, Any], path: str) -> None:
    """Notes every broken cross rule of a walked plan; parts that are broken already are passed over."""
    criteria = _sound(plan["sub_criteria"])
    seen: dict[str, str] = {}
    for index, each in criteria:
        _note_repeat(walk, each["id"], f"{path}.sub_criteria[{index}]", seen, Code.INVALID_PLAN)
    known = frozenset(seen) if all(each["id"] is not BAD for _, each in criteria) and criteria else None
    taken: dict[str, str] = {}
    rules = _Rules(Code.INVALID_PLAN, False, known)
    _check_list(walk, plan["queries"], f"{path}.queries", rules, taken)
    _check_list(walk, plan["round2"], f"{path}.round2", replace(rules, takes_gap=True), taken)
    if plan["queries"] is not BAD:
        types = [each["type"] for _, each in _sound(plan["queries"])]
        for needed in _NEEDED_TYPES:
            if needed not in types:
                walk.add(f"{path}.queries", f"needs at least one query of type {needed}", Code.INVALID_PLAN)
    for index, anchor in _sound(plan["anchors"]):
        _check_anchor(walk, anchor, f"{path}.anchors[{index}]")


def check_gap(walk: Walk, queries: Sequence[Any], plan: Plan | None) -> None:
    """Notes every broken rule of walked gap queries; without a plan, those that need none."""
    taken: dict[str, str] = {}
    criteria = None
    if plan is not None:
        taken = {each.id: "a query of the plan" for each in (*plan.queries, *plan.round2)}
        criteria = frozenset(each.id for each in plan.sub_criteria)
    _check_list(walk, queries, "gap_queries", _Rules(Code.INVALID_GAP_PLAN, True, criteria), taken)


def gap(queries: Sequence[Query], plan: Plan) -> Plan:
    """The plan with the queries of its second round; raises `Refused` as the rules beside the plan ask (2.6)."""
    walk = Walk()
    check_gap(walk, [asdict(each) for each in queries], plan)
    refuse(walk.problems)
    return replace(plan, round2=tuple(queries)) if queries else plan


def _check_list(walk: Walk, queries: Any, path: str, rules: _Rules, taken: dict[str, str]) -> None:
    for index, query in _sound(queries):
        place = f"{path}[{index}]"
        _note_repeat(walk, query["id"], place, taken, rules.code)
        target = query["target_criterion"]
        if query["type"] == "gap" and not rules.takes_gap:
            walk.add(f"{place}.type", "gap belongs into round2 or gap_queries", rules.code)
        elif query["type"] == "gap" and target is None:
            walk.add(f"{place}.target_criterion", "is required for type gap", rules.code)
        if isinstance(target, str) and rules.criteria is not None and target not in rules.criteria:
            walk.add(f"{place}.target_criterion", "is no id of a sub-criterion", rules.code)
        if query["mode"] == "keyword" and isinstance(query["text"], str):
            _check_keywords(walk, query["text"], f"{place}.text", rules.code)


def _note_repeat(walk: Walk, name: Any, place: str, taken: dict[str, str], code: Code) -> None:
    if isinstance(name, str) and taken.setdefault(name, place) != place:
        walk.add(f"{place}.id", f"repeats the id of {taken[name]}", code)


def _check_keywords(walk: Walk, text: str, path: str, code: Code) -> None:
    try:
        parse_keywords(text)
    except InvalidInput as failure:
        walk.add(path, failure.message, code)


def _check_anchor(walk: Walk, anchor: Mapping[str, Any], path: str) -> None:
    if anchor["title"] is None and anchor["doi"] is None:
        walk.add(path, "needs a title or a doi")
    if isinstance(anchor["doi"], str) and not _names_a_work(anchor["doi"]):
        walk.add(f"{path}.doi", "must be a DOI such as 10.1038/nature14539 or an arXiv id such as 1706.03762")


def _names_a_work(text: str) -> bool:
    try:
        found = parse_identifier(text, titles=False, bare_digits="refuse")
    except InvalidInput:
        return False
    return found.kind in (IdentifierKind.DOI, IdentifierKind.ARXIV)


def _sound(items: Any) -> list[tuple[int, Mapping[str, Any]]]:
    """The items that are objects, with their places."""
    return [] if items is BAD else [(index, each) for index, each in enumerate(items) if each is not BAD]


def plan_of(plan: Mapping[str, Any]) -> Plan:
    """The plan that a sound, walked one is."""
    return Plan(
        brief_summary=plan["brief_summary"],
        domain=plan["domain"],
        sub_criteria=tuple(SubCriterion(**each) for each in plan["sub_criteria"]),
        queries=queries_of(plan["queries"]),
        window=window_of(plan["window"]),
        must_not=tuple(plan["must_not"]),
        anchors=tuple(Anchor(**each) for each in plan["anchors"]),
        round2=queries_of(plan["round2"]),
    )


def queries_of(queries: Sequence[Mapping[str, Any]]) -> tuple[Query, ...]:
    """The queries that sound, walked ones are."""
    return tuple(Query(**each) for each in queries)


def window_of(window: Mapping[str, Any] | None) -> PlanWindow | None:
    """The window that a walked one is; None for one without ends."""
    if window is None or (window["from"] is None and window["to"] is None):
        return None
    return PlanWindow(window["from"], window["to"])
