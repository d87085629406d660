"""Whether the parameters of a request have the form of its method, by the protocol's own models and nobody else's."""

from typing import Any

import orjson
from mcp_types.methods import parse_client_request
from pydantic import ValidationError

from server.endpoint.methods import BAD_FORM, refused
from server.envelope import INVALID_PARAMS, MODERN_VERSION, OLD_VERSIONS, Message

_ENVELOPES_MAX = 256
_ENVELOPE_BYTES_MAX = 2048

_CALL_MEMBERS = frozenset({"name", "arguments", "_meta"})


class Forms:
    """Remembers envelopes that were found good: a client sends the same one with each call."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()

    def check(self, message: Message, *, modern: bool) -> None:
        """Raises the error of a request whose parameters have another form."""
        key = _remembered_by(message, modern=modern)
        if key is not None and key in self._known:
            return
        try:
            # Which of the older versions it is makes no difference to any form.
            parse_client_request(message.method, MODERN_VERSION if modern else OLD_VERSIONS[0], message.params)
        except ValidationError:
            raise refused(INVALID_PARAMS, BAD_FORM) from None
        if key is not None:
            if len(self._known) >= _ENVELOPES_MAX:
                self._known.clear()
            self._known.add(key)


def _remembered_by(message: Message, *, modern: bool) -> bytes | None:
    """What decides over a call's form once its name and arguments were looked at: the envelope, if it is not large.

    None for other methods, and for calls with members that few clients send.
    """
    params = message.params
    if message.method != "tools/call" or not params.keys() <= _CALL_MEMBERS:
        return None
    meta: Any = params.get("_meta")
    if isinstance(meta, dict) and type(meta.get("progressToken")) in (int, str):
        # It differs from call to call.
        meta = {**meta, "progressToken": 0}
    if meta is None:
        return b"modern" if modern else b"old"
    key = (b"modern " if modern else b"old ") + orjson.dumps(meta)
    return key if len(key) <= _ENVELOPE_BYTES_MAX else None
