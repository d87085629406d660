"""What may be released: the check on small clones that have one thing wrong each."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "deploy"))
from release_check import problems  # noqa: E402

IDENTITY = ("-c", "user.name=A Tester", "-c", "user.email=tester@example.org", "-c", "commit.gpgsign=false")
CHANGELOG = "# Changelog\n\n## 1.2.0 (2026-12-01)\n\n- Something new.\n\n## 1.1.0 (2026-11-01)\n\n- Something old.\n"
SNAPSHOT = "tests/snapshots/catalog/search_papers.json"


class Clone:
    """A repository with the files that the check reads, released once as 1.1.0."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.git("init", "--quiet")
        self.write("CHANGELOG.md", CHANGELOG)
        self.write(SNAPSHOT, "{}")
        self.version("1.1.0")
        self.git("tag", "paperdesk-1.1.0")
        self.version("1.2.0")

    def git(self, *arguments: str) -> None:
        subprocess.run(["git", *IDENTITY, *arguments], cwd=self.root, check=True, capture_output=True)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def version(self, text: str) -> None:
        self.write("server/__init__.py", f'"""The server."""\n\n__version__ = "{text}"\n')
        self.commit()

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "A change")

    def problems(self, tag: str = "paperdesk-1.2.0", *, stale: tuple[str, ...] = ()) -> list[str]:
        return problems(self.root, tag, stale_locks=lambda root: stale)


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


def test_a_commit_with_nothing_wrong_may_be_released(clone: Clone) -> None:
    # hosting A81
    assert clone.problems() == []
    clone.git("tag", "paperdesk-1.2.0")
    assert clone.problems() == []


@pytest.mark.parametrize("tag", ["paperdesk-1.2.1", "paperdesk-1.1.0-rc", "1.2.0", "v1.2.0", ""])
def test_a_tag_that_is_not_the_version_is_refused(tag: str, clone: Clone) -> None:
    # hosting A81
    text = f"The tag {tag} is not paperdesk-1.2.0, the version that server/__init__.py says."
    assert clone.problems(tag) == [text]


@pytest.mark.parametrize(
    "changelog",
    ["# Changelog\n", CHANGELOG.replace("## 1.2.0", "## 1.2.01"), CHANGELOG.replace("- Something new.\n", "")],
    ids=["no entry", "another entry", "an empty entry"],
)
def test_a_missing_changelog_entry_is_refused(changelog: str, clone: Clone) -> None:
    # hosting A81
    clone.write("CHANGELOG.md", changelog)
    clone.commit()
    assert clone.problems() == ["CHANGELOG.md has no entry for 1.2.0."]


def test_an_entry_that_is_called_unreleased_is_refused(clone: Clone) -> None:
    # hosting A81
    clone.write("CHANGELOG.md", CHANGELOG.replace("1.2.0 (2026-12-01)", "1.2.0 (unreleased)"))
    clone.commit()
    assert clone.problems() == ["CHANGELOG.md calls 1.2.0 unreleased; give the entry its date."]


def test_a_stale_lock_is_refused_by_name(clone: Clone) -> None:
    # hosting A81
    text = "requirements.lock is not what pyproject.toml asks for; run `make lock`."
    assert clone.problems(stale=("requirements.lock",)) == [text]


def changed(clone: Clone) -> None:
    clone.write(SNAPSHOT, '{"changed": true}')


def added(clone: Clone) -> None:
    clone.write("tests/snapshots/catalog/another.json", "{}")


def removed(clone: Clone) -> None:
    (clone.root / SNAPSHOT).unlink()


@pytest.mark.parametrize("change", [changed, added, removed])
def test_a_changed_public_definition_needs_a_step_of_the_version(change: Callable[[Clone], None], clone: Clone) -> None:
    # hosting A81
    change(clone)
    clone.commit()
    assert clone.problems() == []
    clone.write("CHANGELOG.md", CHANGELOG.replace("1.2.0", "1.1.1"))
    clone.version("1.1.1")
    [text] = clone.problems("paperdesk-1.1.1")
    assert text.startswith("1 public definitions below tests/snapshots changed since 1.1.0, such as ")
    clone.write("CHANGELOG.md", CHANGELOG.replace("1.2.0", "2.0.0"))
    clone.version("2.0.0")
    assert clone.problems("paperdesk-2.0.0") == []


def test_a_released_version_is_not_released_again_with_other_definitions(clone: Clone) -> None:
    # hosting A81
    changed(clone)
    clone.version("1.1.0")
    assert clone.problems("paperdesk-1.1.0") == [
        "The tag paperdesk-1.1.0 exists at another commit; a release is never made twice."
    ]


def test_a_version_below_the_last_release_is_refused(clone: Clone) -> None:
    clone.write("CHANGELOG.md", CHANGELOG.replace("1.2.0", "1.0.9"))
    clone.version("1.0.9")
    assert clone.problems("paperdesk-1.0.9") == ["Version 1.0.9 is below 1.1.0, which is released."]


def test_what_is_not_committed_is_refused(clone: Clone) -> None:
    clone.write("core/more.py", "")
    assert clone.problems() == ["There are changes that are not committed."]


def test_a_version_of_another_form_is_refused(clone: Clone) -> None:
    clone.version("1.2")
    assert clone.problems() == ["server/__init__.py says version 1.2, which is not MAJOR.MINOR.PATCH."]


def test_all_that_is_wrong_is_said_at_once(clone: Clone) -> None:
    # hosting A81
    clone.write("CHANGELOG.md", "# Changelog\n")
    found = clone.problems("paperdesk-9.9.9", stale=("requirements.lock", "requirements-dev.lock"))
    assert len(found) == 5


def test_the_first_release_has_nothing_to_be_compared_with(clone: Clone) -> None:
    clone.git("tag", "--delete", "paperdesk-1.1.0")
    changed(clone)
    clone.commit()
    assert clone.problems() == []
