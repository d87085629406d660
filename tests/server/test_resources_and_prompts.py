"""Resources, prompts and completion of the catalog endpoint, in both eras over a real loopback connection."""

import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from live import serve_catalog
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceTemplateReference

from server import __version__
from server.bootstrap import DISPATCHERS
from tests.odd_catalog import long_text, short_text
from tests.odd_papers import LONG_TEXT_ID, NO_TEXT_ID, OLD_STYLE_ID, SHORT_TEXT_ID, SICI_DOI

pytestmark = pytest.mark.anyio

MODERN = "2026-07-28"
MODES = ("legacy", "auto", MODERN)
ERAS = ("old", "modern")
REFUSED = {"old": 200, "modern": 400}
STAMP = {
    "io.modelcontextprotocol/serverInfo": {
        "name": "paperdesk-catalog",
        "title": "paperdesk catalog",
        "version": __version__,
    }
}
CAPABILITIES = {
    "tools": {"listChanged": False},
    "resources": {"subscribe": False, "listChanged": False},
    "prompts": {"listChanged": False},
    "completions": {},
}
FORMS = ["pwc://papers/{paper}", "pwc://papers/{paper}/markdown", "pwc://tasks/{task}", "pwc://benchmarks/{benchmark}"]
# A DOI with parentheses, angle brackets and a slash, as an address holds it.
SICI_URI = f"pwc://papers/{quote(SICI_DOI, safe='')}"


@pytest.fixture(scope="module", params=DISPATCHERS)
def url(odd_directory: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    with serve_catalog(odd_directory, request.param) as served:
        yield served


@pytest.fixture(scope="module")
def client(url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=url) as made:
        yield made


def post(client: httpx.Client, era: str, method: str, params: dict[str, Any], **more: str) -> httpx.Response:
    sent = {"mcp-protocol-version": "2025-11-25"}
    if era == "modern":
        envelope = {"protocolVersion": MODERN, "clientCapabilities": {}}
        params = {**params, "_meta": {f"io.modelcontextprotocol/{key}": value for key, value in envelope.items()}}
        sent = {"mcp-protocol-version": MODERN, "mcp-method": method}
        name = params.get("name", params.get("uri"))
        if isinstance(name, str) and method != "completion/complete":
            sent["mcp-name"] = name
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return client.post("/mcp", json=body, headers=sent | more)


def result(client: httpx.Client, era: str, method: str, **params: Any) -> dict[str, Any]:
    """A result, without what every modern one carries; that is checked here."""
    answer = post(client, era, method, params)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["result"]
    if era == "modern":
        assert (found.pop("resultType"), found.pop("_meta")) == ("complete", STAMP)
    return found


def error(client: httpx.Client, era: str, method: str, **params: Any) -> tuple[int, dict[str, Any]]:
    answer = post(client, era, method, params)
    assert "pydantic" not in answer.text
    return answer.status_code, answer.json()["error"]


def read(client: httpx.Client, era: str, uri: str) -> dict[str, Any]:
    found = result(client, era, "resources/read", uri=uri)
    hints = {"ttlMs": 300_000, "cacheScope": "public"} if era == "modern" else {}
    [content] = found["contents"]
    assert found == {"contents": [content], **hints}
    return content


# What the endpoint says of itself


def test_the_capabilities_are_those_of_the_contract(client: httpx.Client) -> None:
    # hosting A19, S22
    discovered = result(client, "modern", "server/discover")
    assert discovered["capabilities"] == CAPABILITIES
    assert (discovered["supportedVersions"], discovered["ttlMs"], discovered["cacheScope"]) == (
        [MODERN],
        3_600_000,
        "public",
    )
    assert len(discovered["instructions"]) <= 2_048
    asked = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    assert result(client, "old", "initialize", **asked)["capabilities"] == CAPABILITIES
    assert post(client, "old", "server/discover", {}).status_code == 200
    assert error(client, "old", "server/discover")[1]["code"] == -32601


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("method", "key", "names"),
    [
        ("resources/list", "resources", []),
        ("resources/templates/list", "resourceTemplates", ["paper-info", "paper-markdown", "task", "benchmark"]),
        ("prompts/list", "prompts", ["find_papers", "compare_leaderboard", "survey_task"]),
    ],
)
def test_a_list_has_one_page_a_fixed_order_and_its_hints(
    client: httpx.Client, era: str, method: str, key: str, names: list[str]
) -> None:
    # hosting A30, A20 (cursor)
    listed = result(client, era, method)
    hints = {"ttlMs": 3_600_000, "cacheScope": "public"} if era == "modern" else {}
    assert listed == {key: listed[key], **hints}
    assert [thing["name"] for thing in listed[key]] == names
    assert post(client, era, method, {}).content == post(client, era, method, {}).content
    assert result(client, era, method, cursor="") == listed
    status, refused = error(client, era, method, cursor="x")
    assert (status, refused["code"]) == (REFUSED[era], -32602)


@pytest.mark.parametrize("method", ["resources/subscribe", "subscriptions/listen", "logging/setLevel"])
@pytest.mark.parametrize(("era", "status"), [("old", 200), ("modern", 404)])
def test_what_is_not_offered_is_no_method(client: httpx.Client, era: str, status: int, method: str) -> None:
    # hosting A20
    assert error(client, era, method, uri=FORMS[0]) == (
        status,
        {"code": -32601, "message": "This endpoint has no such method."},
    )


# Resources


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("uri", "tool", "arguments"),
    [
        (f"pwc://papers/{LONG_TEXT_ID}", "get_paper_info", {"paper": LONG_TEXT_ID}),
        ("pwc://papers/math.GT%2F0309136", "get_paper_info", {"paper": OLD_STYLE_ID}),
        (SICI_URI, "get_paper_info", {"paper": SICI_DOI}),
        ("pwc://papers/A%20Short%20Text", "get_paper_info", {"paper": "A Short Text"}),
        ("pwc://papers/A Short Text", "get_paper_info", {"paper": "A Short Text"}),
        ("pwc://tasks/lantern-tracking", "get_task", {"task": "lantern-tracking"}),
        ("pwc://benchmarks/Lantern%20Reading", "get_benchmark", {"benchmark": "Lantern Reading"}),
        ("pwc://benchmarks/2048", "get_benchmark", {"benchmark": "2048"}),
    ],
)
def test_a_json_resource_is_the_tools_default_call_without_data(
    client: httpx.Client, era: str, uri: str, tool: str, arguments: dict[str, Any]
) -> None:
    # catalog A88 (part), 19.1
    content = read(client, era, uri)
    structured = result(client, era, "tools/call", name=tool, arguments=arguments)["structuredContent"]
    expected = {name: value for name, value in structured.items() if name not in ("data", "data_omitted")}
    assert (content["uri"], content["mimeType"]) == (uri, "application/json")
    assert content["text"] == json.dumps(expected, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize("era", ERAS)
def test_a_short_text_is_read_whole(client: httpx.Client, era: str) -> None:
    uri = f"pwc://papers/{SHORT_TEXT_ID}/markdown"
    assert read(client, era, uri) == {"uri": uri, "mimeType": "text/markdown", "text": short_text()}


@pytest.mark.parametrize("era", ERAS)
def test_a_text_over_one_chunk_names_the_tool_that_reads_it(client: httpx.Client, era: str) -> None:
    # catalog A88
    uri = f"pwc://papers/{LONG_TEXT_ID}/markdown"
    status, failed = error(client, era, "resources/read", uri=uri)
    assert (status, failed["code"]) == (200, -32603)
    assert failed["data"] == {"uri": uri, "code": "result_too_large", "retryable": False}
    size = len(long_text().encode())
    assert failed["message"] == (
        f"result_too_large: The text of {size} bytes is longer than the 65536 bytes that a resource holds; read it in"
        f' chunks with read_paper, paper="{LONG_TEXT_ID}".'
    )


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("uri", "code"),
    [
        ("pwc://papers/2999.90001", "not_found"),
        ("pwc://papers/2999.90001/markdown", "not_found"),
        (f"pwc://papers/{NO_TEXT_ID}/markdown", "no_markdown"),
        ("pwc://tasks/Lantern Trackin", "not_found"),
        ("pwc://tasks/Segmentation", "ambiguous"),
        ("pwc://papers/%20", "invalid_argument"),
        ("pwc://papers/%FF", "invalid_argument"),
        ("pwc://papers/a%00b", "invalid_argument"),
        (f"pwc://papers/{'x' * 501}", "invalid_argument"),
        ("pwc://papers/https%3A%2F%2Fgithub.com%2Fa%2Fb", "invalid_argument"),
        # An address of no form: a slash that is not encoded, an empty variable, another scheme, none.
        ("pwc://papers/math.GT/0309136", "not_found"),
        ("pwc://papers/", "not_found"),
        ("pwc://methods/quillnet", "not_found"),
        ("https://example.org/", "not_found"),
        ("", "not_found"),
    ],
)
def test_what_cannot_be_read_says_why_in_its_data(client: httpx.Client, era: str, uri: str, code: str) -> None:
    # catalog A88, hosting A20
    status, failed = error(client, era, "resources/read", uri=uri)
    assert (status, failed["code"]) == (REFUSED[era], -32602)
    assert failed["message"].startswith(f"{code}: ")
    named = {key: failed["data"][key] for key in ("uri", "code", "retryable")}
    assert named == {"uri": uri, "code": code, "retryable": False}
    assert set(failed["data"]) - set(named) <= {"candidates", "suggestions"}


@pytest.mark.parametrize("era", ERAS)
def test_candidates_and_suggestions_come_with_the_failure(client: httpx.Client, era: str) -> None:
    _, several = error(client, era, "resources/read", uri="pwc://tasks/Segmentation")
    assert [each["id"] for each in several["data"]["candidates"]] == ["81", "82"]
    _, near = error(client, era, "resources/read", uri="pwc://tasks/Lantern%20Trackin")
    assert near["data"]["suggestions"][0] == {
        "id": "lantern-tracking",
        "name": "Lantern Tracking",
        "note": "Computer Vision",
    }


@pytest.mark.parametrize("era", ERAS)
def test_a_read_without_an_address_is_refused(client: httpx.Client, era: str) -> None:
    for params in ({}, {"uri": 5}, {"uri": None}):
        status, refused = error(client, era, "resources/read", **params)
        assert (status, refused["code"]) == (REFUSED[era], -32602)


def test_a_modern_read_repeats_its_address_in_a_header(client: httpx.Client) -> None:
    # hosting A20 (header and body)
    answer = post(client, "modern", "resources/read", {"uri": FORMS[0]}, **{"mcp-name": "pwc://papers/other"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32020)
    wrapped = "=?base64?cHdjOi8vcGFwZXJzLzI0MDEuOTAwMDI=?="
    uri = f"pwc://papers/{SHORT_TEXT_ID}"
    assert post(client, "modern", "resources/read", {"uri": uri}, **{"mcp-name": wrapped}).status_code == 200


anything = st.text(max_size=40).map(lambda text: text.encode(errors="replace").decode())
addresses = st.one_of(
    anything,
    st.tuples(st.sampled_from(FORMS), anything).map(lambda pair: re.sub(r"\{.*?\}", lambda _: pair[1], pair[0])),
    st.tuples(st.sampled_from(FORMS), anything).map(
        lambda pair: re.sub(r"\{.*?\}", lambda _: quote(pair[1], safe=""), pair[0])
    ),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(uri=addresses)
def test_no_address_makes_the_service_fail(client: httpx.Client, uri: str) -> None:
    answer = post(client, "old", "resources/read", {"uri": uri})
    assert answer.status_code == 200
    if "error" in answer.json():
        failed = answer.json()["error"]
        assert (failed["code"], failed["data"]["uri"]) == (-32602, uri)


# Prompts


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("name", "argument", "words"),
    [
        ("find_papers", "topic", ("by meaning", "title, year and canonical link", "did not find")),
        ("compare_leaderboard", "benchmark", ("direction", "split", "shots", "protocol", "task scopes apart")),
        ("survey_task", "task", ("get_task", "best covered benchmarks", "methods", "references")),
    ],
)
def test_a_prompt_is_one_message_of_the_user(
    client: httpx.Client, era: str, name: str, argument: str, words: tuple[str, ...]
) -> None:
    found = result(client, era, "prompts/get", name=name, arguments={argument: " lantern —\n灯籠 "})
    [message] = found["messages"]
    assert (message["role"], message["content"]["type"]) == ("user", "text")
    text = message["content"]["text"]
    assert '"lantern — 灯籠"' in text.split("\n", 1)[0]
    assert [word for word in words if word not in text] == []
    listed = {prompt["name"]: prompt for prompt in result(client, era, "prompts/list")["prompts"]}
    assert found["description"] == listed[name]["description"]


@pytest.mark.parametrize("era", ERAS)
def test_each_prompt_and_argument_is_described_and_required(client: httpx.Client, era: str) -> None:
    # catalog A89
    for prompt in result(client, era, "prompts/list")["prompts"]:
        assert set(prompt) == {"name", "title", "description", "arguments"}
        [argument] = prompt["arguments"]
        assert all((prompt["title"], prompt["description"], argument["description"], argument["required"]))


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("find_papers", None, "topic is missing: find_papers needs text of 1 to 200 characters."),
        ("find_papers", {}, "topic is missing: find_papers needs text of 1 to 200 characters."),
        ("survey_task", {"task": ""}, "task must be text of 1 to 200 characters."),
        ("survey_task", {"task": "x" * 201}, "task must be text of 1 to 200 characters."),
        ("find_papers", {"topic": "x", "area": "y"}, "find_papers has no argument 'area'. It takes topic."),
        ("find_paper", {"topic": "x"}, "There is no prompt 'find_paper' here. Near: find_papers."),
        ("qqq", {}, "There is no prompt 'qqq' here. prompts/list names the prompts."),
        ("find_papers", {"topic": 5}, "The parameters do not have the form that MCP gives this method."),
        ("find_papers", [], "The parameters do not have the form that MCP gives this method."),
    ],
)
def test_a_wrong_prompt_or_argument_is_named_without_a_stack_trace(
    client: httpx.Client, era: str, name: str, arguments: Any, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    # catalog A89, hosting A20, S16
    assert error(client, era, "prompts/get", name=name, arguments=arguments) == (
        REFUSED[era],
        {"code": -32602, "message": message},
    )
    assert [record for record in caplog.records if record.exc_info or record.levelno > logging.INFO] == []


# Completion


def complete(client: httpx.Client, era: str, ref: dict[str, str], argument: str, value: str) -> dict[str, Any]:
    found = result(client, era, "completion/complete", ref=ref, argument={"name": argument, "value": value})
    assert set(found) == {"completion"}
    return found["completion"]


def prompt(name: str) -> dict[str, str]:
    return {"type": "ref/prompt", "name": name}


def template(uri: str) -> dict[str, str]:
    return {"type": "ref/resource", "uri": uri}


@pytest.mark.parametrize("era", ERAS)
def test_names_that_begin_with_the_value_come_first(client: httpx.Client, era: str) -> None:
    # catalog A90, 19.3; "segment" begins two tasks of one name, which are one value
    found = complete(client, era, prompt("survey_task"), "task", "TRACKING,  part 2")
    assert found["values"][0] == "Lantern Tracking, Part 2"
    busy = complete(client, era, prompt("survey_task"), "task", "lan")
    assert (len(busy["values"]), busy["total"], busy["hasMore"]) == (20, 32, True)
    assert all(name.startswith("Lantern") for name in busy["values"])
    assert complete(client, era, prompt("survey_task"), "task", "segment") == {
        "values": ["Segmentation"],
        "total": 1,
        "hasMore": False,
    }
    assert complete(client, era, prompt("compare_leaderboard"), "benchmark", "204")["values"] == ["2048"]


@pytest.mark.parametrize("era", ERAS)
def test_templates_complete_with_slugs_and_topics_with_task_names(client: httpx.Client, era: str) -> None:
    assert complete(client, era, template(FORMS[2]), "task", "segment")["values"] == [
        "segmentation-vision",
        "segmentation-speech",
    ]
    assert complete(client, era, template(FORMS[3]), "benchmark", "twin b")["values"] == [
        "twin-board-vision",
        "twin-board-speech",
    ]
    assert complete(client, era, prompt("find_papers"), "topic", "speech rec")["values"] == ["Speech Recognition"]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("form", FORMS[:2])
def test_papers_and_what_nothing_is_called_complete_with_nothing(client: httpx.Client, era: str, form: str) -> None:
    nothing = {"values": [], "total": 0, "hasMore": False}
    assert complete(client, era, template(form), "paper", "1") == nothing
    assert complete(client, era, prompt("survey_task"), "task", "no such task") == nothing
    assert complete(client, era, prompt("survey_task"), "task", "x" * 100_000) == nothing


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("ref", "argument", "named"),
    [
        (prompt("survey"), "task", "There is no prompt 'survey' here. Near: survey_task."),
        (prompt("survey_task"), "topic", "The prompt survey_task has no argument 'topic'. It takes task."),
        (template("pwc://tasks/x"), "task", "There is no resource template 'pwc://tasks/x' here. Near: "),
        (template(FORMS[2]), "method", "The resource template pwc://tasks/{task} has no argument 'method'."),
        ({"type": "ref/tool", "name": "get_task"}, "task", "The parameters do not have the form"),
        (prompt("survey_task"), None, "The parameters do not have the form"),
    ],
)
def test_what_cannot_be_completed_is_named(
    client: httpx.Client, era: str, ref: dict[str, str], argument: Any, named: str
) -> None:
    status, refused = error(client, era, "completion/complete", ref=ref, argument={"name": argument, "value": "x"})
    assert (status, refused["code"]) == (REFUSED[era], -32602)
    assert refused["message"].startswith(named)


# The protocol's own client


@pytest.mark.parametrize("mode", MODES)
async def test_the_protocols_own_client_reads_prompts_and_completes(url: str, mode: Any) -> None:
    # hosting A39 (part)
    async with Client(f"{url}/mcp", mode=mode) as client:
        if mode != MODERN:
            assert client.server_capabilities.completions is not None
        assert (await client.list_resources()).resources == []
        templates = (await client.list_resource_templates()).resource_templates
        assert [each.uri_template for each in templates] == FORMS
        [content] = (await client.read_resource(f"pwc://papers/{SHORT_TEXT_ID}/markdown")).contents
        assert (content.mime_type, content.text) == ("text/markdown", short_text())
        with pytest.raises(MCPError) as caught:
            await client.read_resource("pwc://papers/2999.90001")
        assert (caught.value.code, caught.value.data["code"]) == (-32602, "not_found")

        assert len((await client.list_prompts()).prompts) == 3
        written = await client.get_prompt("survey_task", {"task": "Lantern Tracking"})
        assert written.messages[0].content.text.startswith('Survey this research task: "Lantern Tracking".')
        with pytest.raises(MCPError) as missing:
            await client.get_prompt("survey_task", {})
        assert (missing.value.code, "task is missing" in missing.value.message) == (-32602, True)

        asked = {"name": "task", "value": "speech"}
        for ref in (PromptReference(name="survey_task"), ResourceTemplateReference(uri=FORMS[2])):
            completion = (await client.complete(ref, asked)).completion
            assert completion.values[0] in ("Speech Recognition", "speech-recognition")
            assert (completion.total, completion.has_more) == (len(completion.values), False)


# The log line


def test_the_log_says_how_a_reading_ended_and_not_what_was_read(
    client: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    # hosting A52 (part)
    caplog.set_level(logging.INFO, "paperdesk.requests")
    # The line of an exchange follows its answer: those of the tests before are let in and forgotten.
    client.get("/health/live")
    caplog.clear()
    read(client, "old", f"pwc://papers/{SHORT_TEXT_ID}")
    error(client, "old", "resources/read", uri="pwc://papers/planted")
    error(client, "old", "prompts/get", name="planted")
    result(client, "modern", "prompts/get", name="find_papers", arguments={"topic": "planted"})
    # One more exchange: by its answer, the lines of those before are written.
    client.get("/health/live")
    lines = [record.getMessage() for record in caplog.records if record.getMessage().startswith("mcp_request")]
    seen = [dict(pair.split("=") for pair in line.removeprefix("mcp_request ").split()) for line in lines]
    assert [(line["method"], line["outcome"], line["code"]) for line in seen] == [
        ("resources/read", "ok", "-"),
        ("resources/read", "failed", "not_found"),
        ("prompts/get", "refused", "-32602"),
        ("prompts/get", "ok", "-"),
    ]
    assert "planted" not in caplog.text
