"""What the polite client remembers, shares and serves past its life."""

import asyncio
from dataclasses import replace
from typing import Any

import anyio.lowlevel
import pytest

from core.deadline import deadline
from core.errors import (
    NotFound,
    PaperdeskError,
    SourceCooling,
    SourceNotEnabled,
    SourceQueueFull,
    SourceRateLimited,
    SourceTimeout,
    SourceUnreachable,
)
from core.http.remembering import Kind, cache_key
from core.sources.configuration import SourceChoices
from tests.polite_desk import Desk, desk_in
from tests.scripted_upstream import Writer, answer, silence

DAY_S = 86_400
FEED = answer(b"<feed/>")


# references A77
@pytest.mark.parametrize(
    ("kind", "life_s"),
    [(Kind.METADATA, 7 * DAY_S), (Kind.SEARCH, DAY_S), (Kind.TEXT, 30 * DAY_S), (Kind.TEX, 7 * DAY_S)],
)
async def test_an_answer_is_remembered_for_the_life_of_its_kind(desk: Desk, kind: Kind, life_s: float) -> None:
    desk.world.scripts["/a"] = answer({"a": 1})
    first = await desk.get("crossref", kind=kind)
    desk.time.clock.advance(life_s - 1)
    assert await desk.get("crossref", kind=kind) == first
    assert len(desk.world.asked) == 1
    desk.time.clock.advance(1)
    assert await desk.get("crossref", kind=kind) == first
    assert len(desk.world.asked) == 2


# references A77
async def test_what_is_not_found_is_remembered_for_ten_minutes(desk: Desk) -> None:
    with pytest.raises(NotFound) as first:
        await desk.get("crossref")
    desk.time.clock.advance(599)
    with pytest.raises(NotFound, match=str(first.value)):
        await desk.get("crossref")
    assert len(desk.world.asked) == 1
    desk.time.clock.advance(1)
    desk.world.scripts["/a"] = answer({"a": 1})
    assert (await desk.get("crossref")).json() == {"a": 1}


# references A77
@pytest.mark.parametrize("status", [500, 403, 400, 429])
async def test_no_other_failure_is_remembered(desk: Desk, status: int) -> None:
    desk.change("crossref", retries=0)
    desk.world.scripts["/a"] = [answer(b"", status, {"retry-after": "0"}), answer({"a": 1})]
    with pytest.raises(PaperdeskError):
        await desk.get("crossref")
    assert (await desk.get("crossref")).json() == {"a": 1}


# references A77
async def test_a_new_version_of_the_reader_asks_anew(desk: Desk) -> None:
    desk.world.scripts["/a"] = answer({"a": 1})
    await desk.get("crossref")
    desk.change("crossref", version=2)
    await desk.get("crossref")
    assert len(desk.world.asked) == 2


async def test_what_is_not_kept_is_asked_for_each_time(desk: Desk) -> None:
    desk.world.scripts["/a"] = answer({"a": 1})
    for _ in range(2):
        await desk.get("crossref", kind=Kind.UNKEPT)
    assert len(desk.world.asked) == 2
    assert desk.client.counters()["metadata"].entries == 0


async def test_memory_is_bounded_by_bytes(desk: Desk) -> None:
    desk.world.scripts["/a"] = answer(b"x" * 3_000_000)
    for rows in range(20):
        await desk.get("crossref", params={"rows": rows}, want="bytes", kind=Kind.SEARCH)
    held = desk.client.counters()["search"]
    assert (held.entries, held.bytes <= 16 * 1024 * 1024, held.evictions) == (5, True, 15)


# references A68
async def test_a_remembered_answer_past_its_life_is_served_while_its_source_is_left_alone(desk: Desk) -> None:
    desk.world.scripts["/api/query"] = FEED
    asked: dict[str, Any] = {"path": "/api/query", "want": "xml"}
    fresh = await desk.get("arxiv", **asked)
    desk.time.clock.advance(8 * DAY_S)
    desk.world.scripts["/api/query"] = answer(b"", 503)
    first = await desk.get("arxiv", **asked)
    assert first == replace(fresh, stale_age_s=8.0 * DAY_S), "its own request began the cool-down"
    again = await desk.get("arxiv", **asked)
    assert (again.stale, again.body, len(desk.world.asked)) == (True, b"<feed/>", 2)
    with pytest.raises(SourceCooling):
        await desk.get("arxiv", params={"id_list": "2"}, **asked)
    desk.time.clock.advance(28 * DAY_S)
    assert (await desk.get("arxiv", **asked)).stale
    desk.time.clock.advance(DAY_S)
    with pytest.raises(SourceRateLimited):
        await desk.get("arxiv", **asked)


# references A68
async def test_a_fresh_answer_needs_no_source_during_a_cool_down(desk: Desk) -> None:
    desk.world.scripts["/a"] = FEED
    await desk.get("arxiv", want="xml")
    desk.world.scripts["/b"] = answer(b"", 403)
    with pytest.raises(SourceRateLimited):
        await desk.get("arxiv", ("b",), want="xml")
    assert not (await desk.get("arxiv", want="xml")).stale


async def test_an_old_answer_never_hides_a_failure_that_is_no_cool_down(desk: Desk) -> None:
    desk.world.scripts["/a"] = answer({"a": 1})
    await desk.get("crossref")
    desk.time.clock.advance(8 * DAY_S)
    desk.world.scripts["/a"] = answer(b"", 500)
    for _ in range(3):
        with pytest.raises(SourceUnreachable):
            await desk.get("crossref")
    assert (await desk.get("crossref")).stale, "after three failures in a row it is left alone"


async def test_an_old_answer_does_not_stand_in_for_a_full_queue(desk: Desk) -> None:
    desk.world.scripts["/a"] = answer({"a": 1})
    await desk.get("crossref")
    desk.time.clock.advance(8 * DAY_S)
    desk.world.scripts["/a"] = answer({"a": 1})
    with deadline(0.6, desk.time.clock):
        await desk.get("crossref", params={"other": 1})
        with pytest.raises(SourceQueueFull) as caught:
            await desk.get("crossref")
    assert (caught.value.retry_after_s, caught.value.denial and caught.value.denial.reason) == (
        pytest.approx(0.2),
        "rate_limit_window",
    )


class Held:
    """An answer that waits until it is let go."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.came = asyncio.Event()

    def script(self) -> Any:
        async def write(writer: Writer) -> None:
            self.came.set()
            await self.gate.wait()
            await answer({"a": 1})(writer)

        return write


# references A73
async def test_twenty_equal_questions_make_one_request_and_the_first_leaving_harms_nobody(desk: Desk) -> None:
    held = Held()
    desk.world.scripts["/a"] = held.script()
    asked = [asyncio.create_task(desk.get("crossref", caller=str(number))) for number in range(20)]
    await held.came.wait()
    asked[0].cancel()
    await asyncio.gather(asked[0], return_exceptions=True)
    held.gate.set()
    found = await asyncio.gather(*asked[1:])
    assert (len(desk.world.asked), {each.body for each in found}) == (1, {b'{"a": 1}'})


async def test_equal_questions_share_a_failure_once(desk: Desk) -> None:
    held = Held()
    desk.change("crossref", retries=0)

    async def failing(writer: Writer) -> None:
        held.came.set()
        await held.gate.wait()
        await answer(b"", 500)(writer)

    desk.world.scripts["/a"] = [failing, answer({"a": 2})]
    asked = [asyncio.create_task(desk.get("crossref")) for _ in range(5)]
    await held.came.wait()
    held.gate.set()
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(each) for each in found] == [SourceUnreachable] * 5
    assert (await desk.get("crossref")).json() == {"a": 2}
    assert len(desk.world.asked) == 2


async def test_one_who_joins_with_less_time_leaves_earlier(desk: Desk) -> None:
    desk.world.scripts["/a"] = silence
    first = asyncio.create_task(desk.get("crossref"))
    while not desk.world.asked:
        await anyio.lowlevel.checkpoint()
    with deadline(0.55, desk.time.clock), pytest.raises(SourceTimeout):
        await desk.get("crossref")
    assert not first.done()
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    for _ in range(20):
        await anyio.lowlevel.checkpoint()
    assert desk.outcomes == [("crossref", "abandoned")]


# references A76
@pytest.mark.parametrize("name", ["crossref", "arxiv", "openalex", "datacite", "ncbi", "unpaywall", "ar5iv"])
async def test_hosted_without_a_contact_no_source_is_asked(name: str) -> None:
    async with desk_in(SourceChoices()) as desk:
        with pytest.raises(SourceNotEnabled) as caught:
            await desk.get(name)
        assert caught.value.required_env == "PAPERDESK_CONTACT_EMAIL"
        assert caught.value.denial is not None
        assert (caught.value.denial.reason, caught.value.denial.source) == ("capability_not_granted", name)
        assert (desk.world.asked, desk.world.resolved) == ([], [])


# references A77
def test_a_key_depends_on_all_that_makes_an_answer_and_holds_nothing_of_it() -> None:
    keys = [
        cache_key("crossref", 1, "json", "https://a.org/10.1"),
        cache_key("datacite", 1, "json", "https://a.org/10.1"),
        cache_key("crossref", 2, "json", "https://a.org/10.1"),
        cache_key("crossref", 1, "xml", "https://a.org/10.1"),
        cache_key("crossref", 1, "json", "https://a.org/10.2"),
    ]
    assert len(set(keys)) == 5
    assert {len(key) for key in keys} == {16}
