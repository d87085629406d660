"""Whether the commit that is checked out may be released under a tag: `release_check.py paperdesk-1.2.3`.

All that is wrong is said at once. Tests, gates and the smoke test of the image are the release's other steps.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import locks

ROOT = Path(__file__).resolve().parent.parent
PREFIX = "paperdesk-"
SNAPSHOTS = "tests/snapshots"

Version = tuple[int, int, int]


def problems(root: Path, tag: str, *, stale_locks: Callable[[Path], Sequence[str]] = locks.stale_locks) -> list[str]:
    """Why the commit may not be released under the tag; empty when it may."""
    text = _version_text(root)
    version = _parsed(text)
    if version is None:
        return [f"server/__init__.py says version {text}, which is not MAJOR.MINOR.PATCH."]
    found = []
    if tag != f"{PREFIX}{text}":
        found.append(f"The tag {tag} is not {PREFIX}{text}, the version that server/__init__.py says.")
    found += _of_the_tree(root, tag)
    found += _of_the_changelog(root, text)
    found += _of_the_versions(root, version)
    found += [f"{name} is not what pyproject.toml asks for; run `make lock`." for name in stale_locks(root)]
    return found


def _of_the_tree(root: Path, tag: str) -> list[str]:
    """What is released is what is committed, and a tag never moves."""
    found = []
    if _git(root, "status", "--porcelain"):
        found.append("There are changes that are not committed.")
    tagged = _git(root, "rev-parse", "--quiet", "--verify", f"refs/tags/{tag}^{{commit}}")
    if tagged and tagged != _git(root, "rev-parse", "HEAD"):
        found.append(f"The tag {tag} exists at another commit; a release is never made twice.")
    return found


def _of_the_changelog(root: Path, version: str) -> list[str]:
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    entry = re.search(
        rf"^## {re.escape(version)}(?![^ \n])([^\n]*)\n(.*?)(?=^## |\Z)", text, flags=re.MULTILINE | re.DOTALL
    )
    if entry is None or not entry[2].strip():
        return [f"CHANGELOG.md has no entry for {version}."]
    if "unreleased" in entry[1]:
        return [f"CHANGELOG.md calls {version} unreleased; give the entry its date."]
    return []


def _of_the_versions(root: Path, version: Version) -> list[str]:
    """A version goes on from the last one, and one that changes what clients see says so (SemVer)."""
    last = _last_release(root, version)
    if last is None:
        return []
    if version < last:
        return [f"Version {_word(version)} is below {_word(last)}, which is released."]
    changed = _git(root, "diff", "--name-only", f"{PREFIX}{_word(last)}", "HEAD", "--", SNAPSHOTS).splitlines()
    if changed and version[:2] == last[:2]:
        return [
            f"{len(changed)} public definitions below {SNAPSHOTS} changed since {_word(last)}, such as {changed[0]}:"
            " step the minor version, or the major one where a client would break."
        ]
    return []


def _last_release(root: Path, version: Version) -> Version | None:
    """The highest version that is tagged in this commit's history, but for its own."""
    tags = _git(root, "tag", "--list", f"{PREFIX}*", "--merged", "HEAD").splitlines()
    released = [parsed for tag in tags if (parsed := _parsed(tag.removeprefix(PREFIX))) and parsed != version]
    return max(released, default=None)


def _version_text(root: Path) -> str:
    text = (root / "server" / "__init__.py").read_text(encoding="utf-8")
    named = re.search(r'^__version__ = "(.*)"$', text, flags=re.MULTILINE)
    return named[1] if named else "nothing"


def _parsed(text: str) -> Version | None:
    match = re.fullmatch(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)", text)
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def _word(version: Version) -> str:
    return ".".join(map(str, version))


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def main() -> int:
    """Exit status 1 when the commit may not be released."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tag", help=f"such as {PREFIX}1.2.3")
    parser.add_argument("--root", type=Path, default=ROOT, help="another clone than this one")
    arguments = parser.parse_args()
    found = problems(arguments.root, arguments.tag)
    print("\n".join(found) or f"{arguments.tag} may be released.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
