"""Answers made before or around a tool: plain refusals, JSON documents and JSON-RPC errors, whole and with a length."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson
from starlette.types import Message, Scope, Send

from server.exchange import exchange_of

NO_STORE = (b"cache-control", b"no-store")
CLOSE = (b"connection", b"close")
NOT_MODIFIED = 304

_JSON = ((b"content-type", b"application/json"), NO_STORE)

RequestId = int | str | None


class Answer(NamedTuple):
    """One complete HTTP answer; `Content-Length` is added when it is sent. `code` is what a refusal goes by."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[bytes, bytes], ...] = ()
    code: str = "-"


class Outlet(ABC):
    """A `send` that also takes an answer as a whole."""

    __slots__ = ()

    @abstractmethod
    async def __call__(self, message: Message) -> None:
        """One part of an answer."""

    @abstractmethod
    def answer(self, status: int, headers: Sequence[tuple[bytes, bytes]], body: bytes) -> Awaitable[None]:
        """All of an answer; `headers` hold its exact length."""


def send_answer(send: Send, answer: Answer, *, without_body: bool = False) -> Awaitable[None]:
    """Sends an answer; for HEAD the headers are those of the GET and the body is left out."""
    headers = answer.headers
    if answer.status != NOT_MODIFIED:
        # In a 304 it would state the length of the body that the client has.
        headers = (*headers, (b"content-length", b"%d" % len(answer.body)))
    body = b"" if without_body else answer.body
    if isinstance(send, Outlet):
        return send.answer(answer.status, headers, body)
    return send_parts(send, answer.status, headers, body)


async def send_parts(send: Send, status: int, headers: Sequence[tuple[bytes, bytes]], body: bytes) -> None:
    """Sends an answer as ASGI has it: its head, then its body."""
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def refuse(scope: Scope, send: Send, answer: Answer) -> Awaitable[None]:
    """Sends a refusal and lets the log line say which it was."""
    exchange_of(scope).code = answer.code
    return send_answer(send, answer, without_body=scope["method"] == "HEAD")


def json_answer(status: int, value: Any, headers: Sequence[tuple[bytes, bytes]] = (NO_STORE,)) -> Answer:
    """A JSON document as `application/json` without parameters."""
    return Answer(status, orjson.dumps(value), ((b"content-type", b"application/json"), *headers))


def refusal(
    status: int, code: str, message: str, *, headers: Sequence[tuple[bytes, bytes]] = (), **extra: Any
) -> Answer:
    """A plain refusal (hosting contract 1.3)."""
    plain = json_answer(status, {"error": code, "message": message, **extra}, (NO_STORE, *headers))
    return plain._replace(code=code)


def rpc_error(status: int, request_id: RequestId, code: int, message: str, data: Mapping[str, Any] | None) -> Answer:
    """A JSON-RPC error answer; `request_id` is None where the message had none that could be read."""
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    plain = json_answer(status, {"jsonrpc": "2.0", "id": request_id, "error": error})
    return plain._replace(code=str(code))


def method_not_allowed(*allowed: str) -> Answer:
    """405 with the methods that the path takes."""
    names = ", ".join(allowed)
    return refusal(
        405,
        "method_not_allowed",
        f"This path takes {names} only; no event stream is offered." if allowed == ("POST",) else f"Use {names}.",
        headers=((b"allow", names.encode()),),
        allowed=list(allowed),
    )


def result_answer(request_id: RequestId, result: Mapping[str, Any]) -> Answer:
    """A JSON-RPC result."""
    return Answer(200, orjson.dumps({"jsonrpc": "2.0", "id": request_id, "result": result}), _JSON)


def result_bytes(request_id: RequestId, result: bytes) -> Answer:
    """A JSON-RPC result around bytes that were serialised before."""
    body = b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (orjson.dumps(request_id), result)
    return Answer(200, body, _JSON)
