"""The command line: what it says, and what it says when something is wrong."""

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from core.errors import OperatorError
from server import __version__
from server.serving import listen

PATHS = "/mcp, /mcp/references, /mcp/evidence, /mcp/scan, /mcp/connector"


def clean_environment(**more: str) -> dict[str, str]:
    """This process's environment without any setting, and `more`."""
    foreign = ("PAPERDESK_", "PWC_")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    return {name: value for name, value in inherited.items() if name not in ("PORT", "LOG_LEVEL")} | more


def paperdesk(*arguments: str, **environment: str) -> tuple[int, str, str]:
    """Runs a command in a process of its own, away from this one's settings."""
    done = subprocess.run(
        [sys.executable, "-m", "server", *arguments],
        env=clean_environment(**environment),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_the_version_is_shown() -> None:
    assert paperdesk("--version") == (0, f"paperdesk {__version__}\n", "")


def test_bad_settings_are_one_message_with_every_problem_and_no_traceback() -> None:
    # hosting A69, A71 (part)
    status, out, err = paperdesk("serve", "--host", "0.0.0.0", PAPERDESK_PRT="1", PAPERDESK_CURSOR_KEYS="planted")
    assert (status, out) == (2, "")
    assert err == (
        "paperdesk: PAPERDESK_CURSOR_KEYS: each key needs at least 16 characters.\n"
        "PAPERDESK_PRT is no setting. Did you mean PAPERDESK_PORT?\n"
        "PAPERDESK_PUBLIC_URL is needed when --host is not a loopback address: set it to the https address at"
        " which clients reach this service.\n"
        "PAPERDESK_CURSOR_KEYS is needed when --host is not a loopback address: set it, or"
        " PAPERDESK_CURSOR_KEYS_FILE, to a random text of at least 16 characters.\n"
    )


def test_a_web_catalog_that_cannot_be_reached_is_a_failure_of_the_call() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unheard:
        port = unheard.getsockname()[1]
    status, out, err = paperdesk("search", "x", "--catalog", f"http://127.0.0.1:{port}/api/v1")
    assert (status, out) == (1, "")
    assert err == "upstream_error: The catalog's service could not be reached or failed; try again.\n"


def test_a_missing_catalog_directory_is_named() -> None:
    status, _, err = paperdesk("catalog", "info", "no-such-directory")
    assert status == 2
    assert err.startswith("paperdesk: There is no catalog directory at no-such-directory.")


def test_a_call_that_the_operator_must_mend_ends_with_status_2() -> None:
    call = ("call", "get_task", "--task", "x")
    for place, message in (
        (("--catalog", "file:no-such-directory"), "There is no catalog directory at no-such-directory."),
        (("--url", "http://127.0.0.1:9/mcp"), "No MCP endpoint answered at http://127.0.0.1:9/mcp;"),
    ):
        status, out, err = paperdesk(*call, *place)
        assert (status, out) == (2, "")
        assert err.startswith(f"paperdesk: {message}")
        assert err.count("\n") == 1


def test_a_taken_port_is_named_with_the_option_that_changes_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OperatorError) as caught:
            listen("127.0.0.1", port)
    assert caught.value.message == (
        f"Port {port} on 127.0.0.1 is taken; stop what uses it, or choose another with --port {port + 1}"
        f' (make serve ARGS="--port {port + 1}").'
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize("command", ["search", "read", "catalog info"])
def test_output_that_cannot_be_written_is_one_sentence(sample_directory: Path, command: str) -> None:
    catalog = ["--catalog", f"file:{sample_directory}"]
    arguments = {
        "search": ["search", "attention", *catalog],
        "read": ["read", "1706.03762", *catalog],
        "catalog info": ["catalog", "info", str(sample_directory)],
    }
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "server", *arguments[command]],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
            env={**os.environ, "PAPERDESK_EMBEDDER": "none"},
        )
    last = done.stderr.splitlines()[-1]
    assert (done.returncode, last) == (2, "paperdesk: the output could not be written: No space left on device.")


def test_texts_are_printed_in_utf_8_whatever_the_locale(sample_directory: Path) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    arguments = ("read", "1706.03762", "--catalog", f"file:{sample_directory}")
    usual = paperdesk(*arguments, PAPERDESK_EMBEDDER="none")
    status, out, err = paperdesk(*arguments, PAPERDESK_EMBEDDER="none", **plain)
    assert (status, out) == (0, usual[1]), err
    assert not out.isascii()


def test_words_that_are_not_utf_8_are_searched_as_far_as_they_can_be_read(sample_directory: Path) -> None:
    words = os.fsdecode(b"attention \xff\xfe")
    status, out, err = paperdesk(
        "search", words, "--limit", "1", "--catalog", f"file:{sample_directory}", PAPERDESK_EMBEDDER="none"
    )
    assert (status, "\ufffd" in out) == (0, True), err


@pytest.mark.parametrize(
    ("environment", "urls", "hosts", "origins"),
    [
        ({}, PATHS.replace("/mcp", "http://127.0.0.1:{port}/mcp"), "loopback", "default"),
        (
            {"PAPERDESK_PUBLIC_URL": "https://desk.example.org/papers", "PAPERDESK_LOG_LEVEL": "INFO"},
            PATHS.replace("/mcp", "https://desk.example.org/papers/mcp"),
            "loopback,desk.example.org",
            "default,https://desk.example.org",
        ),
    ],
)
def test_a_started_service_says_in_one_line_where_it_is_and_how_to_stop_it(
    environment: dict[str, str], urls: str, hosts: str, origins: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with subprocess.Popen(
        [sys.executable, "-m", "server", "serve", "--port", str(port)],
        env=clean_environment(PAPERDESK_EMBEDDER="none", **environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        ready = process.stdout.readline()
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=10) as answer:
                assert answer.status == 200
        finally:
            process.send_signal(signal.SIGINT)
            more, log = process.communicate(timeout=20)
    assert (ready, more) == (f"Ready: {urls.format(port=port)} (Ctrl-C stops)\n", "")
    assert (
        f" hosts={hosts} origins={origins} budgets=per_minute:60,catalog_semantic_per_minute:10,semantic_per_minute:6,"
        "semantic_daily:50,concurrent:4,api_per_minute:300 global=128 tiers=anthropic store=memory keys=off"
        " anonymous=true\n"
    ) in log
    assert log.count("cursor_keys=random: reading cursors end with this process\n") == 1
    assert "Traceback" not in log
