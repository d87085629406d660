"""`paperdesk catalog build` at the terminal: what it says of a build, and how it ends when it is told to stop."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.catalog.embedded.embedding import packaged_embedder
from core.catalog.embedded.manifest import open_manifest
from core.errors import BuildFailed, CatalogUnusable, SettingsError
from server.__main__ import app
from server.served import TOOLSET_IDS
from tests.embedding_service import MODEL, embedding_service

ROOT = Path(__file__).resolve().parents[2]


def paperdesk(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def write_rows(path: Path, *rows: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def site_paper(slug: str, **facts: object) -> dict[str, object]:
    return {"paper_url": f"https://paperswithcode.com/paper/{slug}", "title": slug, **facts}


def cells(shown: str, start: str) -> list[str]:
    """The cells of the table row that starts so."""
    line = next(line for line in shown.splitlines() if line.strip("│ ").startswith(start))
    return [cell.strip() for cell in line.strip("│").split("│")]


def test_losses_are_told_with_reasons_and_first_positions(tmp_path: Path) -> None:
    papers = [site_paper("one", date="soon"), *({"paper_url": "x", "title": None} for _ in range(7))]
    write_rows(tmp_path / "in" / "papers.jsonl", *papers)
    shown = paperdesk("catalog", "build", "--out", str(tmp_path / "out"), f"pwc:{tmp_path / 'in'}")
    assert cells(shown, "pwc:papers.jsonl") == ["pwc:papers.jsonl", "8", "1", "0", "7", "1"]
    assert shown.splitlines()[-5:] == [
        "pwc:papers.jsonl: 7 rows skipped: no title (line 2, line 3, line 4, line 5, line 6, ...)",
        "pwc:papers.jsonl: 1 value left out of kept rows: date that is none",
        f"The whole account is in {tmp_path / 'out' / 'build-report.json'}.",
        f"{tmp_path / 'out'} holds 1 paper; content {open_manifest(tmp_path / 'out').content_id}.",
        "Searches of it go by words alone. To search by meaning too, build it with --vectors auto.",
    ]
    described = paperdesk("catalog", "info", str(tmp_path / "out"))
    assert cells(described, "pwc:papers.jsonl")[:6] == ["pwc:papers.jsonl", "8", "1", "0", "7", "1"]


def test_merged_rows_have_a_column_of_their_own(tmp_path: Path) -> None:
    result = {"model_name": "A", "metrics": {"EM": "1"}, "paper_title": "One"}
    table = {"metrics": ["EM"], "rows": [result, result, {**result, "model_name": ""}, {**result, "metrics": {}}]}
    write_rows(tmp_path / "in" / "boards.jsonl", {"task": "QA", "datasets": [{"dataset": "SQuAD", "sota": table}]})
    shown = paperdesk("catalog", "build", "--out", str(tmp_path / "out"), f"pwc:{tmp_path / 'in'}")
    described = paperdesk("catalog", "info", str(tmp_path / "out"))
    account = ["pwc:boards.jsonl", "4", "2", "1", "1", "0"]
    assert cells(shown, "pwc:boards.jsonl") == account
    assert cells(described, "pwc:boards.jsonl")[:6] == account
    assert "pwc:boards.jsonl: 1 row merged: " in shown


def test_rows_of_one_paper_are_said_to_be_united(tmp_path: Path) -> None:
    rows = [
        {"key": "a", "title": "One", "arxiv_id": "1706.03762", "published": "2017"},
        {"key": "b", "title": "Two"},
        {"key": "c", "title": "One", "arxiv_id": "1706.03762"},
    ]
    write_rows(tmp_path / "in" / "papers.jsonl", *rows)
    shown = paperdesk("catalog", "build", "--out", str(tmp_path / "out"), f"paperdesk:{tmp_path / 'in'}")
    assert "3 descriptions of papers, in rows that share identifiers, became 2 papers.\n" in shown
    content_id = open_manifest(tmp_path / "out").content_id
    assert f"{tmp_path / 'out'} holds 2 papers; content {content_id}, as of 2017-01-01.\n" in shown


@pytest.mark.parametrize("vectors", [True, False])
def test_only_a_build_without_vectors_is_told_of_them(tmp_path: Path, vectors: bool) -> None:
    if vectors:
        _ = packaged_embedder() or pytest.skip("the packaged model is not installed")
    write_rows(tmp_path / "in" / "papers.jsonl", {"key": "a", "title": "One"})
    chosen = ("--vectors", "auto") if vectors else ()
    shown = paperdesk("catalog", "build", "--out", str(tmp_path / "out"), *chosen, f"paperdesk:{tmp_path / 'in'}")
    assert ("--vectors auto" in shown) is not vectors


def test_a_build_of_nothing_is_a_failure_and_never_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "dump.json").write_text("[]")
    with pytest.raises(BuildFailed, match=r"The sources hold no rows\. Nothing was built\."):
        paperdesk("catalog", "build", "--out", str(tmp_path / "out"), f"pwc:{tmp_path / 'dump.json'}")


def test_a_bad_model_is_told_as_the_option_that_was_typed(tmp_path: Path) -> None:
    write_rows(tmp_path / "in" / "papers.jsonl", {"key": "a", "title": "One"})
    with pytest.raises(SettingsError) as caught:
        paperdesk(
            "catalog", "build", "--out", str(tmp_path / "out"), "--vectors", "nope", f"paperdesk:{tmp_path / 'in'}"
        )
    assert caught.value.message == "--vectors: The embedder's folder must hold `model.onnx` and `tokenizer.json`."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("serve", "--port", "80000"), "--port: write a whole number from 1 to 65535."),
        (("serve", "--host", "a b"), "--host: write a host name or an IP address, such as 127.0.0.1."),
        (
            ("search", "x", "--catalog", "sample"),
            "--catalog: write sample:, file:DIRECTORY or an https address;"
            " a directory by itself needs file: before it.",
        ),
        (
            ("stdio", "--toolset", "nope"),
            "--toolset: name toolsets of this release only: " + ", ".join(TOOLSET_IDS) + ".",
        ),
    ],
)
def test_a_bad_option_is_told_as_it_was_typed(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        paperdesk(*arguments)
    assert caught.value.problems == (message,)


def test_a_bad_variable_is_told_as_it_was_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERDESK_PORT", "80000")
    with pytest.raises(SettingsError) as caught:
        paperdesk("serve")
    assert caught.value.problems == ("PAPERDESK_PORT: write a whole number from 1 to 65535.",)


@pytest.mark.parametrize("command", [("info",), ("export", "--out", "new")])
def test_sample_without_its_colon_is_suggested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CatalogUnusable, match="The sample catalog is written `sample:`"):
        paperdesk("catalog", *command, "sample")


@pytest.mark.parametrize("command", [(), ("catalog", "build"), ("catalog", "export"), ("read",), ("serve",)])
def test_flags_of_the_help_take_no_value(command: tuple[str, ...]) -> None:
    assert "bool" not in paperdesk(*command, "--help").lower()


SLOW = """
import sys, time
from core.ingest import build
from server.__main__ import main

class Stages(build._Stages):
    def start(self, label, total=None, *, name=None):
        super().start(label, total, name=name)
        if label == STAGE:
            print("ready", flush=True)
            time.sleep(60)

STAGE = sys.argv.pop(1)
build._Stages = Stages
main()
"""


@pytest.mark.parametrize(
    ("stage", "told", "status", "replaced"),
    [
        ("Reading papers.jsonl", signal.SIGTERM, 143, False),
        ("Writing papers", signal.SIGTERM, 143, True),
        ("Finishing the text index", signal.SIGTERM, 143, False),
        ("Sealing", signal.SIGTERM, 143, True),
        ("Sealing", signal.SIGINT, 130, False),
    ],
)
def test_a_build_told_to_stop_leaves_nothing_and_says_so(
    tmp_path: Path, stage: str, told: signal.Signals, status: int, replaced: bool
) -> None:
    write_rows(tmp_path / "in" / "papers.jsonl", {"key": "a", "title": "One"})
    build = ("catalog", "build", "--out", str(tmp_path / "out"), "--replace", f"paperdesk:{tmp_path / 'in'}")
    if replaced:
        paperdesk(*build)
    before = open_manifest(tmp_path / "out") if replaced else None
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, stage, *build],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    os.kill(process.pid, told)
    _, err = process.communicate(timeout=30)
    assert process.returncode == status
    assert err.splitlines()[-1] == "paperdesk: stopped. Nothing was built."
    assert "Traceback" not in err
    assert sorted(each.name for each in tmp_path.iterdir()) == (["in", "out"] if replaced else ["in"])
    assert before is None or open_manifest(tmp_path / "out") == before


def test_an_embeddings_service_gets_its_key_from_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAPERDESK_EMBEDDER_KEY", "sk-planted")
    write_rows(tmp_path / "in" / "papers.jsonl", {"key": "a", "title": "One"})
    source, out = f"paperdesk:{tmp_path / 'in'}", tmp_path / "out"
    with embedding_service() as service:
        shown = paperdesk("catalog", "build", "--out", str(out), "--vectors", service.setting, source)
    assert service.keys == ["Bearer sk-planted"] and "sk-planted" not in shown
    embedding = open_manifest(out).embedding
    assert embedding is not None and embedding.model == f"{MODEL}@remote"


@pytest.mark.parametrize("status", [401, 429, 500])
def test_an_embeddings_service_that_fails_leaves_nothing_behind(tmp_path: Path, status: int) -> None:
    write_rows(tmp_path / "in" / "papers.jsonl", {"key": "a", "title": "One"})
    with embedding_service() as service:
        service.status = status
        source, out = f"paperdesk:{tmp_path / 'in'}", tmp_path / "out"
        with pytest.raises(BuildFailed, match=r"The embedder .*Nothing was built"):
            paperdesk("catalog", "build", "--out", str(out), "--vectors", service.setting, source)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
