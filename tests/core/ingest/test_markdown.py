from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from core.ingest import markdown

Build = Callable[..., Any]
Write = Callable[..., Path]

PAPERS = [
    {"key": "a", "title": "Attention Is All You Need", "id": 4711, "arxiv_id": "1706.03762"},
    {"key": "b", "title": "Old", "arxiv_id": "math.GT/0309136"},
    {"key": "c", "title": "By DOI", "doi": "10.1000/a(b)"},
    {"key": "d", "title": "A Unique Title"},
]


def texts(tmp_path: Path, **files: bytes) -> Path:
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, data in files.items():
        (folder / f"{name}.md").write_bytes(data)
    return folder


@pytest.mark.parametrize(
    ("name", "data", "title", "body"),
    [
        ("1706.03762", b"# One\r\nTwo\r\n", "Attention Is All You Need", b"# One\nTwo\n"),
        ("1706.03762v2", b"x", "Attention Is All You Need", b"x"),
        ("math.GT_0309136", b"x", "Old", b"x"),
        ("4711", b"x", "Attention Is All You Need", b"x"),
        ("doi_10.1000%2Fa(b)", b"x", "By DOI", b"x"),
        (
            "anything",
            b"---\r\ntitle: t\r\npaper: https://arxiv.org/abs/1706.03762\r\n---\r\nbody",
            "Attention Is All You Need",
            b"body",
        ),
        ("anything", b"---\npaper: a unique title\n---\n\n body", "A Unique Title", b"\n body"),
        ("1706.03762", b"---\nno: paper\n---\nbody", "Attention Is All You Need", b"body"),
        ("1706.03762", b"--- a rule\nbody", "Attention Is All You Need", b"--- a rule\nbody"),
    ],
)
def test_a_text_finds_its_paper(
    build: Build, write: Write, tmp_path: Path, name: str, data: bytes, title: str, body: bytes
) -> None:
    own = write("own/papers.jsonl", PAPERS).parent
    built = build(f"paperdesk:{own}", f"markdown:{texts(tmp_path, **{name: data})}")
    assert built.one("SELECT title, body, fulltext.version, bytes FROM fulltext JOIN paper USING (pid)") == (
        title,
        body,
        sha256(body).hexdigest(),
        len(body),
    )


def test_useless_texts_are_skipped_and_counted(
    build: Build, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(markdown, "MAX_TEXT_BYTES", 50)
    folder = texts(
        tmp_path,
        **{
            "1706.03762": b"good text",
            "anything": b"---\npaper: 4711\n---\nsecond",
            "math.GT_0309136": b"\xff",
            "doi_10.1000%2Fa(b)": b" \n",
            "2001.00001": b"unknown paper",
            "9": b"x" * 51,
        },
    )
    built = build(f"paperdesk:{write('own/papers.jsonl', PAPERS).parent}", f"markdown:{folder}")
    file = next(file for file in built.report.files if file.kind == "markdown")
    assert (file.read, file.kept, file.bad) == (6, 1, 0)
    assert dict(file.skipped) == {
        "a second text for its paper": 1,
        "not UTF-8": 1,
        "empty text": 1,
        "unknown paper": 1,
        "over 8 MiB": 1,
    }
    assert built.report.counts["fulltexts"] == 1
