"""Chunks of a full text and the cursors between them."""

import hashlib
import json
import unicodedata
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from itsdangerous import URLSafeSerializer

from core.catalog.reading import CURSOR_SALT, CursorCodec, ReadCursor, chunk_end, reference_key
from core.clock import ManualClock
from core.errors import CursorExpired, CursorInvalid, CursorMismatch, InvalidInput
from core.tokens import Signer, key_id

OLD, NEW = "an-older-signing-key", "a-newer-signing-key!"
VERSION = hashlib.sha256(b"text").hexdigest()
EURO, EMOJI = "€" * 30_000, "😀" * 20_000

# Blanks and line ends in every mixture, between characters of one to four bytes.
TEXTS = st.text(alphabet=st.sampled_from("a\n \té€😀"), max_size=200).map(str.encode)


def chunks_of(body: bytes, limit: int) -> list[bytes]:
    chunks, offset = [], 0
    while offset < len(body):
        end = chunk_end(body, offset, limit)
        chunks.append(body[offset:end])
        assert end > offset
        offset = end
    return chunks


@pytest.mark.parametrize("limit", [1_024, 32_768, 65_536])
@pytest.mark.parametrize("text", ["x" * 200_000, EURO, EMOJI, "One line.\n\nAnother one, longer.\n" * 5_000])
def test_chunks_joined_are_the_text_and_none_is_over_the_limit(text: str, limit: int) -> None:
    # catalog A69
    body = text.encode()
    chunks = chunks_of(body, limit)
    assert b"".join(chunks) == body
    assert max(map(len, chunks)) <= limit
    for chunk in chunks:
        chunk.decode()


def test_first_chunk_of_three_byte_characters_stops_before_the_cut_one() -> None:
    # catalog A70
    assert chunk_end(EURO.encode(), 0, 65_536) == 65_535


def test_first_chunk_of_three_byte_characters_may_end_a_paragraph_earlier() -> None:
    # catalog A70
    body = ("€" * 15_000 + "\n\n" + "€" * 15_000).encode()
    assert chunk_end(body, 0, 65_536) == 45_002


def test_default_chunk_ends_after_the_last_blank_line_of_its_second_half() -> None:
    # catalog A71
    body = b"a" * 20_000 + b"\n\n" + b"b" * 5_000 + b"\n \t\n" + b"c" * 1_000 + b"\n" + b"d e" * 10_000
    end = chunk_end(body, 0, 32_768)
    assert body[:end].endswith(b"b\n \t\n")


def test_blank_line_in_the_first_half_does_not_make_a_short_chunk() -> None:
    body = b"a" * 10 + b"\n\n" + b"b" * 200
    assert chunk_end(body, 0, 100) == 100


@pytest.mark.parametrize(
    ("body", "end"),
    [
        (b"aaaaaa\n\nb\nc d" + b"x" * 9, 8),  # a paragraph end goes before a later line end and a later blank
        (b"aaaaaaa\nb c d" + b"x" * 9, 8),  # a line end goes before a later blank
        (b"aaaaaaa b c" + b"x" * 9, 10),  # the last blank
        (b"aaaaaaaaaa" + b"x" * 9, 10),  # nothing to end at
        (b"aaaaaaaaa\xe2\x82\xac" + b"x" * 9, 9),  # nor inside a character
        (b"a b\nc\n\nd", 8),  # the rest fits
        (b"aaaaaaaa\n\n" + b"x" * 9, 10),  # a blank line that ends with the window
        (b"aaaaaaaaa\n\n" + b"x" * 9, 10),  # one that ends just past it is only a line end
    ],
)
def test_end_of_a_chunk_of_ten_bytes(body: bytes, end: int) -> None:
    assert chunk_end(body, 0, 10) == end


@given(body=TEXTS, limit=st.integers(4, 40))
@example(body=b"\n" * 20, limit=4)
def test_chunks_advance_on_character_boundaries_and_join(body: bytes, limit: int) -> None:
    chunks = chunks_of(body, limit)
    assert b"".join(chunks) == body
    assert all(len(chunk) <= limit for chunk in chunks)
    assert "".join(chunk.decode() for chunk in chunks) == body.decode()


@given(body=TEXTS, limit=st.integers(4, 40))
@example(body=b"aaaaa\n   \na\nxxxx", limit=6)  # a line end before the chunk makes no blank line in it
def test_window_of_one_byte_more_than_the_limit_gives_the_same_end(body: bytes, limit: int) -> None:
    offset = 0
    while offset < len(body):
        end = chunk_end(body, offset, limit)
        assert offset + chunk_end(body[offset : offset + limit + 1], 0, limit) == end
        offset = end


def test_end_of_the_text_is_an_empty_chunk() -> None:
    assert chunk_end(b"abc", 3, 10) == 3
    assert chunk_end(b"", 0, 10) == 0


@pytest.mark.parametrize(("offset", "limit"), [(-1, 10), (8, 10), (2, 10), (3, 10), (1, 2), (1, 1), (0, 0)])
def test_offset_or_limit_that_fits_no_character_is_refused(offset: int, limit: int) -> None:
    with pytest.raises(InvalidInput):
        chunk_end("a€bcd".encode(), offset, limit)


def codec(*keys: str, clock: ManualClock | None = None) -> CursorCodec:
    return CursorCodec(Signer(keys or (NEW,), CURSOR_SALT), clock or ManualClock())


def payload(**changes: Any) -> dict[str, Any]:
    whole = {
        "v": 1,
        "ref": "Some Title",
        "paper": "1706.03762",
        "source": "arxiv",
        "version": VERSION,
        "offset": 32_768,
        "limit": 32_768,
        "kid": key_id(NEW),
        "exp": 1_700_003_600,
    }
    return {key: value for key, value in (whole | changes).items() if value is not ...}


def sealed(content: Any) -> str:
    serializer = URLSafeSerializer(
        NEW,
        salt="paperdesk.catalog.read.v1",
        serializer_kwargs={"sort_keys": True},
        signer_kwargs={"key_derivation": "hmac", "digest_method": hashlib.sha256},
    )
    return str(serializer.dumps(content))


def test_first_cursor_holds_the_nine_keys_of_the_contract() -> None:
    token, cursor = codec().first("  Some Title ", "1706.03762", VERSION, 32_768, 32_768)
    assert Signer([NEW], CURSOR_SALT).verify(token) == payload()
    assert cursor == ReadCursor("Some Title", "1706.03762", VERSION, 32_768, 32_768, 1_700_003_600)
    assert codec().read(token) == cursor


def test_cursor_works_in_another_process_with_the_same_keys_and_again_after_use() -> None:
    # catalog A73
    token, cursor = codec(OLD, NEW).first("x", "42", VERSION, 1, 1_024)
    assert [codec(OLD, NEW).read(token) for _ in range(2)] == [cursor, cursor]
    assert cursor.source == "external"


def test_rotated_key_keeps_cursors_alive_and_signs_the_next_with_the_same_expiry() -> None:
    # catalog A73
    clock = ManualClock()
    token, cursor = codec(OLD, clock=clock).first("x", "42", VERSION, 100, 1_024)
    clock.advance(600)
    rotated = codec(OLD, NEW, clock=clock)
    following, next_cursor = rotated.next(rotated.read(token), "x", 1_124)
    assert next_cursor == replace(cursor, offset=1_124)
    assert Signer([NEW], CURSOR_SALT).verify(following)["kid"] == key_id(NEW)
    assert next_cursor.expires_at_s == cursor.expires_at_s == 1_700_003_600
    with pytest.raises(CursorInvalid):
        codec(NEW, clock=clock).read(token)


def test_any_one_character_change_of_a_cursor_is_invalid() -> None:
    # catalog A74
    token, _ = codec().first("x", "42", VERSION, 100, 1_024)
    for position, character in enumerate(token):
        for other in "AB_":
            if other != character:
                with pytest.raises(CursorInvalid):
                    codec().read(token[:position] + other + token[position + 1 :])


@pytest.mark.parametrize(
    "content",
    [
        *(payload(**{key: ...}) for key in payload()),
        payload(extra=1),
        payload(v=2),
        payload(v=True),
        payload(v="1"),
        payload(offset=True),
        payload(offset=0),
        payload(offset=2**63),
        payload(offset=1.0),
        payload(limit=True),
        payload(limit=0),
        payload(limit=65_537),
        payload(exp=True),
        payload(exp=253_402_300_800),
        payload(exp=2**63 - 1),
        payload(exp=1_700_003_600.0),
        payload(version=VERSION.upper()),
        payload(version=VERSION[:63]),
        payload(version=None),
        payload(paper="17060.3762"),
        payload(paper="1706.03762v1"),
        payload(paper="1" * 21, source="external"),
        payload(paper=1706),
        payload(paper="42", source="arxiv"),
        payload(source="external"),
        payload(source=["arxiv"]),
        payload(ref=""),
        payload(ref=" padded "),
        payload(ref="e\u0301"),
        payload(ref="x" * 599),
        payload(ref=None),
        payload(kid=key_id(OLD)),
        [],
    ],
    ids=str,
)
def test_signed_cursor_with_a_bad_field_is_invalid(content: Any) -> None:
    # catalog A74
    with pytest.raises(CursorInvalid):
        codec().read(sealed(content))


@pytest.mark.parametrize(
    "change", [{}, {"offset": 2**63 - 1}, {"limit": 65_536}, {"paper": "7" * 20, "source": "external"}]
)
def test_signed_cursor_at_the_edge_of_its_rules_is_read(change: dict[str, Any]) -> None:
    content = payload(**change)
    assert codec().read(sealed(content)) == ReadCursor(
        content["ref"], content["paper"], VERSION, content["offset"], content["limit"], content["exp"]
    )


def test_cursor_expires_at_its_expiry_and_tampering_wins() -> None:
    # catalog A75
    clock = ManualClock()
    token, _ = codec(clock=clock).first("x", "42", VERSION, 100, 1_024)
    clock.advance(3_599.999)
    codec(clock=clock).read(token)
    clock.advance(0.001)
    with pytest.raises(CursorExpired):
        codec(clock=clock).read(token)
    with pytest.raises(CursorInvalid):
        codec(clock=clock).read(token[:-1] + ("A" if token[-1] != "A" else "Q"))
    with pytest.raises(CursorInvalid):
        codec(clock=clock).read(sealed(payload(extra=1)))


def test_expired_reading_cannot_be_signed_anew() -> None:
    clock = ManualClock()
    writer = codec(clock=clock)
    _, cursor = writer.first("x", "42", VERSION, 100, 1_024)
    clock.advance(3_600)
    with pytest.raises(CursorExpired):
        writer.next(cursor, "x", 200)


def test_other_reference_of_the_same_paper_rebinds_and_another_paper_is_a_mismatch() -> None:
    # catalog A76
    token, _ = codec().first("1706.03762", "1706.03762", VERSION, 100, 1_024)
    cursor = codec().read(token)
    url = "https://arxiv.org/abs/1706.03762"
    assert cursor.names(" 1706.03762 ")
    assert not cursor.names(url)
    cursor.require_paper("1706.03762")
    _, following = codec().next(cursor, url, 200)
    assert following.names(url)
    assert not following.names("1706.03762")
    with pytest.raises(CursorMismatch):
        cursor.require_paper("1810.04805")


@pytest.mark.parametrize("paper", ["math.GT/0309136", "hep-th/9711200", "cs/0701188", "astro-ph.CO/0701188"])
def test_old_style_arxiv_id_can_be_continued(paper: str) -> None:
    # catalog A77
    token, cursor = codec().first(paper, paper, VERSION, 100, 1_024)
    assert (codec().read(token), cursor.source) == (cursor, "arxiv")


@pytest.mark.parametrize("character", ["é", "漢", "😀", "\u0301", '"', "\\", "a"])
def test_reference_of_500_characters_can_be_continued(character: str) -> None:
    # catalog A77
    reference = character * 500
    token, cursor = codec().first(reference, "math.GT/0309136", VERSION, 2**63 - 1, 65_536)
    assert len(token) <= 2_048
    assert codec().read(token).names(reference)
    assert not cursor.names(character * 499)


def test_reference_over_600_bytes_of_json_is_spelt_by_its_hash() -> None:
    assert reference_key("x" * 598) == "x" * 598
    long = reference_key("x" * 599)
    assert (len(long), long[0]) == (44, "#")
    assert long != reference_key("x" * 600)
    assert reference_key(long) == long


@given(st.text(max_size=500))
def test_reference_key_is_stable_under_trimming_and_normal_form(reference: str) -> None:
    key = reference_key(reference)
    assert key == reference_key(f" {unicodedata.normalize('NFD', reference)}\n") == reference_key(key)
    assert len(json.dumps(key)) <= 600


@pytest.mark.parametrize(
    "change", [{"paper": "no id"}, {"offset": 0}, {"limit": 65_537}, {"version": "v1"}, {"reference": ""}]
)
def test_cursor_that_would_not_be_read_is_not_written(change: dict[str, Any]) -> None:
    place = {"reference": "x", "paper": "42", "version": VERSION, "offset": 100, "limit": 1_024}
    with pytest.raises(CursorInvalid):
        codec().first(**(place | change))
