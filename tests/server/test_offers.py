"""What a toolset may offer beside tools: rules of registration, and failures that no family plans."""

import asyncio
import logging
from dataclasses import replace
from typing import Annotated, Any

import pytest
from desk_toolset import SECRET, TOOLSET, Desk, DeskDialect, Note
from mcp import Client
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, Field

from core.clock import ManualClock
from core.deadline import current_deadline
from core.errors import NotFound, SourceRateLimited
from server.completions import Completion, NothingToComplete
from server.endpoint.handlers import build_server
from server.prompts import Prompt, UnknownPrompt
from server.registry import BoundToolset, ResourceTemplate, Success, Toolset
from server.resources import ResourceFailed

pytestmark = pytest.mark.anyio

_Name = Annotated[str, Field(min_length=1, max_length=20)]


async def note(services: Desk, shelf: _Name, name: _Name) -> Note:
    """One note of one shelf."""
    services.calls.append(f"{shelf} / {name}")
    if name == "crash":
        raise RuntimeError(SECRET)
    if name == "wait":
        await asyncio.Event().wait()
    if name == "slow":
        raise SourceRateLimited("The shelf is busy.", source="shelf", retry_after_s=3)
    if name == "lost":
        raise NotFound("There is no such note.")
    return Note(text=f"{name} — a\ud800b", scores={"bad": float("nan"), "good": 0.5})


async def raw(services: Desk, name: _Name) -> str:
    """A note as it is."""
    return f"{name}\r\n\ud800"


async def colours(services: Desk, typed: str) -> Completion:
    services.calls.append(typed)
    return Completion(("red",), 7)


def greet(name: _Name, mood: _Name = "glad") -> str:
    """Greets someone."""
    return f"Hello {name}, I am {mood}."


NOTE = ResourceTemplate(note, "desk://{shelf}/notes/{name}", "note", "A note", "application/json", {"shelf": colours})
RAW = ResourceTemplate(raw, "desk://raw/{name}", "raw", "A raw note", "text/plain")
GREET = Prompt(greet, "Greet", {"mood": colours})


async def picture(services: Desk) -> bytes:
    """A picture."""
    return b"GIF\xff"


def show() -> list[dict[str, str]]:
    """Shows a picture."""
    picture = {"type": "image", "data": "R0lG", "mimeType": "image/gif"}
    return [picture, {"type": "text", "text": "What is this\ud800"}]


PICTURE = ResourceTemplate(picture, "desk://picture", "picture", "A picture", "image/gif")
SHOW = Prompt(show, "Show")
OFFERING = replace(TOOLSET, resources=(NOTE, RAW), prompts=(GREET,))


def bound(toolset: Toolset = OFFERING) -> tuple[BoundToolset, Desk]:
    desk = Desk()
    return BoundToolset(toolset, desk, clock=ManualClock()), desk


async def test_the_lists_are_made_from_the_functions() -> None:
    toolset, _ = bound()
    assert toolset.resources.listed == [
        {
            "uriTemplate": "desk://{shelf}/notes/{name}",
            "name": "note",
            "title": "A note",
            "description": "One note of one shelf.",
            "mimeType": "application/json",
        },
        {
            "uriTemplate": "desk://raw/{name}",
            "name": "raw",
            "title": "A raw note",
            "description": "A note as it is.",
            "mimeType": "text/plain",
        },
    ]
    assert toolset.prompts.listed == [
        {
            "name": "greet",
            "title": "Greet",
            "description": "Greets someone.",
            "arguments": [
                {"name": "name", "description": "", "required": True},
                {"name": "mood", "description": "", "required": False},
            ],
        }
    ]


async def test_each_variable_is_decoded_by_itself_and_matches_no_slash() -> None:
    toolset, desk = bound()
    found = await toolset.resources.read("desk://a%2Fb%25/notes/c d?e#f")
    assert desk.calls == ["a/b% / c d?e#f"]
    assert found.wire == {
        "uri": "desk://a%2Fb%25/notes/c d?e#f",
        "mimeType": "application/json",
        "text": '{"text":"c d?e#f — a\ufffdb","scores":{"good":0.5}}',
    }
    assert (await toolset.resources.read("desk://raw/x")).held == "x\r\n\ufffd"
    with pytest.raises(ResourceFailed) as missed:
        await toolset.resources.read("desk://a/b/notes/c")
    assert missed.value.failure.code == "not_found"
    assert len(desk.calls) == 1


@pytest.mark.parametrize(
    ("name", "code", "ending"),
    [
        ("crash", "internal_error", "crashed"),
        ("wait", "upstream_timeout", "timeout"),
        ("slow", "other", "failed"),
        ("lost", "not_found", "failed"),
        ("x" * 21, "invalid_argument", "failed"),
    ],
)
async def test_a_failed_reading_is_worded_like_a_failed_call(
    name: str, code: str, ending: str, caplog: pytest.LogCaptureFixture
) -> None:
    toolset, _ = bound(replace(OFFERING, deadline_s=0.01))
    with pytest.raises(ResourceFailed) as failed:
        await toolset.resources.read(f"desk://s/notes/{name}")
    assert (failed.value.failure.code, failed.value.ending) == (code, ending)
    assert SECRET not in caplog.text
    logged = [record.getMessage() for record in caplog.records]
    assert len(logged) == (code == "internal_error")
    assert all(text.startswith("resource_crashed resource=note error=RuntimeError at=") for text in logged)


async def test_what_a_reading_asks_of_others_shares_its_deadline() -> None:
    async def left(services: Desk, name: _Name) -> str:
        """What is left of the time."""
        ends = current_deadline()
        return f"{name}: {ends and ends.left_s()}"

    template = ResourceTemplate(left, "desk://left/{name}", "left", "What is left", "text/plain")
    toolset, _ = bound(replace(TOOLSET, resources=(template,), deadline_s=12.5))
    assert (await toolset.resources.read("desk://left/seconds")).held == "seconds: 12.5"
    assert current_deadline() is None


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_crashed_reading_is_an_internal_error_that_may_pass(mode: Any) -> None:
    async with Client(build_server(bound()[0]), mode=mode) as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource("desk://s/notes/crash")
    assert (caught.value.code, caught.value.message) == (-32603, "internal_error: paperdesk failed; try again.")
    assert caught.value.data == {"uri": "desk://s/notes/crash", "code": "internal_error", "retryable": True}


async def test_a_prompt_takes_its_defaults_and_names_what_is_wrong() -> None:
    toolset, _ = bound()
    assert toolset.prompts.write("greet", {"name": "Ada"}) == {
        "description": "Greets someone.",
        "messages": [{"role": "user", "content": {"type": "text", "text": "Hello Ada, I am glad."}}],
    }
    calm = toolset.prompts.write("greet", {"name": "Ada", "mood": "calm"})
    assert calm["messages"][0]["content"]["text"] == "Hello Ada, I am calm."
    with pytest.raises(UnknownPrompt) as unknown:
        toolset.prompts.write("great", {})
    assert unknown.value.near == ("greet",)


async def test_bytes_and_blocks_keep_their_own_form() -> None:
    toolset, _ = bound(replace(OFFERING, resources=(PICTURE,), prompts=(SHOW,)))
    found = await toolset.resources.read("desk://picture")
    assert found.wire == {"uri": "desk://picture", "mimeType": "image/gif", "blob": "R0lG/w=="}
    assert toolset.prompts.write("show", {})["messages"] == [
        {"role": "user", "content": {"type": "image", "data": "R0lG", "mimeType": "image/gif"}},
        {"role": "user", "content": {"type": "text", "text": "What is this\ufffd"}},
    ]


class Showing(DeskDialect):
    """Words a result with a picture after its text."""

    def success(self, tool: str, result: BaseModel) -> Success:
        plain = super().success(tool, result)
        return replace(
            plain, blocks=({"type": "image", "data": "R0lG", "mimeType": "image/gif", "size": float("nan")},)
        )


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_the_blocks_of_a_result_follow_its_texts(mode: Any) -> None:
    async with Client(build_server(bound(replace(TOOLSET, dialect=Showing()))[0]), mode=mode) as client:
        shown = await client.call_tool("add", {"a": 1})
    assert [part.model_dump(exclude_none=True, by_alias=True) for part in shown.content] == [
        {"type": "text", "text": "add answered."},
        {"type": "image", "data": "R0lG", "mimeType": "image/gif"},
    ]
    assert shown.structured_content == {"total": 2}


async def test_only_what_has_a_completer_is_completed() -> None:
    toolset, desk = bound()
    assert await toolset.complete_prompt("greet", "mood", "r") == Completion(("red",), 7)
    assert await toolset.complete_prompt("greet", "name", "r") == Completion()
    assert await toolset.complete_resource("desk://{shelf}/notes/{name}", "shelf", "s") == Completion(("red",), 7)
    assert desk.calls == ["r", "s"]
    with pytest.raises(NothingToComplete) as nothing:
        await toolset.complete_resource("desk://raw/{name}", "shelf", "s")
    assert nothing.value.message == "The resource template desk://raw/{name} has no argument 'shelf'. It takes name."


@pytest.mark.parametrize(
    ("change", "methods"),
    [
        ({"resources": (), "prompts": ()}, {"prompts/list": False, "resources/list": False}),
        ({"resources": ()}, {"prompts/list": True, "resources/list": False, "completion/complete": True}),
        (
            {"prompts": (), "resources": (RAW,)},
            {"resources/read": True, "resources/list": True, "completion/complete": False},
        ),
    ],
)
async def test_only_what_is_offered_is_a_method(change: dict[str, Any], methods: dict[str, bool]) -> None:
    # hosting 2.4
    server = build_server(bound(replace(OFFERING, **change))[0])
    assert {method: server.get_request_handler(method) is not None for method in methods} == methods


@pytest.mark.parametrize(
    "change",
    [
        {"resources": (NOTE, NOTE)},
        {"resources": (replace(RAW, uri_template="desk://raw/{title}"),)},
        {"resources": (replace(NOTE, uri_template="desk://{name}/{shelf}"),)},
        {"prompts": (GREET, GREET)},
    ],
)
async def test_a_wrong_offer_stops_the_start(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"two |variables"):
        bound(replace(TOOLSET, **change))


async def test_a_reading_that_was_cancelled_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    toolset, _ = bound()
    reading = asyncio.create_task(toolset.resources.read("desk://s/notes/wait"))
    await asyncio.sleep(0)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert caplog.text == ""
