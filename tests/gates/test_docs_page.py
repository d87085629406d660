"""The page in a real browser, against a real process; and what scripts of other pages may ask of an endpoint.

`tests/gates/install.sh` installs the browser. Screenshots go to the folder that `PAPERDESK_ARTIFACTS` names, by default
`artifacts`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from server.registry import Toolset
from tests.gates.running import Server, serving_catalog
from tests.gates.served_toolsets import TOOLSETS
from tests.gates.tools import ROOT

ARTIFACTS = Path(os.environ.get("PAPERDESK_ARTIFACTS") or ROOT / "artifacts")
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 360, "height": 740}
CLIENTS = ("claude", "chatgpt", "claude-code", "gemini-cli", "cursor", "vs-code", "sdk", "curl")
DOCS: Mapping[str, Sequence[Toolset]] = {
    "/": TOOLSETS,
    "/docs": TOOLSETS,
    **{f"/docs/{toolset.id}": (toolset,) for toolset in TOOLSETS},
}
"""Each page with the toolsets that it tells of."""
# Names that lead back to this machine: origins that no list of the service holds by itself.
FRIEND, STRANGER = "friend.example", "stranger.example"

pytestmark = [pytest.mark.gate, pytest.mark.timeout(300)]


Serving = Callable[..., AbstractContextManager[Server]]


@pytest.fixture(scope="module")
def serve(sample_directory: Path, tmp_path_factory: pytest.TempPathFactory) -> Serving:
    """Starts a process over the sample catalog, with the settings given by name."""

    def start(**settings: str) -> AbstractContextManager[Server]:
        return serving_catalog(tmp_path_factory.mktemp("served"), sample_directory, environment=settings)

    return start


@pytest.fixture(scope="module")
def url(serve: Serving) -> Iterator[str]:
    with serve(
        PAPERDESK_NAMESPACE="org.example",
        PAPERDESK_REPOSITORY_URL="https://github.com/example/desk",
        PAPERDESK_LIMIT_PER_MINUTE="4321",
    ) as server:
        yield server.url


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    executable = next((found for name in NAMES if (found := shutil.which(name))), None)
    assert executable is not None, "there is no browser; run tests/gates/install.sh"
    mapped = ", ".join(f"MAP {name} 127.0.0.1" for name in (FRIEND, STRANGER))
    with sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=executable, args=[f"--host-resolver-rules={mapped}"])
        yield launched
        launched.close()


@dataclass
class Seen:
    """A page that was opened, and what the browser said while it was."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@contextmanager
def opened(browser: Browser, address: str, **context: Any) -> Iterator[Seen]:
    made: BrowserContext = browser.new_context(**{"viewport": WIDE, "reduced_motion": "reduce", **context})
    seen = Seen(made.new_page())
    seen.page.on("request", lambda request: seen.requests.append(request.url))
    seen.page.on("console", lambda message: seen.complaints.append(f"{message.type}: {message.text}"))
    seen.page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    try:
        seen.page.goto(address)
        yield seen
    finally:
        made.close()


def outside(requests: list[str]) -> list[str]:
    """What was asked for over the network, beside the page."""
    return [address for address in requests[1:] if not address.startswith("data:")]


def anchors(toolsets: Sequence[Toolset] = TOOLSETS) -> list[str]:
    return [f"{toolset.id}-{tool.name}" for toolset in toolsets for tool in toolset.tools]


# Rendering


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize("path", DOCS)
def test_the_page_is_whole_with_scripts_and_without(browser: Browser, url: str, path: str, scripts: bool) -> None:
    # hosting A15, A53
    with opened(browser, url + path, java_script_enabled=scripts) as seen:
        page, told = seen.page, anchors(DOCS[path])
        assert page.locator("h1").is_visible()
        for anchor in ("connect", "limits", "errors", *(toolset.id for toolset in DOCS[path]), *told):
            assert page.locator(f"[id='{anchor}']").is_visible(), anchor
        buttons = page.locator("button.copy")
        assert buttons.count() > len(told)
        shown = [buttons.nth(n).is_visible() for n in range(buttons.count())]
        assert set(shown) == {scripts}
        # the style is in force
        assert page.locator("nav").evaluate("nav => getComputedStyle(nav).position") == "sticky"
        page.goto(f"{url}{path}#{told[-1]}")
        assert page.locator(f"[id='{told[-1]}'] h3").evaluate(
            "title => { const at = title.getBoundingClientRect().top; return at >= 0 && at < innerHeight }"
        )
        assert outside(seen.requests) == []
        assert seen.complaints == []


@pytest.mark.parametrize("width", [320, 360, 480, 768, 1024, 1280, 1920])
def test_nothing_is_wider_than_the_screen(browser: Browser, url: str, width: int) -> None:
    with opened(browser, f"{url}/docs", viewport={"width": width, "height": 800}) as seen:
        assert seen.page.evaluate("document.documentElement.scrollWidth") == width
        cut = """[...document.querySelectorAll('main *')].filter(each => each.scrollWidth > each.clientWidth + 1
          && getComputedStyle(each).overflowX !== 'visible' && !each.matches('.unseen, .stacked thead'))
          .map(each => each.outerHTML.slice(0, 80))"""
        assert seen.page.evaluate(cut) == []


def test_what_is_not_the_pages_own_does_not_run_under_its_policy(browser: Browser, url: str) -> None:
    # hosting A53
    with opened(browser, f"{url}/docs") as seen:
        page = seen.page
        page.evaluate(
            """() => {
              const script = document.createElement('script');
              script.textContent = 'window.ran = true';
              const style = document.createElement('style');
              style.textContent = 'h1 { display: none }';
              document.body.append(script, style);
            }"""
        )
        assert page.evaluate("window.ran") is None
        assert page.locator("h1").is_visible()
        assert len([text for text in seen.complaints if "Content Security Policy" in text]) == 2


def test_the_facts_of_the_deployment_reach_the_documents(url: str) -> None:
    card = httpx.get(f"{url}/mcp/server-card").json()
    assert card["name"] == f"org.example/{TOOLSETS[0].server_name}"
    assert card["repository"] == {"url": "https://github.com/example/desk", "source": "github"}
    assert httpx.get(f"{url}/.well-known/mcp").json()["limits"]["per_minute"] == 4321
    assert 'href="https://github.com/example/desk"' in httpx.get(f"{url}/docs?format=html").text


# Use


def copied(page: Page, client: str) -> list[str]:
    """What a client's part of the page offers to copy."""
    return page.locator(f".client:has(#connect-{client}) pre").all_inner_texts()


def test_what_is_copied_reaches_the_service(browser: Browser, url: str) -> None:
    with opened(browser, f"{url}/docs") as seen:
        texts = {client: copied(seen.page, client) for client in CLIENTS}
    by_path = {toolset.path: toolset for toolset in TOOLSETS}
    for client in ("claude", "chatgpt", "claude-code", "gemini-cli", "cursor", "vs-code"):
        for text in texts[client]:
            (address,) = re.findall(r"http://[^\s\"]+", text)
            toolset = by_path[httpx.URL(address).path]
            # ChatGPT's own research knows two tools and no others.
            assert toolset.id == ("connector" if client == "chatgpt" else "catalog")
            listed = httpx.post(address, json=ASK).json()["result"]["tools"]
            assert [tool["name"] for tool in listed] == [tool.name for tool in toolset.tools]
    for command in (["bash", "-c", *texts["curl"]], [sys.executable, "-c", *texts["sdk"]]):
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        assert "fine-tuning" in done.stdout.lower()


def test_every_copy_button_copies_what_stands_beside_it_and_says_so(browser: Browser, url: str) -> None:
    # hosting A15
    with opened(browser, f"{url}/docs", permissions=["clipboard-read", "clipboard-write"]) as seen:
        page = seen.page
        # the page's own clock stands still, so that what it says for a while can be read however slow this machine is
        page.clock.install(time=0)
        page.clock.pause_at(1_000)
        snippets = page.locator(".snippet")
        status = page.locator("[role=status]")
        for number in range(snippets.count()):
            snippet = snippets.nth(number)
            button = snippet.locator("button")
            button.focus()
            page.keyboard.press("Enter")
            button.locator("span", has_text="Copied").wait_for()
            said = f"Copied {button.locator('.unseen').inner_text().strip()}."
            assert status.inner_text() == said
            assert page.evaluate("navigator.clipboard.readText()") == snippet.locator("code").text_content()
            page.clock.run_for(2_500)
            assert (button.locator("span").first.inner_text(), status.inner_text()) == ("Copy", "")
        assert seen.complaints == []


def test_a_refused_clipboard_leaves_the_text_selected(browser: Browser, url: str) -> None:
    with opened(browser, f"{url}/docs") as seen:
        page = seen.page
        page.clock.install(time=0)
        page.clock.pause_at(1_000)
        page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('refused')) }")
        snippet = page.locator(".snippet").first
        snippet.locator("button").click()
        snippet.locator("span", has_text="Selected").wait_for()
        assert page.evaluate("getSelection().toString()") == snippet.locator("code").text_content()


def test_the_keyboard_reaches_everything_in_reading_order(browser: Browser, url: str) -> None:
    # hosting A15
    with opened(browser, f"{url}/docs") as seen:
        page = seen.page
        wanted = page.evaluate(
            """[...document.querySelectorAll('a[href], button')].map((each, at) => {
              each.dataset.at = at;
              return at;
            })"""
        )
        reached = []
        for _ in wanted:
            page.keyboard.press("Tab")
            at, outlined, seen_it = page.evaluate(
                """(() => {
                  const here = document.activeElement, box = here.getBoundingClientRect();
                  const style = getComputedStyle(here);
                  return [Number(here.dataset.at), style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
                    box.width > 0 && box.bottom > 0 && box.top < innerHeight];
                })()"""
            )
            assert outlined and seen_it, page.evaluate("document.activeElement.outerHTML")
            reached.append(at)
        assert reached == wanted


def test_the_first_link_leads_past_the_navigation(browser: Browser, url: str) -> None:
    with opened(browser, f"{url}/docs") as seen:
        page = seen.page
        page.keyboard.press("Tab")
        assert page.locator(":focus").inner_text() == "Skip to content"
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.querySelector('main').contains(document.activeElement)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("path", ["/docs", [*DOCS][-1]])
def test_an_accessibility_audit_finds_nothing(
    browser: Browser, url: str, path: str, size: dict[str, int], scheme: str
) -> None:
    with opened(browser, url + path, color_scheme=scheme, viewport=size) as seen:
        found = Axe().run(seen.page).response
        assert len(found["passes"]) > 20
        assert "color-contrast" in {rule["id"] for rule in found["passes"]}
        told = [(rule["id"], [node["html"] for node in rule["nodes"][:3]]) for rule in found["violations"]]
        assert told == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_page_can_be_looked_at(browser: Browser, url: str, size: dict[str, int], scheme: str) -> None:
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    with opened(browser, f"{url}/docs", color_scheme=scheme, viewport=size) as seen:
        whole = ARTIFACTS / f"docs-{scheme}-{size['width']}.png"
        seen.page.screenshot(path=whole, full_page=True)
        first = ARTIFACTS / f"docs-{scheme}-{size['width']}-top.png"
        seen.page.screenshot(path=first)
        assert whole.stat().st_size > first.stat().st_size > 10_000
        red = seen.page.evaluate("getComputedStyle(document.body).backgroundColor.match(/[0-9]+/)[0]")
        assert (int(red) > 128) is (scheme == "light")


# Scripts of other pages


class Blank(BaseHTTPRequestHandler):
    """An empty page, for the origin that it has."""

    def do_GET(self) -> None:
        body = b"<!doctype html><title>x</title><link rel=icon href=data:,>"
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[int]:
    """The port of another site's server."""
    site = ThreadingHTTPServer(("127.0.0.1", 0), Blank)
    thread = threading.Thread(target=site.serve_forever)
    thread.start()
    yield site.server_port
    site.shutdown()
    thread.join()
    site.server_close()


CALL = """async ([url, ask]) => {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: {'Content-Type': 'application/json', 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Method': ask.method},
      body: JSON.stringify(ask),
    });
    const header = name => answer.headers.get(name);
    return {status: answer.status, id: header('X-Request-Id'), wait: header('Retry-After'), body: await answer.json()};
  } catch (error) {
    return {failed: error.name};
  }
}"""
ASK = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def call_from(page: Page, url: str) -> Mapping[str, Any]:
    """What a script of a page makes of a call; its headers need a preflight."""
    found: Mapping[str, Any] = page.evaluate(CALL, [f"{url}/mcp", ASK])
    return found


def test_a_script_of_an_allowed_page_calls_and_one_of_another_page_cannot(
    browser: Browser, serve: Serving, elsewhere: int
) -> None:
    # hosting A92
    with serve(PAPERDESK_ALLOWED_ORIGINS=f"default,http://{FRIEND}:{elsewhere}") as server:
        for name in ("127.0.0.1", "localhost", FRIEND):
            with opened(browser, f"http://{name}:{elsewhere}/") as seen:
                found = call_from(seen.page, server.url)
                assert found["status"] == 200
                assert found["body"]["result"]["tools"][0]["name"] == TOOLSETS[0].tools[0].name
                assert len(found["id"]) == 16
        with opened(browser, f"http://{STRANGER}:{elsewhere}/") as seen:
            assert call_from(seen.page, server.url) == {"failed": "TypeError"}
            assert any("CORS policy" in text for text in seen.complaints)


def test_a_script_of_an_allowed_page_reads_how_long_to_wait(browser: Browser, serve: Serving, elsewhere: int) -> None:
    # hosting A92
    with serve(PAPERDESK_LIMIT_PER_MINUTE="2") as server, opened(browser, f"http://127.0.0.1:{elsewhere}/") as seen:
        answers = [call_from(seen.page, server.url) for _ in range(3)]
        assert [answer["status"] for answer in answers] == [200, 200, 429]
        refused = answers[-1]
        assert (refused["body"]["error"], refused["body"]["budget"]) == ("rate_limit_exceeded", "per_minute")
        assert 1 <= int(refused["wait"]) <= 60
        assert refused["body"]["retry_after_s"] == int(refused["wait"])


def test_a_script_of_any_page_reads_the_public_documents(browser: Browser, url: str, elsewhere: int) -> None:
    # hosting A45
    read = "async url => { const got = await fetch(url); return [got.headers.get('ETag'), await got.json()] }"
    with opened(browser, f"http://{STRANGER}:{elsewhere}/") as seen:
        for path in ("/.well-known/mcp", "/mcp/server-card", "/.well-known/ai-catalog.json"):
            tag, body = seen.page.evaluate(read, url + path)
            answer = httpx.get(url + path)
            assert (tag, body) == (answer.headers["etag"], json.loads(answer.content))
