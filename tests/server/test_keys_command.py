"""`paperdesk keys`: a key is shown once, and what is kept of it opens nothing."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import filelock
import pytest
from click.testing import Result
from typer.testing import CliRunner

from core.errors import OperatorError
from server.__main__ import app
from server.limits.key_file import read_keys
from server.limits.keys import KeyRing

NOW_S = 1_800_000_000.0


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PAPERDESK_KEYS_FILE", str(tmp_path / "keys.jsonl"))
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path / "keys.jsonl"


def paperdesk(*arguments: str) -> Result:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def test_a_new_key_is_shown_once_and_works(path: Path) -> None:
    made = paperdesk("keys", "new", "--label", "for the lab", "--limit", "per_minute=600", "--limit", "concurrent=9")
    clear = made.stdout.strip()
    assert re.fullmatch(r"pdk_[A-Za-z0-9_-]{43}", clear)
    [key] = read_keys(path)
    assert made.stderr == (
        f"This is key {key.key_id}, shown this once; whoever holds it sends it as Authorization: Bearer.\n"
    )
    assert (key.label, key.expires_s, dict(key.limits)) == ("for the lab", None, {"per_minute": 600, "concurrent": 9})
    assert KeyRing([key]).holder([f"Bearer {clear}".encode()], NOW_S) == key
    assert clear not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_keys_are_listed_by_what_they_go_by(path: Path) -> None:
    clear = paperdesk("keys", "new", "--label", "first [x]").stdout.strip()
    paperdesk("keys", "new", "--label", "second", "--expires", "2001-02-03", "--limit", "per_minute=5")
    first, second = read_keys(path)
    shown = paperdesk("keys", "list").stdout
    rows = [
        tuple(cell.strip() for cell in line.split("│")[1:-1]) for line in shown.splitlines() if line.startswith("│")
    ]
    assert [(row[0], row[1], row[3], row[4], row[5]) for row in rows] == [
        (first.key_id, "first [x]", "never", "valid", ""),
        (second.key_id, "second", "2001-02-03", "expired", "per_minute=5"),
    ]
    assert clear not in shown and first.sha256 not in shown


def test_a_revoked_key_is_valid_no_more_and_the_others_are(path: Path) -> None:
    clear = [paperdesk("keys", "new", "--label", label).stdout.strip() for label in ("one", "two")]
    key_id = read_keys(path)[0].key_id
    assert paperdesk("keys", "revoke", key_id).stdout == f"Key {key_id} is revoked.\n"
    before = path.read_bytes()
    paperdesk("keys", "revoke", key_id)
    assert path.read_bytes() == before
    ring = KeyRing(read_keys(path))
    assert ring.holder([f"Bearer {clear[0]}".encode()], NOW_S) is None
    assert ring.holder([f"Bearer {clear[1]}".encode()], NOW_S) is not None
    assert " revoked " in paperdesk("keys", "list").stdout


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("keys", "revoke", "abcd1234"), "There is no such key"),
        (("keys", "new", "--label", ""), "a label has 1 to 100 printable characters"),
        (("keys", "new", "--label", "x", "--limit", "per_minute"), "write --limit as BUDGET=NUMBER"),
        (("keys", "new", "--label", "x", "--limit", "per_hour=5"), "there is no such budget"),
        (("keys", "new", "--label", "x", "--limit", "per_minute=99999"), "a whole number from 1 to 10000"),
    ],
)
def test_a_mistake_is_told_and_changes_nothing(path: Path, arguments: tuple[str, ...], problem: str) -> None:
    paperdesk("keys", "new", "--label", "kept")
    before = path.read_bytes()
    with pytest.raises(OperatorError, match=problem):
        paperdesk(*arguments)
    assert path.read_bytes() == before


def test_a_broken_file_is_not_written_over(path: Path) -> None:
    path.write_text("not a record\n")
    with pytest.raises(OperatorError, match="is broken: line 1"):
        paperdesk("keys", "new", "--label", "x")
    assert path.read_text() == "not a record\n"


def test_the_file_may_be_named_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PAPERDESK_KEYS_FILE", raising=False)
    with pytest.raises(OperatorError, match="set PAPERDESK_KEYS_FILE, or give --file"):
        paperdesk("keys", "list")
    paperdesk("keys", "new", "--label", "x", "--file", str(tmp_path / "other"))
    assert [key.label for key in read_keys(tmp_path / "other")] == ["x"]


def test_two_commands_at_one_time_lose_no_key(path: Path) -> None:
    root, count = Path(__file__).resolve().parents[2], 10
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.server.making_keys", str(path), label, str(count)],
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(root)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for label in ("a", "b")
    ]
    for process in running:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in running:
        process.communicate()
        assert process.returncode == 0
    labels = sorted(key.label for key in read_keys(path))
    assert labels == sorted(f"{label}{number}" for label in ("a", "b") for number in range(count))


def test_a_command_gives_up_where_another_does_not_end(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.commands.keys.LOCK_LIMIT_S", 0.0)
    key_id = paperdesk("keys", "new", "--label", "first").stderr.split()[3].strip(",")
    with open(path.with_name("keys.jsonl.lock"), "r+b") as lock:
        filelock.lock_descriptor(lock.fileno())
        for arguments in (("new", "--label", "second"), ("revoke", key_id)):
            result = CliRunner().invoke(app, ("keys", *arguments))
            assert isinstance(result.exception, OperatorError)
            assert str(result.exception) == f"Another command is changing the key file {path}; try again."
    paperdesk("keys", "revoke", key_id)
    [key] = read_keys(path)
    assert key.revoked_s is not None
