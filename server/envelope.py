"""What is checked of an MCP message before a dispatcher sees it: strict JSON, one message, routing headers, version.

Pure rules of hosting contract 2.1 and 2.2. A breach is an `EnvelopeError` whose text is ours.
"""

import base64
import binascii
import re
from array import array
from collections.abc import Mapping
from itertools import accumulate
from types import NoneType
from typing import Any, NamedTuple

import orjson

from server.answers import Answer, RequestId, rpc_error
from server.fields import Fields

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022

OLD_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
MODERN_VERSION = "2026-07-28"

VERSION_HEADER = b"mcp-protocol-version"
METHOD_HEADER = b"mcp-method"
NAME_HEADER = b"mcp-name"
ROUTING_HEADERS = (VERSION_HEADER, METHOD_HEADER, NAME_HEADER)

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"

NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Which parameter `Mcp-Name` repeats, by method."""

NO_SUCH_METHOD = "This endpoint has no such method."
ONE_PAGE = "This list has one page; leave the cursor out."

MAX_DEPTH = 128
"""Deeper nesting makes one of the parsers behind this layer give up."""

_MODERN_STATUSES = {METHOD_NOT_FOUND: 404, INVALID_PARAMS: 400}

_SENTINEL = re.compile(r"=\?base64\?(.*)\?=")

_OLD_VERSIONS = frozenset(version.encode() for version in OLD_VERSIONS)


class Message(NamedTuple):
    """One request, or a notification when it has no id."""

    method: str
    params: dict[str, Any]
    id: int | str | None
    is_notification: bool


class EnvelopeError(Exception):
    """A message that is refused as a JSON-RPC error."""

    def __init__(
        self,
        code: int,
        message: str,
        *,
        status: int = 400,
        request_id: RequestId = None,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.answer: Answer = rpc_error(status, request_id, code, message, data)


def is_modern(fields: Fields) -> bool:
    """The era is decided by the version header alone; without one a message is of the 2025 era."""
    version = fields.get(VERSION_HEADER)
    return version is not None and version not in _OLD_VERSIONS


def parse_message(body: bytes) -> Message:
    """One request or notification from strict JSON; the last of duplicate members counts."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        value = _UNREADABLE
    if value is _UNREADABLE or _too_deep(body):
        raise EnvelopeError(PARSE_ERROR, "The body is not valid JSON in UTF-8; send one JSON-RPC message.")
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        raise _invalid('Send one JSON-RPC 2.0 request or notification as an object with "jsonrpc": "2.0".')
    method = value.get("method")
    if not isinstance(method, str):
        raise _invalid('A message needs a "method" that is text; responses are not taken.')
    params = value.get("params", {})
    if not isinstance(params, dict):
        raise _invalid('"params" must be an object where it is given.')
    if "id" not in value:
        return Message(method, params, None, is_notification=True)
    request_id = value["id"]
    if type(request_id) not in (int, str):
        raise _invalid('"id" must be text or a whole number of at most 64 bits.')
    return Message(method, params, request_id, is_notification=False)


def check_not_doubled(message: Message, fields: Fields) -> None:
    """A routing header given twice would let two readers see two messages."""
    if fields.is_doubled(*ROUTING_HEADERS):
        doubled = next(name.decode() for name in ROUTING_HEADERS if fields.is_doubled(name))
        raise EnvelopeError(HEADER_MISMATCH, f"The {doubled} header was given twice.", request_id=message.id)


def check_modern(message: Message, fields: Fields) -> None:
    """The modern ladder: envelope keys, then agreement of headers and body, then the version."""
    version = fields.text(VERSION_HEADER) or ""
    if message.is_notification:
        if version != MODERN_VERSION:
            raise _unsupported(version, message)
        return
    meta = message.params.get("_meta")
    keys = meta if isinstance(meta, dict) else {}
    if VERSION_KEY not in keys or CAPABILITIES_KEY not in keys:
        missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in keys]
        raise EnvelopeError(INVALID_PARAMS, f"params._meta lacks {' and '.join(missing)}.", request_id=message.id)
    if keys[VERSION_KEY] != version:
        raise _mismatch(VERSION_HEADER, f'"{VERSION_KEY}" in params._meta', message)
    if fields.text(METHOD_HEADER) != message.method:
        raise _mismatch(METHOD_HEADER, '"method" in the body', message)
    if version != MODERN_VERSION:
        _check_name(message, fields)
        raise _unsupported(version, message)
    if not isinstance(keys[CAPABILITIES_KEY], dict):
        raise EnvelopeError(INVALID_PARAMS, f"{CAPABILITIES_KEY} must be an object.", request_id=message.id)


def check_named(message: Message, fields: Fields, *, modern: bool) -> None:
    """The parameters that every named call needs, and in the modern era the header that repeats the name."""
    key = NAMED_BY.get(message.method)
    if key is None:
        return
    if not isinstance(message.params.get(key), str):
        raise invalid_params(message, f'{message.method} needs "{key}" as text.', modern=modern)
    if modern:
        _check_name(message, fields)
    if message.method == "tools/call" and not isinstance(message.params.get("arguments"), (dict, NoneType)):
        raise invalid_params(message, '"arguments" must be an object where it is given.', modern=modern)


def check_cursor(message: Message, *, modern: bool) -> None:
    """No list of this service is paged, so nobody can hold a cursor of one."""
    if message.method.endswith("/list") and message.params.get("cursor") not in (None, ""):
        raise invalid_params(message, ONE_PAGE, modern=modern)


def invalid_params(message: Message, text: str, *, modern: bool) -> EnvelopeError:
    """The refusal of what a method cannot be asked with."""
    return _of_era(INVALID_PARAMS, message, text, modern=modern)


def unknown_method(message: Message, *, modern: bool) -> EnvelopeError:
    """The refusal of a method that is not offered."""
    return _of_era(METHOD_NOT_FOUND, message, NO_SUCH_METHOD, modern=modern)


def error_status(code: int, *, modern: bool) -> int:
    """The HTTP status of an error in a message that was in order: older clients get 200, whatever it says."""
    return _MODERN_STATUSES.get(code, 200) if modern else 200


def decode_name(value: str | None) -> str | None:
    """The value of an `Mcp-Name` header, out of its base64 wrapping where it has one; None when that is broken."""
    # Nearly all names are sent as they are.
    wrapped = _SENTINEL.fullmatch(value) if value is not None and value.startswith("=?") else None
    if wrapped is None:
        return value
    try:
        decoded = base64.b64decode(wrapped[1], validate=True)
        text = decoded.decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    # Bits that a canonical encoder never sets would let two headers name one thing.
    return text if base64.b64encode(decoded).decode() == wrapped[1] else None


_UNREADABLE = object()
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
"""One level down, one level up, as signed bytes."""
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def _of_era(code: int, message: Message, text: str, *, modern: bool) -> EnvelopeError:
    return EnvelopeError(code, text, status=error_status(code, modern=modern), request_id=message.id)


def _too_deep(body: bytes) -> bool:
    """Whether valid JSON nests deeper than the bound, found without walking what may be a million nodes."""
    if body.count(b"[") + body.count(b"{") <= MAX_DEPTH:
        return False
    steps = array("b", _STRING.sub(b"", body).translate(_STEPS, _NO_BRACKETS))
    return max(accumulate(steps)) > MAX_DEPTH


def _check_name(message: Message, fields: Fields) -> None:
    key = NAMED_BY.get(message.method)
    if key is not None and decode_name(fields.text(NAME_HEADER)) != message.params.get(key):
        raise _mismatch(NAME_HEADER, f'"{key}" in params', message)


def _mismatch(header: bytes, body: str, message: Message) -> EnvelopeError:
    text = f"The {header.decode()} header must be given and equal {body}."
    return EnvelopeError(HEADER_MISMATCH, text, request_id=message.id)


def _unsupported(version: str, message: Message) -> EnvelopeError:
    return EnvelopeError(
        UNSUPPORTED_VERSION,
        f"This protocol version is not served; use {MODERN_VERSION}, or initialize with an older one.",
        request_id=message.id,
        data={"supported": [MODERN_VERSION], "requested": version[:64]},
    )


def _invalid(text: str) -> EnvelopeError:
    return EnvelopeError(INVALID_REQUEST, text)
