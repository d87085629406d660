"""Bytes as they lie in a store: packed, sealed where keys are given, and bound to their place (scan contract 10.2).

A blob is one byte for the codec, one for the cipher, and data. Under AES-256-GCM the data are four bytes that name the
key, a nonce of twelve, and the sealed bytes; what is bound to them is their place and both leading bytes.
"""

import hashlib
import secrets
import zlib
from collections.abc import Mapping, Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from core.errors import ArtifactCorrupt, OperatorError

KEY_BYTES = 32
_ZLIB = 1
_ZLIB_LEVEL = 6
_CLEAR, _AES_256_GCM = 0, 1
_KEY_ID_BYTES, _NONCE_BYTES = 4, 12
_HEAD_BYTES = 2


class Blobs:
    """Makes and reads blobs. The first key writes, all read; without a key they are packed only."""

    def __init__(self, keys: Sequence[bytes] = ()) -> None:
        if any(len(key) != KEY_BYTES for key in keys):
            raise OperatorError(f"A key that encrypts scans has {KEY_BYTES} bytes; give each as 64 hex digits.")
        ciphers = [(_key_id(key), AESGCM(key)) for key in keys]
        self._writing = ciphers[0] if ciphers else None
        self._reading: Mapping[bytes, AESGCM] = dict(reversed(ciphers))

    @property
    def is_sealing(self) -> bool:
        """Whether what is written is encrypted."""
        return self._writing is not None

    def sealed(self, clear: bytes, key: str, name: str, version: int) -> bytes:
        """The blob of clear bytes for one place: a scan's key, a name and a version."""
        packed = zlib.compress(clear, _ZLIB_LEVEL)
        if self._writing is None:
            return bytes((_ZLIB, _CLEAR)) + packed
        head = bytes((_ZLIB, _AES_256_GCM))
        key_id, cipher = self._writing
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return head + key_id + nonce + cipher.encrypt(nonce, packed, _place(head, key, name, version))

    def opened(self, blob: bytes, key: str, name: str, version: int, *, bytes_max: int) -> bytes:
        """The clear bytes of a blob, at most so many; raises `ArtifactCorrupt` for one of another place or form."""
        head, data = blob[:_HEAD_BYTES], blob[_HEAD_BYTES:]
        try:
            if head == bytes((_ZLIB, _AES_256_GCM)):
                data = self._unsealed(data, _place(head, key, name, version))
            elif head != bytes((_ZLIB, _CLEAR)):
                raise ValueError
            return _unpacked(data, bytes_max)
        except (ValueError, KeyError, InvalidTag, zlib.error) as error:
            raise corrupt(name) from error

    def _unsealed(self, data: bytes, place: bytes) -> bytes:
        key_id, rest = data[:_KEY_ID_BYTES], data[_KEY_ID_BYTES:]
        return self._reading[key_id].decrypt(rest[:_NONCE_BYTES], rest[_NONCE_BYTES:], place)


def corrupt(name: str) -> ArtifactCorrupt:
    """The failure of bytes that are not those that were stored."""
    return ArtifactCorrupt("A stored part of the scan is damaged. Start a new scan.", name=name)


def _key_id(key: bytes) -> bytes:
    return hashlib.sha256(b"paperdesk scan key id\0" + key).digest()[:_KEY_ID_BYTES]


def _place(head: bytes, key: str, name: str, version: int) -> bytes:
    return b"\0".join((b"paperdesk scan", head, key.encode(), name.encode(), b"%d" % version))


def _unpacked(data: bytes, bytes_max: int) -> bytes:
    """All of the packed bytes and nothing after them; raises `ValueError`."""
    reader = zlib.decompressobj()
    clear = reader.decompress(data, bytes_max + 1)
    if len(clear) > bytes_max or not reader.eof or reader.unused_data:
        raise ValueError
    return clear
