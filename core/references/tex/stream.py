"""The bytes of a source as a stream, inflated on the way where they are packed (references contract 8.2)."""

import zlib
from collections.abc import Iterable, Iterator

from core.references.tex.limits import Effort, corrupt

GZIP_MAGIC = b"\x1f\x8b"
_GZIP_ONLY = 31
"""Window bits for zlib that expect a gzip header."""
_PACKED_BLOCK = 1 << 14
"""What is fed at a time; zlib hands back what follows the end of a gzip member, so that this bounds the copying."""
_INFLATED_BLOCK = 1 << 18


class ByteStream:
    """Reads pieces of known sizes from a stream of blocks, and looks ahead without taking."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = iter(blocks)
        self._block = memoryview(b"")

    def peek(self, size: int) -> bytes:
        """The next bytes, at most `size`, which stay in the stream."""
        while len(self._block) < size and (block := next(self._blocks, None)) is not None:
            self._block = memoryview(bytes(self._block) + block if self._block else block)
        return bytes(self._block[:size])

    def read(self, size: int) -> bytes:
        """The next bytes; fewer than `size` only at the end."""
        return b"".join(self.pieces(size))

    def skip(self, size: int) -> int:
        """Moves over the next bytes; how many there were."""
        return sum(map(len, self.pieces(size)))

    def pieces(self, size: int) -> Iterator[memoryview]:
        """The next `size` bytes, or what is left, as they come."""
        while size > 0:
            if not self._block:
                block = next(self._blocks, None)
                if block is None:
                    return
                self._block = memoryview(block)
                continue
            piece, self._block = self._block[:size], self._block[size:]
            size -= len(piece)
            yield piece


def inflated(packed: ByteStream, effort: Effort) -> Iterator[bytes]:
    """What a gzip file unpacks to. Further members are read as gzip does; what follows them is ignored."""
    count = _Count(effort)
    members = 0
    while packed.peek(2) == GZIP_MAGIC:
        members += 1
        effort.require(members, effort.limits.members)
        yield from _member(packed, count)


def counted(blocks: Iterable[bytes], effort: Effort) -> Iterator[bytes]:
    """Blocks that are not packed, under the same cap and clock."""
    total = 0
    for block in blocks:
        total += len(block)
        effort.go_on()
        effort.require(total, effort.limits.inflated_bytes)
        yield block


class _Count:
    """Packed and unpacked bytes so far, held against the caps."""

    def __init__(self, effort: Effort) -> None:
        self._effort = effort
        self._packed = 0
        self._inflated = 0

    def add(self, packed: int, inflated: int) -> None:
        limits = self._effort.limits
        self._packed += packed
        self._inflated += inflated
        self._effort.go_on()
        self._effort.require(self._inflated, limits.inflated_bytes)
        if self._inflated > limits.ratio_from_bytes:
            self._effort.require(self._inflated, limits.ratio * self._packed)


def _member(packed: ByteStream, count: _Count) -> Iterator[bytes]:
    """One gzip member, taken off the stream to its last byte."""
    stream = zlib.decompressobj(_GZIP_ONLY)
    while not stream.eof:
        block = packed.peek(_PACKED_BLOCK)
        try:
            found = stream.decompress(block, _INFLATED_BLOCK)
        except zlib.error as error:
            raise corrupt() from error
        used = packed.skip(len(block) - len(stream.unconsumed_tail) - len(stream.unused_data))
        if not used and not found and not stream.eof:
            raise corrupt()
        count.add(used, len(found))
        if found:
            yield found
