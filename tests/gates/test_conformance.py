"""The protocol's own suite against every endpoint, on both revisions (hosting contract 7.2)."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from server.registry import Toolset
from tests.conformance import toolset as fixture
from tests.gates.running import DISPATCHERS, Server, serving_catalog, serving_fixture
from tests.gates.served_toolsets import TOOLSETS
from tests.gates.tools import CONFORMANCE, MISSING, ROOT, node

pytestmark = [pytest.mark.gate, pytest.mark.timeout(300)]

OLD = "2025-11-25"
MODERN = "2026-07-28"
REVISIONS = (OLD, MODERN)
BASELINES = ROOT / "tests" / "conformance"

SCENARIOS = {
    OLD: ("server-initialize", "ping", "tools-list", "dns-rebinding-protection"),
    MODERN: (
        "server-stateless",
        "tools-list",
        "caching",
        "http-header-validation",
        "server-sse-multiple-streams",
        "input-required-result-unsupported-methods",
        "dns-rebinding-protection",
    ),
}
WITH_PROMPTS = ("prompts-list",)
WITH_RESOURCES = {OLD: ("resources-list",), MODERN: ("resources-list", "sep-2164-resource-not-found")}
COMPLETION = "completion-complete"
FIXTURE_SCENARIOS = (
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-error",
    "json-schema-2020-12",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
    # It names a prompt of the fixture, and one that an endpoint does not have is refused.
    COMPLETION,
)
DIAGNOSTIC = {
    "server-stateless:sep-2575-server-rejects-undeclared-capability",
    "server-stateless:sep-2575-missing-capability-http-400",
    "server-stateless:sep-2575-http-server-no-independent-requests-on-stream",
    "server-stateless:sep-2575-server-no-log-without-loglevel",
}
NOT_OFFERED = {
    "caching:sep-2549-prompts-list-caching-hints",
    "caching:sep-2549-resources-list-caching-hints",
    "caching:sep-2549-resources-templates-list-caching-hints",
}


@dataclass(frozen=True, slots=True)
class Run:
    """What one scenario came to: how the program ended, what it said, and its single checks."""

    passed: bool
    said: str
    checks: list[dict[str, Any]]

    def failures(self) -> dict[str, str]:
        return {check["id"]: check["errorMessage"] for check in self.checks if check["status"] == "FAILURE"}


@pytest.fixture(scope="module", params=DISPATCHERS)
def dispatcher(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def server(dispatcher: str, sample_directory: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving_catalog(tmp_path_factory.mktemp("served"), sample_directory, dispatcher=dispatcher) as started:
        yield started


@pytest.fixture(scope="module")
def fixture_server(dispatcher: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving_fixture(tmp_path_factory.mktemp("served"), dispatcher=dispatcher) as started:
        yield started


def run(url: str, revision: str, scenario: str, out: Path, *, baseline: Path | None = None) -> Run:
    """One scenario, as the suite runs it: with a baseline, an entry that passes fails the run."""
    assert Path(CONFORMANCE).is_file(), MISSING.format("the conformance suite")
    expected = () if baseline is None else ("--expected-failures", str(baseline))
    asked = ("server", "--url", url, "--spec-version", revision, "--scenario", scenario)
    done = node(CONFORMANCE, *asked, *expected, "--output-dir", str(out), home=out)
    [written] = out.glob("*/checks.json")
    return Run(done.returncode == 0, done.stdout + done.stderr, json.loads(written.read_text()))


def wanted(toolset: Toolset, revision: str) -> tuple[str, ...]:
    """The scenarios for what a toolset offers."""
    prompts = WITH_PROMPTS if toolset.prompts else ()
    resources = WITH_RESOURCES[revision] if toolset.resources else ()
    return (*SCENARIOS[revision], *prompts, *resources)


def baseline_of(toolset: Toolset) -> Path:
    return BASELINES / ("catalog.yml" if toolset.prompts and toolset.resources else "tools-only.yml")


CASES = [
    pytest.param(toolset, revision, scenario, id=f"{toolset.id}-{revision}-{scenario}")
    for toolset in TOOLSETS
    for revision in REVISIONS
    for scenario in wanted(toolset, revision)
]


@pytest.mark.parametrize(("toolset", "revision", "scenario"), CASES)
def test_an_endpoint_passes_the_protocols_own_suite(
    server: Server, toolset: Toolset, revision: str, scenario: str, tmp_path: Path
) -> None:
    # hosting A37; A31: the suite also checks each message against the schema of its revision
    found = run(f"{server.url}{toolset.path}", revision, scenario, tmp_path, baseline=baseline_of(toolset))
    assert found.passed, found.said
    assert found.checks


@pytest.mark.parametrize("scenario", FIXTURE_SCENARIOS)
@pytest.mark.parametrize("revision", REVISIONS)
def test_every_kind_of_content_passes_on_both_wires(
    fixture_server: Server, revision: str, scenario: str, tmp_path: Path
) -> None:
    # hosting A38
    found = run(f"{fixture_server.url}{fixture.TOOLSET.path}", revision, scenario, tmp_path)
    assert found.passed, found.said
    statuses = {check["id"]: check["status"] for check in found.checks}
    assert statuses.pop("wire-schema-valid") == "SUCCESS"
    assert statuses and set(statuses.values()) == {"SUCCESS"}


@pytest.mark.parametrize("toolset", [each for each in TOOLSETS if each.completes], ids=lambda toolset: toolset.id)
@pytest.mark.parametrize("revision", REVISIONS)
def test_completing_the_suites_own_prompt_is_refused_where_it_does_not_exist(
    server: Server, toolset: Toolset, revision: str, tmp_path: Path
) -> None:
    # catalog 19.3: an unknown prompt is -32602, so this scenario can only pass on the fixture.
    found = run(f"{server.url}{toolset.path}", revision, COMPLETION, tmp_path)
    [(failed, why)] = found.failures().items()
    assert failed == COMPLETION
    assert "There is no prompt 'test_prompt_with_arguments' here." in why


def test_the_baselines_hold_what_cannot_apply_and_nothing_else() -> None:
    # hosting A37
    entries = {
        path.name: re.findall(r"^  - (\S+)$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for path in BASELINES.glob("*.yml")
    }
    assert {name: len(found) for name, found in entries.items()} == {"catalog.yml": 4, "tools-only.yml": 7}
    assert set(entries["catalog.yml"]) == DIAGNOSTIC
    assert set(entries["tools-only.yml"]) == DIAGNOSTIC | NOT_OFFERED


def test_a_breach_fails_the_run(fixture_server: Server, tmp_path: Path) -> None:
    # The desk has no prompts, so the suite must find fault with it, and none with a baseline that expects too much.
    url = f"{fixture_server.url}/mcp"
    assert not run(url, MODERN, "prompts-list", tmp_path / "breach").passed
    baseline = tmp_path / "wrong.yml"
    baseline.write_text("server:\n  - tools-list:tools-list\n", encoding="utf-8")
    stale = run(url, MODERN, "tools-list", tmp_path / "stale", baseline=baseline)
    assert not stale.passed
    assert stale.failures() == {}
