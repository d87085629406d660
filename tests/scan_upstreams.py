"""The sources of scans on one loopback port, in a thread: answers that follow from the questions, as slow as wanted."""

import asyncio
import contextlib
import hashlib
import re
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import orjson

Json = dict[str, Any]

HITS = 12
KNOWN = 100_000
"""Works are numbers below this; every source knows each of them."""
_DOI = re.compile(r"10\.1234/w([0-9]{1,6})")
_SETTINGS = {
    "OPENALEX": "/openalex",
    "CROSSREF": "/crossref",
    "DATACITE": "/datacite",
    "ARXIV_API": "/arxiv",
    "SEMANTIC_SCHOLAR": "/s2/graph/v1",
    "DOI_RA": "/doi",
}


@dataclass
class ScanUpstreams:
    """What was asked, as paths, and how long each answer takes; `latency_s` may be changed at any time."""

    latency_s: float = 0.0
    port: int = 0
    asked: list[str] = field(default_factory=list)

    def settings(self) -> dict[str, str]:
        """The environment of a service that takes these for the real sources, without a pause between requests."""
        found = {"PAPERDESK_ALLOW_LOOPBACK_SOURCES": "true", "PAPERDESK_CONTACT_EMAIL": "desk@papers.test"}
        for name, path in _SETTINGS.items():
            found[f"PAPERDESK_SOURCE_{name}_URL"] = f"http://127.0.0.1:{self.port}{path}"
        return found

    def await_asked(self, count: int, *, limit_s: float = 60.0) -> None:
        """Returns when so many requests have come in all."""
        ends_s = time.monotonic() + limit_s
        while len(self.asked) < count:
            assert time.monotonic() < ends_s, f"{len(self.asked)} requests came, not {count}"
            time.sleep(0.01)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, one request."""
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            parts = urlsplit(head.split(b" ", 2)[1].decode())
            self.asked.append(parts.path)
            await asyncio.sleep(self.latency_s)
            body = answered(unquote(parts.path), {name: values[0] for name, values in parse_qs(parts.query).items()})
            status, sent = ("404 Not Found", b"{}") if body is None else ("200 OK", body)
            lines = (f"HTTP/1.1 {status}", f"content-length: {len(sent)}", "content-type: application/json")
            writer.write("\r\n".join([*lines, "connection: close", "", ""]).encode() + sent)
            await writer.drain()
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


def answered(path: str, asked: Mapping[str, str]) -> bytes | None:
    """The body of an answer; None where there is nothing."""
    source, _, rest = path.removeprefix("/").partition("/")
    match source:
        case "openalex":
            numbers = _listed(asked.get("filter", ""), asked.get("search", asked.get("filter", "")))
            return orjson.dumps({"meta": {"count": len(numbers)}, "results": [openalex_row(each) for each in numbers]})
        case "crossref":
            numbers = _listed(asked.get("filter", ""), asked.get("query.bibliographic", ""))
            return orjson.dumps({"status": "ok", "message": {"items": [crossref_row(each) for each in numbers]}})
        case "s2":
            return _at_s2(rest, asked)
        case "arxiv":
            entries = "".join(arxiv_entry(each) for each in _works(asked.get("search_query", "")))
            return f'<feed xmlns="http://www.w3.org/2005/Atom">{entries}</feed>'.encode()
    return None


def _at_s2(path: str, asked: Mapping[str, str]) -> bytes | None:
    rows = [s2_row(each) for each in _works(asked.get("query", path))]
    if "recommendations" in path:
        return orjson.dumps({"recommendedPapers": rows})
    if path.endswith("/references"):
        return orjson.dumps({"data": [{"citedPaper": each} for each in rows]})
    if path.endswith("/citations"):
        return orjson.dumps({"data": [{"citingPaper": each} for each in rows]})
    return orjson.dumps({"total": len(rows), "data": rows}) if "/search" in path else None


def _listed(named: str, words: str) -> list[int]:
    """The works whose DOIs are named, or those that words lead to."""
    return [int(each) for each in _DOI.findall(named)] or _works(words)


def _works(words: str) -> list[int]:
    """Works that follow from words alone."""
    first = int.from_bytes(hashlib.sha256(words.encode()).digest()[:4]) % (KNOWN - HITS)
    return list(range(first, first + HITS))


def title_of(number: int) -> str:
    """The title of a work, unlike that of any other."""
    return f"{hashlib.sha256(f'{number}'.encode()).hexdigest()[:24]} in models of language {number}"


def openalex_row(number: int) -> Json:
    person = {"id": f"https://openalex.org/A{number}", "display_name": f"Ann Writer{number}"}
    return {
        "id": f"https://openalex.org/W{number + 1}",
        "doi": f"https://doi.org/10.1234/w{number}",
        "title": title_of(number),
        "type": "article",
        "publication_date": f"{2019 + number % 6}-03-04",
        "publication_year": 2019 + number % 6,
        "authorships": [{"author": person}],
        "abstract_inverted_index": {"What": [0], "is": [1], "known.": [2]},
        "cited_by_count": number % 50,
        "is_retracted": False,
        "referenced_works": [f"https://openalex.org/W{each + 1}" for each in range(number + 1, number + 4)],
    }


def crossref_row(number: int) -> Json:
    return {
        "DOI": f"10.1234/w{number}",
        "title": [title_of(number)],
        "type": "journal-article",
        "issued": {"date-parts": [[2019 + number % 6, 3]]},
        "author": [{"given": "Ann", "family": f"Writer{number}"}],
    }


def s2_row(number: int) -> Json:
    return {
        "paperId": f"{number:040x}",
        "externalIds": {"DOI": f"10.1234/w{number}"},
        "title": title_of(number),
        "year": 2019 + number % 6,
        "authors": [{"authorId": f"{number}", "name": f"Ann Writer{number}"}],
        "abstract": "What is known.",
        "citationCount": number % 50,
        "publicationTypes": ["JournalArticle"],
    }


def arxiv_entry(number: int) -> str:
    return (
        f"<entry><id>http://arxiv.org/abs/2401.{number % 100_000:05d}v1</id><title>{title_of(number)}</title>"
        f"<published>2024-01-04T00:00:00Z</published><author><name>Ann Writer{number}</name></author></entry>"
    )


@contextlib.contextmanager
def scan_upstreams(latency_s: float = 0.0) -> Iterator[ScanUpstreams]:
    """The sources, until the block ends."""
    upstreams, ready = ScanUpstreams(latency_s), threading.Event()
    loop = asyncio.new_event_loop()
    ending = asyncio.Event()

    async def listening() -> None:
        server = await asyncio.start_server(upstreams.serve, "127.0.0.1", 0)
        upstreams.port = server.sockets[0].getsockname()[1]
        ready.set()
        await ending.wait()
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    thread = threading.Thread(target=loop.run_until_complete, args=(listening(),), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield upstreams
    finally:
        loop.call_soon_threadsafe(ending.set)
        thread.join(10)
        loop.close()
