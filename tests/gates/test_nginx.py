"""The shipped nginx in front of a real service process: who is counted, what passes, and what nginx says itself."""

import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from server import __version__
from server.body import MAX_BODY_BYTES
from tests.gates.nginx_site import CLIENT_HEADER, NAME, Site, laid_out, nginx, nginx_before, unprivileged
from tests.gates.running import Server, clean_environment, free_port, serving
from tests.gates.tools import ROOT

pytestmark = [pytest.mark.gate, pytest.mark.timeout(300)]

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
TOOLSETS = ("references", "evidence", "scan", "connector")
FORGED = {
    "X-Forwarded-For": "198.51.100.99",
    "Forwarded": "for=198.51.100.99",
    "X-Real-IP": "198.51.100.99",
    "X-PwC-MCP-Client": "somebody-else",
}
SERVICE = {
    "PAPERDESK_PUBLIC_URL": f"https://{NAME}",
    "PAPERDESK_CURSOR_KEYS": "a-cursor-key-of-the-nginx-gate",
    "PAPERDESK_EMBEDDER": "none",
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, sample_directory: Path) -> Iterator[Server]:
    arguments = ("serve", "--catalog", f"file:{sample_directory}")
    with serving(tmp_path_factory.mktemp("service"), *arguments, environment=SERVICE) as server:
        yield server


@pytest.fixture(scope="module")
def site(service: Server) -> Iterator[Site]:
    with nginx_before(port_of(service)) as running:
        yield running


def port_of(server: Server) -> int:
    return int(server.url.rpartition(":")[2])


def left(client: httpx.Client, headers: dict[str, str] | None = None) -> int:
    answer = client.post("/mcp", content=PING, headers=headers)
    assert answer.status_code == 200
    return int(answer.headers["RateLimit-Remaining"])


def refused_by_nginx(answer: httpx.Response, status: int, error: str) -> Any:
    """What holds for every answer that nginx makes itself."""
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["strict-transport-security"] == "max-age=63072000"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert re.fullmatch(r"[0-9a-f]{32}", answer.headers["x-request-id"])
    assert answer.headers["server"] == "nginx"
    assert not [name for name in answer.headers if name.startswith("access-control-")]
    body = answer.json()
    assert (body["error"], "message" in body, "endpoints" in body) == (error, True, False), answer.url
    return body


def test_the_configuration_is_sound() -> None:
    # hosting A77
    with laid_out(free_port()) as (folder, _, _):
        done = subprocess.run(nginx(folder, "-t"), capture_output=True, text=True, check=False, **unprivileged())  # type: ignore[call-overload]
    assert done.returncode == 0, done.stderr
    assert "[warn]" not in done.stderr and "test is successful" in done.stderr


def test_the_site_files_as_shipped_are_sound_where_their_certificate_lies(tmp_path: Path) -> None:
    # hosting A77: the files that a test replaces are read too; -t binds no port that it may not
    with laid_out(free_port()) as (folder, _, _):
        for path in (ROOT / "nginx" / "site").iterdir():
            text = path.read_text()
            text = re.sub(r"/etc/letsencrypt/\S+fullchain.pem", f"{folder}/certificate.pem", text)
            text = re.sub(r"/etc/letsencrypt/\S+privkey.pem", f"{folder}/certificate.key", text)
            text = text.replace("/var/log/nginx", str(folder))
            (folder / "conf" / "site" / path.name).write_text(text)
        done = subprocess.run(nginx(folder, "-t"), capture_output=True, text=True, check=False)
    assert "syntax is ok" in done.stderr, done.stderr


def test_a_client_is_known_by_its_address(site: Site) -> None:
    # hosting A77, 7.6
    with site.client("203.0.113.10") as one, site.client("203.0.113.11") as other:
        assert [left(one), left(one), left(other), left(one)] == [59, 58, 59, 57]


def test_what_a_client_says_of_itself_has_no_effect(site: Site) -> None:
    # hosting A77, 7.6
    with site.client("203.0.113.12") as client:
        assert left(client) == 59
        for count, (name, value) in enumerate(FORGED.items(), start=1):
            assert left(client, {name: value}) == 59 - count
        doubled = [("X-Forwarded-For", "198.51.100.1"), ("X-Forwarded-For", "198.51.100.2")]
        answer = client.post("/mcp", content=PING, headers=doubled)
        assert answer.headers["RateLimit-Remaining"] == str(59 - len(FORGED) - 1)


def test_the_services_own_budget_speaks_first_to_a_client_that_asks_one_after_the_other(site: Site) -> None:
    # hosting 5.7, 7.6
    with site.client("203.0.113.13") as client:
        answers = []
        for _ in range(12):
            batch = [client.post("/mcp", content=PING) for _ in range(5)]
            answers += batch
            threading.Event().wait(0.26)
        refused = client.post("/mcp", content=PING)
    assert [answer.status_code for answer in answers] == [200] * 60
    assert (refused.status_code, refused.json()["budget"]) == (429, "per_minute")
    assert refused.headers["retry-after"] == str(refused.json()["retry_after_s"])


def test_both_spellings_of_every_endpoint_are_answered_by_the_service(site: Site) -> None:
    # hosting A77, A2
    with site.client("203.0.113.14") as client:
        for path in ("/mcp", "/mcp/"):
            answer = client.post(path, content=PING)
            assert (answer.status_code, answer.json()["result"]) == (200, {})
        for path in [f"/mcp/{toolset}{slash}" for toolset in TOOLSETS for slash in ("", "/")]:
            answer = client.post(path, content=PING)
            # A toolset that this release or deployment does not serve is refused by the service, not by nginx.
            assert answer.status_code == 200 or "/mcp" in answer.json()["endpoints"]


def test_documents_are_served_as_the_service_serves_them(site: Site, service: Server) -> None:
    paths = ["/", "/docs", "/docs/", "/docs/catalog", "/mcp/schema", "/.well-known/mcp", "/.well-known/mcp.json"]
    paths += ["/mcp/server-card", "/.well-known/mcp/server-card.json", "/.well-known/mcp-server-card"]
    paths += ["/.well-known/ai-catalog.json", "/.well-known/mcp/", "/api/v1", "/api/v1/about", "/health"]
    with site.client("203.0.113.15") as client, httpx.Client(base_url=service.url, trust_env=False) as direct:
        for path in paths:
            through, straight = client.get(path), direct.get(path)
            assert (through.status_code, through.content) == (straight.status_code, straight.content), path
            assert through.headers["content-type"] == straight.headers["content-type"]
            assert not through.has_redirect_location


def test_what_is_not_published_is_not_there(site: Site) -> None:
    # hosting A77, A73
    paths = ["/metrics", "/metrics/", "/health/live", "/nope", "/MCP", "/mcp/nope", "/.nginx/502"]
    paths += ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server", "/scans/"]
    with site.client("203.0.113.16") as client:
        for path in paths:
            refused_by_nginx(client.get(path), 404, "not_found")


def test_scans_are_deleted_through_the_site_as_at_the_service(site: Site, service: Server) -> None:
    # scan A73
    scan_id = "7d9f1c52-3a5e-4b1f-9c0d-2f6a81e4b7c3"
    with site.client("203.0.113.17") as client, httpx.Client(base_url=service.url, trust_env=False) as direct:
        for method, part, status in (
            ("DELETE", scan_id, 204),
            ("DELETE", f"{scan_id}/", 204),
            ("DELETE", scan_id.replace("4b1f", "1b1f"), 400),
            ("DELETE", "0-0", 400),
            ("GET", scan_id, 405),
            ("POST", scan_id, 405),
        ):
            through, straight = (each.request(method, f"/scans/{part}") for each in (client, direct))
            assert (through.status_code, straight.status_code) == (status, status), (method, part)
            assert through.content == straight.content
        for part in (scan_id.upper(), f"{scan_id}/evidence.json"):
            refused_by_nginx(client.request("DELETE", f"/scans/{part}"), 404, "not_found")


@pytest.mark.parametrize("path", ["//mcp", "/mcp//scan", "/mcp%2Fscan", "/%6dcp", "/x/../mcp", "/docs/../metrics"])
def test_another_spelling_of_a_path_is_another_path(path: str, site: Site) -> None:
    # hosting 1.1, 5.7: neither side merges slashes or decodes
    request = f"POST {path} HTTP/1.1\r\nHost: {NAME}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    assert raw(site, request.encode()).startswith(b"HTTP/1.1 404 ")


@pytest.mark.parametrize("size", [3 << 20, 4 << 20])
def test_a_body_over_the_services_bound_is_refused_by_the_service(size: int, site: Site) -> None:
    # hosting A77, 7.6
    with site.client("203.0.113.18") as client:
        answers = [client.post("/mcp", content=b" " * size) for _ in range(10)]
    assert {answer.status_code for answer in answers} == {413}
    assert answers[0].json()["limit_bytes"] == MAX_BODY_BYTES
    assert answers[0].json()["error"] == "request_too_large"


def test_a_body_over_nginxs_own_bound_is_refused_in_the_same_words(site: Site) -> None:
    with site.client("203.0.113.19") as client:
        body = refused_by_nginx(client.post("/mcp", content=b" " * ((4 << 20) + 1)), 413, "request_too_large")
    assert body["limit_bytes"] == MAX_BODY_BYTES


def test_http_2_is_offered(site: Site) -> None:
    seen = ("--output", "/dev/null", "--write-out", "%{http_version} %{http_code}")
    done = subprocess.run(
        ["curl", "--silent", "--cacert", site.folder / "certificate.pem", *seen, f"{site.url}/health"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "2 200"


@pytest.mark.parametrize("version", ["TLSv1", "TLSv1.1"])
def test_old_versions_of_tls_are_refused(version: str, site: Site) -> None:
    port = site.url.rpartition(":")[2]
    options = ("--tls-max", version.removeprefix("TLSv") + ("" if "." in version else ".0"), "--silent")
    done = subprocess.run(["curl", *options, "--insecure", f"https://127.0.0.1:{port}/health"], check=False)
    assert done.returncode == 35


def test_a_post_without_tls_is_refused_and_not_redirected(site: Site) -> None:
    # hosting A77
    with httpx.Client(trust_env=False) as client:
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            answer = client.request(method, f"{site.plain_url}/mcp", headers={"Host": NAME})
            refused_by_nginx(answer, 403, "https_required")
            assert "location" not in answer.headers
        for method in ("GET", "HEAD"):
            answer = client.request(method, f"{site.plain_url}/docs?a=b", headers={"Host": "evil.example"})
            assert (answer.status_code, answer.headers["location"]) == (301, f"https://{NAME}/docs?a=b")


def test_foreign_hosts_and_origins_are_the_services_matter(site: Site) -> None:
    with site.client("203.0.113.20") as client:
        foreign = client.post("/mcp", content=PING, headers={"Host": "evil.example"})
        assert (foreign.status_code, foreign.json()["error"]) == (421, "host_not_allowed")
        refused = client.post("/mcp", content=PING, headers={"Origin": "https://evil.example"})
        assert (refused.status_code, refused.json()["error"]) == (403, "origin_not_allowed")
        allowed = client.post("/mcp", content=PING, headers={"Origin": "https://claude.ai"})
        assert allowed.headers.get_list("access-control-allow-origin") == ["https://claude.ai"]


def test_the_request_id_is_the_same_in_the_answer_and_in_both_logs(site: Site, service: Server) -> None:
    with site.client("203.0.113.21") as client:
        answer = client.post("/mcp", content=PING, headers={"X-Request-Id": "a-claim-of-the-client"})
    request_id = answer.headers["x-request-id"]
    assert re.fullmatch(r"[0-9a-f]{32}", request_id)
    wait_for(lambda: request_id in service.said() and request_id in site.access_log.read_text())


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"NONSENSE\r\n\r\n", 400),
        (b"GET /mcp HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        (b"GET /mcp HTTP/1.1\r\n\r\n", 400),
        (b"GET /mcp HTTP/1.1\r\nHost: a\r\nX-Large: " + b"a" * 9000 + b"\r\n\r\n", 400),
        (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", 414),
    ],
    ids=["no request", "two hosts", "no host", "a large header", "a long address"],
)
def test_what_is_no_good_request_gets_json_too(request_bytes: bytes, status: int, site: Site) -> None:
    head, _, body = raw(site, request_bytes).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert b"\r\nContent-Type: application/json\r\n" in head
    assert json.loads(body)["error"] == "bad_request"


def raw(site: Site, request_bytes: bytes) -> bytes:
    with tls(site) as connection:
        connection.sendall(request_bytes)
        received = b""
        while more := connection.recv(65536):
            received += more
    return received


def tls(site: Site) -> ssl.SSLSocket:
    context = ssl.create_default_context(cafile=site.folder / "certificate.pem")
    address = ("127.0.0.1", int(site.url.rpartition(":")[2]))
    return context.wrap_socket(socket.create_connection(address, timeout=30), server_hostname=NAME)


def wait_for(condition: Any, limit_s: float = 10) -> None:
    tick = threading.Event()
    for _ in range(int(limit_s / 0.02)):
        if condition():
            return
        tick.wait(0.02)
    pytest.fail("it did not happen")


def test_a_request_whose_client_leaves_is_cancelled_in_the_service(tmp_path: Path) -> None:
    # hosting A77, 7.6
    with socket.create_server(("127.0.0.1", 0)) as silent, ExitStack() as stack:
        catalog = f"http://127.0.0.1:{silent.getsockname()[1]}/api/v1"
        server = stack.enter_context(serving(tmp_path, "serve", "--catalog", catalog, environment=SERVICE))
        site = stack.enter_context(nginx_before(port_of(server)))
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_recent_papers"}}
        with site.client() as client, pytest.raises(httpx.ReadTimeout):
            client.post("/mcp", json=call, timeout=0.5)
        wait_for(lambda: any(one["status"] == "499" for one in server.requests()))
        [request] = server.requests()
        assert (request["tool"], request["outcome"]) == ("list_recent_papers", "cancelled")


def test_a_service_that_is_down_is_said_to_be_so_in_json(tmp_path: Path) -> None:
    # hosting A78
    with nginx_before(free_port()) as site, site.client() as client:
        for path in ("/mcp", "/health", "/docs"):
            answer = client.post(path, content=PING)
            refused_by_nginx(answer, 502, "unavailable")
            assert answer.headers["retry-after"] == "5"


def test_a_service_that_never_answers_is_given_up(tmp_path: Path) -> None:
    # hosting 5.7: the same words; only the time is shortened, where 75 s would be waited for
    with socket.create_server(("127.0.0.1", 0)) as silent, nginx_before(silent.getsockname()[1]) as site:
        proxy = site.folder / "conf" / "paperdesk-proxy.conf"
        shortened = proxy.read_text().replace("proxy_read_timeout 75s;", "proxy_read_timeout 200ms;")
        assert shortened != proxy.read_text()
        proxy.write_text(shortened)
        site.switch_to(silent.getsockname()[1])
        with site.client() as client:
            answer = client.post("/mcp", content=PING)
        refused_by_nginx(answer, 504, "unavailable")
        assert answer.headers["retry-after"] == "5"


def test_the_access_log_holds_no_address_query_or_user_agent(site: Site) -> None:
    # hosting A78
    secret = "planted-secret"
    with site.client("203.0.113.77") as client:
        client.post(f"/mcp?{secret}", content=PING, headers={"User-Agent": secret, "Referer": secret, **FORGED})
        last = client.get(f"/{secret}").headers["x-request-id"]
    wait_for(lambda: last in site.access_log.read_text())
    log = site.access_log.read_text()
    form = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+\d\d:\d\d \d{3} \d+ \d+\.\d{3} [0-9a-f]{32}"
    assert [line for line in log.splitlines() if re.fullmatch(form, line) is None] == []
    assert not re.search(rf"{secret}|203\.0\.113|198\.51\.100|127\.0\.0\.1|mcp|httpx", log + site.errors)


def flood(site: Site, address: str, requests: int = 120) -> list[httpx.Response]:
    with site.client(address) as client, ThreadPoolExecutor(16) as pool:
        return list(pool.map(lambda _: client.get("/health"), range(requests)))


def test_a_flood_from_one_address_is_refused_and_others_are_not(site: Site) -> None:
    # hosting A78, 5.7
    answers = flood(site, "203.0.113.50")
    refused = [answer for answer in answers if answer.status_code != 200]
    assert 41 <= len(answers) - len(refused) < 120
    for answer in refused:
        refused_by_nginx(answer, 429, "unavailable")
        assert answer.headers["retry-after"] == "1"
    with site.client("203.0.113.51") as other:
        assert other.get("/health").status_code == 200


@pytest.mark.parametrize("address", ["160.79.104.5", "160.79.111.255", "2607:6bc0::5"])
def test_the_shared_egress_ranges_are_not_taken_for_a_flood(address: str, site: Site) -> None:
    # hosting A78
    assert {answer.status_code for answer in flood(site, address)} == {200}


def test_addresses_beside_the_shared_egress_ranges_are_counted(site: Site) -> None:
    # hosting A78
    assert {answer.status_code for answer in flood(site, "160.79.112.0")} == {200, 429}


def test_one_address_has_32_requests_under_way_at_most(site: Site) -> None:
    # hosting 5.7
    head = f"POST /mcp HTTP/1.1\r\nHost: {NAME}\r\n{CLIENT_HEADER}: 203.0.113.60\r\nContent-Length: 9\r\n\r\n"
    with ExitStack() as stack:
        waiting = [stack.enter_context(tls(site)) for _ in range(33)]
        for connection in waiting[:32]:
            connection.sendall(head.encode() + b"{")
        with site.client("203.0.113.60") as client:
            wait_for(lambda: client.get("/health").status_code == 429)
            answer = client.get("/health")
        refused_by_nginx(answer, 429, "unavailable")


def paperdesk_smoke(url: str, site: Site | None, *arguments: str) -> tuple[int, str]:
    # Where the project is not installed into .venv, the program beside this Python is the one.
    trusted = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    if site is not None:
        trusted["SSL_CERT_FILE"] = str(site.folder / "certificate.pem")
    done = subprocess.run(
        [ROOT / "deploy" / "smoke.sh", url, "--expect-version", __version__, *arguments],
        env=clean_environment(trusted),
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_the_smoke_test_passes_directly_and_through_nginx(service: Server, tmp_path: Path) -> None:
    # hosting A80, 5.9: nginx of its own, without a header that says who the client is
    with nginx_before(port_of(service)) as site:
        status, said = paperdesk_smoke(service.url, None, "--log", str(service.log))
        assert (status, "0 failed, 0 not run" in said) == (0, True), said
        log = str(service.log)
        status, said = paperdesk_smoke(site.url, site, "--public", "--log", log)
        assert (status, "0 failed, 0 not run" in said) == (0, True), said


def test_a_new_instance_takes_over_without_a_request_lost(
    tmp_path: Path, sample_directory: Path, service: Server
) -> None:
    # hosting 5.10: start on the free port, smoke, switch nginx, stop the old instance
    arguments = ("serve", "--catalog", f"file:{sample_directory}")
    wide = {**SERVICE, "PAPERDESK_SHARED_LIMIT_PER_MINUTE": "10000"}
    with ExitStack() as stack:
        old = stack.enter_context(serving(tmp_path, *arguments, environment=wide))
        site = stack.enter_context(nginx_before(port_of(old)))
        statuses: list[int] = []
        done = threading.Event()

        def keep_asking() -> None:
            # From a range that nginx does not take for a flood, and slowly enough for the service.
            with site.client("160.79.104.9") as client:
                while not done.wait(0.02):
                    statuses.append(client.post("/mcp", content=PING).status_code)

        asking = threading.Thread(target=keep_asking)
        asking.start()
        try:
            new = stack.enter_context(serving(tmp_path, *arguments, environment=wide))
            status, said = paperdesk_smoke(new.url, None)
            assert status == 0, said
            before = len(new.requests())
            site.switch_to(port_of(new))
            old.process.send_signal(signal.SIGTERM)
            assert old.process.wait(70) in (0, -signal.SIGTERM)
            asked = len(statuses)
            wait_for(lambda: len(statuses) > asked + 20)
        finally:
            done.set()
            asking.join(30)
        assert set(statuses) == {200}
        wait_for(lambda: len(new.requests()) > before + 20)
