"""A fetch that just failed is not asked again (references contract, section 1.8)."""

import pytest

from core.clock import ManualClock
from core.http.pacing.shared import open_client
from core.identifiers import parse
from core.references.repeat import Failure, MemoryRepeats, Question, Replay
from core.references.shared_repeat import SharedRepeats

ASKED = Question.about(parse("10.1234/abc", titles=False, bare_digits="refuse"), "fetch", "f1")
MISSING = Failure("NOT_FOUND", "terminal", "No such paper.", details={"attempts": None})
DOWN = Failure("NETWORK_ERROR", "retry_after", "Crossref did not answer.")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def repeats(clock: ManualClock) -> MemoryRepeats:
    return MemoryRepeats(clock)


# references A49
@pytest.mark.parametrize(
    ("failure", "window_s", "code", "retry_after_s"),
    [
        (MISSING, 600, "NOT_FOUND", None),
        (Failure("CAPABILITY_DENIED", "needs_config", "Off."), 600, "CAPABILITY_DENIED", None),
        (DOWN, 30, "RATE_LIMITED", 1.0),
        (Failure("NETWORK_ERROR", "retry_after", "Later.", retry_after_s=8), 8, "RATE_LIMITED", 1.0),
        (Failure("RATE_LIMITED", "retry_after", "Later.", retry_after_s=3_600), 30, "RATE_LIMITED", 1.0),
    ],
)
async def test_a_failure_stands_for_its_window(
    repeats: MemoryRepeats,
    clock: ManualClock,
    failure: Failure,
    window_s: float,
    code: str,
    retry_after_s: float | None,
) -> None:
    assert await repeats.find(ASKED) is None
    await repeats.failed(ASKED, failure)
    clock.advance(window_s - 1)
    found = await repeats.find(ASKED)
    assert found == Replay(failure, 1.0)
    assert (found.code, found.retry_after_s) == (code, retry_after_s)
    clock.advance(1)
    assert await repeats.find(ASKED) is None


# references A49
async def test_a_replay_and_the_same_code_again_keep_the_first_time_and_another_code_begins_anew(
    repeats: MemoryRepeats, clock: ManualClock
) -> None:
    await repeats.failed(ASKED, MISSING)
    clock.advance(400)
    await repeats.find(ASKED)
    await repeats.failed(ASKED, MISSING)
    assert await repeats.find(ASKED) == Replay(MISSING, 200.0)
    await repeats.failed(ASKED, DOWN)
    assert await repeats.find(ASKED) == Replay(DOWN, 30.0)


# references A49
async def test_a_success_and_a_changed_fingerprint_lift_it(repeats: MemoryRepeats) -> None:
    await repeats.failed(ASKED, MISSING)
    assert await repeats.find(Question(ASKED.key, None, "fetch", "f2")) is None
    assert await repeats.find(Question(ASKED.key, "v2", "fetch", "f1")) is None
    assert await repeats.find(Question(ASKED.key, None, "other", "f1")) is None
    await repeats.succeeded(ASKED)
    assert await repeats.find(ASKED) is None


# references A49
async def test_the_eleventh_forced_call_within_an_hour_has_to_wait(repeats: MemoryRepeats, clock: ManualClock) -> None:
    for _ in range(10):
        assert await repeats.force("a") == 0.0
        clock.advance(60)
    assert await repeats.force("a") == 3_000.0
    assert await repeats.force("b") == 0.0
    clock.advance(3_000)
    assert await repeats.force("a") == 0.0
    assert await repeats.force("a") == 60.0


async def test_a_wait_that_is_over_is_not_remembered_and_the_oldest_entries_give_way(clock: ManualClock) -> None:
    repeats = MemoryRepeats(clock, kept_max=2, clients_max=1)
    await repeats.failed(ASKED, Failure("NETWORK_ERROR", "retry_after", "Now.", retry_after_s=0))
    assert await repeats.find(ASKED) is None
    asked = [Question(f"doi:10.1234/{number}", None, "fetch", "f1") for number in range(3)]
    for question in asked:
        await repeats.failed(question, MISSING)
    assert [await repeats.find(question) is not None for question in asked] == [False, True, True]


async def test_each_process_remembers_for_itself_while_the_shared_store_is_down(
    clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    shared = SharedRepeats(open_client("redis://127.0.0.1:1/0", limit_s=5), clock, limit_s=5)
    await shared.failed(ASKED, MISSING)
    assert await shared.find(ASKED) == Replay(MISSING, 600.0)
    assert shared.errors == 1
    clock.advance(5)
    assert await shared.force("a") == 0.0
    assert shared.errors == 2
    await shared.succeeded(ASKED)
    assert await shared.find(ASKED) is None
    assert caplog.messages == ["repeat_store=down error=ConnectionError"] * 2
    await shared.aclose()
