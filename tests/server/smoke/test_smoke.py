"""The smoke run passes on a good service, and on a bad one it fails at the one check that looks for what is wrong."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from server import __version__
from server.limits.budgets import PER_MINUTE
from server.limits.key_file import write_keys
from server.limits.keys import new_key
from server.smoke.run import Line, smoke_run
from server.smoke.target import Options
from tests.server.smoke.faults import FAULTS
from tests.twisting_proxy import Answered, Asked, Twist, service_process, twisted, unchanged

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
NUMBERS = [1, 2, 3, 4, 5, 6, 8, 9, 7]
CASES = [
    pytest.param(number, twist, id=f"{number} {said}")
    for number, twists in FAULTS.items()
    for said, twist in twists.items()
]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    with service_process(tmp_path_factory.mktemp("service"), PAPERDESK_TOOLSETS="catalog") as served:
        yield served


@pytest.fixture(scope="module")
def url(service: tuple[str, Path]) -> str:
    return service[0]


def lines_of(
    options: Options, *, clock: Callable[[], float] = time.monotonic, pause: Callable[[float], None] = time.sleep
) -> list[Line]:
    with httpx.Client(trust_env=False) as client:
        return list(smoke_run(options, client, clock=clock, pause=pause))


def endings(lines: list[Line]) -> dict[int, str]:
    return {line.number: line.ending for line in lines}


ALL_PASS = dict.fromkeys(NUMBERS, "pass")


def test_a_good_service_passes_every_check(service: tuple[str, Path]) -> None:
    # hosting A80
    url, log = service
    lines = lines_of(Options(url, expect_version=__version__, log=str(log)))
    assert endings(lines) == ALL_PASS, "\n".join(map(str, lines))


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A service for holders of a key alone, and a file with one."""
    folder = tmp_path_factory.mktemp("keyed")
    clear, key = new_key("smoke", time.time(), limits={PER_MINUTE: 100})
    write_keys(folder / "keys", [key])
    (folder / "clear").write_text(f"{clear}\n")
    settings = {"PAPERDESK_KEYS_FILE": str(folder / "keys"), "PAPERDESK_ANONYMOUS": "false"}
    with service_process(folder, PAPERDESK_TOOLSETS="catalog", **settings) as (url, _):
        yield url, folder / "clear"


def test_a_service_that_wants_a_key_passes_with_one_and_fails_without(keyed: tuple[str, Path]) -> None:
    # hosting A80
    url, file = keyed
    without = lines_of(Options(url, expect_version=__version__))
    assert endings(without) == {**dict.fromkeys(NUMBERS, "FAIL"), 1: "pass", 2: "pass", 9: "skip"}
    command = [sys.executable, "-m", "server", "smoke", "--url", url, "--expect-version", __version__]
    done = subprocess.run([*command, "--key-file", str(file)], capture_output=True, text=True, timeout=60, check=False)
    shown = [line.split()[0] for line in done.stdout.splitlines()]
    assert (done.returncode, shown) == (0, ["pass"] * 7 + ["skip", "pass", "9"]), done.stdout + done.stderr
    assert file.read_text().strip() not in repr(Options(url, key=file.read_text().strip()))


@pytest.mark.parametrize("content", [None, "", "pdk_short", "two\nlines", "Bearer pdk_" + "a" * 43, "\u00e9"])
def test_a_file_without_a_key_is_refused_without_showing_it(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "clear"
    if content is not None:
        file.write_text(content)
    command = [sys.executable, "-m", "server", "smoke", "--url", "http://127.0.0.1:9", "--key-file", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        "paperdesk: --key-file names a file that holds one API key, as `paperdesk keys new` prints it.\n",
    )


def test_a_proxy_that_changes_nothing_passes_every_check(service: tuple[str, Path]) -> None:
    # What the faults are told from: through this proxy the service is as good as without it.
    with twisted(service[0], unchanged) as url:
        lines = lines_of(Options(url, expect_version=__version__, log=str(service[1])))
    assert endings(lines) == ALL_PASS, "\n".join(map(str, lines))


@pytest.mark.parametrize(("number", "twist"), CASES)
def test_a_fault_is_seen_by_its_own_check_and_by_no_other(number: int, twist: Twist, url: str) -> None:
    # hosting A80
    clock = FakeClock()
    with twisted(url, twist) as bad:
        lines = lines_of(Options(bad, expect_version=__version__), clock=clock, pause=clock.pass_by)
    wanted = {**ALL_PASS, 9: "skip", number: "FAIL"}
    assert endings(lines) == wanted, "\n".join(map(str, lines))
    assert all(line.text for line in lines if line.ending == "FAIL")


class FakeClock:
    """Time that passes only where the run waits."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s

    def pass_by(self, seconds: float) -> None:
        self.now_s += seconds


def test_a_service_that_never_becomes_ready_is_asked_nothing_more(url: str) -> None:
    # hosting A80
    async def not_ready(asked: Asked) -> Answered:
        if asked.path == "/health":
            return Answered(503, [("content-type", "application/json")], b'{"status":"unavailable"}')
        return await asked.answered()

    clock = FakeClock()
    with twisted(url, not_ready) as bad:
        lines = lines_of(Options(bad), clock=clock, pause=clock.pass_by)
    assert [str(line) for line in lines[:2]] == [
        "FAIL 1 health: /health: 503 instead of 200, for 30 s",
        "skip 2 documents: the service is not ready",
    ]
    assert endings(lines) == {**dict.fromkeys(NUMBERS, "skip"), 1: "FAIL"}


def test_a_service_that_becomes_ready_late_passes(url: str) -> None:
    asked_before = 0

    async def late(asked: Asked) -> Answered:
        nonlocal asked_before
        asked_before += asked.path == "/health"
        if asked.path == "/health" and asked_before < 10:
            return Answered(503, [], b"")
        return await asked.answered()

    clock = FakeClock()
    with twisted(url, late) as slow:
        lines = lines_of(Options(slow), clock=clock, pause=clock.pass_by)
    assert endings(lines) == {**ALL_PASS, 9: "skip"}


def test_without_its_description_nothing_that_needs_the_endpoints_is_said_to_fail(url: str) -> None:
    async def no_description(asked: Asked) -> Answered:
        return Answered(404, [], b"") if asked.path == "/.well-known/mcp" else await asked.answered()

    with twisted(url, no_description) as bad:
        lines = lines_of(Options(bad))
    assert endings(lines) == {**dict.fromkeys(NUMBERS, "skip"), 1: "pass", 2: "FAIL"}
    assert str(lines[2]) == "skip 3 older era: the service's list of endpoints cannot be read"


def test_a_service_that_answers_too_slowly_is_not_waited_for(url: str) -> None:
    # hosting A80: under 60 s, whatever the service does
    clock = FakeClock()

    async def slow(asked: Asked) -> Answered:
        clock.pass_by(20)
        return await asked.answered()

    with twisted(url, slow) as bad:
        lines = lines_of(Options(bad), clock=clock, pause=clock.pass_by)
    assert {line.ending for line in lines[3:]} == {"FAIL"}
    assert str(lines[-1]) == "FAIL 7 limits: not reached within 58 s; the service is too slow"


def by_nginx(claims: str) -> Twist:
    """What the shipped proxy does with a client's own words about itself; `claims` is what it writes instead."""

    async def proxy(asked: Asked) -> Answered:
        told = asked.with_header("x-pwc-mcp-client", None).with_header("x-forwarded-for", claims)
        return await told.answered()

    return proxy


def test_a_public_run_passes_with_one_budget_for_all_of_it(url: str) -> None:
    # hosting A80
    clock = FakeClock()
    with twisted(url, by_nginx("2001:db8:77::1")) as public:
        lines = lines_of(Options(public, public=True), clock=clock, pause=clock.pass_by)
    assert endings(lines) == {**ALL_PASS, 9: "skip"}, "\n".join(map(str, lines))
    # nginx lets 20 requests a second through; the run stays below that.
    assert clock.now_s > 60 / 20


def test_a_public_run_sees_a_proxy_that_passes_the_clients_claims_on(url: str) -> None:
    # hosting A80
    async def trusting(asked: Asked) -> Answered:
        claims = asked.header("x-forwarded-for") or "2001:db8:78::1"
        return await by_nginx(claims)(asked)

    clock = FakeClock()
    with twisted(url, trusting) as bad:
        lines = lines_of(Options(bad, public=True), clock=clock, pause=clock.pass_by)
    assert endings(lines) == {**ALL_PASS, 8: "FAIL", 9: "skip"}


def test_a_public_run_with_a_used_up_budget_says_to_wait(url: str) -> None:
    with httpx.Client(trust_env=False) as client, twisted(url, by_nginx("2001:db8:79::1")) as public:
        while client.post(f"{public}/mcp", content=PING, headers=JSON).status_code == 200:
            continue
        clock = FakeClock()
        lines = lines_of(Options(public, public=True), clock=clock, pause=clock.pass_by)
    assert "429, the budget of this caller is used up; wait " in lines[2].text


JSON = {"Content-Type": "application/json"}


def left_of(url: str, client: httpx.Client, tag: str) -> int:
    answer = client.post(f"{url}/mcp", content=PING, headers={**JSON, "X-PwC-MCP-Client": tag})
    return int(answer.headers["RateLimit-Remaining"])


def test_a_run_leaves_every_other_callers_budget_untouched(url: str) -> None:
    # hosting A80
    with httpx.Client(trust_env=False) as client:
        before = {tag: left_of(url, client, tag) for tag in ("a-real-client", "another")}
        alone = client.post(f"{url}/mcp", content=PING, headers=JSON).headers["RateLimit-Remaining"]
        lines_of(Options(url))
        assert {tag: left_of(url, client, tag) for tag in before} == {tag: left - 1 for tag, left in before.items()}
        after = client.post(f"{url}/mcp", content=PING, headers=JSON).headers["RateLimit-Remaining"]
    assert int(after) == int(alone) - 1


def test_two_runs_at_once_do_not_hinder_each_other(url: str) -> None:
    with httpx.Client(trust_env=False) as one, httpx.Client(trust_env=False) as two:
        pairs = list(zip(smoke_run(Options(url), one), smoke_run(Options(url), two), strict=True))
    for lines in zip(*pairs, strict=True):
        assert endings(list(lines)) == {**ALL_PASS, 9: "skip"}


# The log: what a service may write wrongly.


def without_the_line(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if "tool=unknown" not in line)


def with_an_address(text: str) -> str:
    return text.replace(" request_id=", " client=127.0.0.1 request_id=")


def in_another_order(text: str) -> str:
    return text.replace("mcp_request tool=unknown status=200", "mcp_request status=200 tool=unknown")


def with_the_tool_by_name(text: str) -> str:
    return text.replace("tool=unknown", "tool=search_papers")


def with_another_status(text: str) -> str:
    return text.replace("tool=unknown status=200", "tool=unknown status=400")


class WithWhatWasSent:
    """Writes down a header of the request, as an access log would."""

    secret = ""

    async def spy(self, asked: Asked) -> Answered:
        agent = asked.header("user-agent") or ""
        self.secret = agent if agent.startswith("planted") else self.secret
        return await asked.answered()

    def __call__(self, text: str) -> str:
        return f"{text}user_agent={self.secret}\n" if self.secret else text


WITH_WHAT_WAS_SENT = WithWhatWasSent()


@pytest.mark.parametrize(
    "twist_log",
    [
        without_the_line,
        with_an_address,
        in_another_order,
        with_the_tool_by_name,
        with_another_status,
        WITH_WHAT_WAS_SENT,
    ],
    ids=lambda twist: getattr(twist, "__name__", "with_what_was_sent"),
)
def test_a_fault_of_the_log_is_seen_by_its_own_check_and_by_no_other(
    twist_log: Callable[[str], str], service: tuple[str, Path], tmp_path: Path
) -> None:
    # hosting A80
    url, log = service
    twisted_log = tmp_path / "log"
    start = log.stat().st_size
    twisted_log.write_text("")

    def copy_and_wait(seconds: float) -> None:
        with log.open() as file:
            file.seek(start)
            twisted_log.write_text(twist_log(file.read()))
        time.sleep(seconds)

    with twisted(url, WITH_WHAT_WAS_SENT.spy) as bad:
        lines = lines_of(Options(bad, log=str(twisted_log)), pause=copy_and_wait)
    assert endings(lines) == {**ALL_PASS, 9: "FAIL"}, "\n".join(map(str, lines))


def test_a_request_id_that_the_log_does_not_know_is_seen(service: tuple[str, Path]) -> None:
    # hosting A80
    async def another_id(asked: Asked) -> Answered:
        return (await asked.answered()).with_header("x-request-id", "0123456789abcdef")

    clock = FakeClock()
    with twisted(service[0], another_id) as bad:
        lines = lines_of(Options(bad, log=str(service[1])), clock=clock, pause=clock.pass_by)
    assert endings(lines) == {**ALL_PASS, 9: "FAIL"}


# The command.


def paperdesk_smoke(*arguments: str) -> tuple[int, list[str], str]:
    done = subprocess.run(
        [sys.executable, "-m", "server", "smoke", *arguments],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return done.returncode, done.stdout.splitlines(), done.stderr


def test_the_command_prints_a_line_for_each_check_and_ends_with_status_0(service: tuple[str, Path]) -> None:
    # hosting A80
    url, log = service
    started_s = time.monotonic()
    status, lines, err = paperdesk_smoke("--url", url, "--expect-version", __version__, "--log", str(log))
    took_s = time.monotonic() - started_s
    assert (status, err) == (0, "")
    assert [line.split(" ", 2)[:2] for line in lines[:-1]] == [["pass", str(number)] for number in NUMBERS]
    assert lines[-1].startswith("9 checks, 0 failed, 0 not run, ")
    assert took_s < 60


def test_the_command_ends_with_status_1_when_a_check_fails(url: str) -> None:
    # hosting A80
    status, lines, err = paperdesk_smoke("--url", url, "--expect-version", "9.9.9")
    assert (status, err) == (1, "")
    assert lines[0] == f"FAIL 1 health: /health: version {__version__} instead of 9.9.9"
    assert lines[-1].startswith("9 checks, 1 failed, 1 not run, ")


def test_an_address_that_is_none_is_one_sentence() -> None:
    assert paperdesk_smoke("--url", "desk.example.org") == (
        2,
        [],
        "paperdesk: --url takes an http or https address, such as http://127.0.0.1:7861.\n",
    )
