"""The four calls, each checked as a whole before anything is stored or asked (scan contract 2)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.scan.answers.refusals import Code
from core.scan.checking.plans import check_gap, check_plan, plan_of, queries_of
from core.scan.checking.problems import refuse
from core.scan.checking.ranking import Ranking, entry_of, entry_problems
from core.scan.checking.requests import ContinueRequest, ResultRequest, StartRequest, VerifyRequest
from core.scan.checking.schemas import ARTIFACTS, TOOLS
from core.scan.checking.screening import Screening, score_of, score_problems
from core.scan.checking.walking import BAD, Walk
from core.scan.checking.windows import check_windows, given_window
from core.scan.models import Plan

SLUG_ID_CHARS = 8


@dataclass(frozen=True, slots=True)
class Beside:
    """What is known of the scan while a call is checked, so that one refusal tells all that is wrong with it.

    Each part is None where the scan takes no such artifact now. A call that passes may be checked without it: the
    same rules run again where the artifact is merged.
    """

    screening: Screening | None = None
    gap_plan: Plan | None = None
    ranking: Ranking | None = None


_ALONE = Beside()


def scan_id_of(arguments: object) -> str | None:
    """The usable scan id of a call, or None."""
    given = arguments.get("scan_id") if isinstance(arguments, Mapping) else None
    walked = Walk().value(TOOLS["scan_result"].fields[0].shape, given, "scan_id")
    return None if walked is BAD else walked


def start(arguments: Mapping[str, Any]) -> StartRequest:
    """A checked `scan_start`; raises `Refused` with every problem."""
    walk, given = _walked("scan_start", arguments)
    if given["queries"] is not BAD:
        check_plan(walk, given["queries"], "queries")
    check_windows(walk, given)
    refuse(walk.problems)
    plan = plan_of(given["queries"])
    slug = given["slug"] or f"scan-{given['scan_id'][:SLUG_ID_CHARS]}"
    return StartRequest(**{**_without(given, "queries"), "plan": plan, "slug": slug, "window": given_window(given)})


def proceed(arguments: Mapping[str, Any], beside: Beside = _ALONE) -> ContinueRequest:
    """A checked `scan_continue`; raises `Refused` with every problem, those beside the scan where it is given."""
    walk, given = _walked("scan_continue", arguments)
    sent = [name for name in ARTIFACTS if given[name] is not None]
    if len(sent) > 1:
        for name in sent:
            walk.add("", name, Code.MULTIPLE_ARTIFACTS)
    if isinstance(given["gap_queries"], list):
        # More queries than the round takes are a fault of the gap plan, not of the schema (2.6).
        _recode(walk, "gap_queries", Code.INVALID_GAP_PLAN)
        check_gap(walk, given["gap_queries"], beside.gap_plan)
    if isinstance(given["screen_scores"], list) and beside.screening is not None:
        sound = [score_of(each) for each in given["screen_scores"] if _is_sound(each)]
        is_whole = len(sound) == len(given["screen_scores"])
        walk.problems += score_problems(sound, beside.screening, is_whole=is_whole)
    _check_entries(walk, given, beside)
    refuse(walk.problems)
    return ContinueRequest(
        given["scan_id"],
        screen_scores=_each(given["screen_scores"], score_of),
        gap_queries=None if given["gap_queries"] is None else queries_of(given["gap_queries"]),
        ranked_entries=_each(given["ranked_entries"], entry_of),
    )


def verify(arguments: Mapping[str, Any], beside: Beside = _ALONE) -> VerifyRequest:
    """A checked `scan_verify`; raises `Refused` as `proceed` does."""
    walk, given = _walked("scan_verify", arguments)
    _check_entries(walk, given, beside)
    refuse(walk.problems)
    return VerifyRequest(given["scan_id"], _each(given["ranked_entries"], entry_of))


def result(arguments: Mapping[str, Any]) -> ResultRequest:
    """A checked `scan_result`; raises `Refused` with every problem."""
    walk, given = _walked("scan_result", arguments)
    refuse(walk.problems)
    return ResultRequest(given["scan_id"])


def _walked(tool: str, arguments: object) -> tuple[Walk, dict[str, Any]]:
    walk = Walk()
    given = walk.arguments(TOOLS[tool], arguments if isinstance(arguments, Mapping) else {})
    if given["scan_id"] is BAD:
        _recode(walk, "scan_id", Code.INVALID_SCAN_ID)
    return walk, given


def _recode(walk: Walk, path: str, code: Code) -> None:
    walk.problems = [replace(each, code=code) if each.path == path else each for each in walk.problems]


def _check_entries(walk: Walk, given: Mapping[str, Any], beside: Beside) -> None:
    if isinstance(given["ranked_entries"], list) and beside.ranking is not None:
        sound = [entry_of(each) for each in given["ranked_entries"] if _is_sound(each)]
        walk.problems += entry_problems(sound, beside.ranking)


def _is_sound(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(_is_sound(each) for each in value.values())
    return all(_is_sound(each) for each in value) if isinstance(value, list) else value is not BAD


def _each(given: Any, make: Callable[[Mapping[str, Any]], Any]) -> tuple[Any, ...] | None:
    return None if given is None else tuple(make(each) for each in given)


def _without(given: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in given.items() if key != name}
