"""Sources made to be expensive: each stops at its cap or at the clock, in little memory (references contract 8.2)."""

import gzip
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.clock import ManualClock
from core.errors import PaperdeskError, SourceMalformed, SourceTimeout, SourceTooLarge
from core.references.tex.limits import HOSTED_LIMITS, LOCAL_LIMITS
from core.references.tex.source import read_tex
from tests.core.references.tex.packs import (
    PAPER,
    archive,
    header,
    member,
    packed,
    pax,
    read,
    squeezed,
    tar,
)
from tests.core.references.work import calls_of, peak_bytes_of

MB = 1_000_000
ZEROS = bytes(1 << 20)
FEW = replace(HOSTED_LIMITS, inflated_bytes=100_000, member_bytes=50_000, kept_bytes=60_000, expanded_chars=2_000)


def zeros(size: int, before: bytes = b"") -> Iterator[bytes]:
    yield before
    for start in range(0, size, len(ZEROS)):
        yield ZEROS[: size - start]


def noise(size: int) -> bytes:
    """Bytes that do not pack well, always the same."""
    state, found = 1, bytearray()
    while len(found) < size:
        state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        found += state.to_bytes(8, "big")
    return bytes(found[:size])


def stopped(body: bytes) -> tuple[int, int]:
    with pytest.raises(SourceTooLarge) as failure:
        read(body)
    assert failure.value.source == "arxiv-src"
    denial = failure.value.denial
    assert denial is not None
    return denial.cap, denial.actual


def test_member_of_sixty_million_zeros_is_refused_by_its_header() -> None:
    # references A101
    body = squeezed(zeros(60 * MB, header(b"zeros.tex", 60 * MB)))
    assert stopped(body) == (50 * MB, 60 * MB)
    assert peak_bytes_of(lambda: stopped(body)) < 2 * MB


def test_fifty_million_bytes_of_one_member_are_the_most_and_pass_by_in_little_memory() -> None:
    content = [member(b"noise.bin", noise(400_000)), header(b"a.png", 20 * MB), *zeros(20 * MB)]
    body = squeezed([*content, bytes(-20 * MB % 512), tar({"main.tex": PAPER})])
    assert read(body).main_file == "main.tex"
    assert peak_bytes_of(lambda: read(body)) < 3 * MB


def test_five_thousand_and_one_members_are_refused() -> None:
    # references A101
    names = [f"{number}.png" for number in range(4999)]
    assert read(packed({**dict.fromkeys(names, b""), "main.tex": PAPER})).main_file == "main.tex"
    links = [header(b"l%d" % number, 0, b"2") for number in range(5001)]
    for many in (packed(dict.fromkeys([*names, "a", "b"], b"")), gzip.compress(archive(links))):
        assert stopped(many) == (5000, 5001)


def test_content_that_packs_too_well_is_refused_after_ten_million_bytes() -> None:
    cap, actual = stopped(squeezed(zeros(40 * MB, header(b"zeros.png", 40 * MB))))
    assert 10 * MB < actual <= 11 * MB
    assert cap < actual / 4
    assert read(squeezed([*zeros(9 * MB, header(b"zeros.png", 9 * MB)), bytes(-9 * MB % 512), tar({"a.tex": PAPER})]))


def test_plain_file_that_unpacks_for_ever_is_refused() -> None:
    body = squeezed(zeros(300 * MB, b"\\documentclass{article}"))
    cap, actual = stopped(body)
    assert cap < actual <= 11 * MB
    assert peak_bytes_of(lambda: stopped(body)) < 30 * MB


def test_all_that_is_unpacked_counts_against_one_cap() -> None:
    assert (HOSTED_LIMITS.inflated_bytes, LOCAL_LIMITS.inflated_bytes) == (200 * MB, 500 * MB)
    parts = tar({"a.png": noise(40_000), "b.png": noise(40_000), "c.png": noise(40_000)})
    for body in (parts, gzip.compress(parts, mtime=0)):
        with pytest.raises(SourceTooLarge) as failure:
            read(body, limits=FEW)
        assert failure.value.denial is not None
        assert failure.value.denial.cap == 100_000


def test_plain_file_over_the_cap_of_a_member_is_refused() -> None:
    with pytest.raises(SourceTooLarge) as failure:
        read(b"x" * 50_001, limits=FEW)
    denial = failure.value.denial
    assert denial is not None
    assert (denial.cap, denial.actual) == (50_000, 50_001)


def test_endless_gzip_members_end_at_the_cap_of_members() -> None:
    empty = gzip.compress(b"", mtime=0)
    assert read(empty * 4_000 + gzip.compress(PAPER, mtime=0)).text == PAPER.decode()
    assert stopped(empty * 60_000) == (5000, 5001)


def test_gzip_members_in_one_block_are_not_copied_over_and_over() -> None:
    body = gzip.compress(b"x", mtime=0) * 4_000 + noise(4 * MB)
    assert peak_bytes_of(lambda: read_tex([body], HOSTED_LIMITS, ManualClock())) < 2 * MB


def test_headers_that_only_announce_more_headers_end() -> None:
    with pytest.raises(SourceMalformed):
        read(gzip.compress(pax({"path": "a"}) * 3_000))
    with pytest.raises(SourceMalformed):
        read(gzip.compress(archive([header(b"x", 0, b"L")] * 3_000)))


def test_extension_header_is_not_held_however_long_it_says_it_is() -> None:
    body = squeezed(
        [header(b"pax", 9 * MB, b"x"), *zeros(9 * MB), bytes(-9 * MB % 512), member("x", b"x"), tar({"m.tex": PAPER})]
    )
    assert read(body).main_file == "m.tex"
    assert peak_bytes_of(lambda: read(body)) < 2 * MB


def test_text_beyond_what_is_kept_is_as_if_it_were_not_there() -> None:
    files = {"main.tex": PAPER + b"\\input{a}\\input{b}", "a.tex": b"a" * 40_000, "b.tex": b"b" * 30_000, "c.tex": b"c"}
    source = read(packed(files), limits=replace(FEW, expanded_chars=100_000))
    assert [file.name for file in source.files] == ["main.tex", "a.tex", "c.tex"]
    assert source.unresolved == ("b",)


class RunningClock(ManualClock):
    """A clock that moves on whenever it is looked at."""

    def __init__(self, step_s: float) -> None:
        super().__init__()
        self._step_s = step_s

    def monotonic_s(self) -> float:
        self.advance(self._step_s)
        return super().monotonic_s()


@pytest.mark.parametrize(
    "body",
    [
        squeezed([noise(4 * MB)]),
        tar({f"{number}.tex": b"x" for number in range(200)}),
        tar({"main.tex": rb"\input{x}" * 200}),
        tar({"main.tex": rb"\input{" * 200}),
        tar({"main.tex": PAPER + rb"\input{b}" * 300, "b.tex": b"b"}),
        bytes(header(b"x", 0, b"S")[:482]) + b"\x01" + bytes(29),
    ],
)
def test_work_ends_after_twenty_seconds_wherever_it_is(body: bytes) -> None:
    if body.startswith(b"x\x00"):
        sparse = bytearray(body)
        sparse[148:156] = b" " * 8
        sparse[148:156] = b"%06o\x00 " % sum(sparse)
        body = bytes(sparse) + (bytes(504) + b"\x01" + bytes(7)) * 500
    blocks = (body[start : start + 8192] for start in range(0, len(body), 8192))
    with pytest.raises(SourceTimeout) as failure:
        read_tex(blocks, HOSTED_LIMITS, RunningClock(0.1))
    assert failure.value.source == "arxiv-src"


def test_work_that_takes_less_is_done() -> None:
    assert read_tex([PAPER], HOSTED_LIMITS, RunningClock(0.1)).text == PAPER.decode()


def test_files_that_multiply_stop_at_the_size_of_the_whole() -> None:
    files = {f"f{depth}.tex": f"\\input{{f{depth + 1}}}\n" * 10 for depth in range(9)} | {"f9.tex": "x" * 50}
    source = read(tar({"main.tex": PAPER + b"\\input{f0}", **files}), limits=FEW)
    assert len(source.text) <= 2_000 + len("\n\n") * 100
    assert source.unresolved
    assert set(source.unresolved) <= {f"f{depth}" for depth in range(10)}


def test_files_that_are_too_large_are_decoded_once_however_often_they_are_asked_for() -> None:
    large = {"main.tex": PAPER + b"\\input{a}\n" * 3_000, "a.tex": "é" * 2_500}
    assert peak_bytes_of(lambda: read(tar(large), limits=FEW)) < 1 * MB
    small = {"main.tex": PAPER + b"\\input{a}\n" * 750, "a.tex": "é" * 2_500}
    assert calls_of(lambda: read(tar(large), limits=FEW)) < 5 * calls_of(lambda: read(tar(small), limits=FEW))


# The square of the length is so large that the test would not end within its time limit.
LONG: dict[str, Callable[[int], bytes]] = {
    "backslashes": lambda n: b"\\" * n,
    "comment signs": lambda n: b"%" * n + b"\n%" * n,
    "opened arguments": lambda n: b"\\input{" * n,
    "opened options": lambda n: b"\\documentclass[" * n + b"\\includepdf[" * n,
    "blanks": lambda n: b"\\input" + b" " * n + b"\\import {a} " * n,
    "long names": lambda n: (b"\\input{" + b"a" * 299 + b"}") * (n // 100),
    "verbatim text without end": lambda n: b"\\begin{verbatim}" * n,
    "verb with many signs": lambda n: "".join(f"\\verb{chr(0x400 + i % 5000)}" for i in range(n)).encode(),
    "itself": lambda n: b"\\input{main}" * (n // 10),
    "files that are not there": lambda n: b"".join(b"\\input{%d}" % i for i in range(n // 10)),
    "dots": lambda n: b"\\input{" + b"../" * 90 + b"}" * n,
    "encodings": lambda n: b"\\usepackage[" * n + b"\\inputencoding{" * n + b"\xff",
}


@pytest.mark.parametrize("name", LONG)
@pytest.mark.timeout(60)
def test_a_long_source_of_one_thing_is_read(name: str) -> None:
    content = b"\\documentclass{article}" + LONG[name](150_000)
    assert len(read(tar({"main.tex": content})).text) >= len(content.decode("latin-1")) // 2


PIECES = st.sampled_from(
    [
        b"",
        b"\x00",
        b"%PDF-",
        b"\x1f\x8b",
        PAPER,
        header(b"a.tex", 3),
        header(b"a.tex", 600, b"x"),
        b"abc" + bytes(509),
        gzip.compress(PAPER, mtime=0),
        tar({"main.tex": rb"\input{b}", "b.tex": rb"\input{main}"}),
        pax({"path": "b.tex"}),
        bytes(512),
        member(b"main.tex", rb"\import{a/}{b}\endinput"),
        header(b"s", 0, b"S"),
        b"\xff" * 20,
    ]
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(PIECES, max_size=8).map(b"".join), st.booleans())
def test_no_source_raises_anything_that_has_no_name(body: bytes, is_packed: bool) -> None:
    try:
        assert isinstance(read(gzip.compress(body, mtime=0) if is_packed else body).text, str)
    except PaperdeskError as failure:
        assert failure.message


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=2000))
def test_no_bytes_raise_anything_that_has_no_name(body: bytes) -> None:
    for tried in (
        body,
        gzip.compress(body, mtime=0),
        header(b"a.tex", len(body)) + body,
        body + gzip.compress(PAPER, mtime=0),
    ):
        try:
            read(tried)
        except PaperdeskError as failure:
            assert failure.message


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from("abcdef"), st.text("ab\\{}%\n", max_size=30), min_size=1), st.data())
def test_every_expansion_ends(files: dict[str, str], data: st.DataObject) -> None:
    # references A102
    commands = st.sampled_from(
        [rf"\{command}{{{name}}}" for command in ("input", "include", "subfile") for name in "abcdef"]
    )
    sources = {
        f"{name}.tex": "".join(data.draw(st.lists(commands, max_size=4))) + "x" + text for name, text in files.items()
    }
    source = read(tar(sources), limits=FEW)
    assert source.main_file in sources
    assert source.text.count("% >>> ") == source.text.count("% <<< ")


def test_hostile_archives_of_the_standard_library_are_no_more_to_us() -> None:
    # A header that sends readers backwards, and one that says it has a negative size in binary.
    for size_field in (b"\xff" * 11 + b"\x00", b"\x80" + b"\xff" * 11):
        with pytest.raises(PaperdeskError):
            read(archive([header(b"a", 0, b"x", size_field=size_field), member("main.tex", PAPER)]))
