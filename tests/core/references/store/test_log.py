"""The log: rows that follow from one another, and calls that stop where one cannot be written."""

import contextlib
import gzip
import os
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import orjson
import pytest
from typer.testing import CliRunner

from core.clock import ManualClock
from core.errors import LockTimeout, LogFailed, OperatorError
from core.references.store.chain import GENESIS, MEMBERS, Break, chained, first_break
from core.references.store.layout import Layout
from core.references.store.locks import locked
from core.references.store.log import ProvenanceLog, old_logs, verify
from core.references.store.store import Store
from server.__main__ import app
from tests.core.references.store.papers import entry, ref

SESSION = "01JGJ6Z8QG0000000000000000"
VECTORS: tuple[tuple[dict[str, Any], str], ...] = (
    (
        {"ts": "2026-01-02T03:04:05.678Z", "ts_seq": 0, "event": "session_start", "capability": "oa"},
        "453cca3b9c5b04066fa40210438d58fb77950a1d6b7bf037ebec576d5913ed32",
    ),
    (
        {
            "ts": "2026-01-02T03:04:06.001Z",
            "ts_seq": 1,
            "event": "resolve",
            "ref": "10.1234/foo",
            "source": "crossref",
            "capability": "metadata",
            "canonical_digest": "17a7530b46c24b037ab779e5ad8f24cb9f27a99e44506f949fc0adf2aef8f1ae",
        },
        "d17916ffd3b572c6b48244f9a4ba788d7a844a2aa79eed508029ad9b4b824cae",
    ),
)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "papers")


@pytest.fixture
def log(layout: Layout, clock: ManualClock) -> ProvenanceLog:
    return ProvenanceLog(layout, clock)


def rows(layout: Layout) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in layout.log.read_bytes().splitlines()]


def verified(layout: Layout) -> list[tuple[int, Break | None]]:
    return [(count, found) for _, count, found in verify(layout)]


# references A111
def test_rows_have_the_hashes_of_the_contract() -> None:
    prev_hash, lines = GENESIS, []
    for row, this_hash in VECTORS:
        line = chained({**row, "result": "ok", "session_id": SESSION, "schema_version": "v2"}, prev_hash)
        prev_hash = orjson.loads(line)["this_hash"]
        assert prev_hash == this_hash
        lines.append(line)
    assert first_break(lines) == (2, None)


# references A111
async def test_the_log_writes_the_rows_of_the_contract(layout: Layout) -> None:
    clock = ManualClock(1_767_323_045.678)
    log = ProvenanceLog(layout, clock, session_id=SESSION)
    await log.append("session_start", capability="oa")
    clock.advance(0.323)
    digest = VECTORS[1][0]["canonical_digest"]
    await log.append("resolve", capability="metadata", ref="10.1234/foo", source="crossref", canonical_digest=digest)
    written = rows(layout)
    assert [row["this_hash"] for row in written] == [this_hash for _, this_hash in VECTORS]
    assert all(row.keys() == MEMBERS for row in written)
    assert layout.log.stat().st_mode & 0o777 == 0o600


# references A111
async def test_every_changed_byte_is_found(log: ProvenanceLog, layout: Layout) -> None:
    for _ in range(2):
        await log.append("fetch", capability="oa", ref="10.1234/é", size_bytes=5)
    content = layout.log.read_bytes()
    first = content.index(b"\n") + 1
    for position in range(len(content)):
        changed = content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :]
        _, found = first_break(changed.splitlines(keepends=True))
        assert found is not None and found.row == (1 if position < first else 2), position
    lines = content.splitlines(keepends=True)
    assert first_break(lines[1:]) == (0, Break(1, "it does not follow the row before it"))
    assert first_break([lines[0], lines[0]])[1] == Break(2, "it does not follow the row before it")


# references A111
@pytest.mark.parametrize("obstacle", ["a directory", "read-only", "a changed end"])
async def test_a_call_stops_before_its_work_where_its_row_cannot_be_written(
    log: ProvenanceLog, layout: Layout, obstacle: str
) -> None:
    layout.prepare()
    if obstacle == "a directory":
        layout.log.mkdir()
    elif obstacle == "read-only":
        layout.log.touch(0o400)
    else:
        layout.log.write_bytes(b"{}\n")
    began = False
    with pytest.raises(LogFailed):
        async with log.call("oa"):
            began = True
    assert not began


async def test_a_call_is_bracketed_and_its_last_row_is_written_where_it_can_be(
    log: ProvenanceLog, layout: Layout
) -> None:
    async with log.call("metadata"):
        await log.append("resolve", "err", capability="metadata", error_code="NOT_FOUND")
    with pytest.raises(ValueError, match="planted"):
        async with log.call("oa"):
            raise ValueError("planted")
    shown = [(row["event"], row["result"], row["ts_seq"]) for row in rows(layout)]
    assert shown == [
        ("session_start", "ok", 0),
        ("resolve", "err", 1),
        ("session_end", "ok", 2),
        ("session_start", "ok", 3),
        ("session_end", "err", 4),
    ]
    assert {(len(row["session_id"]), row["session_id"]) for row in rows(layout)} == {(26, log.session_id)}
    async with log.call("oa"):
        layout.log.chmod(0o400)
    assert len(rows(layout)) == 6


# references A111
async def test_reads_and_changes_by_the_user_add_no_row(log: ProvenanceLog, layout: Layout, clock: ManualClock) -> None:
    store = Store(layout.root, clock)
    await store.save(entry())
    asked = ref("10.1234/example")
    await store.read(asked)
    await store.search("")
    await store.recent()
    await store.pdf(asked)
    await store.tag(asked, add=["x"])
    assert not layout.log.exists()


@pytest.mark.parametrize(("torn", "kept"), [(b'{"capability":"oa"', 1), (None, 2)])
async def test_half_a_row_of_a_stop_is_put_right(
    log: ProvenanceLog, layout: Layout, torn: bytes | None, kept: int
) -> None:
    await log.append("fetch", capability="oa")
    whole = layout.log.read_bytes()
    await log.append("fetch", capability="oa")
    layout.log.write_bytes(layout.log.read_bytes()[:-1] if torn is None else whole + torn)
    assert verified(layout) == [(1, Break(2, "it is no whole row of the log as it is written"))]
    await log.append("fetch", capability="oa")
    assert verified(layout) == [(kept + 1, None)]


async def test_a_held_lock_of_the_log_is_waited_for(layout: Layout, clock: ManualClock) -> None:
    async def sleep(seconds: float) -> None:
        clock.advance(seconds)

    log = ProvenanceLog(layout, clock, sleep=sleep)
    layout.prepare()
    with locked(layout.log_lock), pytest.raises(LockTimeout):
        await log.append("fetch", capability="oa")
    assert clock.monotonic_s() == pytest.approx(5.0)


async def test_a_full_log_is_packed_away_and_kept_for_90_days(layout: Layout, clock: ManualClock) -> None:
    log = ProvenanceLog(layout, clock, rotate_bytes=300)
    layout.prepare()
    ancient = layout.metadata / "access-20000101T000000Z-00000000.jsonl.gz"
    ancient.write_bytes(b"")
    await log.append("fetch", capability="oa", ref="first")
    content = layout.log.read_bytes()
    assert len(content) >= 300
    await log.append("fetch", capability="oa", ref="second")
    [packed] = [path for path in old_logs(layout) if path != ancient]
    assert gzip.decompress(packed.read_bytes()) == content
    assert (packed.name[-17:-9], packed.stat().st_mode & 0o777) == (orjson.loads(content)["this_hash"][:8], 0o600)
    [row] = rows(layout)
    assert (row["ref"], row["prev_hash"]) == ("second", GENESIS)
    assert not ancient.exists()
    assert verified(layout) == [(1, None), (1, None)]


# references A111
async def test_the_verifier_names_the_first_broken_row(
    layout: Layout, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAPERDESK_STORE", str(layout.root))

    def shown(*arguments: str) -> tuple[int, str]:
        result = CliRunner().invoke(app, ("log", "verify", *arguments))
        return result.exit_code, result.stdout

    log = ProvenanceLog(layout, clock, rotate_bytes=1_200)
    for number in range(5):
        await log.append("fetch", capability="oa", ref=f"10.1234/{number}")
    [packed] = old_logs(layout)
    assert shown() == (
        0,
        f"{packed.name}: 3 rows, all as they were written.\naccess.jsonl: 2 rows, all as they were written.\n",
    )
    layout.log.write_bytes(layout.log.read_bytes().replace(b"10.1234/4", b"10.1234/5"))
    packed.write_bytes(packed.read_bytes()[:-9])
    assert shown("--store", str(layout.root)) == (
        1,
        f"{packed.name}: row 4 is broken: the file cannot be read further; 3 rows before it are whole.\n"
        "access.jsonl: row 2 is broken: it was changed; 1 rows before it are whole.\n",
    )


async def test_calls_at_once_do_not_wait_for_each_others_lock(layout: Layout, clock: ManualClock) -> None:
    async def sleep(seconds: float) -> None:
        raise AssertionError("a lock of this process's own was in the way")

    log = ProvenanceLog(layout, clock, sleep=sleep)
    async with anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(partial(log.append, "fetch", capability="oa", size_bytes=number))
    assert [row["ts_seq"] for row in rows(layout)] == list(range(20))
    assert verified(layout) == [(20, None)]


@pytest.mark.parametrize(
    "name",
    [
        "access-99999999T999999Z-aaaaaaaa.jsonl.gz",
        "access-20230230T000000Z-aaaaaaaa.jsonl.gz",
        "access-99999999T999999Z.jsonl.gz",
        "access-.gz",
    ],
)
async def test_a_stray_file_beside_the_log_does_not_stop_its_rotation(
    layout: Layout, clock: ManualClock, name: str
) -> None:
    log = ProvenanceLog(layout, clock, rotate_bytes=300)
    await log.append("fetch", capability="oa")
    stray = layout.metadata / name
    stray.write_bytes(b"x")
    folder = layout.metadata / "access-20000101T000000Z-00000000.jsonl.gz"
    folder.mkdir()
    await log.append("fetch", capability="oa")
    assert len(rows(layout)) == 1
    assert stray.exists() and folder.exists()


async def test_a_row_whose_hash_the_next_could_not_find_is_refused(log: ProvenanceLog, layout: Layout) -> None:
    await log.append("fetch", capability="oa", ref="x" * 65_000)
    for size in (65_536, 1_000_000):
        with pytest.raises(LogFailed):
            await log.append("fetch", capability="oa", ref="x" * size)
    for size in range(64_980, 65_040, 3):
        # Around the size of the largest row there is: whichever is written is found again.
        with contextlib.suppress(LogFailed):
            await log.append("fetch", capability="oa", ref="x" * size)
    await log.append("fetch", capability="oa")
    [(count, broken)] = verified(layout)
    assert (count > 3, broken) == (True, None)


async def test_no_damage_to_a_packed_log_is_more_than_a_broken_row(layout: Layout, clock: ManualClock) -> None:
    log = ProvenanceLog(layout, clock, rotate_bytes=300)
    await log.append("fetch", capability="oa")
    await log.append("fetch", capability="oa")
    [packed] = old_logs(layout)
    content = packed.read_bytes()
    for place in range(len(content)):
        packed.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        assert len(verified(layout)) == 2
        packed.write_bytes(content[:place])
        assert len(verified(layout)) == 2


@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "dangling link"])
@pytest.mark.parametrize("which", ["log", "packed log", "folder of the log"])
def test_a_log_that_is_no_plain_file_is_not_followed_waited_for_or_called_absent(
    layout: Layout, tmp_path: Path, which: str, kind: str
) -> None:
    layout.root.mkdir()
    place = layout.metadata
    if which != "folder of the log":
        layout.metadata.mkdir()
        packed = layout.metadata / "access-20260101T000000Z-aaaaaaaa.jsonl.gz"
        place = layout.log if which == "log" else packed
    elif kind == "folder":
        return
    if kind == "folder":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        target = tmp_path / "elsewhere"
        if kind == "link":
            target.touch()
        place.symlink_to(target)
    result = CliRunner().invoke(app, ("log", "verify", "--store", str(layout.root)))
    assert isinstance(result.exception, OperatorError)
    assert result.stdout == ""


@pytest.mark.parametrize("is_file", [False, True])
def test_verifying_a_store_that_is_not_there_is_an_error_and_one_without_a_log_is_not(
    layout: Layout, is_file: bool
) -> None:
    def shown() -> tuple[str, str]:
        result = CliRunner().invoke(app, ("log", "verify", "--store", str(layout.root)))
        return result.stdout, str(result.exception) if result.exception else ""

    if is_file:
        layout.root.touch()
    assert shown() == ("", f"There is no store in {layout.root}; name the directory of one with --store.")
    layout.root.unlink(missing_ok=True)
    layout.root.mkdir()
    assert shown() == (f"There is no log in {layout.root}.\n", "")
    assert list(layout.root.iterdir()) == []
