"""Reading a full text in chunks: where a chunk ends, and the cursor that names the next one (catalog contract 13)."""

import base64
import hashlib
import json
import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from core.clock import Clock
from core.errors import CursorExpired, CursorInvalid, CursorMismatch, InvalidInput
from core.identifiers import parse
from core.tokens import Signer

CURSOR_SALT = "paperdesk.catalog.read.v1"
CURSOR_LIFE_S = 3600
MAX_CHUNK_BYTES = 65_536

_MAX_REFERENCE_BYTES = 600
_MAX_OFFSET = 2**63 - 1
_MAX_EXPIRY_S = 253_402_300_799
"""The last second of the year 9999; a reply says as a date when its cursor expires."""
_CATALOG_ID = re.compile(r"[0-9]{1,20}")
_ARXIV_ID = re.compile(r"[0-9]{4}\.[0-9]{4,5}|[a-z][a-z-]*(?:\.[A-Za-z][A-Za-z-]*)?/[0-9]{7}")
_VERSION = re.compile(r"[0-9a-f]{64}")
_KEYS = frozenset({"v", "ref", "paper", "source", "version", "offset", "limit", "kid", "exp"})


def chunk_end(body: bytes, offset: int, limit: int) -> int:
    """Where the chunk that starts at `offset` of `body` ends: at most `limit` bytes on, after whole UTF-8 characters.

    `body` is the whole text, or a window of it that reaches `limit` + 1 bytes past `offset` or to the text's end; the
    result counts from the start of `body`. Preferred is the last paragraph end in the second half of the chunk's range,
    then the last line end there, then the last blank. Raises `InvalidInput` for an offset outside the text or inside a
    character, and for a limit that the next character does not fit in.
    """
    size = len(body)
    if not 0 <= offset <= size or (offset < size and _is_continuation(body[offset])):
        raise InvalidInput("The offset lies outside the text or inside a character. Use the offset of the last reply.")
    if limit < 1:
        raise InvalidInput("The limit must be at least 1 byte.")
    top = offset + limit
    if top >= size:
        return size
    return _preferred_end(body, offset, offset + limit // 2, top) or _character_end(body, offset, top)


def _preferred_end(body: bytes, offset: int, half: int, top: int) -> int | None:
    """The last paragraph end, line end or blank within `half` .. `top`; None when there is none."""
    last_line_end = newline = body.rfind(b"\n", half, top)
    while newline >= 0:
        previous = body.rfind(b"\n", offset, newline)
        if previous >= 0 and not body[previous + 1 : newline].strip(b" \t\r"):
            return newline + 1
        newline = previous if previous >= half else -1
    if last_line_end >= 0:
        return last_line_end + 1
    blank = body.rfind(b" ", half, top)
    return blank + 1 if blank >= 0 else None


def _character_end(body: bytes, offset: int, top: int) -> int:
    end = top
    while end > offset and _is_continuation(body[end]):
        end -= 1
    if end == offset:
        raise InvalidInput("The limit is too small for the next character. Use at least 4 bytes.")
    return end


def _is_continuation(byte: int) -> bool:
    return byte & 0xC0 == 0x80


def reference_key(reference: str) -> str:
    """How a cursor spells a reference: trimmed, NFC; one over 600 bytes as compact JSON by its hash, behind a `#`.

    The JSON text is the one that the token holds, with everything outside ASCII escaped, so that its size is bounded.
    """
    text = unicodedata.normalize("NFC", reference.strip())
    if len(json.dumps(text)) <= _MAX_REFERENCE_BYTES:
        return text
    digest = hashlib.sha256(json.dumps(text).encode()).digest()
    return "#" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


@dataclass(frozen=True, slots=True)
class ReadCursor:
    """A verified place in a text: the next chunk starts at byte `offset` of content `version` of `paper`.

    `reference` is spelt as `reference_key` does; `expires_at_s` is Unix time and the same through a whole reading.
    """

    reference: str
    paper: str
    version: str
    offset: int
    limit: int
    expires_at_s: int

    @property
    def source(self) -> str:
        """`external` for a paper named by its catalog id, else `arxiv`."""
        return _source(self.paper)

    def names(self, reference: str) -> bool:
        """Whether a reference is spelt as the one this cursor was made for; then nothing needs resolving."""
        return reference_key(reference) == self.reference

    def require_paper(self, canonical_id: str) -> None:
        """Raises `CursorMismatch` unless the cursor is for the paper that another reference resolved to."""
        if not same_paper(canonical_id, self.paper):
            raise CursorMismatch(
                "This cursor belongs to another paper than the one given. "
                "Pass it with that paper, or leave it out to read this one from the start."
            )


def same_paper(first: str, second: str) -> bool:
    """Whether two canonical ids name one paper: `math.GT/0309136` and `math/0309136` do."""
    return (
        parse(first, titles=False, bare_digits="catalog").key == parse(second, titles=False, bare_digits="catalog").key
    )


class CursorCodec:
    """Writes and reads the cursors of `read_paper`; `signer` is made with `CURSOR_SALT`."""

    def __init__(self, signer: Signer, clock: Clock) -> None:
        self._signer = signer
        self._clock = clock

    def expiry_s(self) -> int:
        """When a reading that starts now ends, in Unix seconds."""
        return int(self._clock.now_s()) + CURSOR_LIFE_S

    def first(self, reference: str, paper: str, version: str, offset: int, limit: int) -> tuple[str, ReadCursor]:
        """The cursor after the first chunk of a reading, as text and as value; its life starts now."""
        return self._write(ReadCursor(reference_key(reference), paper, version, offset, limit, self.expiry_s()))

    def next(self, cursor: ReadCursor, reference: str, offset: int) -> tuple[str, ReadCursor]:
        """The cursor after a further chunk: the newest reference and key, all else and the expiry as they were."""
        bound = ReadCursor(
            reference_key(reference), cursor.paper, cursor.version, offset, cursor.limit, cursor.expires_at_s
        )
        return self._write(bound)

    def read(self, token: str) -> ReadCursor:
        """The cursor of a token: signature first, then every field, then its life.

        Raises `CursorInvalid` or `CursorExpired`. Whose paper it is, is the caller's next question: `names`, then
        `require_paper`.
        """
        payload = self._signer.verify(token)
        if not _is_valid(payload):
            raise CursorInvalid(
                "This cursor holds a field that is not valid. Pass the last next_cursor, or leave it out."
            )
        cursor = ReadCursor(
            payload["ref"], payload["paper"], payload["version"], payload["offset"], payload["limit"], payload["exp"]
        )
        self._require_life(cursor)
        return cursor

    def _write(self, cursor: ReadCursor) -> tuple[str, ReadCursor]:
        self._require_life(cursor)
        payload = {
            "v": 1,
            "ref": cursor.reference,
            "paper": cursor.paper,
            "source": cursor.source,
            "version": cursor.version,
            "offset": cursor.offset,
            "limit": cursor.limit,
            "exp": cursor.expires_at_s,
        }
        if not _is_valid({**payload, "kid": self._signer.newest_kid}):
            raise CursorInvalid("This reading position cannot be continued. Start again without a cursor.")
        return self._signer.sign(payload), cursor

    def _require_life(self, cursor: ReadCursor) -> None:
        if self._clock.now_s() >= cursor.expires_at_s:
            raise CursorExpired("This cursor has expired. Start again without a cursor.")


def _source(paper: str) -> str:
    return "external" if _CATALOG_ID.fullmatch(paper) else "arxiv"


def _is_valid(payload: dict[str, Any]) -> bool:
    """Whether a payload has exactly the nine keys of the contract, each by its rule."""
    if payload.keys() != _KEYS or not all(
        isinstance(payload[key], str) for key in ("ref", "paper", "source", "version")
    ):
        return False
    paper = payload["paper"]
    return (
        _is_int(payload["v"], 1, 1)
        and bool(payload["ref"])
        and reference_key(payload["ref"]) == payload["ref"]
        and bool(_CATALOG_ID.fullmatch(paper) or _ARXIV_ID.fullmatch(paper))
        and payload["source"] == _source(paper)
        and bool(_VERSION.fullmatch(payload["version"]))
        and _is_int(payload["offset"], 1, _MAX_OFFSET)
        and _is_int(payload["limit"], 1, MAX_CHUNK_BYTES)
        and _is_int(payload["exp"], 1, _MAX_EXPIRY_S)
    )


def _is_int(value: object, low: int, high: int) -> bool:
    # bool is a subclass of int, and a cursor with `true` for an offset is not one of ours.
    return type(value) is int and low <= value <= high
