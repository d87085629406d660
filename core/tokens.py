"""Signed, readable tokens: who holds one can read it, only a holder of a key can make one. Nothing is stored."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from itsdangerous import BadData, Serializer, URLSafeSerializer
from itsdangerous.encoding import base64_decode, base64_encode

from core.errors import CursorInvalid, SettingsError

MAX_TOKEN_CHARS = 2048
_ALPHABET = re.compile(r"[A-Za-z0-9._-]+")
_REFUSAL = (
    "This cursor is not valid. Pass the last next_cursor exactly as it was given, or leave it out to start again."
)


class _ReadableSerializer(URLSafeSerializer):
    """Writes the payload as plain base64url; its base class would hide it in zlib wherever that is shorter."""

    def dump_payload(self, obj: Any) -> bytes:
        return base64_encode(Serializer.dump_payload(self, obj))


def key_id(key: str) -> str:
    """First 16 hex characters of the SHA-256 of a signing key."""
    return hashlib.sha256(key.encode()).hexdigest()[:16]


class Signer:
    """Signs with the newest key and verifies with all of them (catalog contract 13.2).

    `keys` run from oldest to newest. The expiry is a payload's own matter, so that signing anew does not move it.
    """

    def __init__(self, keys: Sequence[str], salt: str) -> None:
        if not keys or not all(keys):
            raise SettingsError(["A cursor key is empty or missing; give at least one key of 16 characters or more."])
        self.newest_kid = key_id(keys[-1])
        # One serializer a key, since only so it is known which key has verified.
        self._serializers = {key_id(key): _serializer(key, salt) for key in reversed(keys)}

    def sign(self, payload: Mapping[str, Any]) -> str:
        """The token of a payload, `kid` added; a token over 2,048 characters is refused."""
        serializer = self._serializers[self.newest_kid]
        token = str(serializer.dumps({**payload, "kid": self.newest_kid}))
        if len(token) > MAX_TOKEN_CHARS:
            raise CursorInvalid("This reading position is too long to be signed. Use a shorter reference of the paper.")
        return token

    def verify(self, token: str) -> dict[str, Any]:
        """The payload of a token, `kid` included, once one of the keys has verified it; raises `CursorInvalid`."""
        if len(token) > MAX_TOKEN_CHARS or not _ALPHABET.fullmatch(token) or not _is_canonical(token):
            raise CursorInvalid(_REFUSAL)
        for kid, serializer in self._serializers.items():
            try:
                payload = serializer.loads(token)
            except BadData:
                continue
            if isinstance(payload, dict) and payload.get("kid") == kid:
                return payload
            break
        raise CursorInvalid(_REFUSAL)


def _serializer(key: str, salt: str) -> URLSafeSerializer:
    return _ReadableSerializer(
        key,
        salt=salt,
        serializer_kwargs={"sort_keys": True},
        signer_kwargs={"key_derivation": "hmac", "digest_method": hashlib.sha256},
    )


def _is_canonical(token: str) -> bool:
    """Whether the signature is spelt as base64url writes it; the last character has bits that decoding ignores."""
    signature = token.rpartition(".")[2]
    try:
        return base64_encode(base64_decode(signature)).decode() == signature
    except BadData:
        return False
