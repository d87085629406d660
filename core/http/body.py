"""Reading a body within its bound: by its header, while it streams, and after it is unpacked."""

import zlib
from collections.abc import AsyncIterator

_GZIP_OR_ZLIB = 47
"""Window bits for zlib that recognise both headers."""


class BodyTooLarge(Exception):
    """The body is over its bound of `cap` bytes; `actual` is what was announced, or seen until it was cut."""

    def __init__(self, *, cap: int, actual: int) -> None:
        super().__init__()
        self.cap = cap
        self.actual = actual


class BodyUnreadable(Exception):
    """The body is packed in a way that cannot be undone."""


class BodyCut(BodyUnreadable):
    """The packed body ends too early."""


async def read_body(
    chunks: AsyncIterator[bytes],
    *,
    content_length: str | None,
    content_encoding: str | None,
    max_bytes: int,
    max_unpacked_bytes: int | None = None,
) -> bytes:
    """The unpacked body; raises `BodyTooLarge` as early as it shows, and `BodyUnreadable`.

    `max_bytes` bounds what is sent, `max_unpacked_bytes` what comes out of it; without it both bounds are one.
    """
    most = max_bytes if max_unpacked_bytes is None else max_unpacked_bytes
    if content_length is not None and content_length.isdecimal() and int(content_length) > max_bytes:
        raise BodyTooLarge(cap=max_bytes, actual=int(content_length))
    unpack = _unpacker(content_encoding)
    body = bytearray()
    received = 0
    async for chunk in chunks:
        received += len(chunk)
        # A packed body may be a few bytes longer than what is in it, never more than the bound allows.
        if received > max_bytes:
            raise BodyTooLarge(cap=max_bytes, actual=received)
        body += unpack.feed(chunk, most + 1 - len(body)) if unpack else chunk
        if len(body) > most:
            raise BodyTooLarge(cap=most, actual=len(body))
    if unpack and not unpack.is_complete:
        raise BodyCut
    return bytes(body)


async def read_start(chunks: AsyncIterator[bytes], *, content_encoding: str | None, max_bytes: int) -> bytes:
    """What a body begins with, unpacked, as far as it can be read; what follows is left unread."""
    body = bytearray()
    try:
        unpack = _unpacker(content_encoding)
        async for chunk in chunks:
            body += unpack.feed(chunk, max_bytes + 1 - len(body)) if unpack else chunk
            if len(body) > max_bytes:
                break
    except BodyUnreadable:
        pass
    return bytes(body[:max_bytes])


class _Unpacker:
    """Undoes gzip or deflate without ever holding more than was asked for."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(_GZIP_OR_ZLIB)
        self._is_fed = False

    @property
    def is_complete(self) -> bool:
        """Whether the packed stream has ended, or never began."""
        return self._stream.eof or not self._is_fed

    def feed(self, chunk: bytes, most: int) -> bytes:
        """What a further chunk unpacks to, at most `most` >= 1 bytes of it."""
        self._is_fed = True
        try:
            found = self._stream.decompress(chunk, most)
        except zlib.error as error:
            raise BodyUnreadable from error
        # What follows the end would be lost in silence.
        if self._stream.unused_data:
            raise BodyUnreadable
        return found


def _unpacker(content_encoding: str | None) -> _Unpacker | None:
    match (content_encoding or "identity").strip().lower():
        case "identity" | "":
            return None
        case "gzip" | "x-gzip" | "deflate":
            return _Unpacker()
        case _:
            raise BodyUnreadable
