"""`paperdesk scan`: a scan as files, computed again, and removed; and a scan by `paperdesk call`."""

import json
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson
import pytest
from click.testing import Result
from typer.testing import CliRunner

from core.errors import InvalidInput, OperatorError, PaperdeskError
from server.__main__ import app
from server.limits.key_file import write_keys
from server.limits.keys import new_key
from tests.scan_service import BRIEF, PLAN, Judge, ScanClient, fresh_id, serve_scans

HOSTILE_IDS = [
    "",
    "x",
    "../../etc/passwd",
    "7D9F1C52-3A5E-4B1F-9C0D-2F6A81E4B7C3",
    "7d9f1c523a5e4b1f9c0d2f6a81e4b7c3",
    "💥",
]


@dataclass(frozen=True)
class Kept:
    """A store with a finished scan of nobody's, and one of a key's holder that is at its beginning."""

    store: Path
    finished: str
    begun: str
    key_id: str


@pytest.fixture(scope="module")
def kept(sample_directory: Path, tmp_path_factory: pytest.TempPathFactory) -> Kept:
    folder = tmp_path_factory.mktemp("kept")
    clear, key = new_key("one", 0, limits={})
    write_keys(folder / "keys", [key])
    made = Kept(folder / "scans.db", fresh_id(), fresh_id(), key.key_id)
    settings = {"scan_store": f"sqlite:{made.store}", "keys_file": str(folder / "keys")}
    with serve_scans(sample_directory, **settings) as http:
        nobody, holder = ScanClient(http), ScanClient(http, key=clear)
        Judge(nobody, made.finished).play(nobody.start(made.finished, profile="quick", slug="kept"))
        Judge(holder, made.begun).play(holder.start(made.begun, profile="quick"), until="screen_candidates")
    return made


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, kept: Kept, sample_directory: Path) -> Iterator[None]:
    for name, value in {
        "SCAN_STORE": f"sqlite:{kept.store}",
        "SCAN_SOURCES": "catalog",
        "CATALOG_URL": f"file:{sample_directory}",
        "EMBEDDER": "none",
    }.items():
        monkeypatch.setenv(f"PAPERDESK_{name}", value)
    # A command sets up logging for its process; here that process goes on.
    loggers = [logging.getLogger(name) for name in (None, "paperdesk", "mcp")]
    before = [(logger, logger.level, logger.handlers[:]) for logger in loggers]
    yield
    for logger, level, handlers in before:
        logger.setLevel(level)
        logger.handlers[:] = handlers


def paperdesk(*arguments: str, status: int = 0) -> Result:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == status, result.output
    return result


def test_an_export_is_a_run_directory_that_computes_to_itself(kept: Kept, tmp_path: Path) -> None:
    out = tmp_path / "run"
    said = paperdesk("scan", "export", kept.finished, str(out)).stdout
    files = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert said == f"Wrote {len(files)} documents to {out}.\n"
    assert files >= {"manifest.json", "queries.json", "candidates.json", "aliases.json", "screen.json", "ranked.json"}
    assert files >= {"evidence.json", "evidence.md", "evidence.bib", "screen-batches/01.json", "retrieval.log.jsonl"}
    assert orjson.loads((out / "manifest.json").read_bytes())["run"]["run_dir"] == f"scan-run://{kept.finished}/"
    assert not any(BRIEF in path.read_text() for path in out.rglob("*") if path.is_file())
    assert list(tmp_path.iterdir()) == [out]
    lines = paperdesk("scan", "replay", str(out)).stdout.splitlines()
    assert len(lines) >= 6
    assert all(": the same (" in line for line in lines[1:]), lines


def test_a_scan_of_a_key_is_found_by_the_keys_id_alone(kept: Kept, tmp_path: Path) -> None:
    with pytest.raises(PaperdeskError, match="No such scan"):
        paperdesk("scan", "export", kept.begun, str(tmp_path / "run"))
    paperdesk("scan", "export", kept.begun, str(tmp_path / "run"), "--key", kept.key_id)
    assert (tmp_path / "run" / "candidates.json").exists()
    assert not (tmp_path / "run" / "evidence.json").exists()


def test_what_is_not_there_is_not_written(kept: Kept, tmp_path: Path) -> None:
    with pytest.raises(PaperdeskError, match="No such scan"):
        paperdesk("scan", "export", fresh_id(), str(tmp_path / "run"))
    with pytest.raises(OperatorError, match="exists already"):
        paperdesk("scan", "export", kept.finished, str(tmp_path))
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OperatorError, match="cannot be written"):
        paperdesk("scan", "export", kept.finished, str(tmp_path / "file" / "run"))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("wrong", HOSTILE_IDS)
@pytest.mark.parametrize("command", ["export", "delete"])
def test_what_is_no_id_is_said_so(command: str, wrong: str, tmp_path: Path) -> None:
    more = [str(tmp_path / "run")] if command == "export" else []
    with pytest.raises(InvalidInput, match="version 4 UUID"):
        paperdesk("scan", command, "--", wrong, *more)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("candidates.json", "{"),
        ("candidates.json", "[]"),
        ("candidates.json", "7"),
        ("candidates.json", '{"candidates": 7}'),
        ("candidates.json", '{"candidates": [7]}'),
        ("candidates.json", "[" * 20_000),
        ("queries.json", "[]"),
        ("queries.json", "{}"),
        ("screen.json", "[7]"),
        ("ranked.json", '{"a": 1}'),
        ("coverage.json", "7"),
        ("coverage.json", '{"rounds": [{}]}'),
        ("evidence.json", "{}"),
        ("shortlist.json", "3"),
        ("expanded.json", "{}"),
        ("screen-batches/01.json", "[]"),
    ],
)
def test_a_damaged_run_is_refused_in_a_sentence(kept: Kept, tmp_path: Path, name: str, text: str) -> None:
    out = tmp_path / "run"
    paperdesk("scan", "export", kept.finished, str(out))
    (out / name).write_text(text)
    with pytest.raises(InvalidInput):
        paperdesk("scan", "replay", str(out))


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for wrong in (tmp_path, tmp_path / "none", tmp_path / "file"):
        with pytest.raises(InvalidInput):
            paperdesk("scan", "replay", str(wrong))


@pytest.mark.shared_data
def test_a_recorded_run_is_computed_again_and_what_differs_is_named(shared_data: Path) -> None:
    # scan A80 (part)
    lines = paperdesk("scan", "replay", str(shared_data / "scan-run"), status=1).stdout.splitlines()
    told = {line.partition(":")[0]: line for line in lines[1:]}
    assert re.fullmatch(r"\d+ candidate rows, \d+ works, \d+ scores", lines[0])
    for part in ("coverage", "seeds"):
        assert ": the same (" in told[part], told
    for line in told.values():
        assert re.search(r": the same \(|: \d+ differ: [0-9a-f]{12}(, [0-9a-f]{12})*$", line), line
    assert any(" differ: " in line for line in told.values())


def test_a_call_begins_a_scan_and_the_next_one_reads_it(kept: Kept) -> None:
    scan_id = fresh_id()
    plan = json.dumps(PLAN)
    first = paperdesk("call", "scan_start", "--scan-id", scan_id, "--brief", BRIEF, "--queries", plan, "--json")
    assert json.loads(first.stdout)["status"] in ("ok", "in_progress")
    again = paperdesk("call", "scan_result", "--scan-id", scan_id)
    envelope = json.loads(again.stdout)
    assert (envelope["scan_id"], envelope["phase"]) == (scan_id, "screen")
    [item, *_] = envelope["payload"]["screen_batch"]["items"]
    scores = json.dumps([{"cid": item["cid"], "score": 1, "reason": "words in common"}])
    refused = paperdesk("call", "scan_continue", "--scan-id", scan_id, "--screen-scores", scores, status=1)
    assert json.loads(refused.stderr)["payload"]["code"] == "unscored_items"
    broken = paperdesk("call", "scan_start", "--scan-id", fresh_id(), "--brief", "b", "--queries", "{", status=1)
    assert json.loads(broken.stderr)["payload"]["code"] == "schema_violation"
    paperdesk("scan", "delete", scan_id)
    gone = paperdesk("call", "scan_result", "--scan-id", scan_id, status=1)
    assert json.loads(gone.stderr)["payload"]["code"] == "unknown_scan"


def test_deleting_says_the_same_of_what_there_is_not(kept: Kept) -> None:
    # scan A73
    told = {paperdesk("scan", "delete", each).stdout for each in (fresh_id(), kept.begun)}
    assert told == {"Nothing is kept of that scan.\n"}
    paperdesk("call", "scan_result", "--scan-id", kept.finished)


def test_purging_counts_what_has_expired(kept: Kept) -> None:
    # scan A73
    assert paperdesk("scan", "purge").stdout == "Removed 0 scans.\n"


def test_a_store_that_cannot_be_opened_is_an_operators_matter(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kept: Kept
) -> None:
    (tmp_path / "file").write_text("mine")
    monkeypatch.setenv("PAPERDESK_SCAN_STORE", f"sqlite:{tmp_path / 'file' / 'scans.db'}")
    for command in (["purge"], ["delete", kept.finished], ["export", kept.finished, str(tmp_path / "run")]):
        with pytest.raises(PaperdeskError) as raised:
            paperdesk("scan", *command)
        assert str(tmp_path) not in raised.value.message
