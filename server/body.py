"""Reading a request body within its bounds of size and time, before anything parses it."""

import asyncio
from dataclasses import dataclass

from starlette.types import Receive

from server.answers import CLOSE, Answer, refusal
from server.fields import Fields
from server.running import DeadlinePassed, within

MAX_BODY_BYTES = 2 * 1024 * 1024

_TOO_SLOW = refusal(408, "request_timeout", "The body did not arrive in time; send it again.", headers=(CLOSE,))


@dataclass(frozen=True, slots=True)
class BodyBounds:
    """Bounds of hosting contract 3.4."""

    max_bytes: int = MAX_BODY_BYTES
    total_s: float = 10.0
    between_parts_s: float = 5.0


class BodyRefused(Exception):
    """The body broke a bound or a header about it was malformed."""

    def __init__(self, answer: Answer) -> None:
        super().__init__("body refused")
        self.answer = answer


class ClientLeft(Exception):
    """The client went away before its body was complete."""


def check_body_headers(fields: Fields, bounds: BodyBounds) -> None:
    """Refuses a wrong `Content-Type` (415), a malformed length (400) and a declared length over the bound (413)."""
    kind = fields.get(b"content-type")
    # Nearly all clients write it so.
    if kind != b"application/json":
        _check_content_type((kind or b"").decode("latin-1"))
    declared = fields.get(b"content-length")
    if declared is None:
        return
    if not declared.isdigit():
        raise BodyRefused(
            refusal(400, "bad_request", "Send Content-Length once, as a plain decimal number.", headers=(CLOSE,))
        )
    if len(declared) > 18 or int(declared) > bounds.max_bytes:
        raise BodyRefused(_too_large(bounds))


async def read_body(receive: Receive, bounds: BodyBounds) -> bytes:
    """The whole body. Raises `BodyRefused` (413, 408) and `ClientLeft`."""
    parts: list[bytes] = []
    size = 0
    now_s = asyncio.get_running_loop().time
    ends_s = now_s() + bounds.total_s
    limit_s = min(bounds.between_parts_s, bounds.total_s)
    while True:
        try:
            # A body that has come already, as most have, costs no timer.
            message = await within(limit_s, receive())
        except DeadlinePassed:
            raise BodyRefused(_TOO_SLOW) from None
        if message["type"] == "http.disconnect":
            raise ClientLeft
        part: bytes = message.get("body", b"")
        size += len(part)
        if size > bounds.max_bytes:
            raise BodyRefused(_too_large(bounds))
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts) if len(parts) > 1 else part
        limit_s = min(bounds.between_parts_s, ends_s - now_s())


def _too_large(bounds: BodyBounds) -> Answer:
    return refusal(
        413,
        "request_too_large",
        f"The body is larger than {bounds.max_bytes} bytes; send a smaller request.",
        headers=(CLOSE,),
        limit_bytes=bounds.max_bytes,
    )


def _check_content_type(value: str) -> None:
    kind, *parameters = [part.strip(" \t").lower() for part in value.split(";")]
    charset = next((p.partition("=")[2].strip(' \t"') for p in parameters if p.startswith("charset")), "utf-8")
    if kind != "application/json" or charset not in ("utf-8", "utf8"):
        raise BodyRefused(
            refusal(415, "unsupported_media_type", "Send the body as Content-Type: application/json in UTF-8.")
        )
