"""The locks of the dependencies: `locks.py` says whether they are current, `locks.py --upgrade` writes them anew.

New versions are taken in deliberately. A lock is current when resolving pyproject.toml again, with the versions that it
holds preferred, gives the same file.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SERVED = ("semantic", "shared")
LOCKS = {"requirements.lock": SERVED, "requirements-dev.lock": (*SERVED, "dev")}
"""Each lock and the extras that it covers."""

FLAGS = (
    "--quiet",
    "--generate-hashes",
    "--allow-unsafe",
    "--strip-extras",
    "--no-header",
    "--no-annotate",
    "--no-emit-index-url",
    "--no-emit-trusted-host",
    "--no-emit-find-links",
)


def stale_locks(root: Path) -> list[str]:
    """The locks that are not what pyproject.toml asks for; nothing is written."""
    with tempfile.TemporaryDirectory() as folder:
        return [name for name in LOCKS if _resolved(root, name, Path(folder)) != (root / name).read_bytes()]


def upgrade(root: Path) -> None:
    """Writes every lock with the newest versions that pyproject.toml allows."""
    for name in LOCKS:
        _compile(root, name, root / name, "--upgrade")


def _resolved(root: Path, name: str, folder: Path) -> bytes:
    again = folder / name
    shutil.copy(root / name, again)
    _compile(root, name, again)
    return again.read_bytes()


def _compile(root: Path, name: str, out: Path, *more: str) -> None:
    extras = [word for extra in LOCKS[name] for word in ("--extra", extra)]
    command = [sys.executable, "-m", "piptools", "compile", *FLAGS, *more, *extras, "--output-file", str(out)]
    subprocess.run([*command, "pyproject.toml"], cwd=root, check=True)


def main() -> int:
    """Exit status 1 where a lock is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--upgrade", action="store_true", help="take in new versions")
    if parser.parse_args().upgrade:
        upgrade(ROOT)
        return 0
    stale = stale_locks(ROOT)
    for name in stale:
        print(f"{name} is not what pyproject.toml asks for; run `make lock`.")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
