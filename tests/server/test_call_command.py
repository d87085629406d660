"""`paperdesk call`: the commands are the tools that agents see, and answer as they do."""

import json
import logging
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import Result
from live import serve_catalog
from typer.testing import CliRunner

from core.clock import ManualClock
from core.errors import OperatorError
from server.__main__ import app
from server.commands.call import ToolCommands, tool_command
from server.reference import TOOLSETS
from server.registry import BoundToolset
from tests.odd_boards import BIG_BENCHMARK, ODD_METRIC, SPELLING_BENCHMARK
from tests.odd_papers import LONG_TEXT_ID, NAMESAKE, SHORT_TEXT_ID

README = Path(__file__).resolve().parents[2] / "README.md"
OWN_FLAGS = {"--json", "--catalog", "--url", "--help"}
BOUND = [BoundToolset(toolset, None, clock=ManualClock()) for toolset in TOOLSETS]
TWICE = {("evidence", "search_papers"): "evidence.search_papers"}
"""What a tool is called here whose name an earlier toolset has."""
WIRE = {TWICE.get((bound.toolset.id, tool["name"]), tool["name"]): tool for bound in BOUND for tool in bound.tools_list}
COMMANDS = {
    TWICE.get((toolset.id, tool.name), tool.name): tool_command(toolset, tool)
    for toolset in TOOLSETS
    for tool in toolset.tools
}
PARAMETERS = [
    (tool, name, wanted) for tool, wire in WIRE.items() for name, wanted in wire["inputSchema"]["properties"].items()
]


# Commands and tools cannot drift apart


def option(tool: str, name: str) -> click.Option:
    [found] = [each for each in COMMANDS[tool].params if each.name == name]
    assert isinstance(found, click.Option)
    return found


def test_there_is_one_command_for_each_tool_in_the_order_served() -> None:
    group = ToolCommands()
    context = click.Context(group)
    assert group.list_commands(context) == list(WIRE)
    for name in WIRE:
        for spelling in (name, name.replace("_", "-")):
            command = group.get_command(context, spelling)
            assert command is not None
            assert (command.name, command.help) == (WIRE[name]["name"], WIRE[name]["description"])
    assert group.get_command(context, "no_such_tool") is None


@pytest.mark.parametrize("tool", WIRE)
def test_each_parameter_is_one_option_in_the_tools_order(tool: str) -> None:
    names = list(WIRE[tool]["inputSchema"]["properties"])
    assert [each.name for each in COMMANDS[tool].params][: len(names)] == names
    flags = [flag for each in COMMANDS[tool].params[: len(names)] for flag in each.opts]
    expected = [flag for name in names for flag in dict.fromkeys((f"--{name.replace('_', '-')}", f"--{name}"))]
    assert flags == expected
    assert len(COMMANDS[tool].params) == len(names) + 3
    assert OWN_FLAGS.isdisjoint(flags)


@pytest.mark.parametrize(("tool", "name", "wanted"), PARAMETERS)
def test_an_option_says_what_the_schema_says(tool: str, name: str, wanted: dict[str, Any]) -> None:
    found = option(tool, name)
    text = found.help or ""
    assert text.startswith(wanted["description"])
    assert ("required" in text.rpartition("  [")[2]) == (name in WIRE[tool]["inputSchema"].get("required", ()))
    shown = re.search(r"default: (.*?)\]$", text)
    default = wanted.get("default")
    assert (shown[1] if shown else None) == (None if default is None else str(default).lower())
    metavar = found.metavar or ""
    if "enum" in wanted:
        assert metavar == f"[{'|'.join(wanted['enum'])}]"
    if wanted["type"] == "integer":
        assert metavar == f"{wanted['minimum']}..{wanted.get('maximum', '')}"
    has_parts = wanted["type"] in ("array", "object")
    # Where the parts have parts, they are written as JSON.
    is_json = has_parts and tool.startswith("scan_")
    assert (found.multiple, metavar == "JSON") == (has_parts and not is_json, is_json)
    assert (found.flag_value == "true") == (wanted["type"] == "boolean")


@pytest.mark.parametrize("tool", WIRE)
def test_what_is_left_out_is_not_sent(tool: str) -> None:
    # So that the tool's own defaults hold, whatever a command says of them.
    given = COMMANDS[tool].make_context(tool, []).params
    names = WIRE[tool]["inputSchema"]["properties"]
    assert {name: given[name] for name in names if given[name] not in (None, ())} == {}


# What the commands answer


@pytest.fixture(autouse=True)
def own_logging() -> Iterator[None]:
    """A command sets up logging for its process; here that process goes on."""
    loggers = [logging.getLogger(name) for name in (None, "paperdesk", "mcp")]
    before = [(logger, logger.level, logger.handlers[:]) for logger in loggers]
    yield
    for logger, level, handlers in before:
        logger.setLevel(level)
        logger.handlers[:] = handlers


@pytest.fixture(scope="module")
def catalog(odd_directory: Path) -> str:
    return f"file:{odd_directory}"


def run(*arguments: str, catalog: str | None = None) -> Result:
    given = [] if catalog is None else ["--catalog", catalog]
    environment = {"PAPERDESK_EMBEDDER": "none", "PAPERDESK_LOG_LEVEL": "WARNING"}
    return CliRunner().invoke(app, ["call", *arguments, *given], env=environment)  # type: ignore[return-value]


def ok(*arguments: str, catalog: str) -> str:
    done = run(*arguments, catalog=catalog)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def structured(*arguments: str, catalog: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ok(*arguments, "--json", catalog=catalog))
    return found


def test_people_get_markdown_and_programs_json(catalog: str) -> None:
    shown = ok("get-paper-info", "--paper", SHORT_TEXT_ID, catalog=catalog)
    assert shown.startswith(f"{SHORT_TEXT_ID} — A Short Text (2024-01-11)\n")
    found = structured("get_paper_info", "--paper", SHORT_TEXT_ID, catalog=catalog)
    assert (found["schema_version"], found["paper"]["arxiv_id"]) == ("v1", SHORT_TEXT_ID)


def test_the_next_command_can_go_on_reading(catalog: str) -> None:
    first = structured("read_paper", "--paper", LONG_TEXT_ID, catalog=catalog)
    second = structured("read_paper", "--paper", LONG_TEXT_ID, "--cursor", first["next_cursor"], catalog=catalog)
    assert (first["offset"], second["offset"]) == (0, first["bytes"])


def test_both_spellings_of_a_flag_and_every_kind_of_value_are_taken(catalog: str) -> None:
    tool = ("get_benchmark", "--benchmark", BIG_BENCHMARK)
    dashed = structured(
        *(*tool, "--is-open", "--max-parameters", "3B", "--sort-metric=Accuracy:asc", "--limit", "3"), catalog=catalog
    )
    exact = structured(
        *(*tool, "--is_open", "true", "--max_parameters", "3B", "--sort_metric", "Accuracy:asc", "--limit=3"),
        catalog=catalog,
    )
    assert dashed == exact
    assert dashed["applied_filters"]["is_open"] == "true"
    closed = structured(*tool, "--is-open", "false", catalog=catalog)
    assert closed["applied_filters"]["is_open"] == "false"


def test_lists_and_objects_are_repeated_flags(catalog: str) -> None:
    # An equals sign and a comma may stand in a metric's name.
    found = structured(
        *("get_benchmark", "--benchmark", SPELLING_BENCHMARK),
        *("--require-metrics", "WER", "--require-metrics", ODD_METRIC, "--minimum-metrics", f"{ODD_METRIC}=0.5"),
        catalog=catalog,
    )
    assert all(row["metrics"][ODD_METRIC] >= 0.5 and "WER" in row["metrics"] for row in found["evaluations"])
    several = run("list_papers", "--authors", NAMESAKE, "--authors", "Bo Härön", catalog=catalog)
    assert several.exit_code == 1
    assert several.stderr.startswith(f"ambiguous: Several authors are called '{NAMESAKE}'")


def test_a_value_may_begin_with_a_dash(catalog: str) -> None:
    assert ok("list_papers", "--search", "-foo", catalog=catalog).startswith("1 paper (search -foo)")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("get_paper_info", "--paper", "2999.90001"), "not_found: "),
        (("search_papers",), "invalid_argument: query is missing: "),
        (("list_papers", "--limit", "26"), "invalid_argument: limit must be a whole number from 1 to 25."),
        (("list_papers", "--limit", "ten"), "invalid_argument: limit must be a whole number from 1 to 25."),
        (
            ("search_papers", "--query", "x", "--mode", "fuzzy"),
            "invalid_argument: mode must be one of hybrid, keyword, semantic.",
        ),
        (
            ("get_benchmark", "--benchmark", BIG_BENCHMARK, "--minimum-metrics", "Accuracy=high"),
            "invalid_argument: minimum_metrics['Accuracy'] must be a number.",
        ),
    ],
)
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_tools_failure_is_one_line_and_status_1(
    catalog: str, arguments: tuple[str, ...], message: str, more: tuple[str, ...]
) -> None:
    done = run(*arguments, *more, catalog=catalog)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("no_such_tool",), "No such command 'no_such_tool'."),
        (("get_task", "--tsk", "x"), "No such option '--tsk'. Did you mean '--task'?"),
        (("get_task", "--task"), "Option '--task' requires an argument."),
        (("get_benchmark", "--benchmark", "x", "--minimum-metrics", "y"), "--minimum-metrics takes NAME=VALUE."),
        (("get_task", "--task", "x", "--catalog", "sample:", "--url", "http://localhost"), "Pass --catalog or --url"),
    ],
)
def test_a_wrong_command_line_is_said_with_status_2(arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr


def test_an_operators_error_is_raised_to_the_program() -> None:
    for arguments, message in (
        (("--catalog", "file:no-such-directory"), "There is no catalog directory at no-such-directory."),
        (("--url", "ftp://example.org"), "--url takes an http or https address"),
        (("--url", "http://[::1"), "--url takes an http or https address"),
        (("--url", "http://127.0.0.1:9"), "No MCP endpoint answered at http://127.0.0.1:9/mcp;"),
    ):
        done = run("get_task", "--task", "x", *arguments)
        assert isinstance(done.exception, OperatorError)
        assert message in done.exception.message


def test_help_is_the_tools_own() -> None:
    shown = run("read_paper", "--help")
    assert shown.exit_code == 0
    assert "one chunk a call" in " ".join(shown.stdout.split())
    everything = run("--help").stdout
    assert all(name in everything for name in WIRE)


# Over HTTP


@pytest.fixture(scope="module")
def url(odd_directory: Path) -> Iterator[str]:
    with serve_catalog(odd_directory) as served:
        yield served


def test_a_running_service_answers_as_this_process_does(catalog: str, url: str) -> None:
    for arguments in (
        ("get_paper_info", "--paper", LONG_TEXT_ID, "--json"),
        ("get_benchmark", "--benchmark", BIG_BENCHMARK, "--is-open", "--limit", "2"),
        ("read_paper", "--paper", SHORT_TEXT_ID),
    ):
        here = ok(*arguments, catalog=catalog)
        for address in (url, f"{url}/", f"{url}/mcp"):
            there = run(*arguments, "--url", address)
            assert (there.exit_code, there.stdout) == (0, here)


def test_a_failure_over_http_is_the_same_line(catalog: str, url: str) -> None:
    arguments = ("get_task", "--task", "no such task")
    here, there = run(*arguments, catalog=catalog), run(*arguments, "--url", url)
    assert (there.exit_code, there.stderr, there.stdout) == (1, here.stderr, "")
    elsewhere = run(*arguments, "--url", f"{url}/health")
    assert isinstance(elsewhere.exception, OperatorError)


# README's worked questions


ANSWERS = {
    "get_benchmark": ("ViT-H/14 (JFT-300M) | **88.55**", "is_open true; max_parameters 3000000000"),
    "list_papers": ("5 papers", "1905.11946 — EfficientNet"),
    "get_paper_lineage": ("10 successors", "1907.11692 — RoBERTa"),
}


@pytest.mark.parametrize("tool", ANSWERS)
def test_a_worked_question_in_the_readme_has_its_answer(tool: str, sample_directory: Path) -> None:
    [line] = [line for line in README.read_text("utf-8").splitlines() if f"paperdesk call {tool}" in line]
    _, call, *arguments = shlex.split(line)
    assert call == "call"
    shown = ok(*arguments, catalog=f"file:{sample_directory}")
    assert [words for words in ANSWERS[tool] if words not in shown] == []
