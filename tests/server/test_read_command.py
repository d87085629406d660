"""`paperdesk read --out`: the file is the whole text or what it was before."""

import json
import os
import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.errors import OperatorError
from server.__main__ import app

TEXT = "# Title\n\nßeveral lines — of text\n"


def paperdesk(*arguments: str) -> None:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """The command but for its target."""
    monkeypatch.setenv("PAPERDESK_EMBEDDER", "none")
    folder = tmp_path / "in"
    (folder / "texts").mkdir(parents=True)
    (folder / "papers.jsonl").write_text(json.dumps({"key": "a", "title": "One", "arxiv_id": "1706.03762"}))
    (folder / "texts" / "1706.03762.md").write_text(TEXT, encoding="utf-8")
    paperdesk("catalog", "build", "--out", str(tmp_path / "catalog"), f"paperdesk:{folder}")
    return ("read", "1706.03762", "--catalog", f"file:{tmp_path / 'catalog'}", "--out")


def test_a_text_is_written_whole_with_the_usual_permissions(read: tuple[str, ...], tmp_path: Path) -> None:
    out = tmp_path / "new" / "text.md"
    out.parent.mkdir()
    paperdesk(*read, str(out))
    assert out.read_text(encoding="utf-8") == TEXT
    usual = tmp_path / "usual"
    usual.touch()
    assert out.stat().st_mode == usual.stat().st_mode
    assert list(out.parent.iterdir()) == [out]


def test_an_existing_file_keeps_its_permissions_and_its_link(read: tuple[str, ...], tmp_path: Path) -> None:
    out, link = tmp_path / "new" / "text.md", tmp_path / "link.md"
    out.parent.mkdir()
    out.write_text("x" * 1000)
    out.chmod(0o600)
    link.symlink_to(out)
    paperdesk(*read, str(link))
    assert (link.is_symlink(), out.read_text(encoding="utf-8")) == (True, TEXT)
    assert stat.S_IMODE(out.stat().st_mode) == 0o600


def test_a_write_that_fails_keeps_what_was_there(
    read: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "new" / "text.md"
    out.parent.mkdir()
    out.write_text("precious")

    def full(path: Path, data: bytes) -> int:
        path.touch()
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OperatorError, match="cannot be written"):
        paperdesk(*read, str(out))
    assert out.read_text() == "precious"
    assert list(out.parent.iterdir()) == [out]


def test_what_is_no_plain_file_is_written_to(read: tuple[str, ...]) -> None:
    paperdesk(*read, os.devnull)
    assert not Path(os.devnull).is_file()
