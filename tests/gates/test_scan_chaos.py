"""A scan whose process is killed at every write of every stage ends as an undisturbed one does."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.gate, pytest.mark.timeout(300)]

CHANGES = 25
"""A scan over the sample has more changes than this, each of which is killed three times."""
LIMIT_S = 240


@pytest.fixture
def played(sample_directory: Path, tmp_path: Path) -> dict[str, Any]:
    """The documents of both scans."""
    command = [sys.executable, "-m", "tests.gates.scan_chaos", str(sample_directory), str(tmp_path)]
    told = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert told.returncode == 0, told.stderr
    found: dict[str, Any] = json.loads(told.stdout.splitlines()[-1])
    return found


def test_a_kill_at_every_write_ends_in_the_same_evidence(
    played: dict[str, Any], record_property: Callable[[str, object], None]
) -> None:
    # scan A18, A66
    record_property("figure", f"{played['deaths']} kills in {played['seconds']} s")
    assert played["deaths"] > 3 * CHANGES
    assert played["killed"] == played["whole"]
    assert json.loads(played["whole"]["evidence.json"])["packets"]
