"""Identity and limits as a caller meets them: statuses, bodies and headers."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import httpx
import orjson
import pytest
from counted_desk import BODY_BYTES_MAX, PEER, PROXY, Desk, desk
from starlette.types import Message

from server.body import ClientLeft
from server.exchange import exchange_of
from server.limits.budgets import WINDOWS
from server.limits.key_file import read_keys, write_keys
from server.limits.keys import new_key
from server.middleware.identity import Identity
from server.middleware.limits import Limits
from server.registry import BoundToolset, BudgetUse, Tool, Toolset
from server.toolsets.catalog import TOOLSET

pytestmark = pytest.mark.anyio

NOTIFICATION = {"jsonrpc": "2.0", "method": "notifications/initialized"}
WAIT = {"jsonrpc": "2.0", "id": 1, "method": "wait"}
SEMANTIC = "catalog_semantic_per_minute"


def search(**arguments: Any) -> dict[str, Any]:
    params = {"name": "search_papers", "arguments": {"query": "x", **arguments}}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def rate(answer: httpx.Response) -> tuple[str | None, ...]:
    return tuple(answer.headers.get(f"ratelimit-{name}") for name in ("limit", "remaining", "reset"))


def refused(answer: httpx.Response) -> tuple[int, Any, Any, Any, str | None]:
    body = answer.json()
    assert body.get("retry_after_s") in (None, int(answer.headers["retry-after"]))
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    return answer.status_code, body["error"], body.get("budget"), body.get("limit"), answer.headers["retry-after"]


async def statuses(made: Desk, count: int, body: Any = None, **headers: Any) -> list[int]:
    return [(await made.post(body, **headers)).status_code for _ in range(count)]


async def test_the_sixty_first_post_is_429_and_says_when_it_would_pass() -> None:
    # hosting A55, A61
    made = desk()
    told = []
    for number in range(60):
        answer = await made.post(NOTIFICATION if number % 2 else None)
        told.append((answer.status_code, *rate(answer)))
        made.clock.advance(0.25)
    assert told[:2] == [(200, "60", "59", "60"), (202, "60", "58", "60")]
    assert [int(remaining or -1) for _, _, remaining, _ in told] == list(range(59, -1, -1))
    answer = await made.post()
    assert refused(answer) == (429, "rate_limit_exceeded", "per_minute", 60, "45")
    assert rate(answer) == ("60", "0", "45")
    assert answer.json()["message"] == (
        "Your budget per_minute of 60 is used up; send the request again in 45 seconds."
    )
    made.clock.advance(44.9)
    assert refused(await made.post())[4] == "1"
    made.clock.advance(0.1)
    assert (await made.post()).status_code == 200


async def test_two_callers_never_share_a_budget() -> None:
    made = desk(limits={"per_minute": 1})
    assert await statuses(made, 2) == [200, 429]
    assert await statuses(made, 2, peer="203.0.113.10") == [200, 429]


@pytest.mark.parametrize(
    "mode", ["left out", None, "", "hybrid", "semantic", "bogus", "KEYWORD", " keyword", 5, ["keyword"]]
)
async def test_the_eleventh_search_by_meaning_is_429(mode: Any) -> None:
    # hosting A56
    made = desk()
    body = search() if mode == "left out" else search(mode=mode)
    answers = [await made.post(body, Mcp_Name="list_papers") for _ in range(11)]
    assert [answer.status_code for answer in answers] == [200] * 10 + [429]
    # An answer tells of the budget with the least left.
    assert [rate(answer)[:2] for answer in (answers[0], answers[9])] == [("10", "9"), ("10", "0")]
    assert refused(answers[10]) == (429, "rate_limit_exceeded", SEMANTIC, 10, "60")
    assert rate(answers[10]) == ("10", "0", "60")
    assert [exchange.budget for exchange in made.exchanges[9:]] == ["-", SEMANTIC]
    # The refused one took no token of the window either.
    assert rate(await made.post()) == ("60", "49", "60")


async def test_sixty_searches_by_words_pass() -> None:
    # hosting A56
    made = desk()
    assert await statuses(made, 61, search(mode="keyword")) == [200] * 60 + [429]


async def test_the_last_of_doubled_members_decides() -> None:
    # hosting A29
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_papers","arguments":{%s}}}'
    made = desk(limits={SEMANTIC: 1})
    words_last = body % b'"mode":"semantic","mode":"keyword"'
    assert await statuses(made, 3, words_last) == [200] * 3
    meaning_last = body % b'"mode":"keyword","mode":"semantic"'
    assert await statuses(made, 2, meaning_last) == [200, 429]


def test_a_tool_draws_on_what_its_toolset_says() -> None:
    # hosting A56
    made = desk()
    assert made.bound.budgets_of("search_papers", {"mode": "keyword"}) == ()
    assert made.bound.budgets_of("search_papers", {"mode": "semantic"}) == (SEMANTIC,)
    assert made.bound.budgets_of("search_papers", None) == (SEMANTIC,)
    assert made.bound.budgets_of("list_papers", {}) == made.bound.budgets_of("nope", {}) == ()
    used = {use.budget for tool in TOOLSET.tools for use in tool.budgets}
    assert used <= set(WINDOWS)


def test_a_budget_use_that_names_no_parameter_or_is_doubled_is_an_error() -> None:
    search_papers = TOOLSET.tools[0].function
    for budgets, problem in (
        ((BudgetUse(SEMANTIC, unless=("mood", "keyword")),), "search_papers: budgets go by no parameter: mood"),
        ((BudgetUse(SEMANTIC), BudgetUse(SEMANTIC)), "search_papers: a budget is named twice"),
    ):
        tool = Tool(search_papers, title="x", budgets=budgets)
        with pytest.raises(ValueError) as caught:
            BoundToolset(_only(tool), None, clock=desk().clock)
        assert str(caught.value) == problem


def _only(tool: Tool) -> Toolset:
    return replace(TOOLSET, tools=(tool,))


async def test_the_fifth_call_in_progress_is_429_until_one_ends() -> None:
    # hosting A57, A61
    made = desk()
    async with anyio.create_task_group() as group:
        for _ in range(4):
            group.start_soon(made.post, WAIT)
        while made.waiting < 4:
            await anyio.lowlevel.checkpoint()
        answer = await made.post()
        assert refused(answer) == (429, "rate_limit_exceeded", "concurrent", 4, "1")
        assert rate(answer) == ("4", "0", "1")
        assert (await made.post(peer="203.0.113.10")).status_code == 200
        made.may_end.set()
    assert (await made.post()).status_code == 200
    assert made.limiter.slots.in_progress == 0


async def test_the_request_over_the_ceiling_is_503() -> None:
    # hosting A58
    made = desk(ceiling=2)
    async with anyio.create_task_group() as group:
        for host in ("203.0.113.1", "203.0.113.2"):
            group.start_soon(lambda host=host: made.post(WAIT, peer=host))
        while made.waiting < 2:
            await anyio.lowlevel.checkpoint()
        answer = await made.post()
        assert refused(answer) == (503, "server_saturated", "global", None, "1")
        made.may_end.set()
    assert (await made.post()).status_code == 200


async def test_bad_json_and_a_body_over_the_bound_cost_one_token_each() -> None:
    # hosting A59, A61
    made = desk()
    bad = await made.post(b"{")
    assert (bad.status_code, rate(bad)) == (400, ("60", "59", "60"))
    large = await made.post(b"[" * (BODY_BYTES_MAX + 1))
    assert (large.status_code, rate(large)) == (413, ("60", "58", "60"))
    assert rate(await made.post()) == ("60", "57", "60")


async def test_of_ten_parallel_posts_at_one_remaining_token_one_passes() -> None:
    # hosting A60
    made = desk(limits={"per_minute": 3, "concurrent": 20})
    await statuses(made, 2)
    found: list[int] = []

    async def one() -> None:
        found.append((await made.post()).status_code)

    async with anyio.create_task_group() as group:
        for _ in range(10):
            group.start_soon(one)
    assert sorted(found) == [200, *[429] * 9]


async def test_a_request_that_crashes_frees_its_slot_and_pays_its_token() -> None:
    made = desk()
    with pytest.raises(ValueError):
        await made.post({"jsonrpc": "2.0", "id": 1, "method": "crash"})
    assert made.limiter.slots.in_progress == 0
    # The layer that answers for it finds the headers in the exchange.
    assert (b"ratelimit-remaining", b"59") in made.exchanges[0].answer_headers


async def _leave() -> Message:
    return {"type": "http.disconnect"}


async def test_a_client_that_leaves_pays_its_token_and_frees_its_slot() -> None:
    # hosting A36 (part)
    made = desk(limits={"per_minute": 2})
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": [], "client": (PEER, 1), "query_string": b""}
    with pytest.raises(ClientLeft):
        await made.app(scope, _leave, send)
    assert (sent, made.limiter.slots.in_progress) == ([], 0)
    assert rate(await made.post()) == ("2", "0", "60")


async def test_a_request_cancelled_from_outside_frees_its_slot() -> None:
    # hosting A35 (part)
    made = desk()
    async with anyio.create_task_group() as group:
        group.start_soon(made.post, WAIT)
        while not made.waiting:
            await anyio.lowlevel.checkpoint()
        assert made.limiter.slots.in_progress == 1
        group.cancel_scope.cancel()
    assert made.limiter.slots.in_progress == 0


async def test_a_preflight_is_not_counted_and_needs_no_credential(tmp_path: Path) -> None:
    # hosting A43 (part)
    keys = tmp_path / "keys"
    write_keys(keys, [new_key("x", 0, limits={})[1]])
    made = desk(keys=keys, anonymous=False, limits={"per_minute": 1})
    reached: list[str] = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        reached.append(exchange_of(scope).identity)

    async def send(message: Message) -> None:
        raise AssertionError

    layers = Identity(Limits(inner, limiter=made.limiter), callers=made.callers, limiter=made.limiter)
    await layers({"type": "http", "method": "OPTIONS", "headers": []}, _leave, send)
    assert reached == ["none"]


# Whose request it is


async def test_headers_of_an_untrusted_peer_change_nothing() -> None:
    # hosting A62
    made = desk(limits={"per_minute": 3})
    assert [
        (await made.post(peer="10.0.0.1", **headers)).status_code
        for headers in ({}, {"X_Forwarded_For": "198.51.100.1"}, {"X_PwC_MCP_Client": "desk"}, {})
    ] == [200, 200, 200, 429]


async def test_the_forwarded_client_is_counted_and_two_lines_are_one_list() -> None:
    # hosting A63
    made = desk(limits={"per_minute": 2})
    async with made.client(PROXY) as client:

        async def post(*lines: str) -> int:
            given = [("X-Forwarded-For", line) for line in lines]
            return (await client.post("/mcp", content=orjson.dumps(NOTIFICATION), headers=given)).status_code

        assert await post("1.2.3.4, 203.0.113.9") == 202
        assert await post("203.0.113.9", "10.9.0.7") == 202
        assert await post("5.6.7.8,203.0.113.9:4711") == 429
        assert await post("203.0.113.10") == 202


async def test_a_tag_counts_from_loopback_and_two_tags_are_none() -> None:
    # hosting A64
    made = desk(limits={"per_minute": 1})
    assert [
        (await made.post(peer="127.0.0.1", **headers)).status_code
        for headers in ({"X_PwC_MCP_Client": "one"}, {"X_PwC_MCP_Client": "two"}, {"X_PwC_MCP_Client": "one"}, {})
    ] == [200, 200, 429, 200]
    async with made.client("127.0.0.1") as client:
        doubled = [("X-PwC-MCP-Client", "three"), ("X-PwC-MCP-Client", "four")]
        assert (await client.post("/mcp", content=b"{}", headers=doubled)).status_code == 429
    assert [exchange.identity for exchange in made.exchanges] == ["tag", "tag", "ip"]


async def test_a_shared_egress_has_one_larger_budget() -> None:
    # hosting A66
    made = desk()
    assert rate(await made.post(peer="160.79.104.1")) == ("1200", "1199", "60")
    assert rate(await made.post(peer="160.79.111.1")) == ("1200", "1198", "60")
    assert rate(await made.post(peer="160.79.112.1")) == ("60", "59", "60")
    assert [exchange.identity for exchange in made.exchanges] == ["tier", "tier", "ip"]


# Keys


@pytest.fixture
def keyed(tmp_path: Path) -> tuple[Path, str, str]:
    """A key file, the clear key in it, and one that is expired."""
    clear, key = new_key("desk", 0, limits={"per_minute": 7})
    expired_clear, expired = new_key("old", 0, expires_s=1.0, limits={})
    write_keys(tmp_path / "keys", [key, expired])
    return tmp_path / "keys", clear, expired_clear


async def test_a_key_has_its_own_limits_and_goes_no_further(keyed: tuple[Path, str, str]) -> None:
    # hosting A68
    path, clear, _ = keyed
    made = desk(keys=path)
    answer = await made.post(Authorization=f"Bearer {clear}")
    assert (answer.status_code, rate(answer)) == (200, ("7", "6", "60"))
    assert made.exchanges[0].identity == "key"
    assert made.exchanges[0].caller is not None
    assert made.exchanges[0].caller.name == read_keys(path)[0].key_id
    names = {name for name, _ in made.seen_headers[0]}
    assert b"authorization" not in names and b"content-length" in names
    assert clear.encode() not in b"".join(value for _, value in made.seen_headers[0])


async def test_every_bad_credential_gets_the_same_401(keyed: tuple[Path, str, str]) -> None:
    # hosting A68, evidence A10
    path, clear, expired = keyed
    made = desk(keys=path, limits={"per_minute": 10})
    unknown = new_key("x", 0, limits={})[0]
    given = [f"Bearer {expired}", f"Bearer {unknown}", "Bearer nonsense", f"Basic {clear}", clear, "", "Bearer"]
    answers = [await made.post(Authorization=value) for value in given]
    assert {answer.status_code for answer in answers} == {401}
    assert {answer.content for answer in answers} == {
        b'{"error":"invalid_credential","message":"Send a valid API key as Authorization: Bearer, or leave that header'
        b' out where no key is asked for."}'
    }
    assert {answer.headers["www-authenticate"] for answer in answers} == {'Bearer realm="paperdesk"'}
    assert [rate(answer)[1] for answer in answers] == ["9", "8", "7", "6", "5", "4", "3"]
    assert made.exchanges == []
    assert (await made.post()).status_code == 200


async def test_guesses_at_keys_use_up_the_addresss_budget(keyed: tuple[Path, str, str]) -> None:
    # hosting A68, evidence 1.3
    path, clear, expired = keyed
    made = desk(keys=path, limits={"per_minute": 3})
    assert await statuses(made, 4, Authorization=f"Bearer {expired}") == [401, 401, 401, 429]
    answer = await made.post(Authorization="Bearer x")
    assert refused(answer) == (429, "rate_limit_exceeded", "per_minute", 3, "60")
    assert rate(answer) == ("3", "0", "60")
    assert await statuses(made, 1, Authorization=f"Bearer {clear}") == [200]


async def test_a_demanded_key_is_401_when_it_is_missing(keyed: tuple[Path, str, str]) -> None:
    # evidence A10
    path, clear, expired = keyed
    made = desk(keys=path, anonymous=False)
    missing = await made.post()
    assert missing.status_code == 401
    assert missing.content == (await made.post(Authorization=f"Bearer {expired}")).content
    assert await statuses(made, 1, Authorization=f"Bearer {clear}") == [200]


async def test_without_a_key_file_the_header_is_ignored_and_dropped() -> None:
    # hosting A68
    made = desk()
    assert (await made.post(Authorization="Bearer whatever")).status_code == 200
    assert b"authorization" not in {name for name, _ in made.seen_headers[0]}


# The API's own window


async def test_requests_without_a_body_take_their_token_before_anything_runs() -> None:
    made = desk(window="api_per_minute", limits={"api_per_minute": 1, "per_minute": 9, "concurrent": 9})
    answers: list[httpx.Response] = []

    async def one() -> None:
        answers.append(await made.post(WAIT))

    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(one)
        while made.waiting + len(answers) < 3:
            await anyio.lowlevel.checkpoint()
        made.may_end.set()
    assert sorted(answer.status_code for answer in answers) == [200, 429, 429]
    assert {answer.json()["budget"] for answer in answers if answer.status_code == 429} == {"api_per_minute"}
    assert {rate(answer) for answer in answers} == {("1", "0", "60")}
    assert len(made.exchanges) == 1
    assert made.limiter.slots.in_progress == 0
