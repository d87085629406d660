"""The locks are what pyproject.toml asks for, and one that is not is found; asks the package registry."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.gates.tools import ROOT

pytestmark = [pytest.mark.gate, pytest.mark.timeout(300)]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(tmp_path / "paperdesk")], check=True)
    return tmp_path / "paperdesk"


def locks(clone: Path) -> tuple[int, str]:
    """What the clone's own script says."""
    done = subprocess.run(
        [sys.executable, clone / "deploy" / "locks.py"], capture_output=True, text=True, timeout=240, check=False
    )
    return done.returncode, done.stdout


def test_the_locks_are_current(clone: Path) -> None:
    # hosting A81
    assert locks(clone) == (0, "")
    status = subprocess.run(["git", "status", "--porcelain"], cwd=clone, capture_output=True, text=True, check=True)
    assert status.stdout == ""


def test_a_dependency_that_no_lock_has_is_found(clone: Path) -> None:
    # hosting A81
    project = clone / "pyproject.toml"
    project.write_text(project.read_text().replace("dependencies = [\n", 'dependencies = [\n  "iniconfig>=2",\n', 1))
    status, said = locks(clone)
    # The other lock has it, for the tests.
    assert (status, said) == (1, "requirements.lock is not what pyproject.toml asks for; run `make lock`.\n")


def test_the_release_check_refuses_a_stale_lock(clone: Path) -> None:
    # hosting A81
    lock = clone / "requirements.lock"
    lock.write_text(lock.read_text().replace("httpx==", "httpx-gone==", 1))
    done = subprocess.run(
        [sys.executable, clone / "deploy" / "release_check.py", "paperdesk-0.0.0"],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 1
    assert "requirements.lock is not what pyproject.toml asks for; run `make lock`." in done.stdout.splitlines()
