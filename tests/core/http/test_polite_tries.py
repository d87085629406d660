"""What the polite client does when a source fails: what it is called, how often it asks, and how long it waits."""

import gzip
from typing import Any

import anyio.lowlevel
import pytest

from core.deadline import deadline
from core.errors import (
    Denial,
    NotFound,
    PaperdeskError,
    SourceCooling,
    SourceDenied,
    SourceMalformed,
    SourceMismatch,
    SourceQueueFull,
    SourceRateLimited,
    SourceTimeout,
    SourceTooLarge,
    SourceUnreachable,
)
from core.http.client import Bounds, Timeouts
from core.http.judging import schema_drift
from core.http.remembering import Kind
from core.http.rules import Pace
from core.sources.configuration import SourceChoices
from tests.polite_desk import Desk, desk_in
from tests.scripted_upstream import Behaviour, Writer, answer, drip, hang_up, silence

DATE = "Tue, 14 Nov 2023 22:13:20 GMT"
LATER = "Tue, 14 Nov 2023 22:13:22 GMT"
GOOD = answer({"good": 1})


async def failure_of(desk: Desk, name: str = "datacite", **more: Any) -> PaperdeskError:
    with pytest.raises(PaperdeskError) as caught:
        await desk.get(name, **more)
    return caught.value


# references A66
@pytest.mark.parametrize("headers", [{"retry-after": "2"}, {"retry-after": LATER, "date": DATE}])
@pytest.mark.parametrize("status", [429, 503])
async def test_a_source_is_asked_again_after_the_wait_that_it_names(
    desk: Desk, headers: dict[str, str], status: int
) -> None:
    desk.world.scripts["/a"] = [answer(b"", status, headers), GOOD]
    assert (await desk.get("datacite")).json() == {"good": 1}
    assert sum(desk.time.slept) == pytest.approx(2)
    assert desk.world.calls() == {"api.datacite.org/a": 2}


@pytest.mark.parametrize(("status", "pause_s"), [(429, 2), (503, 0)])
async def test_while_one_waits_because_its_source_asked_for_it_nobody_else_starts(
    desk: Desk, status: int, pause_s: float
) -> None:
    pauses = []

    def look() -> None:
        state, moment = desk.store.change_now("datacite", lambda state, moment: (state, moment))
        pauses.append(max(state.paused_until_s - moment.now_s, 0))

    desk.time.meanwhile = look
    desk.world.scripts["/a"] = [answer(b"", status, {"retry-after": "2"}), GOOD]
    await desk.get("datacite")
    assert pauses == [pytest.approx(pause_s)]


async def test_a_group_that_closes_between_two_tries_leaves_the_first_failure_to_be_told(desk: Desk) -> None:
    def close() -> None:
        desk.store.change_now("datacite", lambda state, moment: setattr(state, "cool_until_s", moment.now_s + 60))

    desk.time.meanwhile = close
    desk.world.scripts["/a"] = answer(b"", 500)
    assert type(await failure_of(desk)) is SourceUnreachable
    assert len(desk.world.asked) == 1


async def test_a_day_that_is_spent_ends_a_redirect_too(desk: Desk) -> None:
    desk.change("datacite", paces=(Pace("datacite", 0.3, 2, a_day=1),))
    desk.world.scripts["/a"] = answer(b"", 302, {"location": "/b"})
    failure = await failure_of(desk)
    assert isinstance(failure, SourceQueueFull)
    assert failure.denial == Denial("rate_limit_window", "datacite", cap=1, actual=1)
    assert failure.retry_after_s == pytest.approx(86_400 - 1_700_000_000 % 86_400)
    assert desk.world.calls() == {"api.datacite.org/a": 1}


async def test_no_time_is_left_for_a_try_that_the_queue_held_up(desk: Desk) -> None:
    desk.world.scripts["/a"] = answer(b"", 500)
    with deadline(1.3, desk.time.clock):
        # 0.75 s are waited, and 0.05 s would be left.
        desk.time.meanwhile = lambda: desk.time.clock.advance(0.06)
        assert type(await failure_of(desk)) is SourceTimeout
    assert len(desk.world.asked) == 1


async def test_a_missing_field_is_named_by_our_own_word(desk: Desk) -> None:
    failure = schema_drift(desk.sources["openalex"], "results")
    assert failure.denial == Denial("schema_drift", "openalex", attempted="results")
    assert "results" in failure.message


# references A66
async def test_a_wait_of_an_hour_is_reported_and_not_waited_for(desk: Desk) -> None:
    desk.world.scripts["/a"] = answer(b"", 429, {"retry-after": "3600"})
    failure = await failure_of(desk)
    assert isinstance(failure, SourceRateLimited)
    assert (type(failure), failure.retry_after_s, failure.denial) == (SourceRateLimited, 3600, None)
    assert (len(desk.world.asked), desk.time.slept) == (1, [])
    second = await failure_of(desk)
    assert isinstance(second, SourceCooling)
    assert (second.retry_after_s, second.denial) == (900, Denial("rate_limit_window", "datacite"))
    assert len(desk.world.asked) == 1


# references A67
async def test_429_and_then_200_succeeds_after_half_a_second_and_some(desk: Desk) -> None:
    desk.world.scripts["/a"] = [answer(b"", 429), answer(b"", 429), GOOD]
    assert (await desk.get("datacite")).json() == {"good": 1}
    assert sum(desk.time.slept) == pytest.approx(0.75 + 1.25)


# references A67
@pytest.mark.parametrize(
    ("behaviour", "failure", "calls"),
    [
        (answer(b"SECRET", 400), SourceMalformed, 1),
        (answer(b"SECRET", 401), SourceDenied, 1),
        (answer(b"SECRET", 403), SourceDenied, 1),
        (answer(b"SECRET", 404), NotFound, 1),
        (answer(b"SECRET", 408), SourceUnreachable, 3),
        (answer(b"SECRET", 410), NotFound, 1),
        (answer(b"SECRET", 418), SourceMalformed, 1),
        (answer(b"SECRET", 422), SourceMalformed, 1),
        (answer(b"SECRET", 451), NotFound, 1),
        (answer(b"SECRET", 429), SourceRateLimited, 3),
        (answer(b"SECRET", 500), SourceUnreachable, 3),
        (answer(b"SECRET", 501), SourceUnreachable, 1),
        (answer(b"SECRET", 502), SourceUnreachable, 3),
        (answer(b"SECRET", 503), SourceUnreachable, 3),
        (answer(b"SECRET", 504), SourceUnreachable, 3),
        (hang_up, SourceUnreachable, 3),
        (answer(b"{", length=50), SourceUnreachable, 3),
        (answer(gzip.compress(b"{}" * 99)[:-9], headers={"content-encoding": "gzip"}), SourceUnreachable, 3),
        (answer(b"SECRET", headers={"content-encoding": "br"}), SourceMalformed, 1),
        (answer(b"{SECRET"), SourceMalformed, 1),
        (answer(b""), SourceMalformed, 1),
        (answer(b" \n<!DOCTYPE html><title>SECRET"), SourceMismatch, 1),
    ],
)
async def test_each_failure_has_one_name_and_is_tried_again_only_if_it_may_pass(
    desk: Desk, behaviour: Behaviour, failure: type[PaperdeskError], calls: int
) -> None:
    desk.world.scripts["/a"] = behaviour
    caught = await failure_of(desk)
    assert (type(caught), len(desk.world.asked)) == (failure, calls)
    assert "SECRET" not in f"{caught!r} {vars(caught)}"


async def test_a_failed_connection_is_tried_again(desk: Desk) -> None:
    desk.world.names["api.datacite.org"] = [["93.184.216.1"], ["93.184.216.34"]]
    desk.world.dead.add("93.184.216.1")
    desk.world.scripts["/a"] = GOOD
    await desk.get("datacite")
    assert desk.outcomes == [("datacite", "failed"), ("datacite", "ok")]


# references A67
async def test_the_arxiv_api_is_tried_once_and_a_local_source_four_times() -> None:
    async with desk_in(SourceChoices(is_hosted=False)) as desk:
        desk.world.scripts["/a"] = answer(b"", 500)
        await failure_of(desk, "arxiv", want="xml")
        await failure_of(desk, "datacite")
        assert desk.world.calls() == {"export.arxiv.org/a": 1, "api.datacite.org/a": 4}


@pytest.mark.parametrize("behaviour", [silence, drip])
async def test_an_answer_that_does_not_come_or_does_not_end_is_a_timeout(desk: Desk, behaviour: Behaviour) -> None:
    desk.change("datacite", timeouts=Timeouts(1, 0.05, 0.2), retries=1)
    desk.world.scripts["/a"] = behaviour
    assert type(await failure_of(desk)) is SourceTimeout
    assert desk.outcomes == [("datacite", "timeout")] * 2


async def test_a_call_with_too_little_time_left_asks_nothing(desk: Desk) -> None:
    with deadline(10, desk.time.clock):
        desk.time.clock.advance(9.5)
        assert type(await failure_of(desk)) is SourceTimeout
    assert desk.world.asked == []


async def test_a_wait_past_the_deadline_is_not_begun(desk: Desk) -> None:
    desk.world.scripts["/a"] = answer(b"", 503, {"retry-after": "20"})
    with deadline(20, desk.time.clock):
        failure = await failure_of(desk)
    assert isinstance(failure, SourceUnreachable)
    assert (failure.retry_after_s, len(desk.world.asked)) == (20, 1)


async def test_a_call_that_runs_out_of_time_says_nothing_bad_about_its_source(desk: Desk) -> None:
    desk.world.scripts["/a"] = silence
    for _ in range(4):
        with deadline(0.52, desk.time.clock):
            assert type(await failure_of(desk)) is SourceTimeout
        desk.time.clock.advance(1)
    desk.world.scripts["/a"] = GOOD
    await desk.get("datacite")


async def test_neither_does_one_whose_request_was_cut_to_the_time_of_another(desk: Desk) -> None:
    desk.world.scripts["/a"] = silence

    async def hasty() -> None:
        with deadline(0.55, desk.time.clock), pytest.raises(SourceTimeout):
            await desk.get("datacite")

    for _ in range(4):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(hasty)
            await anyio.lowlevel.checkpoint()
            assert type(await failure_of(desk)) is SourceTimeout
        desk.time.clock.advance(1)
    desk.world.scripts["/a"] = GOOD
    await desk.get("datacite")


# references A68
@pytest.mark.parametrize(
    ("behaviour", "cool_s"),
    [
        (answer(b"", 406), 60),
        (answer(b"", 403), 900),
        (answer(b"", 403, {"retry-after": "5"}), 900),
        (answer(b"", 503), 60),
        (answer(b"", 429, {"retry-after": "120"}), 120),
        (answer(b"Rate exceeded."), 60),
    ],
)
async def test_arxiv_asking_to_slow_down_is_left_alone_by_all_that_share_its_servers(
    desk: Desk, behaviour: Behaviour, cool_s: float
) -> None:
    desk.world.scripts["/api/query"] = behaviour
    failure = await failure_of(desk, "arxiv", path="/api/query", want="xml")
    assert isinstance(failure, SourceRateLimited)
    assert (type(failure), failure.retry_after_s) == (SourceRateLimited, cool_s)
    before_s = desk.time.clock.monotonic_s()
    for name in ("arxiv", "arxiv-html", "arxiv-src", "ar5iv"):
        again = await failure_of(desk, name, path="/b", want="bytes")
        assert isinstance(again, SourceCooling)
        assert (again.source, round(again.retry_after_s or 0, 3)) == (name, cool_s)
    assert (len(desk.world.asked), desk.time.clock.monotonic_s() - before_s) == (1, 0)
    desk.time.clock.advance(cool_s)
    desk.world.scripts["/b"] = answer(b"<html>")
    await desk.get("ar5iv", "/b", want="html")


async def test_a_third_failure_in_a_row_is_followed_by_a_minute_of_peace(desk: Desk) -> None:
    desk.world.scripts["/a"] = answer(b"", 500)
    for _ in range(3):
        assert type(await failure_of(desk)) is SourceUnreachable
    assert type(await failure_of(desk)) is SourceCooling
    assert len(desk.world.asked) == 9


# references A69
@pytest.mark.parametrize(
    ("status", "headers", "calls", "wait_s"),
    [
        (429, {"x-ratelimit-remaining": "5"}, 3, 60),
        (429, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "5000"}, 1, 5_000),
        (429, {"x-ratelimit-reset": "5000"}, 1, 5_000),
        (429, {}, 1, 86_400 - 1_700_000_000 % 86_400),
        (429, {"x-ratelimit-remaining": "0", "retry-after": "1"}, 1, 86_400 - 1_700_000_000 % 86_400),
        (403, {"x-ratelimit-limit": "10"}, 1, 86_400 - 1_700_000_000 % 86_400),
        (403, {"x-ratelimit-remaining": "5"}, 1, 60),
    ],
)
async def test_openalex_is_asked_again_after_a_burst_and_not_before_the_reset_of_a_spent_budget(
    desk: Desk, status: int, headers: dict[str, str], calls: int, wait_s: float
) -> None:
    desk.world.scripts["/works/W1"] = answer(b"{}", status, headers)
    failure = await failure_of(desk, "openalex", path="/works/W1")
    assert isinstance(failure, SourceRateLimited)
    assert (failure.retry_after_s, len(desk.world.asked)) == (wait_s, calls)
    desk.time.clock.advance(wait_s - 1)
    assert type(await failure_of(desk, "openalex", path="/works/W1")) is SourceCooling
    desk.time.clock.advance(1)
    desk.world.scripts["/works/W1"] = GOOD
    await desk.get("openalex", "/works/W1")


@pytest.mark.parametrize(
    ("status", "headers", "failure"),
    [
        (403, {}, SourceMalformed),
        (403, {"x-ratelimit-limit": "10"}, SourceMalformed),
        (400, {}, SourceMalformed),
    ],
)
async def test_openalex_speaking_of_query_parameters_is_our_own_mistake(
    desk: Desk, status: int, headers: dict[str, str], failure: type[PaperdeskError]
) -> None:
    desk.world.scripts["/a"] = answer({"error": "Invalid query parameters error."}, status, headers)
    assert type(await failure_of(desk, "openalex")) is failure


@pytest.mark.parametrize("status", [200, 429])
async def test_ncbi_saying_in_words_that_it_is_too_much_is_throttling(desk: Desk, status: int) -> None:
    desk.world.scripts["/entrez/eutils/a"] = [answer({"error": "API rate limit exceeded", "count": "4"}, status), GOOD]
    await desk.get("ncbi")
    assert len(desk.world.asked) == 2


async def test_unpaywall_refusing_an_address_denies_us(desk: Desk) -> None:
    desk.world.scripts["/a"] = answer({}, 422)
    assert type(await failure_of(desk, "unpaywall")) is SourceDenied


async def test_crossref_may_ask_for_a_slower_pace(desk: Desk) -> None:
    headers = {"x-rate-limit-limit": "2", "x-rate-limit-interval": "1s", "x-concurrency-limit": "1"}
    desk.world.scripts["/a"] = answer({}, headers=headers)
    for rows in range(3):
        await desk.get("crossref", params={"rows": rows})
    assert sum(desk.time.slept) == pytest.approx(1)


async def test_lists_of_crossref_are_paced_slower_than_single_records(desk: Desk) -> None:
    desk.world.scripts["/a"] = GOOD
    for rows in range(3):
        await desk.get("crossref", params={"rows": rows}, lane="list")
    assert sum(desk.time.slept) == pytest.approx(0.8)


async def test_a_status_that_the_reader_takes_is_an_answer_and_is_not_remembered(desk: Desk) -> None:
    desk.world.scripts["/a"] = answer(b"why", 400)
    for _ in range(2):
        found = await desk.get("crossref", takes=frozenset({400}))
        assert (found.status, found.body) == (400, b"why")
    assert len(desk.world.asked) == 2


# references A74
@pytest.mark.parametrize(
    ("behaviour", "cap", "actual"),
    [
        (answer(b"x", length=2_000), 1_000, 2_000),
        (answer(gzip.compress(b"0" * 50_000_000), headers={"content-encoding": "gzip"}, length=999), 5_000, 5_001),
    ],
)
async def test_a_body_over_its_bound_is_cut_off_by_header_and_unpacked(
    desk: Desk, behaviour: Behaviour, cap: int, actual: int
) -> None:
    desk.change("datacite", bounds=Bounds(1_000, 5_000))
    desk.world.scripts["/a"] = behaviour
    failure = await failure_of(desk)
    assert isinstance(failure, SourceTooLarge)
    assert failure.denial == Denial("size_cap_exceeded", "datacite", cap=cap, actual=actual)
    assert desk.outcomes == [("datacite", "malformed")]


# references A74
async def test_an_endless_body_is_cut_off_while_it_streams(desk: Desk) -> None:
    written: list[int] = []

    async def endless(writer: Writer) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(b"x" * 10_000)
            written.append(10_000)
            await writer.drain()

    desk.world.scripts["/a"] = endless
    failure = await failure_of(desk, max_body_bytes=100_000)
    assert isinstance(failure, SourceTooLarge)
    denial = failure.denial
    assert denial is not None
    assert (denial.reason, denial.cap) == ("size_cap_exceeded", 100_000)
    assert denial.actual is not None
    assert 100_000 < denial.actual < 300_000
    assert sum(written) < 20_000_000


@pytest.mark.parametrize("given", [2_000, None])
async def test_a_caller_may_only_lower_the_bound(desk: Desk, given: int | None) -> None:
    desk.change("datacite", bounds=Bounds(1_000))
    desk.world.scripts["/a"] = answer(b"x" * 1_001)
    failure = await failure_of(desk, want="bytes", max_body_bytes=given)
    assert isinstance(failure, SourceTooLarge)


async def test_a_refusal_may_be_as_long_as_it_likes(desk: Desk) -> None:
    desk.world.scripts["/a"] = answer(b"x" * 20_000_000, 404)
    assert type(await failure_of(desk)) is NotFound


@pytest.mark.parametrize(
    ("want", "body", "status", "attempted"),
    [
        ("json", b"\xef\xbb\xbf <HTML>", 200, "efbbbf203c"),
        ("xml", b"<!doctype HTML>", 200, "3c21646f63"),
        ("html", b"%PDF-1.7", 200, "255044462d"),
        ("pdf", b"<html>", 200, "3c68746d6c"),
        ("pdf", b"", 200, ""),
        ("pdf", b"%PDF-1.7", 202, "255044462d"),
        ("pdf", b" " * 1_020 + b"%PDF-1.7", 200, "2020202020"),
        ("bytes", b"", 200, ""),
    ],
)
async def test_another_kind_than_was_asked_for_is_named_by_its_first_bytes(
    desk: Desk, want: str, body: bytes, status: int, attempted: str
) -> None:
    desk.world.scripts["/a"] = answer(body, status)
    failure = await failure_of(desk, want=want)
    expected = {"pdf": "%PDF-"}.get(want, want)
    assert isinstance(failure, SourceMismatch)
    assert failure.denial == Denial("content_type_mismatch", "datacite", attempted=attempted, expected=(expected,))
    assert len(desk.world.asked) == 1


@pytest.mark.parametrize(
    ("want", "body"),
    [
        ("json", b'\xef\xbb\xbf{"a": 1}'),
        ("xml", b"<feed><entry/></feed>"),
        ("html", b"\xef\xbb\xbf\n<!DOCTYPE html><p>"),
        ("pdf", b"\xef\xbb\xbf \r\n%PDF-1.4"),
        ("bytes", b"\x1f\x8b"),
    ],
)
async def test_what_was_asked_for_is_taken_as_it_is(desk: Desk, want: str, body: bytes) -> None:
    desk.world.scripts["/a"] = answer(body)
    assert (await desk.get("datacite", want=want)).body == body


@pytest.mark.parametrize(
    "body",
    [
        b"<feed>",
        b'<!DOCTYPE feed [<!ENTITY a "b">]><feed>&a;</feed>',
        b'<!DOCTYPE feed SYSTEM "file:///etc/passwd"><feed/>',
        b'<?xml version="1.0" encoding="x-none"?><feed/>',
        b"plain",
    ],
)
async def test_xml_that_does_not_parse_or_brings_a_dtd_is_unreadable(desk: Desk, body: bytes) -> None:
    desk.world.scripts["/a"] = answer(body)
    assert type(await failure_of(desk, want="xml")) is SourceMalformed


async def test_parsed_forms_are_those_of_the_body(desk: Desk) -> None:
    desk.world.scripts["/a"] = answer(b"<feed><id>7</id></feed>")
    found = await desk.get("datacite", want="xml", kind=Kind.SEARCH)
    assert found.xml().findtext("id") == "7"
