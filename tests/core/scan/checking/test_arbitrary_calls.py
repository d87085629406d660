"""Nothing that JSON can say does more than be refused."""

from collections.abc import Callable
from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from core.scan.answers.envelope import ENVELOPE_KEYS, received_id, refusal
from core.scan.answers.refusals import Refused
from core.scan.checking import Beside, Ranking, Screening, fingerprints, proceed, result, start, verify
from core.scan.models import Batch, Candidate, FoundWork, Pool, Shortlist, Shortlisted
from tests.core.scan.sent import SCAN_ID, sent_entry, sent_gap, sent_plan, sent_score, sent_start

ANY_TEXT = st.text(st.characters(codec=None), max_size=8) | st.sampled_from(["scan_id", "c1", "1", "[]", "{}", "null"])
ANY_JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=8,
)
PLAN = start(sent_start()).plan
WORK = Candidate("0" * 12, FoundWork("A work"))
POOL = Pool((WORK,))
BESIDE = Beside(
    Screening(POOL, (Batch("01", (WORK.cid,)),), {}, PLAN),
    PLAN,
    Ranking(Shortlist((Shortlisted(WORK, 2),)), POOL, PLAN),
)
SOUND = {
    "start": sent_start(
        queries=sent_plan(window={"from": "2024-01"}, anchors=[{"doi": "10.1/x"}], round2=[sent_gap()])
    ),
    "scores": {"scan_id": SCAN_ID, "screen_scores": [sent_score(criteria_hit=["c1"])]},
    "gap": {"scan_id": SCAN_ID, "gap_queries": [sent_gap()]},
    "entries": {"scan_id": SCAN_ID, "ranked_entries": [sent_entry(flags={"review": True}, relation="contradicting")]},
}
CALLS: list[tuple[Callable[[Any], Any], str]] = [
    (start, "start"),
    (lambda arguments: proceed(arguments, BESIDE), "scores"),
    (lambda arguments: proceed(arguments, BESIDE), "gap"),
    (lambda arguments: proceed(arguments, BESIDE), "entries"),
    (lambda arguments: verify(arguments, BESIDE), "entries"),
    (result, "entries"),
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of each value inside a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, each in inner for place in places(each, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The value with another one at a path."""
    if not path:
        return new
    if isinstance(value, dict):
        return {**value, path[0]: replaced(value[path[0]], path[1:], new)}
    return [replaced(each, path[1:], new) if index == path[0] else each for index, each in enumerate(value)]


def checked(call: Callable[[Any], Any], arguments: Any) -> Any:
    """What a call is taken as; None where it is refused, with an answer that can be written."""
    try:
        return call(arguments)
    except Refused as refusal_:
        answer = refusal(received_id(arguments), refusal_)
        assert tuple(orjson.loads(orjson.dumps(answer.json()))) == ENVELOPE_KEYS
        assert answer.payload["recovery"] in ("fix_and_resend", "follow_next_action")
        assert 1 <= len(answer.payload["errors"]) <= 51
        assert answer.size_bytes() < 36_000
        return None


@given(ANY_JSON, st.sampled_from(CALLS))
@settings(max_examples=150)
def test_arbitrary_arguments_are_refused_and_nothing_else_is_raised(arguments: Any, call: Any) -> None:
    # scan A2 scan A3
    assert checked(call[0], arguments) is None


@given(st.sampled_from(CALLS), st.integers(0, 999), ANY_JSON, st.booleans())
@settings(max_examples=200)
def test_a_sound_call_with_one_place_changed_is_refused_or_keeps_the_rules(
    call: Any, place: int, new: Any, as_key: bool
) -> None:
    # scan A2 scan A3
    sound = SOUND[call[1]]
    paths = places(sound)
    path = paths[place % len(paths)]
    held = sound
    for key in path:
        held = held[key]
    if as_key and isinstance(held, dict):
        new = {**held, "".join(map(str, [new]))[:9]: new}
    taken = checked(call[0], replaced(sound, path, new))
    if taken is not None and call[0] is start:
        assert (1 <= taken.top <= 50, 0 <= taken.foundational <= 50) == (True, True)
        assert (6 <= len(taken.plan.queries) <= 8, 3 <= len(taken.plan.sub_criteria) <= 6) == (True, True)
        assert len(fingerprints(taken, b"secret")) == 11
