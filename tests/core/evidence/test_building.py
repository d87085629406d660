"""Building an evidence set: all faults at once, and nothing written unless all is sound."""

import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.catalog.embedded.manifest import open_manifest
from core.errors import BuildFailed, CatalogUnusable, SourceUnreachable
from core.evidence.stored.evidence_set import EvidenceSet
from tests.core.evidence.conftest import filled
from tests.evidence_room import Folder, run
from tests.hashing_embedder import HashingEmbedder

CLAIM = {
    "kind": "claim",
    "claim_id": 1,
    "paper_id": "10.5555/a",
    "claim_text": "One",
    "outcome_category": "other",
    "evidence_grade": "high",
}
OTHER = {**CLAIM, "claim_id": 2, "paper_id": "10.5555/b"}
RELATION = {"kind": "relation", "relation_id": 1, "from_claim": 1, "to_claim": 2, "type": "supports", "confidence": 1}
ASSESSMENT = {"kind": "assessment", "paper_id": "10.5555/a", "paper_type": "rct", "themes": []}
AUTHOR = {"author_id": 1, "display_name": "A B", "paper_ids": ["10.5555/a"]}


def two_papers(folder: Folder) -> Folder:
    folder.paper("a", "Paper A", doi="10.5555/a")
    folder.paper("b", "Paper B", doi="10.5555/b")
    return folder


def refused(folder: Folder, out: Path) -> list[str]:
    """The faults of a build that must write nothing."""
    with pytest.raises(BuildFailed) as raised:
        folder.build(out)
    assert not out.exists()
    assert [path.name for path in out.parent.iterdir() if path.name.startswith(f".{out.name}")] == []
    return raised.value.message.splitlines()[1:]


def test_every_fault_is_listed_with_its_place(folder: Folder, tmp_path: Path) -> None:
    # evidence A49 A59
    two_papers(folder)
    folder.claims = [
        CLAIM,
        OTHER,
        {**CLAIM, "claim_id": 1},
        {**CLAIM, "claim_id": 3, "paper_id": "10.5555/missing"},
        {**CLAIM, "claim_id": 4, "evidence_weight": 0.5, "colour": "red"},
        RELATION,
        {**RELATION, "relation_id": 2, "to_claim": 99},
    ]
    folder.authors = [{**AUTHOR, "orcid": "0000-0002-1825-0098"}]
    folder.digests = {"2026-04-04-before": "# Not a day", "2026-04-05": "x" * 28_001}
    faults = refused(folder, tmp_path / "built")
    assert [fault.split(": ")[0] for fault in faults] == [
        "authors.jsonl:1",
        "claims.jsonl:3",
        "claims.jsonl:4",
        "claims.jsonl:5",
        "claims.jsonl:5",
        "claims.jsonl:7",
        "digests/2026-04-04-before.md:1",
        "digests/2026-04-05.md:1",
    ]
    assert "wrong check digit" in faults[0]
    assert "'10.5555/missing' is not in the catalog" in faults[2]


def resources(url: str) -> dict[str, Any]:
    found = {"models": [{"id": "m", "url": url}], "datasets": [], "spaces": []}
    return {**ASSESSMENT, "hf_resources": found}


@pytest.mark.parametrize(
    ("records", "reason"),
    [
        ([CLAIM, {**CLAIM, "claim_id": 2}, RELATION], "both claims are of one paper"),
        ([CLAIM, OTHER, RELATION, {**RELATION, "relation_id": 2}], "a second relation supports from 1 to 2"),
        ([CLAIM, OTHER, RELATION, {**RELATION, "from_claim": 2, "to_claim": 1}], "relation_id 1 is used twice"),
        (
            [
                CLAIM,
                OTHER,
                {**RELATION, "type": "contradicts"},
                {**RELATION, "type": "contradicts", "relation_id": 2, "from_claim": 2, "to_claim": 1},
            ],
            "the reversed copy of a relation contradicts, which has no direction",
        ),
        ([CLAIM, OTHER, {**RELATION, "confidence": 1.5}], "confidence must be a number from 0 to 1"),
        ([ASSESSMENT, ASSESSMENT], "a second assessment of its paper"),
        ([{**ASSESSMENT, "relevance": 11}], "relevance must be a whole number from 1 to 10"),
        ([{**ASSESSMENT, "paper_type": "RCT"}], "paper_type must be one of: commentary"),
        ([{**ASSESSMENT, "themes": ["adoption", "adoption"]}], "themes holds a value twice"),
        ([{**CLAIM, "direction": None}], "direction must be one of: mixed, negative, null_result, positive"),
        ([{**CLAIM, "claim_text": " "}], "claim_text must be a text that is not empty"),
        ([{"kind": "claim"}], "claim_id is missing"),
        ([{**CLAIM, "paper_id": "nonsense"}], "'nonsense' is no id of a paper"),
        ([{"kind": "opinion"}], "kind must be one of: assessment, claim, relation"),
        ([{**CLAIM, "effect": {"type": "percentage", "value": "many"}}], "effect is not sound: value must be a number"),
        (
            [{**CLAIM, "effect": {"type": "percentage", "value": 10**400}}],
            "effect is not sound: value must be a number",
        ),
        (
            [{**CLAIM, "effect": {"type": "count", "ci_low": -(10**400)}}],
            "effect is not sound: ci_low must be a number",
        ),
        ([{**CLAIM, "effect": {"type": "count", "ci_high": True}}], "effect is not sound: ci_high must be a number"),
        ([CLAIM, OTHER, {**RELATION, "confidence": 10**400}], "confidence must be a number"),
        ([resources("javascript:alert(1)")], "url must be an http or https address"),
        ([resources("https://h.example/ a")], "url must be an http or https address"),
    ],
)
def test_each_fault_has_its_reason(folder: Folder, tmp_path: Path, records: list[dict[str, Any]], reason: str) -> None:
    two_papers(folder).claims = records
    faults = refused(folder, tmp_path / "built")
    assert any(reason in fault for fault in faults), faults


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"kind":', "is not JSON"),
        ("[1]", "must be a JSON object"),
        ('"claims.jsonl is sound"', "must be a JSON object"),
        ("9" * 5_000, "is not JSON"),
        ("[" * 200_000, "is not JSON"),
        (json.dumps(RELATION).replace('"confidence": 1', '"confidence": NaN'), "is not JSON"),
    ],
)
def test_lines_that_are_no_records_are_faults(folder: Folder, tmp_path: Path, line: str, reason: str) -> None:
    two_papers(folder).write()
    (folder.root / "evidence" / "claims.jsonl").write_text(f"\n{line}\n", encoding="utf-8")
    writes: Callable[[], None] = lambda: None  # noqa: E731
    folder.write = writes  # type: ignore[method-assign]
    assert refused(folder, tmp_path / "built") == [f"claims.jsonl:2: {reason}"]


@pytest.mark.parametrize("name", ["claims.jsonl", "authors.jsonl", "outcome_categories.json", "digests/2026-04-03.md"])
@pytest.mark.parametrize(
    "put", [Path.mkdir, lambda path: path.symlink_to("nowhere"), lambda path: path.symlink_to(path)]
)
def test_an_input_that_cannot_be_read_is_named_and_never_passed_over(
    tmp_path: Path, name: str, put: Callable[[Path], None]
) -> None:
    folder = two_papers(Folder(tmp_path / "sources"))
    folder.digests = {"2026-04-10": "# Day"}
    folder.write()
    path = folder.root / "evidence" / name
    path.unlink(missing_ok=True)
    put(path)
    folder.write = lambda: None  # type: ignore[method-assign]
    with pytest.raises(BuildFailed, match=rf"{re.escape(str(path))} cannot be read: .*Nothing was built"):
        folder.build(tmp_path / "built")
    assert [each.name for each in tmp_path.iterdir()] == ["sources"]


def test_digests_are_a_folder(tmp_path: Path) -> None:
    folder = two_papers(Folder(tmp_path / "sources"))
    folder.write()
    (folder.root / "evidence" / "digests").write_text("# Day")
    folder.write = lambda: None  # type: ignore[method-assign]
    assert refused(folder, tmp_path / "built") == ["digests:1: must be a folder"]


def test_equal_inputs_give_an_equal_version_and_others_another(tmp_path: Path) -> None:
    # evidence A59
    def version(name: str, change: Callable[[Folder], None], *, vectors: bool = False) -> str:
        folder = filled(Folder(tmp_path / name))
        change(folder)
        built = folder.build(tmp_path / f"{name}-built", embedder=HashingEmbedder() if vectors else None)
        stored = EvidenceSet.open(built)
        stored.close()
        return stored.corpus_version

    first = version("first", lambda folder: None)
    assert version("same", lambda folder: folder.claims.reverse()) == first
    others = {
        version("digest", lambda folder: folder.digests.update({"2026-04-03": "# Changed\n"})),
        version("claim", lambda folder: folder.claims[-1].update({"confidence": 0.1})),
        version("paper", lambda folder: folder.papers[0].update({"abstract": "Changed."})),
        version("model", lambda folder: None, vectors=True),
    }
    assert len(others | {first}) == 5


def test_markup_is_read_and_numbers_in_angles_are_kept(folder: Folder, tmp_path: Path) -> None:
    two_papers(folder).claims = [{**CLAIM, "claim_text": "R&amp;D rose<sup>2</sup>, P<0.001, co\u00adop"}]
    room = folder.opened(tmp_path / "built")
    (row,) = run(room.desk.search_claims()).results
    assert row.claim_text.startswith("R&D rose")
    assert "P<0.001" in row.claim_text
    assert "coop" in row.claim_text
    room.close()


def test_a_lone_surrogate_becomes_a_replacement_character(folder: Folder, tmp_path: Path) -> None:
    two_papers(folder).write()
    line = json.dumps(CLAIM).replace("One", "One \\ud800 two")
    (folder.root / "evidence" / "claims.jsonl").write_text(line, encoding="utf-8")
    folder.write = lambda: None  # type: ignore[method-assign]
    room = folder.opened(tmp_path / "built")
    (row,) = run(room.desk.search_claims()).results
    assert row.claim_text == "One \ufffd two"
    room.close()


def test_a_category_off_the_list_is_reported(tmp_path: Path) -> None:
    built = filled(Folder(tmp_path / "sources")).build(tmp_path / "built")
    report = json.loads((built / "build-report.json").read_text(encoding="utf-8"))
    (account,) = [file for file in report["files"] if file["kind"] == "evidence"]
    assert account["left_out"] == {"outcome_category off the list": 1}
    assert "'Office Mood' is not on the list" in account["samples"][0]["reason"]


def test_a_corpus_may_bring_its_own_categories(folder: Folder, tmp_path: Path) -> None:
    two_papers(folder).claims = [{**CLAIM, "outcome_category": "Tea Breaks"}]
    folder.write()
    (folder.root / "evidence" / "outcome_categories.json").write_text('["tea_breaks"]', encoding="utf-8")
    room = folder.opened(tmp_path / "built")
    assert room.stored.categories == ("other", "tea_breaks")
    assert run(room.desk.search_claims(outcome_category="tea breaks")).total == 1
    room.close()


def test_a_set_is_read_only_whole_and_can_stand_alone(folder: Folder, tmp_path: Path) -> None:
    built = filled(folder).build(tmp_path / "built")
    assert "evidence/evidence.sqlite" in open_manifest(built).files
    moved = tmp_path / "elsewhere"
    (built / "evidence").rename(moved)
    stored = EvidenceSet.open(moved)
    with pytest.raises(SourceUnreachable):
        stored._records.run_here(_deleted)
    stored.close()
    with (moved / "columns" / "claim.weight.npy").open("ab") as file:
        file.write(b"x")
    with pytest.raises(CatalogUnusable, match=r"claim\.weight\.npy"):
        EvidenceSet.open(moved)
    with pytest.raises(CatalogUnusable, match="no evidence set"):
        EvidenceSet.open(built)


def _deleted(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM claim")
