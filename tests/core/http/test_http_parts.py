"""The small rules of the HTTP client: how URLs are written, when to ask again or no more, how much to read."""

import gzip
import zlib
from collections.abc import AsyncIterator
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.clock import ManualClock
from core.http.body import BodyTooLarge, BodyUnreadable, read_body, read_start
from core.http.breaker import Breaker
from core.http.retry import jitter_s, retry_after_s
from core.http.urls import path_part, query, secured


# catalog A23
@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("math.GT/0309136", "math.GT%2F0309136"),
        ("10.1002/(SICI)1096<113::AID>3.0.CO;2-6", "10.1002%2F%28SICI%291096%3C113%3A%3AAID%3E3.0.CO%3B2-6"),
        ("a b_c-d~e", "a%20b_c-d~e"),
        ("未", "%E6%9C%AA"),
        ("..", "%2E%2E"),
        ("x?y#z", "x%3Fy%23z"),
        ("\ud800", "%3F"),
    ],
)
def test_a_path_part_keeps_only_unreserved_characters_bare(text: str, part: str) -> None:
    assert path_part(text) == part


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_a_path_part_can_be_read_back_and_never_leaves_its_place(text: str) -> None:
    part = path_part(text)
    assert unquote(part) == text
    assert not set(part) & set("/?#:@ ")
    assert part.strip(".")


def test_null_parameters_are_dropped_booleans_are_words_and_lists_repeat() -> None:
    asked = query({"q": "a&b", "page": 2, "none": None, "yes": True, "no": False, "author": ("A B", "@c"), "of": ()})
    assert asked == "q=a%26b&page=2&yes=true&no=false&author=A+B&author=%40c"


# catalog A19
@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:05 GMT", "date": "Wed, 21 Oct 2015 07:28:00 GMT"}, 5),
        ({"retry-after": "Wed, 21 Oct 2015 07:27:00 GMT", "date": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:30 GMT"}, 10),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_seconds_or_a_date_against_the_answers_own(
    headers: dict[str, str], wait_s: float | None
) -> None:
    assert retry_after_s(headers, ManualClock(1_700_000_000)) == wait_s


def test_jitter_lies_between_its_ends() -> None:
    assert (jitter_s(lambda: 0.0), round(jitter_s(lambda: 0.999), 2)) == (0.1, 0.4)


def test_five_failures_in_a_row_open_the_breaker_for_15_seconds_and_one_trial_closes_it() -> None:
    clock = ManualClock()
    breaker = Breaker(clock)
    for _ in range(4):
        assert breaker.admit()
        breaker.failed()
    breaker.succeeded()
    for _ in range(5):
        assert breaker.admit()
        breaker.failed()
    assert (breaker.is_open, breaker.admit()) == (True, False)
    clock.advance(14.9)
    assert not breaker.admit()
    clock.advance(0.1)
    assert (breaker.admit(), breaker.admit()) == (True, False)
    breaker.succeeded()
    assert (breaker.is_open, breaker.admit()) == (False, True)


def test_a_failed_trial_opens_the_breaker_anew_and_an_abandoned_one_leaves_room_for_another() -> None:
    clock = ManualClock()
    breaker = Breaker(clock)
    for _ in range(5):
        breaker.failed()
    clock.advance(15)
    assert breaker.admit()
    breaker.failed()
    assert not breaker.admit()
    clock.advance(15)
    assert breaker.admit()
    breaker.abandoned()
    assert (breaker.admit(), breaker.is_open) == (True, True)


async def chunks(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


async def read(*parts: bytes, length: str | None = None, encoding: str | None = None, most: int = 10) -> bytes:
    return await read_body(chunks(*parts), content_length=length, content_encoding=encoding, max_bytes=most)


async def test_a_body_is_read_whole_up_to_its_bound() -> None:
    assert await read(b"12345", b"67890", length="10") == b"1234567890"
    assert await read(gzip.compress(b"x" * 9, mtime=0), most=100, encoding="gzip") == b"x" * 9
    assert await read(zlib.compress(b"x" * 9), most=100, encoding="deflate") == b"x" * 9
    assert await read(encoding="gzip") == b""


@pytest.mark.parametrize(
    ("parts", "length", "encoding"),
    [
        ((b"",), "11", None),
        ((b"123456", b"78901"), None, None),
        ((b"123456", b"78901"), "5", None),
        ((gzip.compress(b"0" * 10_000_000, mtime=0),), None, "gzip"),
    ],
)
async def test_a_body_over_its_bound_is_refused_by_header_by_stream_and_unpacked(
    parts: tuple[bytes, ...], length: str | None, encoding: str | None
) -> None:
    with pytest.raises(BodyTooLarge):
        await read(*parts, length=length, encoding=encoding, most=10 if encoding is None else 20_000)


async def test_a_packed_body_has_a_bound_of_its_own() -> None:
    packed = gzip.compress(b"0" * 5_000, mtime=0)
    bounds = {"content_length": None, "content_encoding": "x-gzip", "max_bytes": 100}
    assert len(await read_body(chunks(packed), max_unpacked_bytes=5_000, **bounds)) == 5_000  # type: ignore[arg-type]
    with pytest.raises(BodyTooLarge) as caught:
        await read_body(chunks(packed), max_unpacked_bytes=4_999, **bounds)  # type: ignore[arg-type]
    assert (caught.value.cap, caught.value.actual) == (4_999, 5_000)


@pytest.mark.parametrize(
    ("parts", "encoding", "start"),
    [
        ((b"12345", b"67890", b"never"), None, b"12345678"),
        ((b"123",), None, b"123"),
        ((gzip.compress(b"0" * 9_000, mtime=0),), "gzip", b"0" * 8),
        ((gzip.compress(b"0123", mtime=0), b"more"), "gzip", b"0123"),
        ((b"plain",), "br", b""),
        ((), "gzip", b""),
    ],
)
async def test_the_start_of_a_body_is_read_as_far_as_it_can_be(
    parts: tuple[bytes, ...], encoding: str | None, start: bytes
) -> None:
    assert await read_start(chunks(*parts), content_encoding=encoding, max_bytes=8) == start


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (gzip.compress(b"x" * 50, mtime=0)[:-9], "gzip"),
        (gzip.compress(b"{}", mtime=0) + gzip.compress(b"{}", mtime=0), "gzip"),
        (zlib.compress(b"{}") + b"more", "deflate"),
        (b"plain", "gzip"),
        (b"plain", "br"),
    ],
)
async def test_a_body_that_cannot_be_unpacked_is_unreadable(body: bytes, encoding: str) -> None:
    with pytest.raises(BodyUnreadable):
        await read(body, encoding=encoding, most=100)


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("http://a.org/1.pdf", "https://a.org/1.pdf"),
        ("HTTP://a.org", "https://a.org"),
        ("http://a.org:80/1.pdf?b#c", "https://a.org/1.pdf?b#c"),
        ("http://a.org:8080/", "https://a.org:8080/"),
        ("http://user:80@a.org/", "https://user:80@a.org/"),
        ("https://a.org/?u=http://b.org", "https://a.org/?u=http://b.org"),
        ("ftp://a.org/", "ftp://a.org/"),
        ("", ""),
    ],
)
def test_an_address_is_written_with_https_where_it_was_http(written: str, asked: str) -> None:
    assert secured(written) == asked
