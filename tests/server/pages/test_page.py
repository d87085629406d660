"""The page as a document: what it holds, what it links to, and that it needs nothing from outside."""

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from itertools import pairwise

import httpx
import pytest
from desk_toolset import TOOLSET, Desk, Sum
from live import PUBLIC_URL

from core.clock import ManualClock
from server.pages.facts import Facts
from server.pages.page import page
from server.registry import BoundToolset, BudgetUse, ErrorCode, Tool
from server.served import TOOLSETS

VOID = {"meta", "link", "wbr"}
LIMITS = {"per_minute": 60, "catalog_semantic_per_minute": 10, "brand_new": 1_000}


@dataclass
class Node:
    tag: str
    attributes: dict[str, str]
    children: "list[Node | str]" = field(default_factory=list)

    @property
    def text(self) -> str:
        """What is read, with runs of blanks as one."""
        return " ".join(self.raw.split())

    @property
    def raw(self) -> str:
        return "".join(child if isinstance(child, str) else child.raw for child in self.children)

    def every(self, *tags: str) -> "Iterator[Node]":
        for child in self.children:
            if isinstance(child, Node):
                if child.tag in tags or not tags:
                    yield child
                yield from child.every(*tags)

    def one(self, tag: str, **attributes: str) -> "Node":
        (found,) = [each for each in self.every(tag) if attributes.items() <= each.attributes.items()]
        return found


class Tree(HTMLParser):
    """A strict reader: every element is closed, in the order in which it was opened."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.root = Node("root", {})
        self._open = [self.root]
        self.feed(text)
        self.close()
        assert self._open == [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"{tag} has an attribute twice"
        node = Node(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(node)
        if tag not in VOID:
            self._open.append(node)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


def bound(*toolsets: object) -> list[BoundToolset]:
    return [BoundToolset(toolset, None, clock=ManualClock()) for toolset in toolsets]  # type: ignore[arg-type]


def read(facts: Facts, toolsets: Sequence[BoundToolset], only: BoundToolset | None = None) -> Node:
    return Tree(page(facts, toolsets, only=only).body.decode()).root


@pytest.fixture(scope="module")
def released() -> Node:
    """The page of all that is released."""
    return read(Facts(PUBLIC_URL, limits=LIMITS), bound(*TOOLSETS))


def test_every_tool_and_every_part_has_its_anchor(released: Node) -> None:
    # hosting A15 (part)
    ids = [node.attributes["id"] for node in released.every() if "id" in node.attributes]
    assert len(ids) == len(set(ids))
    wanted = {"connect", "limits", "errors", *(toolset.id for toolset in TOOLSETS)}
    wanted |= {f"{toolset.id}-{tool.name}" for toolset in TOOLSETS for tool in toolset.tools}
    assert wanted <= set(ids)
    linked = {node.attributes["href"] for node in released.every("a")}
    assert {link.removeprefix("#") for link in linked if link.startswith("#")} <= set(ids)


def test_the_page_needs_nothing_from_outside(released: Node) -> None:
    # hosting A15 (part)
    for node in released.every():
        assert "src" not in node.attributes and "style" not in node.attributes
        assert not any(name.startswith("on") for name in node.attributes)
    links = {node.attributes["rel"]: node.attributes["href"] for node in released.every("link")}
    assert links.keys() == {"icon", "alternate"}
    assert links["icon"].startswith("data:image/svg+xml,")
    assert not list(released.every("img", "iframe", "object", "embed", "form", "base"))
    assert "url(" not in released.one("style").raw and "@import" not in released.one("style").raw


def test_the_security_headers_fit_the_page() -> None:
    # hosting A53
    form = page(Facts(PUBLIC_URL), bound(*TOOLSETS))
    text = form.body.decode()

    def hash_of(tag: str) -> str:
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        return "sha256-" + base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()

    policy = (
        f"default-src 'none'; style-src '{hash_of('style')}'; script-src '{hash_of('script')}'; img-src data:;"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    assert form.headers == (
        (b"content-security-policy", policy.encode()),
        (b"referrer-policy", b"no-referrer"),
        (b"x-frame-options", b"DENY"),
        (b"cross-origin-opener-policy", b"same-origin"),
    )


def test_the_security_headers_are_sent_with_the_page_and_not_with_json(client: httpx.Client) -> None:
    # hosting A53
    as_page = client.get("/docs?format=html")
    for name, value in page(Facts(PUBLIC_URL), bound(*TOOLSETS)).headers:
        assert as_page.headers[name.decode()] == value.decode()
    assert "content-security-policy" not in client.get("/docs").headers


def test_the_headings_are_in_order_and_name_their_sections(released: Node) -> None:
    levels = [int(node.tag[1]) for node in released.every("h1", "h2", "h3", "h4")]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(below - above <= 1 for above, below in pairwise(levels))
    names = {node.attributes["id"]: node.text for node in released.every("h2", "h3") if "id" in node.attributes}
    for node in released.every("section", "article"):
        assert names[node.attributes["aria-labelledby"]]


def test_the_page_has_its_landmarks_and_a_way_past_the_navigation(released: Node) -> None:
    body = released.one("body")
    assert [len(list(body.every(tag))) for tag in ("header", "nav", "main", "footer")] == [1, 1, 1, 1]
    first = next(body.every("a"))
    assert (first.attributes["class"], first.attributes["href"]) == ("skip", "#content")
    assert body.one("main").attributes["id"] == "content"
    assert released.one("html").attributes["lang"] == "en"
    assert released.one("title").text == "paperdesk: the research desk for AI agents"


def test_every_table_has_a_caption_and_headers_with_a_scope(released: Node) -> None:
    tables = list(released.every("table"))
    arguments = sum(bool(tool.input_schema["properties"]) for toolset in TOOLSETS for tool in toolset.tools)
    offers = sum(bool(toolset.resources) + bool(toolset.prompts) for toolset in TOOLSETS)
    assert len(tables) == arguments + offers + 1 + 2 * len(TOOLSETS)
    for table in tables:
        assert table.one("caption").text
        scopes = [node.attributes["scope"] for node in table.every("th")]
        rows = [row for row in table.every("tr") if any(row.every("td"))]
        assert scopes.count("row") == len(rows) and scopes.count("col") >= 2


def test_without_scripts_no_button_is_shown_and_nothing_is_missing(released: Node) -> None:
    buttons = list(released.every("button"))
    assert buttons and all("hidden" in button.attributes for button in buttons)
    assert len({button.text for button in buttons}) == len(buttons), "each says what it copies"


async def count(services: Desk, upto: int = 3) -> Sum:
    """Counts <b>up</b>, unlike add_up.

    For sums use add_up; `upto` is
    where it ends.
    """
    raise NotImplementedError


async def add_up(services: Desk) -> Sum:
    """Adds."""
    raise NotImplementedError


SMALL = replace(
    TOOLSET,
    id="small",
    title="paperdesk <small>",
    tools=(
        Tool(count, "Count & stop", budgets=(BudgetUse("brand_new", unless=("upto", "0")),), example={"upto": 5}),
        Tool(add_up, "Add up"),
    ),
    errors=(ErrorCode("too_small", False, "Ask add_up for `more`."), ErrorCode("later", True, "Wait.")),
)


@pytest.fixture(scope="module")
def small() -> Node:
    return read(Facts(PUBLIC_URL, limits=LIMITS), bound(SMALL))


def test_a_tool_is_shown_with_its_texts_rows_and_example(small: Node) -> None:
    tool = small.one("article", id="small-count")
    assert tool.one("h3").text == "count Count & stop"
    texts = [node.text for node in tool.every("p")]
    assert texts == [
        "Counts <b>up</b>, unlike add_up.",
        "For sums use add_up; upto is where it ends.",
        "Draws on brand_new unless upto is 0.",
    ]
    assert [link.attributes["href"] for link in tool.every("a")] == [
        "#small-count",
        "#small-add_up",
        "#small-add_up",
        "#limits",
    ]
    rows = [[cell.text for cell in row.every("th", "td")] for row in tool.one("table").every("tr")]
    assert rows == [["Argument", "Type and bounds", "Default", "Meaning"], ["upto", "integer", "3", ""]]
    assert tool.one("pre").text == '{"name": "count", "arguments": {"upto": 5}}'
    other = small.one("article", id="small-add_up")
    assert [node.text for node in other.every("p")] == ["Adds.", "It takes no arguments."]
    assert not list(other.every("table", "figure"))


def test_texts_of_the_registry_are_escaped(small: Node) -> None:
    assert not list(small.every("b", "tt"))
    assert small.one("h2", id="small-title").text == "paperdesk <small>"


def test_limits_and_errors_are_tables_of_the_facts(small: Node) -> None:
    def rows(section: str) -> list[list[str]]:
        table = small.one("section", id=section).one("table")
        return [[cell.text for cell in row.every("th", "td")] for row in table.every("tr")]

    limits = rows("limits")
    assert limits[:4] == [
        ["Limit", "At most", "What counts"],
        [
            "per_minute",
            "60",
            "requests in any 60 seconds, over all endpoints together; a batch counts as many as it has items",
        ],
        [
            "catalog_semantic_per_minute",
            "10",
            "catalog searches by meaning in any 60 seconds",
        ],
        ["brand_new", "1,000", "brand new; drawn on by count unless upto is 0"],
    ]
    assert [row[:2] for row in limits[4:]] == [
        ["request_headers_bytes", "16 KiB"],
        ["request_headers_fields", "100"],
        ["request_body_bytes", "2 MiB"],
        ["upstream_answer_bytes", "2 MiB"],
        ["tool_result_bytes", "2 MiB"],
        ["resources_read_bytes", "2 MiB"],
        ["any_answer_bytes", "2 MiB"],
    ]
    assert rows("errors") == [
        ["Code", "May pass", "Meaning"],
        ["too_small", "no", "Ask add_up for more."],
        ["later", "yes", "Wait."],
    ]


@pytest.mark.parametrize(("anonymous", "said"), [(True, "without a key"), (False, "A key may allow more")])
def test_the_limits_say_for_whom_they_hold(anonymous: bool, said: str) -> None:
    facts = Facts(PUBLIC_URL, limits=LIMITS, anonymous=anonymous)
    text = read(facts, bound(SMALL)).one("section", id="limits").one("p").text
    assert said in text and "429" in text and "503" in text


def test_a_service_without_budgets_says_so() -> None:
    text = read(Facts(PUBLIC_URL), bound(SMALL)).one("section", id="limits").text
    assert "Requests are not counted here" in text and "429" not in text


def test_a_toolsets_own_page_shows_it_alone() -> None:
    toolsets = bound(*TOOLSETS, replace(SMALL, path="/mcp/small"))
    own = read(Facts(PUBLIC_URL), toolsets, toolsets[-1])
    assert own.one("h1").text == "paperdesk <small>"
    assert [node.attributes["id"] for node in own.every("article")] == ["small-count", "small-add_up"]
    assert any(node.attributes["href"] == "https://desk.example.org/docs" for node in own.one("header").every("a"))
    assert "https://desk.example.org/mcp/small" in own.one("section", id="connect").text
    assert "https://desk.example.org/mcp " not in own.text
    whole = read(Facts(PUBLIC_URL), toolsets)
    assert {"catalog", "small"} <= {node.attributes.get("id") for node in whole.every("section")}
    assert "https://desk.example.org/mcp/small" in whole.one("section", id="connect").text


def test_the_page_stays_modest() -> None:
    # one toolset of 21 tools, before compression
    assert len(page(Facts(PUBLIC_URL, limits=LIMITS), bound(*TOOLSETS)).body) < 60_000 + 3_000 * sum(
        len(toolset.tools) for toolset in TOOLSETS
    )


def test_each_toolset_says_when_its_calls_end_and_when_the_longest_do(small: Node, released: Node) -> None:
    def told(root: Node, id: str) -> str:
        (found,) = [node.text for node in root.one("section", id=id).every("p") if node.text.startswith("A call ends")]
        return found.partition(". ")[0]

    assert told(small, "small") == "A call ends after 0.5 seconds"
    assert told(released, "catalog") == "A call ends after 25 seconds"
    assert told(released, "references") == "A call ends after 25 seconds, of some tools after 55"
