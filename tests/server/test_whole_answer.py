"""An answer that is written in one go is, byte for byte, the one that uvicorn's own `send` would write."""

import asyncio
import socket

import pytest
import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.answers import CLOSE, NO_STORE, Answer, json_answer, send_answer
from server.middleware.outgoing import Outgoing
from server.serving import uvicorn_config
from server.whole_answer import cycle_of

HOST = b"Host: localhost\r\n"
GET = b"GET / HTTP/1.1\r\n" + HOST + b"\r\n"
LAST = b"GET / HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n"
HEAD = b"HEAD / HTTP/1.1\r\n" + HOST + b"\r\n"
OLD = b"GET / HTTP/1.0\r\n\r\n"
EXPECTING = b"POST / HTTP/1.1\r\n" + HOST + b"Expect: 100-continue\r\nContent-Length: 3\r\n\r\n"
JSON = json_answer(200, {"a": 1})


def _answering(answer: Answer, *, wrapped: bool) -> ASGIApp:
    """Sends one answer; with `wrapped` through a `send` that is not the server's own, so in parts."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        await send_answer(send, answer, without_body=scope["method"] == "HEAD")

    outgoing = Outgoing(serve)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        assert cycle_of(send) is not None

        async def pass_on(message: Message) -> None:
            await send(message)

        await outgoing(scope, receive, pass_on if wrapped else send)

    return app


async def _exchanged(app: ASGIApp, *sent: bytes) -> list[bytes]:
    """All that comes back on a connection for each, until the server closes it."""
    config = uvicorn_config(app)
    config.lifespan, config.date_header = "off", False
    server = uvicorn.Server(config)
    found = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        for each in sent:
            reader, writer = await asyncio.open_connection(*listener.getsockname())
            writer.write(each)
            found.append(await reader.read())
            writer.close()
        server.should_exit = True
        await serving
    return found


@pytest.mark.parametrize(
    "answer",
    [JSON, Answer(202, headers=(NO_STORE,)), Answer(304, headers=((b"etag", b'"a"'),)), Answer(413, b"x", (CLOSE,))],
    ids=["json", "empty", "not-modified", "closing"],
)
async def test_an_answer_in_one_go_equals_the_one_in_parts(answer: Answer) -> None:
    # hosting A7 (exact Content-Length)
    sent = (LAST, GET + LAST, HEAD + LAST, OLD, EXPECTING + b"abc" + LAST)
    whole, parts = [await _exchanged(_answering(answer, wrapped=wrapped), *sent) for wrapped in (False, True)]
    assert whole == parts
    assert all(each.startswith(b"HTTP/1.1 %d " % answer.status) for each in whole)


@pytest.mark.parametrize(
    "line", [(b"a b", b"c"), (b"a:", b"c"), (b"a\n", b"c"), (b"a", b"b\r\nc: d"), (b"a", b"\0"), (b"a", b"\x7f")]
)
async def test_a_line_that_would_break_the_head_is_not_written(line: tuple[bytes, bytes]) -> None:
    for wrapped in (False, True):
        [found] = await _exchanged(_answering(Answer(200, b"x", (line,)), wrapped=wrapped), LAST)
        assert b"200" not in found and b"c: d" not in found


async def test_a_second_answer_to_one_request_is_a_defect() -> None:
    async def twice(scope: Scope, receive: Receive, send: Send) -> None:
        await send_answer(send, JSON)
        await send_answer(send, JSON)

    [found] = await _exchanged(Outgoing(twice), GET + LAST)
    assert found.count(b"HTTP/1.1 200") == 1
