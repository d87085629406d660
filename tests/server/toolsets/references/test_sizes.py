"""The largest answers: of each tool by default, and of any call at all (references contract, section 1.4)."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest

from core.catalog.embedded.store import EmbeddedCatalog
from core.catalog.models import PaperRecord, PaperRow
from core.references.text.cuts import units_of
from server.toolsets.references import TOOLSET
from tests.core.sources.answered import BEST
from tests.core.sources.test_arxiv import entry, feed
from tests.references_desk import ALL_OFF, Tools, tools_over
from tests.scripted_upstream import Behaviour, answer
from tests.server.toolsets.references.test_citing import found as found_items
from tests.server.toolsets.references.test_citing import item
from tests.server.toolsets.references.test_identities import big_record
from tests.server.toolsets.references.test_resolving import unpaywall
from tests.server.toolsets.references.test_searching import results, work
from tests.source_world import Asked
from tests.told_backend import ToldBackend

TOKENS_MAX, CHARS_MAX = 25_000, 150_000
LONG = "Aufmerksamkeit ist alles, was man für sehr lange Titel braucht: 注意力機制 "
TITLE = (LONG * 12).strip()
ABSTRACT = "漢字とかな。" * 3_000
COPY = {**BEST, "url_for_pdf": f"https://press.test/{'long/' * 60}1.pdf"}
PEOPLE = [{"author": {"display_name": f"Бартоломью Длиннофамильный {number}"}} for number in range(60)]
PLACE = {"source": {"display_name": LONG * 4}}
WORDS = {f"слово{number}": [number] for number in range(900)}
TEXT = (
    '<html><body><article class="ltx_document"><h1 class="ltx_title ltx_title_document">題名</h1>'
    + "".join(
        f'<section class="ltx_section"><h2 class="ltx_title">{number} 節の見出し</h2>'
        f'<p class="ltx_p">{"長い文章の段落です。" * 200}</p></section>'
        for number in range(250)
    )
    + "</article></body></html>"
).encode()


def crossref_work(asked: Asked) -> Behaviour:
    doi = asked.path.removeprefix("/works/").replace("%2F", "/")
    return answer({"status": "ok", "message": big_record(200, DOI=doi, title=[TITLE], abstract=ABSTRACT)})


def openalex_works(asked: Asked) -> Any:
    large = {"title": TITLE, "authorships": PEOPLE, "primary_location": PLACE, "abstract_inverted_index": WORDS}
    if "openalex:" in asked.params["filter"]:
        numbers = [int(id[1:]) for id in asked.params["filter"].removeprefix("openalex:").split("|")]
        return results(*(work(number, *cited(number), **large) for number in numbers))
    first = int(asked.params["page"]) * 1_000_000
    return results(*(work(first + number, **large) for number in range(int(asked.params["per-page"]))))


def cited(number: int) -> list[int]:
    return [1_000_000_000 + (number * 7 + step * 13) % 120 for step in range(20)]


def arxiv(asked: Asked) -> Behaviour:
    ids = asked.params["id_list"].split(",")
    return answer(feed(*(entry(f"{id}v1", title=TITLE, summary=ABSTRACT) for id in ids)))


class _Everywhere(dict[str, Any]):
    """Scripts by the beginnings of host and path."""

    def get(self, key: str, default: Any = None) -> Any:
        return next((script for start, script in self.items() if key.startswith(start)), default)


def large_world(tools: Tools) -> None:
    seed = work(1, *cited(1), title=TITLE)
    scripts: dict[str, Any] = {
        "api.crossref.org/works/": crossref_work,
        "api.crossref.org/works": found_items(
            *(item(f"10.1000/{n}", TITLE, "Aufmerksamkeit", 2017) for n in range(20))
        ),
        "api.unpaywall.org/v2/": unpaywall(best_oa_location=COPY, oa_locations=[COPY] * 40, title=TITLE),
        "api.openalex.org/works/": answer(seed),
        "api.openalex.org/works": openalex_works,
        "export.arxiv.org/api/query": arxiv,
        "ar5iv.labs.arxiv.org/html/": answer(TEXT),
        "export.arxiv.org/src/": answer(("\\documentclass{article}\n" + "數學 $x$ " * 40_000).encode()),
    }
    tools.world.scripts = _Everywhere(scripts)


def dois(count: int) -> list[str]:
    return [f"10.1234/{'x' * 200}{number}" for number in range(count)]


CITATION = f"Longname, Aufmerksamkeit. {LONG}2017"
DEFAULTS: dict[str, dict[str, Any]] = {
    "resolve_paper": {"ref": dois(1)[0]},
    "metadata_only": {"ref": "2401.12345"},
    "fetch_paper": {"ref": dois(1)[0]},
    "batch_fetch": {"refs": dois(25)},
    "batch_from_bibliography": {"content": "\n".join(dois(25))},
    "info": {"ref": "1706.03762"},
    "search_local": {"query": ""},
    "paper_search": {"query": "zebrafish histology"},
    "paper_text": {"ref": "2401.12345"},
    "paper_tex_source": {"ref": "2401.12345"},
    "link": {"ref": dois(1)[0]},
    "list_recent": {},
    "paper_pdf_path": {"ref": "1706.03762"},
    "capability_profile": {},
    "health": {},
    "expand_citation_graph": {"ref": dois(1)[0]},
    "bibtex_export": {"refs": ["1706.03762"] * 25},
    "csl_export": {"refs": ["1706.03762"] * 25},
    "resolve_citation": {"query": CITATION},
    "batch_resolve_citations": {"queries": [f"{CITATION} {number}" for number in range(25)]},
}
LARGEST: list[tuple[str, dict[str, Any]]] = [
    ("resolve_paper", {"ref": dois(1)[0], "include_oa_location": True, "check_retraction": True}),
    ("batch_fetch", {"refs": dois(100)}),
    ("batch_from_bibliography", {"content": "\n".join(dois(100)), "format": "refs"}),
    ("paper_search", {"query": "zebrafish histology", "limit": 200}),
    ("paper_text", {"ref": "2401.12345", "max_chars": 60_000}),
    ("paper_tex_source", {"ref": "2401.12345", "max_chars": 60_000}),
    ("search_local", {"query": "", "limit": 200}),
    ("list_recent", {"limit": 200}),
    ("bibtex_export", {"refs": dois(20), "resolve": True}),
    ("csl_export", {"refs": dois(20), "resolve": True}),
    ("resolve_citation", {"query": (CITATION * 30)[:2_000], "limit": 255}),
    (
        "batch_resolve_citations",
        {"queries": [f"{number} {CITATION * 20}"[:2_000] for number in range(50)], "limit": 255},
    ),
]


def large_rows(found: Any) -> Any:
    """A backend's answer with titles, names and abstracts as large as they come."""
    if isinstance(found, tuple):
        return tuple(map(large_rows, found))
    if isinstance(found, PaperRow):
        return replace(found, title=TITLE)
    if isinstance(found, PaperRecord):
        names = tuple(f"Бартоломью Длиннофамильный {number}" for number in range(500))
        return replace(found, row=large_rows(found.row), authors=names, abstract=ABSTRACT, venue=LONG * 4)
    return None if found is None else replace(found, rows=large_rows(found.rows))


@pytest.fixture
async def large(sample_backend: EmbeddedCatalog) -> AsyncIterator[Tools]:
    """Over a catalog of large records."""
    backend = ToldBackend(sample_backend, kind="sample")
    for operation in ("find", "paper", "recent", "list_papers", "search", "near_titles"):
        backend.changes[operation] = large_rows
    async with tools_over(backend, ALL_OFF) as found:
        yield found


async def whole(tools: Tools, name: str, arguments: dict[str, Any]) -> str:
    """Both blocks of an answer that must be a good one."""
    large_world(tools)
    outcome = await tools.call(name, arguments)
    assert outcome.structured is not None and outcome.structured["ok"] is True, outcome.structured
    return outcome.encoded.decode() + "".join(outcome.texts)


def test_every_tool_is_measured() -> None:
    assert [f"doiget_{name}" for name in DEFAULTS] == [tool.name for tool in TOOLSET.tools]


# references A12
@pytest.mark.parametrize("name", DEFAULTS)
async def test_the_largest_answer_by_default_stays_under_its_tokens(
    tools: Tools, name: str, record_property: Callable[[str, object], None]
) -> None:
    units = units_of(await whole(tools, name, DEFAULTS[name]))
    record_property("tokens", units / 3)
    assert units / 3 < TOKENS_MAX


# references A12
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("resolve_paper", {"ref": "1706.03762"}),
        ("fetch_paper", {"ref": "1706.03762"}),
        ("batch_fetch", {"refs": [f"1706.03762v{number}" for number in range(1, 26)] + ["1706.03762"]}),
        ("info", {"ref": "1706.03762"}),
        ("search_local", {"query": ""}),
        ("list_recent", {}),
        ("bibtex_export", {"refs": ["1706.03762"] * 25}),
        ("csl_export", {"refs": ["1706.03762"] * 25}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_large_records_of_the_catalog_stay_under_the_tokens(
    large: Tools, name: str, arguments: dict[str, Any]
) -> None:
    outcome = await large.call(name, arguments)
    assert outcome.structured is not None and outcome.structured["ok"] is True
    text = outcome.encoded.decode() + "".join(outcome.texts)
    assert "Aufmerksamkeit" in text
    assert units_of(text) / 3 < TOKENS_MAX


# references A12
@pytest.mark.parametrize("name", ["bibtex_export", "csl_export"])
async def test_two_hundred_large_records_are_exported_under_the_characters(large: Tools, name: str) -> None:
    outcome = await large.call(name, {"refs": ["1706.03762"] * 200})
    assert outcome.structured is not None
    assert outcome.structured["ok"] is True, outcome.structured["error"]
    assert len(outcome.encoded.decode() + "".join(outcome.texts)) < CHARS_MAX


# references A12
@pytest.mark.parametrize(("name", "arguments"), LARGEST, ids=[name for name, _ in LARGEST])
async def test_the_largest_answer_of_any_call_stays_under_its_characters(
    tools: Tools, name: str, arguments: dict[str, Any]
) -> None:
    assert len(await whole(tools, name, arguments)) < CHARS_MAX
