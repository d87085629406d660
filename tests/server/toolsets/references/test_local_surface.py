"""What the references toolset offers in local mode, and what it says of itself there."""

import re
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import orjson
import pytest

from core.clock import ManualClock
from server.registry import BoundToolset
from server.toolsets.references import TOOLSET
from server.toolsets.references.local import LOCAL_TOOLSET
from server.toolsets.references.local_lines import LINES, restated
from tests.references_desk import Tools, files_of
from tests.server.toolsets.references.test_surface import LABELS, NAMES, NOT_OPEN, nodes

BOUND = BoundToolset(LOCAL_TOOLSET, None, clock=ManualClock(), deadline_max_s=300.0)
LISTED = {tool["name"].removeprefix("doiget_"): tool for tool in BOUND.tools_list}
HOSTED = {
    tool["name"].removeprefix("doiget_"): tool for tool in BoundToolset(TOOLSET, None, clock=ManualClock()).tools_list
}
SNAPSHOTS = Path(__file__).resolve().parents[3] / "snapshots" / "references-local"
LOCAL_NAMES = [*NAMES, "tag", "annotate"]
WRITING = {
    "resolve_paper",
    "metadata_only",
    "fetch_paper",
    "batch_fetch",
    "batch_from_bibliography",
    "tag",
    "annotate",
    "paper_search",
    "link",
    "expand_citation_graph",
}
AT_HAND = NOT_OPEN | {"tag", "annotate"}


@pytest.mark.parametrize("name", LOCAL_NAMES)
def test_a_tool_definition_is_the_accepted_one(name: str, update_snapshots: bool) -> None:
    path = SNAPSHOTS / f"doiget_{name}.json"
    written = orjson.dumps(LISTED[name], option=orjson.OPT_INDENT_2) + b"\n"
    if update_snapshots:
        path.write_bytes(written)
    assert path.read_bytes() == written, "a public definition changed: run pytest --update-snapshots and read the diff"


# references A1
def test_twenty_two_tools_are_offered_in_order_each_with_title_and_hints() -> None:
    assert BOUND.names == tuple(f"doiget_{name}" for name in LOCAL_NAMES)
    for name, tool in LISTED.items():
        assert tool["title"]
        assert tool["annotations"] == {
            "readOnlyHint": name not in WRITING,
            "destructiveHint": False,
            "idempotentHint": name in AT_HAND,
            "openWorldHint": name not in AT_HAND,
        }
    assert len(LOCAL_TOOLSET.instructions) <= 2048
    assert "local mode" in LOCAL_TOOLSET.instructions
    assert LOCAL_TOOLSET.deadline_s == 300.0
    assert [tool.deadline_s for tool in LOCAL_TOOLSET.tools] == [None] * 22


# references A2
@pytest.mark.parametrize("name", LOCAL_NAMES)
def test_descriptions_speak_of_local_mode_in_six_labelled_lines(name: str) -> None:
    tool = LISTED[name]
    assert re.findall(r"^([A-Z ]+):", tool["description"], re.MULTILINE) == LABELS
    whole = f"{tool['description']} {tool['inputSchema']}"
    assert "hosted" not in whole and "25 seconds" not in whole and "55 seconds" not in whole
    assert "60,000" not in whole and "60000" not in whole
    for node in nodes(tool["inputSchema"]):
        assert not isinstance(node.get("type"), list) and node.get("type") != "null" and "anyOf" not in node
    assert tool["inputSchema"]["additionalProperties"] is False
    assert tool["outputSchema"]["required"] == ["ok"]


def test_only_the_path_of_a_bibliography_is_an_argument_of_its_own() -> None:
    for name in NAMES:
        own, hosted = (list(each[name]["inputSchema"]["properties"]) for each in (LISTED, HOSTED))
        assert own == (["content", "path", *hosted[1:]] if name == "batch_from_bibliography" else hosted)
    assert "required" not in LISTED["batch_from_bibliography"]["inputSchema"]


def test_a_line_that_no_description_has_cannot_be_restated() -> None:
    assert LINES.keys() <= {f"doiget_{name}" for name in LOCAL_NAMES}
    with pytest.raises(ValueError, match="PRICE"):
        restated("INPUTS: None.", {"PRICE": "High."})


@pytest.mark.parametrize("name", LOCAL_NAMES)
async def test_a_failure_fits_the_schema_and_names_the_arguments(local: Tools, name: str) -> None:
    outcome = await local.call(name, {"no_such_argument": 1})
    assert outcome.code == "INVALID_REF" and outcome.structured is not None
    jsonschema.Draft202012Validator(LISTED[name]["outputSchema"]).validate(outcome.structured)
    assert all(each in outcome.structured["error"]["message"] for each in LISTED[name]["inputSchema"]["properties"])


# references A60
async def test_health_makes_nothing_and_the_profile_tells_of_local_mode(local: Tools, papers: Path) -> None:
    health = await local.good("health")
    assert (health["mode"], health["store_writable"], health["build"]["method"]) == ("local", True, "unknown")
    profile = await local.good("capability_profile")
    assert (profile["mode"], profile["unavailable_tools"]) == ("local", [])
    assert (profile["limits"]["deadline_s"], profile["limits"]["max_chars_cap"]) == (300.0, 2_000_000)
    assert not any(profile[name] for name in profile if name.startswith("tdm_"))
    assert "desk@papers.test" not in str(profile) and str(papers) not in str(profile)
    assert local.world.asked == []
    assert files_of(papers) is None


async def test_health_looks_at_what_is_there_in_the_place_of_a_store(local: Tools, papers: Path) -> None:
    await anyio.Path(papers).write_text("a file where the store would be")
    assert (await local.good("health"))["store_writable"] is False


# references A48
@pytest.mark.parametrize(
    ("ref", "stem", "shape"),
    [
        ("10.1234/A(b)", "doi_10.1234_A_b", {"doi": "10.1234/A(b)"}),
        ("2401.12345v2", "arxiv_2401.12345v2", {"arxiv": "2401.12345v2"}),
    ],
)
async def test_a_dry_run_says_where_files_would_lie_and_touches_none(
    local: Tools, papers: Path, ref: str, stem: str, shape: dict[str, str]
) -> None:
    answers: list[dict[str, Any]] = [
        await local.good("metadata_only", ref=ref, dry_run=True),
        await local.good("fetch_paper", ref=ref, dry_run=True),
        *(await local.good("batch_fetch", refs=[ref], dry_run=True))["plans"],
    ]
    for answer in answers:
        assert answer["ref"] == shape
        assert answer["rate_limit_budget"] == {"global_per_sec": 5.0, "per_source_min_gap_ms": 200}
        assert answer["plan"]["target_pdf_path"] == f"{papers / stem}.pdf"
        assert answer["plan"]["target_metadata_path"] == f"{papers / '.metadata' / stem}.toml"
        assert answer["plan"]["would_append_provenance"] is True
    assert local.world.asked == []
    assert files_of(papers) is None
