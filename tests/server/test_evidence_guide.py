"""README's guide to weighing evidence: its commands give its numbers on the sample."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from core.clock import ManualClock
from core.ingest.build import BuildOptions, build_catalog
from server.__main__ import app
from server.sample import sample_sources
from tests.conftest import SAMPLE
from tests.evidence_room import NOW_S

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
GUIDE = README.partition("### How an agent weighs evidence\n")[2].partition("\n## ")[0]
COMMANDS = [line for line in GUIDE.splitlines() if line.startswith(".venv/bin/paperdesk call ")]
ROW = re.compile(r"\| (\d+) \| (\w+) \| (\w+) \| ([\d.]+) \| ([-\d.]+) \|.*?(\d+) percent", flags=re.MULTILINE)
SUM = re.compile(r"([-\d.×+()/ ]*\d[-\d.×+()/ ]*) = (-?\d\.\d{4})")


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("guide") / "sample"
    build_catalog(sample_sources(SAMPLE), out, options=BuildOptions(clock=ManualClock(NOW_S)))
    return out


def answer(command: str, catalog: Path) -> Any:
    _, *arguments = shlex.split(command)
    result = CliRunner().invoke(app, [*arguments, "--json", "--catalog", f"file:{catalog}"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_the_two_weightiest_claims_are_those_of_the_table(catalog: Path) -> None:
    weightiest, opposed, paper = (answer(command, catalog) for command in COMMANDS)
    whole = {claim["claim_id"]: claim for claim in paper["claims"]}
    other = answer(f"{COMMANDS[2].rpartition(' ')[0]} {weightiest['results'][0]['paper_id']}", catalog)
    whole |= {claim["claim_id"]: claim for claim in other["claims"]}
    rows = ROW.findall(GUIDE)
    assert [int(row[0]) for row in rows] == [row["claim_id"] for row in weightiest["results"]]
    for number, direction, grade, weight, balance, percent in rows:
        claim = whole[int(number)]
        assert (claim["direction"], claim["evidence_grade"]) == (direction, grade)
        assert (f"{claim['evidence_weight']:.4f}", f"{claim['balance']:.4f}") == (weight, balance)
        assert round(claim["effect"]["value"]) == int(percent)
    assert opposed["results"][0]["claim_id"] == int(rows[1][0])


def test_the_counts_by_direction_are_those_of_the_sample(catalog: Path) -> None:
    command = COMMANDS[0].partition(" --limit")[0]
    directions = ("positive", "negative", "mixed", "null_result")
    counts = [answer(f"{command} --direction {each}", catalog)["total"] for each in directions]
    total = answer(command, catalog)["total"]
    positive, negative, mixed, null = counts
    assert (
        f"Of {total} claims {positive} are positive, {negative} negative, {mixed} mixed and {null} a null result."
    ) in GUIDE


def test_the_sums_are_right_and_made_of_what_bears_on_the_claim(catalog: Path) -> None:
    sums = [(eval(sum_.replace("×", "*")), float(result)) for sum_, result in SUM.findall(GUIDE)]
    assert len(sums) == 2
    assert all(round(value, 4) == result for value, result in sums)
    [claim] = [each for each in answer(COMMANDS[2], catalog)["claims"] if each["claim_id"] == 14]
    assert [result for _, result in sums] == [claim["evidence_weight"], claim["balance"]]
    bearing = {(each["type"], each["claim_id"]) for each in claim["relationships"]}
    assert {("contradicts", 9), ("contradicts", 18), ("qualifies", 11)} <= bearing
