"""Bibliographies on the user's own disk: only plain files that look like one are opened."""

import os
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.references.bibliography import local_file
from core.references.bibliography.local_file import ENDINGS, read_local

SECRET = "root:x:0:0:secret line"


@pytest.mark.parametrize("ending", [*ENDINGS, ".BIB"])
def test_a_plain_file_with_a_known_ending_is_read(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"library{ending}"
    file.write_bytes(b"10.1000/1")
    assert read_local(str(file)) == (b"10.1000/1", ending.lower())


def refusal(path: Path | str) -> str:
    with pytest.raises(InvalidInput) as raised:
        read_local(str(path))
    message = str(raised.value)
    assert "secret" not in message
    assert not isinstance(path, Path) or str(path.parent) not in message
    return message


def test_a_directory_a_link_a_pipe_and_nothing_are_no_files(tmp_path: Path) -> None:
    # references A93
    directory, link, pipe = tmp_path / "dir.bib", tmp_path / "link.bib", tmp_path / "pipe.bib"
    directory.mkdir()
    link.symlink_to("/etc/passwd")
    os.mkfifo(pipe)
    within = tmp_path / "own.bib"
    within.write_text(SECRET)
    own_link = tmp_path / "own-link.bib"
    own_link.symlink_to(within)
    absent = tmp_path / "absent.bib"
    messages = {refusal(path) for path in (directory, link, pipe, own_link, absent)}
    # Which of them it was says something about the disk.
    assert len(messages) == 1


# references A93
@pytest.mark.parametrize("name", ["passwd", "secret.txt.gz", "secret.bibx", ".bib", "secret.tex"])
def test_another_ending_is_refused_before_the_file_is_looked_at(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(SECRET)
    assert ".bib" in refusal(tmp_path / name)


@pytest.mark.parametrize("path", ["library.bib", "../library.bib", "", "/tmp/\0.bib", "~/library.bib"])
def test_a_path_is_absolute(path: str) -> None:
    assert "absolute" in refusal(path)


def test_a_file_that_is_too_long_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "library.bib"
    with file.open("wb") as sparse:
        sparse.truncate(10 * 1024 * 1024)
    assert len(read_local(str(file))[0]) == 10 * 1024 * 1024
    with file.open("ab") as sparse:
        sparse.write(b"x")
    assert "10 MiB" in refusal(file)


def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "library.bib"
    file.write_text(SECRET)

    def refuse(*_: object) -> int:
        raise PermissionError(13, "secret")

    monkeypatch.setattr(local_file.os, "open", refuse)
    refusal(file)
