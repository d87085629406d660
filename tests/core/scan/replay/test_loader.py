"""The directory of a run is read back (scan contract 8.1, 12)."""

from datetime import date
from pathlib import Path
from typing import Any

import orjson
import pytest

from core.errors import InvalidInput
from core.scan.days import ScanWindow
from core.scan.documents import (
    aliases_json,
    candidates_json,
    plan_json,
    ranked_json,
    scores_json,
    shortlist_json,
    work_json,
)
from core.scan.models import Batch, Pool
from core.scan.replay.loader import load, packets_of
from tests.core.scan.judged import entry, scored, shortlisted, verified
from tests.scan_works import candidate, found, hit, plan

RUN = {"date": "2026-08-20", "defaults": {"window": {"from": "2024-01", "to": None}}}


def write(directory: Path, **documents: Any) -> Path:
    for name, value in documents.items():
        path = directory / f"{name.replace('__', '/').replace('_', '-')}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(orjson.dumps(value, default=dict))
    return directory


def test_an_exported_run_is_read_as_it_was_written(tmp_path: Path) -> None:
    pool = Pool((candidate("a", hit(0)), candidate("b", hit(1), outside_window=True)), {"old": "a"})
    scores, entries, verdicts = scored(a=3, b=2), {"a": entry("a")}, verified("a")
    made = shortlisted(*pool.candidates)
    write(
        tmp_path,
        queries=plan_json(plan("Q1")),
        candidates=candidates_json(RUN, pool),
        aliases=aliases_json(pool),
        screen=scores_json(scores),
        shortlist=shortlist_json(made),
        ranked=ranked_json(entries.values(), verdicts),
        expanded={"seeds": ["a"]},
        expanded_round2={"seeds": ["b"]},
        coverage={"rounds": []},
        manifest={"tool_version": "1"},
        evidence={"packets": [{"cid": "a", "title": "T", "rank": 1}], "alternates": []},
        screen_batches__xr01={"batch": "xr01", "items": [{"cid": "b"}]},
        screen_batches__10={"batch": "10", "items": []},
        screen_batches__02={"batch": "02", "items": [{"cid": "a"}]},
        screen_batches__r01={"batch": "r01", "items": []},
        screen_batches__x01={"batch": "x01", "items": []},
        screen_batches__100={"batch": "100", "items": []},
        screen_batches__rx01={"batch": "rx01", "items": []},
    )
    (tmp_path / "brief.md").write_text("What the client wants")
    run = load(tmp_path)
    assert (run.plan, run.pool, run.rows, run.scores) == (plan("Q1"), pool, 2, scores)
    assert (run.shortlist, run.entries, run.verifications) == (made, entries, verdicts)
    assert run.expansions == {"expanded.json": {"seeds": ["a"]}, "expanded-round2.json": {"seeds": ["b"]}}
    assert (run.coverage, run.manifest, run.run) == ({"rounds": []}, {"tool_version": "1"}, RUN)
    assert [each.id for each in run.batches] == ["02", "10", "100", "x01", "r01", "xr01", "rx01"]
    assert run.batches[0] == Batch("02", ("a",))
    assert run.window == ScanWindow(date(2024, 1, 1), date(2026, 8, 20))
    assert run.evidence is not None
    [(paper, row)] = packets_of(run.evidence)
    assert (paper.cid, paper.work.title, row["rank"]) == ("a", "T", 1)
    assert packets_of(run.evidence, "alternates") == ()
    assert "What the client wants" not in repr(run)


def test_rows_of_one_cid_become_one_candidate_where_the_first_stood(tmp_path: Path) -> None:
    # scan A52
    early = found("One work", "Ada Lovelace", year=2023, publication_date="2023-09-01", origins=(hit(0),))
    late = found("One work", year=2023, publication_date="2023-09-01", doi="10.1234/x", origins=(hit(0), hit(3, "Q2")))
    rows = [
        {"cid": "b", **work_json(early), "outside_window": False, "unknown": 1},
        {"cid": "a", **work_json(late), "outside_window": None, "versions": None},
        {"cid": "b", **work_json(late), "outside_window": True, "versions": ["a"]},
    ]
    write(tmp_path, queries=plan_json(plan("Q1")), candidates={"run": RUN, "candidates": rows})
    run = load(tmp_path)
    assert (run.rows, [each.cid for each in run.pool.candidates]) == (3, ["b", "a"])
    joined = run.pool.candidates[0]
    assert (joined.work.ids.doi, joined.work.origins) == ("10.1234/x", (hit(0), hit(3, "Q2")))
    assert (joined.outside_window, joined.versions) == (True, ("a",))
    assert run.pool.candidates[1].outside_window is False


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ({}, ScanWindow(None, date.max)),
        ({"date": "2026-08-20"}, ScanWindow(None, date(2026, 8, 20))),
        ({"defaults": {"window": {"from": None, "to": "2024-02"}}}, ScanWindow(None, date(2024, 2, 29))),
        (
            {"defaults": {"window": {"from": "2023-08-01", "to": "2026-08-20"}}},
            ScanWindow(date(2023, 8, 1), date(2026, 8, 20)),
        ),
    ],
)
def test_the_window_of_a_run_is_told_in_days(tmp_path: Path, run: dict[str, Any], expected: ScanWindow) -> None:
    write(tmp_path, queries=plan_json(plan("Q1")), candidates={"run": run, "candidates": []})
    assert load(tmp_path).window == expected


def test_what_a_run_does_not_have_is_empty(tmp_path: Path) -> None:
    write(tmp_path, queries=plan_json(plan("Q1")), candidates={"run": None, "candidates": None})
    run = load(tmp_path)
    assert (run.shortlist, run.coverage, run.evidence) == (None, None, None)
    assert (run.scores, run.entries, run.verifications, run.expansions, run.batches) == ({}, {}, {}, {}, ())


def test_a_directory_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"candidates\.json is missing"):
        load(tmp_path)
    write(tmp_path, candidates={"candidates": []})
    with pytest.raises(InvalidInput, match=r"queries\.json is missing"):
        load(tmp_path)
    (tmp_path / "queries.json").write_text("{")
    with pytest.raises(InvalidInput, match=r"queries\.json of this run is no JSON"):
        load(tmp_path)
