"""The hosting contract and its tests, held together: what each kind of client needs, and each acceptance statement."""

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from tests import statements

TESTS = Path(__file__).resolve().parent
STATEMENTS = range(1, 95)

# hosting A94: the rows of section 6, and for each need the test that covers it.
CLIENTS: Mapping[str, Mapping[str, str]] = {
    "Claude (web, desktop, mobile)": {
        "port 443, public https": "gates/test_nginx.py::test_http_2_is_offered",
        "from few shared addresses": "server/test_limits_over_http.py::test_a_shared_egress_has_one_larger_budget",
        "the same behind the proxy": "gates/test_nginx.py::test_the_shared_egress_ranges_are_not_taken_for_a_flood",
        "its Origin, or none": "server/test_surroundings.py::test_listed_origins_are_served_and_preflight_agrees",
        "results under 150,000 characters": "server/toolsets/test_catalog_dialect.py"
        "::test_an_answer_over_the_ceiling_even_then_is_refused",
    },
    "Claude Code, connector directory": {
        "25,000 tokens a result": "server/toolsets/test_catalog_dialect.py"
        "::test_a_text_over_its_ceiling_counts_the_rows_that_it_leaves_out",
        "instructions cut at 2,048": "server/test_schema_gate.py"
        "::test_a_list_and_instructions_are_small_enough_to_be_read_each_time",
        "short names, title, readOnlyHint": "server/test_schema_gate.py"
        "::test_a_tool_is_named_titled_hinted_and_described",
        "authless": "server/test_limits_over_http.py::test_without_a_key_file_the_header_is_ignored_and_dropped",
    },
    "ChatGPT connectors, deep research": {
        "exactly search and fetch, both read-only": "server/toolsets/evidence/test_connector_tools.py"
        "::test_the_connector_has_two_read_only_tools",
        "equal copies": "server/toolsets/evidence/test_connector_tools.py"
        "::test_a_row_a_document_and_their_text_have_exactly_their_keys",
        "non-empty url": "server/toolsets/evidence/test_connector_tools.py::test_every_kind_of_document_has_an_address",
    },
    "OpenAI Responses API": {
        "tools/list from memory": "gates/test_lists.py::test_the_longest_list_of_tools_is_answered_at_once",
        "portable formats": "server/test_schema_gate.py::test_a_schema_is_portable",
    },
    "Gemini CLI and API": {
        "objects, typed items, no type lists, no null unions": "gates/test_inspector.py::test_every_schema_is_portable",
        "no 401 without a key": "server/test_limits_over_http.py"
        "::test_without_a_key_file_the_header_is_ignored_and_dropped",
        "no login announced": "server/pages/test_documents.py"
        "::test_no_login_is_announced_and_no_other_path_is_a_document",
    },
    "Cursor": {
        "names up to 40": "server/test_schema_gate.py::test_a_tool_is_named_titled_hinted_and_described",
        "few tools": "server/test_endpoint.py::test_each_endpoint_lists_its_own_tools_in_order",
    },
    "VS Code, Copilot": {
        "128 tools a request": "server/test_schema_gate.py"
        "::test_a_list_and_instructions_are_small_enough_to_be_read_each_time",
        "described tools": "server/test_schema_gate.py::test_a_tool_is_named_titled_hinted_and_described",
        "an entry of its own form": "server/pages/test_connecting.py"
        "::test_each_client_gets_the_address_in_its_own_form",
    },
    "Inspector, browser clients": {
        "the inspector itself": "gates/test_inspector.py::test_a_call_is_understood",
        "OPTIONS before all else": "server/test_limits_over_http.py"
        "::test_a_preflight_is_not_counted_and_needs_no_credential",
        "lists, readable 405": "server/test_surroundings.py::test_listed_origins_are_served_and_preflight_agrees",
        "a browser": "gates/test_docs_page.py::test_a_script_of_an_allowed_page_calls_and_one_of_another_page_cannot",
        "exposed headers": "gates/test_docs_page.py::test_a_script_of_an_allowed_page_reads_how_long_to_wait",
    },
    "mcp-remote, Dify, n8n, LibreChat": {
        "odd Accept": "server/test_endpoint.py::test_accept_never_matters",
        "no Origin": "server/test_endpoint.py::test_a_call_needs_no_handshake",
        "both slashes": "server/test_endpoint.py::test_a_trailing_slash_changes_nothing",
        "the same behind the proxy": "gates/test_nginx.py"
        "::test_both_spellings_of_every_endpoint_are_answered_by_the_service",
        "no redirect": "gates/test_nginx.py::test_a_post_without_tls_is_refused_and_not_redirected",
    },
    "SDK clients, old and new": {
        "2.x in three modes": "gates/test_sdk_clients.py::test_the_current_sdk_works_in_every_mode",
        "1.x handshake": "gates/test_sdk_clients.py::test_the_old_sdk_works",
        "a GET gets 405 quickly": "server/test_endpoint.py::test_other_methods_are_405_and_leave_no_task",
    },
}
NOT_YET: Mapping[int, str] = {
    84: "measured by benchmarks",
    85: "measured by benchmarks",
    87: "measured by benchmarks",
}
ONLY_IN_PART: set[int] = set()
"""Both lists are exact: a statement that a test names leaves them in the same commit."""
NAMED_HERE = {94}
"""Other numbers in this file are examples of comments, and prove nothing."""


def named() -> Mapping[int, frozenset[bool]]:
    """Every statement that some test names, and how."""
    return statements.named("hosting", but=Path(__file__))


@cache
def functions(path: Path) -> frozenset[str]:
    """The names of a file's test functions."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@pytest.mark.parametrize("client", CLIENTS)
def test_what_a_client_needs_is_covered_by_a_test(client: str) -> None:
    # hosting A94
    needs = CLIENTS[client]
    assert needs, f"{client}: nothing covers it"
    for need, test in needs.items():
        path, name = test.split("::")
        assert name in functions(TESTS / path), f"{client}, {need}: there is no {test}"


def test_every_statement_is_named_by_a_test_or_waits() -> None:
    assert set(STATEMENTS) - set(named()) - NAMED_HERE == set(NOT_YET)


def test_what_is_named_in_part_only_is_known() -> None:
    assert {number for number, ways in named().items() if ways == {True}} == ONLY_IN_PART


def test_no_test_names_a_statement_that_there_is_not() -> None:
    assert set(named()) - set(STATEMENTS) == set()


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("    # hosting A1", [(1, False)]),
        ("def test_x() -> None:  # catalog A2, hosting A3 (part), A4", [(3, True), (4, False)]),
        ("    # hosting A5 (wire); catalog A6", [(5, False)]),
        ("    # catalog A7", []),
        ("    hosting A8", []),
    ],
)
def test_a_comment_is_read_as_it_is_meant(line: str, found: list[tuple[int, bool]]) -> None:
    assert list(statements.mentions(line, "hosting")) == found
