"""Sources that answer with floods, loops and endless nesting: every tool answers honestly, within its size and time."""

import gzip
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from core.catalog.embedded.store import EmbeddedCatalog
from tests.references_desk import ALL_ON, Tools, check_error, tools_over
from tests.scripted_upstream import Behaviour, Writer, answer

pytestmark = [pytest.mark.gate, pytest.mark.timeout(120)]

PLANTED = "PLANTED-BY-A-SOURCE"
DOI = "10.1234/planted"
CHARACTERS_MAX = 150_000

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("resolve_paper", {"ref": DOI, "check_retraction": True, "include_oa_location": True}),
    ("batch_fetch", {"refs": [DOI, "2401.12345", "pmid:9659853"]}),
    ("paper_search", {"query": "zebrafish histology"}),
    ("paper_text", {"ref": "2401.12345"}),
    ("paper_tex_source", {"ref": "2401.12345"}),
    ("expand_citation_graph", {"ref": DOI}),
)


async def endless_headers(writer: Writer) -> None:
    """A head that never ends."""
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while not writer.is_closing():
        writer.write(b"x-planted: " + PLANTED.encode() * 50 + b"\r\n")
        await writer.drain()


async def endless_body(writer: Writer) -> None:
    """A body that never ends, as fast as it is read."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n[")
    while not writer.is_closing():
        writer.write(b'"' + PLANTED.encode() * 2_000 + b'",')
        await writer.drain()


def message(**fields: Any) -> dict[str, Any]:
    """One record as several sources would have it."""
    record = {"DOI": DOI, "doi": DOI, "id": DOI, "type": "article", **fields}
    return {"message": {**record, "items": [record]}, "results": [record], **record}


KINDS: dict[str, Behaviour] = {
    "deep JSON": answer(b'{"message":' * 10_000 + b"1" + b"}" * 10_000),
    "deep lists": answer(b'{"message":' + b"[" * 200_000 + b"]" * 200_000 + b"}"),
    "deep XML": answer(b"<feed>" + b"<entry>" * 30_000),
    "entities": answer(
        b'<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><feed><entry>&b;</entry></feed>'
    ),
    "no number": answer(b'{"message": {"title": [NaN], "DOI": Infinity}}'),
    "a key twice": answer(b'{"message": {"DOI": "10.1/x"}, "message": {"DOI": [], "title": {"a": 1}}, "results": 1}'),
    "many authors": answer(
        message(
            title=["T"],
            author=[{"family": PLANTED, "given": str(number)} for number in range(20_000)],
            authorships=[{"author": {"display_name": PLANTED}}] * 20_000,
        )
    ),
    "long title": answer(message(title=["x" * 300_000], display_name="x" * 300_000)),
    "a loop": answer(b"", 302, {"location": f"/works/{PLANTED}"}),
    "a packed flood": answer(gzip.compress(bytes(60_000_000), 9), headers={"content-encoding": "gzip"}),
    "an endless head": endless_headers,
    "an endless body": endless_body,
    "half a body": answer(b'{"message": {"title"', length=500),
    "a negative length": answer(b"{}", headers={"content-length": "-5"}),
    "a huge length": answer(b"{}", headers={"content-length": "9" * 5_000}),
    "a huge wait": answer(b"", 429, {"retry-after": "9" * 5_000}),
    "odd encoding": answer(b"\xff\xfe{\x00}\x00", headers={"content-encoding": PLANTED, "content-type": PLANTED}),
}


def told(value: Any) -> list[str]:
    """Every text in the errors and traces of an answer."""
    if isinstance(value, dict):
        found = [repr(each) for name, each in value.items() if name in ("error", "attempts", "denial_context")]
        return found + [text for each in value.values() for text in told(each)]
    return [text for each in value for text in told(each)] if isinstance(value, list) else []


@pytest.fixture
async def tools(sample_directory: Path) -> AsyncIterator[Tools]:
    """All sources that a hosted service with a contact has."""
    backend = EmbeddedCatalog.open(sample_directory, kind="sample")
    async with tools_over(backend, ALL_ON) as found:
        yield found
    backend.close()


@pytest.mark.parametrize("kind", KINDS)
async def test_no_answer_of_a_source_floods_or_stops_a_tool(
    tools: Tools, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "paperdesk")
    tools.world.otherwise = KINDS[kind]
    for name, arguments in CALLS:
        tools.desk.time.clock.advance(8 * 86_400)
        outcome = await tools.call(name, arguments)
        assert outcome.structured is not None
        assert len(repr(outcome.structured)) + sum(map(len, outcome.texts)) < CHARACTERS_MAX
        if "error" in outcome.structured:
            check_error(outcome.structured["error"])
        assert "inside paperdesk" not in repr(outcome.structured), name
        assert not any(PLANTED in text for text in told(outcome.structured)), name
    assert PLANTED not in caplog.text and "crashed" not in caplog.text
