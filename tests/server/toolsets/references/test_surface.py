"""What the references toolset offers, and how it takes arguments and words failures."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from core.clock import ManualClock
from core.errors import Denial
from core.references.failures import DISPOSITIONS, Code, Disposition, Failure
from server.registry import BoundToolset, Success
from server.toolsets.references import TOOLSET
from tests.references_desk import Tools, check_error
from tests.scripted_upstream import answer

BOUND = BoundToolset(TOOLSET, None, clock=ManualClock())
NAMES = [
    "resolve_paper",
    "metadata_only",
    "fetch_paper",
    "batch_fetch",
    "batch_from_bibliography",
    "info",
    "search_local",
    "paper_search",
    "paper_text",
    "paper_tex_source",
    "link",
    "list_recent",
    "paper_pdf_path",
    "capability_profile",
    "health",
    "expand_citation_graph",
    "bibtex_export",
    "csl_export",
    "resolve_citation",
    "batch_resolve_citations",
]
NOT_OPEN = {"info", "search_local", "list_recent", "paper_pdf_path", "capability_profile", "health"}
LABELS = ["WHEN TO USE", "INPUTS", "OUTPUTS", "COSTS", "SIDE EFFECTS", "LIMITS"]
DRY = {"fetch_paper", "metadata_only", "batch_fetch"}


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every object inside a schema."""
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from nodes(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from nodes(value)


# references A1
def test_twenty_tools_are_offered_in_order_each_with_title_and_hints() -> None:
    assert BOUND.names == tuple(f"doiget_{name}" for name in NAMES)
    for tool in BOUND.tools_list:
        short = tool["name"].removeprefix("doiget_")
        assert tool["title"]
        assert tool["annotations"] == {
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": short not in NOT_OPEN,
        }
    assert len(TOOLSET.instructions) <= 2048


# references A2
@pytest.mark.parametrize("tool", BOUND.tools_list, ids=lambda tool: tool["name"])
def test_descriptions_have_six_labels_and_schemas_are_plain(tool: dict[str, Any]) -> None:
    assert re.findall(r"^([A-Z ]+):", tool["description"], re.MULTILINE) == LABELS
    schema = tool["inputSchema"]
    assert schema["additionalProperties"] is False
    assert "pattern" not in schema["properties"].get("ref", {})
    for node in nodes(schema):
        assert not isinstance(node.get("type"), list) and node.get("type") != "null" and "anyOf" not in node
        if node.get("type") == "array":
            assert node["items"]["type"]
    for name in ("max_chars", "depth", "total", "per_paper", "offset"):
        assert "maximum" not in schema["properties"].get(name, {})
    if tool["name"].removeprefix("doiget_") in ("search_local", "list_recent"):
        assert "maximum" not in schema["properties"]["limit"]
    refs = schema["properties"].get("refs", schema["properties"].get("queries", {}))
    assert "pattern" not in refs.get("items", {})
    assert tool["outputSchema"]["required"] == ["ok"]
    assert tool["outputSchema"]["additionalProperties"] is True
    for field in tool["outputSchema"]["properties"].values():
        assert field["description"] and "anyOf" not in field


def test_clamped_limits_publish_no_maximum_and_refusing_ones_both_bounds() -> None:
    clamped = BOUND.input_schema("doiget_search_local")
    refusing = BOUND.input_schema("doiget_paper_search")
    assert clamped is not None and refusing is not None
    assert "maximum" not in clamped["properties"]["limit"] and clamped["properties"]["limit"]["minimum"] == 0
    assert (refusing["properties"]["limit"]["minimum"], refusing["properties"]["limit"]["maximum"]) == (1, 200)


# references A3
@pytest.mark.parametrize("tool", ["tag", "annotate"])
async def test_tools_of_a_store_are_denied_and_not_listed(alone: Tools, tool: str) -> None:
    error = await alone.bad(tool, ref="10.1000/182")
    assert (error["code"], error["disposition"]) == ("CAPABILITY_DENIED", "needs_config")
    assert error["denial_context"] == {"reason": "capability_not_granted", "source": "store"}


# references A4
@pytest.mark.parametrize("tool", [name for name in NAMES if name not in DRY])
async def test_dry_run_is_refused_where_there_is_none(alone: Tools, tool: str) -> None:
    error = await alone.bad(tool, ref="10.1038/nature14539", dry_run=True)
    assert error["code"] == "INVALID_REF"
    assert "dry_run" in error["message"]
    schema = BOUND.input_schema(f"doiget_{tool}")
    assert schema is not None
    assert all(name in error["message"] for name in schema["properties"])


# references A5
@pytest.mark.parametrize("arguments", [{}, {"ref": True}, {"ref": []}, {"ref": None}])
async def test_a_reference_that_is_no_text_is_echoed_as_null(alone: Tools, arguments: dict[str, Any]) -> None:
    outcome = await alone.call("resolve_paper", arguments)
    assert outcome.structured is not None
    assert (outcome.structured["ok"], outcome.structured["ref"]) == (False, None)
    assert (outcome.structured["error"]["code"], outcome.structured["error"]["field"]) == ("INVALID_REF", "ref")


async def test_a_bare_number_is_echoed_by_its_digits(alone: Tools) -> None:
    outcome = await alone.call("resolve_paper", {"ref": 12345})
    assert outcome.structured is not None
    assert (outcome.structured["ref"], outcome.structured["error"]["reason"]) == ("12345", "bare_digits")
    assert outcome.structured["error"]["hint"]


# references A6
@pytest.mark.parametrize("limit", ["10", " 10 ", 10.0, 10])
async def test_a_whole_number_may_be_written_in_these_ways(alone: Tools, limit: Any) -> None:
    assert (await alone.good("list_recent", limit=limit))["count"] == 10


@pytest.mark.parametrize("limit", ["1e4", "0x10", "1_0", True, 10.5, float("nan"), []])
async def test_a_whole_number_may_be_written_in_no_other_way(alone: Tools, limit: Any) -> None:
    error = await alone.bad("list_recent", limit=limit)
    assert (error["code"], error["field"]) == ("INVALID_REF", "limit")


@pytest.mark.parametrize("limit", [None, ""])
async def test_nothing_is_as_if_absent(alone: Tools, limit: Any) -> None:
    assert (await alone.good("list_recent", limit=limit))["count"] == 50


@pytest.mark.parametrize("force", ["true", 1])
async def test_a_truth_is_a_boolean(alone: Tools, force: Any) -> None:
    assert (await alone.bad("fetch_paper", ref="1706.03762", force=force))["field"] == "force"


# references A7
async def test_a_list_may_come_as_json_text_and_not_as_one_reference(alone: Tools) -> None:
    answer = await alone.good("bibtex_export", refs='["1706.03762"]')
    assert answer["entries"][0]["safekey"] == "arxiv_1706.03762"
    assert (await alone.bad("bibtex_export", refs="10.1000/182"))["field"] == "refs"


# references A8
def test_every_code_has_one_disposition_and_no_other_can_be_made() -> None:
    assert len(DISPOSITIONS) == 15 == len(Code)
    assert {code.value for code, one in DISPOSITIONS.items() if one is Disposition.RETRY_AFTER} == {
        "RATE_LIMITED",
        "NETWORK_ERROR",
        "FETCH_TIMEOUT",
        "LOCK_TIMEOUT",
    }
    assert {code.value for code, one in DISPOSITIONS.items() if one is Disposition.NEEDS_CONFIG} == {
        "NO_OA_AVAILABLE",
        "CAPABILITY_DENIED",
        "SCHEMA_TOO_NEW",
        "STORE_ERROR",
        "LOG_ERROR",
    }
    for code in Code:
        for disposition in Disposition:
            if disposition is not DISPOSITIONS[code]:
                with pytest.raises(ValueError, match=code.value):
                    Failure(code, "No.", disposition)
    assert tuple(each.code for each in TOOLSET.errors) == tuple(code.value for code in Code)


# references A10
def test_a_row_shows_no_denial_as_null_and_nothing_allowed_as_an_empty_list() -> None:
    plain = Failure.of(Code.NOT_FOUND, "No.")
    assert "denial_context" not in plain.shown()
    assert plain.shown(in_batch=True)["denial_context"] is None
    denied = Failure.of(Code.CAPABILITY_DENIED, "No.", denial=Denial("insecure_scheme", "x", expected=()))
    assert denied.shown()["denial_context"] == {"reason": "insecure_scheme", "source": "x", "expected": []}
    check_error(denied.shown(), in_batch=True)


# references A14
async def test_a_defect_is_a_result_too_and_says_nothing_of_itself(alone: Tools) -> None:
    success = TOOLSET.dialect.failed("doiget_info", {"ref": "x"}, RuntimeError("a secret"))  # type: ignore[attr-defined]
    assert success == Success(
        {
            "ok": False,
            "ref": "x",
            "error": {
                "code": "INTERNAL_ERROR",
                "message": "Something went wrong inside paperdesk; if it keeps failing, tell the operator.",
                "disposition": "terminal",
            },
        },
        ("INTERNAL_ERROR: Something went wrong inside paperdesk; if it keeps failing, tell the operator. [terminal]",),
    )


# references A60
async def test_the_profile_shows_no_secret_and_health_asks_nobody(tools: Tools, alone: Tools) -> None:
    profile = await tools.good("capability_profile")
    assert "desk@papers.test" not in str(profile)
    assert not any(profile[name] for name in profile if name.startswith("tdm_"))
    assert (profile["tier_1"], profile["tier_2"]) == (["arxiv", "crossref", "unpaywall"], ["openalex", "datacite"])
    assert profile["contact_configured"] is True
    off = await alone.good("capability_profile")
    assert (off["tier_1"], off["tier_2"], off["contact_configured"]) == ([], [], False)
    assert {each.get("required_env") for each in off["sources"] if each["key"] == "crossref"} == {
        "PAPERDESK_CONTACT_EMAIL"
    }
    health = await tools.good("health")
    assert (health["store_writable"], health["build"]["method"], health["mode"]) == (False, "hosted", "hosted")
    assert health["catalog"]["backend"] == "sample"
    assert tools.world.asked == []


async def test_the_profile_shows_who_is_left_alone(tools: Tools) -> None:
    tools.world.scripts = {"export.arxiv.org/api/query": answer({}, 503)}
    await tools.bad("resolve_paper", ref="2401.12345")
    sources = (await tools.good("capability_profile"))["sources"]
    assert {each["key"]: each["cooling_down"] for each in sources if each["key"] in ("arxiv", "crossref")} == {
        "arxiv": True,
        "crossref": False,
    }
