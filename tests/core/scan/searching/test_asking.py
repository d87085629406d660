"""How a stage asks: one request of a source at a time, patience with what is declined, an end to what is hopeless."""

import logging
from collections import Counter
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from core.deadline import deadline
from core.errors import (
    NotFound,
    PaperdeskError,
    SourceCooling,
    SourceMalformed,
    SourceQueueFull,
    SourceRateLimited,
    SourceTimeout,
    SourceUnreachable,
)
from core.scan.searching.asking import Asked, Asking, Got, gathered
from tests.core.scan.searching.desk import ARXIV, OPENALEX, S2, literature_of, openalex, query, s2, silent
from tests.scripted_upstream import answer
from tests.virtual_time import InstantTime


def failing(kind: type[PaperdeskError], wait_s: float | None = None) -> PaperdeskError:
    if issubclass(kind, SourceRateLimited | SourceUnreachable):
        return kind("It failed.", source="x", retry_after_s=wait_s)
    return kind("It failed.") if kind is NotFound else kind("It failed.", source="x")  # type: ignore[call-arg]


def script(*steps: Any) -> Callable[[], Any]:
    """A call that does the next step each time, the last one for ever."""
    left = list(steps)

    async def call() -> Any:
        step = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(step, Exception):
            raise step
        return step

    return call


async def asked(source: Asked, *steps: Any, most_s: float = 240.0) -> tuple[Got[Any], InstantTime, Asking]:
    time = InstantTime()
    asking = Asking(time.clock, time.sleep)
    with deadline(most_s, time.clock):
        return await asking.ask(source, script(*steps)), time, asking


@pytest.mark.parametrize(
    ("failure", "got"),
    [
        (failing(NotFound), Got()),
        (failing(SourceTimeout), Got(failure="failed")),
        (failing(SourceMalformed), Got(failure="failed")),
        (failing(SourceUnreachable), Got(failure="failed")),
        (failing(SourceRateLimited, 10.0), Got(failure="failed")),
        (failing(SourceRateLimited, 300.0), Got(failure="paced_out")),
    ],
)
async def test_none_failed_and_given_up_are_told_apart(failure: PaperdeskError, got: Got[Any]) -> None:
    found, time, asking = await asked("s2", failure)
    assert (found, time.slept, found.is_absent) == (got, [], got == Got())
    assert asking.answered("s2") is (got == Got())


# scan A76
async def test_what_is_declined_is_tried_again_after_its_estimate() -> None:
    found, time, _ = await asked("s2", failing(SourceQueueFull, 14.0), failing(SourceCooling, 60.0), 7)
    assert (found, time.slept) == (Got(7), [14.0, 60.0])
    found, time, _ = await asked("s2", failing(SourceQueueFull), 7)
    assert (found, time.slept) == (Got(7), [1.0])


# scan A69
@pytest.mark.parametrize("kind", [SourceQueueFull, SourceCooling, SourceRateLimited, SourceUnreachable])
async def test_a_source_whose_estimate_is_past_the_stage_is_given_up_at_once(kind: type[PaperdeskError]) -> None:
    found, time, asking = await asked("openalex", failing(kind, 240.5))
    assert (found, time.slept) == (Got(failure="paced_out"), [])
    assert await asking.ask("openalex", script(7)) == Got(failure="paced_out")
    assert await asking.ask("s2", script(7)) == Got(7)
    assert (asking.asked, asking.failed) == ({"openalex": 2, "s2": 1}, {"openalex": 2})


# scan A76
async def test_arxiv_that_throttles_is_given_up_at_once() -> None:
    found, _, asking = await asked("arxiv", failing(SourceRateLimited))
    assert found == Got(failure="paced_out")
    assert await asking.ask("arxiv", script(7)) == Got(failure="paced_out")


# scan A69
async def test_a_source_that_fails_again_after_its_cool_down_is_given_up() -> None:
    found, time, asking = await asked("s2", failing(SourceCooling, 60.0), failing(SourceUnreachable, 120.0))
    assert (found, time.slept) == (Got(failure="paced_out"), [60.0])
    assert await asking.ask("s2", script(7)) == Got(failure="paced_out")


# scan A69
async def test_nothing_is_begun_when_the_time_is_over() -> None:
    found, _, asking = await asked("s2", 7, most_s=0.0)
    assert (found, asking.asked, asking.failed) == (Got(failure="paced_out"), {"s2": 1}, {"s2": 1})


# scan A76
async def test_a_source_has_one_request_of_a_stage_at_a_time() -> None:
    time, running = InstantTime(), Counter[str]()
    asking, most, order = Asking(time.clock, time.sleep), Counter[str](), []

    async def call(source: Asked, number: int) -> int:
        running[source] += 1
        most[source] = max(most[source], running[source])
        order.append((source, number))
        await anyio.lowlevel.checkpoint()
        running[source] -= 1
        return number

    jobs: list[Any] = [
        (lambda source=source, number=number: asking.ask(source, lambda: call(source, number)))
        for number in range(4)
        for source in ("s2", "openalex")
    ]
    found = await gathered(jobs)
    assert found == [Got(number) for number in range(4) for _ in range(2)]
    assert most == {"s2": 1, "openalex": 1}
    assert [number for source, number in order if source == "s2"] == [0, 1, 2, 3]


# scan A76
async def test_a_wait_in_seconds_is_honoured_and_a_spent_budget_stops_openalex() -> None:
    spent = answer({}, 429, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "7200"})
    async with literature_of(("openalex", "s2")) as on:
        on.world.scripts |= {OPENALEX: spent, f"{S2}/search": [answer({}, 429, {"retry-after": "9"}), s2()]}
        with deadline(240.0, on.desk.time.clock):
            found = await on.retrieve(*(query(f"Q{number}", f"w{number}") for number in range(4)), domain="general")
        assert len(on.asked(OPENALEX)) == 1
        assert (found.tallies["openalex"].failed, found.tallies["openalex"].reason) == (4, "paced_out")
        assert len(on.asked(f"{S2}/search")) == 5
        assert (found.tallies["s2"].failed, 9.0 in on.desk.time.slept) == (0, True)


# scan A76
@pytest.mark.parametrize("throttling", [answer({}, 403), answer({}, 406), answer({}, 429), answer(b"Rate exceeded.")])
async def test_arxiv_is_not_stormed(throttling: Any) -> None:
    async with literature_of() as on:
        on.world.scripts |= silent() | {ARXIV: throttling}
        found = await on.retrieve(*(query(f"Q{number}", f"w{number}") for number in range(4)))
        assert len(on.asked(ARXIV)) == 1
        assert (found.tallies["arxiv"].failed, found.tallies["arxiv"].reason) == (4, "paced_out")


# scan A76
async def test_equal_questions_are_asked_once_a_day_and_all_requests_are_gets() -> None:
    async with literature_of() as on:
        on.world.scripts |= silent()
        first = await on.retrieve(query("Q1"))
        assert len(on.world.asked) == 3
        assert await on.retrieve(query("Q1")) == first
        assert len(on.world.asked) == 3
        on.desk.time.clock.advance(86_401)
        await on.retrieve(query("Q1"))
        assert len(on.world.asked) == 6


async def test_asking_ends_in_time_for_the_stage_to_keep_what_came() -> None:
    async with literature_of(("openalex",)) as on:
        on.world.scripts[OPENALEX] = openalex()
        with deadline(14.0, on.desk.time.clock):
            found = await on.retrieve(query("Q1"), domain="general")
        assert (on.world.asked, found.tallies["openalex"].reason) == ([], "paced_out")


# scan A75
async def test_no_text_of_a_query_is_logged_or_told(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="paperdesk")
    async with literature_of() as on:
        on.world.scripts |= silent() | {f"{S2}/search": answer({}, 500)}
        found = await on.retrieve(query("Q1", "zanzibar quokka"), left=4)
        told = "\n".join([caplog.text, repr(found.events), repr(found.warnings), repr(found.tallies)])
        assert "operation=search" in caplog.text
        assert "zanzibar" not in told and "quokka" not in told
