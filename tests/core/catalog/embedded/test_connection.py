"""Work on the records has a connection to itself, a time limit, and failures of our own."""

import asyncio
import sqlite3
import threading
from pathlib import Path

import anyio
import pytest

from core.catalog.embedded.connection import Connection, Records
from core.errors import CatalogUnusable, SourceTimeout, SourceUnreachable

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "catalog ?#%.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript("PRAGMA user_version = 1; CREATE TABLE paper (pid INTEGER); INSERT INTO paper VALUES (7)")
    connection.close()
    return path


def first_pid(connection: Connection) -> int:
    (pid,) = connection.execute("SELECT pid FROM paper").fetchone()
    return int(pid)


async def test_many_pieces_of_work_run_at_once_and_answer(path: Path) -> None:
    records = Records(path, workers=3)
    answers: list[int] = []

    async def ask() -> None:
        answers.append(await records.run(first_pid))

    async with anyio.create_task_group() as group:
        for _ in range(50):
            group.start_soon(ask)
    records.close()
    assert answers == [7] * 50


async def test_a_caller_may_leave_while_its_work_runs_and_no_more_runs_than_there_are_connections(path: Path) -> None:
    loop = asyncio.get_running_loop()
    records = Records(path, workers=1)
    begun: list[str] = []
    has_begun = asyncio.Event()
    go_on = threading.Event()

    def slow(connection: Connection) -> int:
        begun.append("slow")
        loop.call_soon_threadsafe(has_begun.set)
        go_on.wait(10)
        return first_pid(connection)

    def dropped(connection: Connection) -> int:
        begun.append("dropped")
        return first_pid(connection)

    left = asyncio.create_task(records.run(slow))
    await has_begun.wait()
    waiting = asyncio.create_task(records.run(dropped))
    await asyncio.sleep(0)
    for task in (left, waiting):
        task.cancel()
    await asyncio.wait((left, waiting))
    assert (left.cancelled(), waiting.cancelled()) == (True, True)
    answer = asyncio.create_task(records.run(first_pid))
    go_on.set()
    assert await answer == 7
    assert begun == ["slow"]
    records.close()


async def test_closed_records_cannot_be_read(path: Path) -> None:
    records = Records(path)
    records.close()
    with pytest.raises(SourceUnreachable):
        await records.run(first_pid)


async def test_a_statement_that_runs_too_long_is_ended_and_the_next_one_works(path: Path) -> None:
    records = Records(path, time_limit_s=0.0)
    with pytest.raises(SourceTimeout) as caught:
        await records.run(lambda connection: connection.execute(ENDLESS).fetchone())
    assert (caught.value.source, caught.value.message) == ("catalog", "The catalog took too long. Ask for less.")
    assert await records.run(first_pid) == 7
    records.close()


@pytest.mark.parametrize(
    "statement", ["INSERT INTO paper VALUES (8)", "SELECT secret FROM nowhere", "CREATE TABLE x (y)"]
)
async def test_writing_and_failing_are_told_in_a_fixed_text(path: Path, statement: str) -> None:
    records = Records(path)
    with pytest.raises(SourceUnreachable) as caught:
        await records.run(lambda connection: connection.execute(statement).fetchone())
    assert caught.value.message == "The catalog's records could not be read. Try again later."
    assert await records.run(first_pid) == 7
    records.close()


def test_a_damaged_page_is_a_storage_failure(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript("PRAGMA user_version = 1; CREATE TABLE paper (pid INTEGER, body TEXT)")
    connection.executemany("INSERT INTO paper VALUES (?, ?)", [(pid, "x" * 500) for pid in range(200)])
    connection.commit()
    connection.close()
    body = bytearray(path.read_bytes())
    body[4096 * 3 : 4096 * 6] = b"\xff" * 4096 * 3
    path.write_bytes(body)
    records = Records(path)
    with pytest.raises(SourceUnreachable):
        records.run_here(lambda connection: connection.execute("SELECT SUM(LENGTH(body)) FROM paper").fetchone())
    records.close()


@pytest.mark.parametrize("body", [b"no database at all, but long enough to be looked at" * 20, None])
def test_what_is_no_database_is_unusable(tmp_path: Path, body: bytes | None) -> None:
    path = tmp_path / "catalog.sqlite"
    if body is not None:
        path.write_bytes(body)
    with pytest.raises(CatalogUnusable, match="no readable catalog database"):
        Records(path)


def test_records_of_another_schema_are_unusable(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite"
    sqlite3.connect(path).execute("PRAGMA user_version = 2").connection.close()
    with pytest.raises(CatalogUnusable, match="record schema 2, this paperdesk reads 1"):
        Records(path)


async def test_records_answer_from_what_was_opened_though_the_file_is_replaced_or_gone(path: Path) -> None:
    records = Records(path, workers=3)
    other = sqlite3.connect(path.with_name("other"))
    other.executescript("PRAGMA user_version = 1; CREATE TABLE paper (pid INTEGER); INSERT INTO paper VALUES (8)")
    other.close()
    answers: list[int] = []
    at_once = threading.Barrier(3)

    def together(connection: Connection) -> int:
        at_once.wait(10)
        return first_pid(connection)

    async def ask() -> None:
        answers.append(await records.run(together))

    for change in (lambda: path.with_name("other").replace(path), path.unlink):
        change()
        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(ask)
    records.close()
    assert answers == [7] * 6
