"""Fulfils the port `Connector` over a catalog and, where there is one, the evidence beside it."""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import TypeVar

from core.catalog.backend import CatalogBackend
from core.catalog.directions import direction
from core.catalog.missing import quoted
from core.catalog.models import (
    Benchmark,
    BenchmarkFilters,
    BenchmarkOrder,
    Direction,
    Entity,
    EntityKind,
    PaperFilters,
    PaperRow,
    SearchMode,
)
from core.catalog.resolve import Resolver
from core.errors import Ambiguous, Entry, InvalidInput, NoFullText, NotFound
from core.evidence.claims import checked_units
from core.evidence.connector.documents import (
    TITLE_CHARS,
    benchmark_document,
    benchmark_url,
    claim_document,
    claim_title,
    paper_document,
)
from core.evidence.connector.text import TEXT_BYTES
from core.evidence.desk import EvidenceDesk, paper_body
from core.evidence.identity import DEFAULT_SITE, named_by, read_reference
from core.evidence.listing import cut
from core.evidence.results import Document, Hit, Hits, PaperAnswer
from core.evidence.whole_paper import without_evidence
from core.identifiers import Identifier, IdentifierKind

HITS_MAX = 20
CLAIMS_MAX = 6
_RANK_BASE = 60
_KINDS = ("paper", "benchmark", "claim")
_WEIGHTS = {"paper": 1.0, "benchmark": 0.8, "claim": 0.6}
_ROWS_MAX = 20
_OWN_IDS = tuple(f"{kind}:" for kind in _KINDS)
_CLAIM_DIGITS_MAX = 16

Value = TypeVar("Value")


class ConnectorDesk:
    """Searches and fetches; `evidence` is None where there is no evidence set."""

    def __init__(self, backend: CatalogBackend, evidence: EvidenceDesk | None, *, site_url: str = DEFAULT_SITE) -> None:
        self._backend = backend
        self._evidence = evidence
        self._resolver = Resolver(backend, asks_public_metadata=False)
        self._site = site_url

    async def search(self, *, query: str) -> Hits:
        """At most 20 documents, best first."""
        if query.strip().startswith(_OWN_IDS):
            hits = await self._only(self.fetch(id=query))
            _, _, rest = query.partition(":")
            if hits.results or len(rest.split()) <= 1:
                return hits
            query = rest  # words after a heading, such as `claim: novices gain most`
        if identifier := named_by(query):
            return await self._only(self._paper(identifier, query))
        checked_units(query)
        papers, claims, benchmarks = await asyncio.gather(
            self._papers(query), self._claims(query), self._benchmarks(query)
        )
        ranked = [
            (-_WEIGHTS[kind] / (_RANK_BASE + rank), _KINDS.index(kind), hit.id, hit)
            for kind, hits in (("paper", papers), ("benchmark", benchmarks), ("claim", claims[:CLAIMS_MAX]))
            for rank, hit in enumerate(hits, start=1)
        ]
        best = sorted(ranked, key=lambda each: each[:3])
        return Hits(results=[hit for *_, hit in best[:HITS_MAX]])

    async def _only(self, fetching: Awaitable[Document]) -> Hits:
        try:
            found = await fetching
        except NotFound:
            return Hits(results=[])
        return Hits(results=[Hit(id=found.id, title=found.title, url=found.url)])

    async def _papers(self, query: str) -> list[Hit]:
        rows = (await self._backend.search(query, SearchMode.KEYWORD, PaperFilters(), (), 1, HITS_MAX)).rows
        known = {} if self._evidence is None else await self._evidence.known(rows)
        hits = [
            Hit(id=f"paper:{brief.paper_id}", title=brief.title, url=brief.url)
            if (brief := known.get(row.canonical_id))
            else await self._hit(row)
            for row in rows
        ]
        if self._evidence is not None:
            # Evidence knows words that the catalog does not search: takeaways, summaries, themes and claims.
            page = await self._evidence.search_papers(query=query, limit=HITS_MAX)
            own = [Hit(id=f"paper:{row.paper_id}", title=row.title, url=row.url) for row in page.results]
            hits = _merged(hits, own)
        return hits[:HITS_MAX]

    async def _hit(self, row: PaperRow) -> Hit:
        """A catalog paper without evidence as its document names it."""
        body = paper_body(await self._backend.paper(row.canonical_id), self._site)
        return Hit(id=f"paper:{body['paper_id']}", title=cut(body["title"], TITLE_CHARS), url=body["url"])

    async def _claims(self, query: str) -> list[Hit]:
        if self._evidence is None:
            return []
        rows = (await self._evidence.search_claims(query=query, limit=CLAIMS_MAX)).results
        return [Hit(id=f"claim:{row.claim_id}", title=claim_title(row.claim_text), url=row.paper.url) for row in rows]

    async def _benchmarks(self, query: str) -> list[Hit]:
        filters = BenchmarkFilters(search=query)
        found = await self._backend.benchmarks(filters, BenchmarkOrder.PAPER_COUNT, Direction.DESC, 1, HITS_MAX)
        return [
            Hit(
                id=f"benchmark:{each.slug or each.id}",
                title=cut(each.name, TITLE_CHARS),
                url=benchmark_url(each, self._site),
            )
            for each in found.rows
        ]

    async def fetch(self, *, id: str) -> Document:
        """One document by its id, or a paper by any reference."""
        try:
            return await self._document(id)
        except NotFound as error:
            # The rooms behind name their own tools in what to do next, which a connector does not have.
            raise NotFound(
                f"There is no document {quoted(id.strip())} here. Find one with search, or send an id such as"
                " paper:arxiv:1706.03762, claim:123 or benchmark:imagenet-1k, or the DOI, arXiv id or exact title of a"
                " paper.",
                suggestions=error.suggestions,
            ) from error

    async def _document(self, id: str) -> Document:
        kind, _, rest = id.strip().partition(":")
        if kind == "claim" and rest:
            return await self._claim(rest.strip())
        if kind == "benchmark" and rest:
            return await self._benchmark(rest.strip())
        reference = rest if kind == "paper" and rest else id
        if kind == "paper" and not rest.strip():
            raise InvalidInput("The id names no paper. Send one such as paper:arxiv:1706.03762.")
        identifier = read_reference(reference, titles=True)
        return await self._paper(identifier, reference)

    async def _paper(self, identifier: Identifier, reference: str) -> Document:
        text = reference if identifier.kind is IdentifierKind.TITLE else str(identifier)
        answer = await self._answer(text)
        body, goes_on = await self._text(answer)
        return paper_document(answer, body, goes_on=goes_on)

    async def _answer(self, reference: str) -> PaperAnswer:
        if self._evidence is not None:
            return await self._evidence.get_paper(paper_id=reference)
        record, _ = await self._resolver.with_paper(reference, self._backend.paper)
        return without_evidence(paper_body(record, self._site), "", None)

    async def _text(self, answer: PaperAnswer) -> tuple[str | None, bool]:
        """The start of the stored text, and whether it goes on."""
        try:
            reference = answer.paper.arxiv_id or answer.paper.paper_id
            _, resolution = await self._resolver.with_paper(reference, self._backend.paper)
            chunk = await self._backend.read(resolution.paper, 0, TEXT_BYTES, None)
        except (NotFound, NoFullText):
            return None, False
        return chunk.body.decode(), chunk.next_offset is not None

    async def _claim(self, text: str) -> Document:
        number = int(text) if text.isascii() and text.isdecimal() and len(text) <= _CLAIM_DIGITS_MAX else None
        found = None if self._evidence is None or number is None else await self._evidence.claim(number)
        if found is None:
            raise NotFound("There is no such claim.")
        return claim_document(*found)

    async def _named_benchmark(self, text: str) -> Entity:
        try:
            entity, _ = await self._resolver.entity(EntityKind.BENCHMARK, text)
        except NotFound as error:
            raise NotFound(error.message, suggestions=_fetched(error.suggestions)) from error
        except Ambiguous as error:
            raise Ambiguous(error.message, candidates=_fetched(error.candidates)) from error
        return entity

    async def _benchmark(self, text: str) -> Document:
        entity = await self._named_benchmark(text)
        benchmark: Benchmark = await self._backend.benchmark(entity.id)
        rows = (await self._backend.leaderboard(entity.id, 1, _ROWS_MAX)).rows
        directions = {name: direction(name, benchmark.metric_directions) for name in benchmark.metrics}
        return benchmark_document(benchmark, rows, directions, self._site)


def _fetched(entries: Sequence[Entry]) -> list[Entry]:
    """Benchmarks by the ids that `fetch` takes."""
    return [replace(entry, id=f"benchmark:{entry.id}") for entry in entries]


def _merged(one: list[Hit], other: list[Hit]) -> list[Hit]:
    """Two orders of papers as one, by reciprocal ranks; ties by id."""
    scores: dict[str, float] = {}
    hits: dict[str, Hit] = {}
    for order in (one, other):
        for rank, hit in enumerate(order, start=1):
            scores[hit.id] = scores.get(hit.id, 0.0) + 1.0 / (_RANK_BASE + rank)
            hits.setdefault(hit.id, hit)
    return [hits[key] for key in sorted(scores, key=lambda key: (-scores[key], key))]
