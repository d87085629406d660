"""From a DOI to its arXiv paper, and the graph of what a work cites (references contract, 3.12, 3.17)."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from core.errors import Denial, NotFound, PaperdeskError, SourceMalformed
from core.identifiers import Identifier, IdentifierKind, Via, parse
from core.references.asking import Asking, first_known, spellings
from core.references.attempts import traced
from core.references.failures import BadArgument
from core.references.graph import GraphBounds, Node, walk
from core.references.results import GraphAnswer, LinkAnswer
from core.references.room import Room, not_taken, read_reference
from core.references.text.cuts import units_of
from core.sources.answers import CitingWork

_TITLE_CHARS = (300, 150, 80, 40)
_NODES_IN_TEXT = 25
_UNITS_MAX = 70_000


class Links:
    """What a DOI leads to."""

    def __init__(self, room: Room) -> None:
        self._room = room

    async def link(self, ref: str) -> LinkAnswer:
        """The arXiv paper of a DOI; never by title."""
        identifier = _doi(ref)
        asking = self._room.asking()
        with traced(asking.trace, identifier):
            async with self._room.session("metadata"):
                known = await self.linked(identifier, asking)
        return LinkAnswer(ok=True, ref=ref, canonical=identifier.key, **known, attempts=asking.trace.shown())

    async def linked(self, identifier: Identifier, asking: Asking) -> dict[str, Any]:
        """`doi`, `arxiv`, `openalex_id`, `title`, `source` and `published_doi` of a DOI."""
        if identifier.kind is IdentifierKind.ARXIV:
            return await self._of_arxiv_doi(identifier, asking)
        try:
            work = await self._room.shelf.work(identifier)
        except PaperdeskError as error:
            asking.trace.failed("catalog", error)
            work = None
        if work is not None and work.arxiv_id is not None and work.doi is not None:
            asking.trace.note("catalog", "consulted_resolved")
            asking.trace.note("openalex", "not_consulted_not_needed")
            return _known(work.doi, work.arxiv_id, work.openalex_id, work.title, "catalog", None)
        asking.trace.note("catalog", "consulted_no_record")
        caller, openalex = asking.caller, asking.sources.openalex
        record = await first_known(
            spellings(identifier),
            lambda doi: asking.of("openalex", openalex, lambda each: each.work(_read_doi(doi), caller=caller)),
        )
        found = record.work
        if found.openalex_id is None:
            denial = Denial("schema_drift", "openalex", attempted="id")
            raise SourceMalformed("OpenAlex answered with a work without an id.", source="openalex", denial=denial)
        arxiv = f"{found.arxiv_id}{found.arxiv_version or ''}" if found.arxiv_id else None
        return _known(
            found.doi or identifier.value, arxiv, found.openalex_id, found.title, "openalex", found.preprint_of
        )

    async def _of_arxiv_doi(self, identifier: Identifier, asking: Asking) -> dict[str, Any]:
        """An arXiv DOI says by itself which paper it is; the catalog adds what it knows."""
        try:
            work = await self._room.shelf.work(identifier)
        except PaperdeskError as error:
            asking.trace.failed("catalog", error)
            work = None
        arxiv, doi = f"{identifier.id}{identifier.version or ''}", f"10.48550/arxiv.{identifier.value}"
        if work is None:
            asking.trace.note("catalog", "consulted_no_record")
            return _known(doi, arxiv, None, None, "arxiv_doi", None)
        asking.trace.note("catalog", "consulted_resolved")
        published = work.doi if work.doi and not work.doi.startswith("10.48550/") else work.preprint_of
        return _known(doi, arxiv, work.openalex_id, work.title, "catalog", published)

    async def graph(self, ref: str, *, depth: int, total: int, per_paper: int) -> GraphAnswer:
        """The graph around a DOI, over outgoing references."""
        identifier = _doi(ref)
        for name, value in (("depth", depth), ("total", total), ("per_paper", per_paper)):
            if value < 0:
                raise BadArgument(f"{name} is a whole number of at least 0.", field=name)
        asking = self._room.asking()
        caller, openalex = asking.caller, asking.sources.openalex

        async def fetch(ids: Sequence[str]) -> Mapping[str, CitingWork]:
            return await asking.of("openalex", openalex, lambda each: each.citing_works(ids, caller=caller))

        with traced(asking.trace, identifier):
            texts = [identifier.value] if identifier.kind is IdentifierKind.ARXIV else list(spellings(identifier))
            async with self._room.session("metadata"):
                seed = await first_known(
                    texts,
                    lambda text: asking.of(
                        "openalex", openalex, lambda each: each.citing_work(_spelt(identifier, text), caller=caller)
                    ),
                )
                found = await walk(seed, GraphBounds(depth, total, per_paper), fetch)
        for failure in found.failures:
            asking.trace.failed("openalex", failure)
        return GraphAnswer(
            ok=True,
            ref=ref,
            canonical=identifier.key,
            seed_work_id=seed.id,
            **_fitting(found.nodes, found.edges),
            truncated=found.truncated,
            total_visited=len(found.nodes),
            attempts=asking.trace.shown(),
        )


def _doi(ref: str) -> Identifier:
    """A DOI; an arXiv id is none, the DOI of an arXiv paper is one."""
    identifier = read_reference(ref)
    if identifier.kind is IdentifierKind.DOI or identifier.via is Via.ARXIV_DOI:
        if not identifier.plausible:
            raise NotFound(f"There is no arXiv paper {identifier.id}: no such id can exist.")
        return identifier
    raise not_taken(
        identifier, "This tool takes a DOI, as in 10.1038/nature14539; doiget_resolve_paper resolves other ids."
    )


def _read_doi(doi: str) -> Identifier:
    return parse(f"doi:{doi}", titles=False, bare_digits="refuse")


def _spelt(identifier: Identifier, text: str) -> Identifier:
    return identifier if text in (identifier.id, identifier.value) else _read_doi(text)


def _known(
    doi: str | None, arxiv: str | None, openalex: str | None, title: str | None, source: str, published: str | None
) -> dict[str, Any]:
    return {
        "doi": doi,
        "arxiv": arxiv,
        "openalex_id": openalex,
        "title": title,
        "source": source,
        "published_doi": published,
    }


def _fitting(nodes: Sequence[Node], edges: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The graph, with titles cut as far as it needs to stay under 25,000 tokens; one that was cut has an ellipsis."""
    shown: dict[str, Any] = {"edges": [{"from": citing, "to": cited} for citing, cited in edges]}
    for title_chars in _TITLE_CHARS:
        shown["nodes"] = [_node(node, title_chars) for node in nodes]
        # The text for a person repeats some of the titles.
        titles = sum(units_of(node["title"] or "") for node in shown["nodes"][:_NODES_IN_TEXT])
        if units_of(orjson.dumps(shown).decode()) + titles <= _UNITS_MAX:
            break
    return shown


def _node(node: Node, title_chars: int) -> dict[str, Any]:
    work = node.work
    shown: dict[str, Any] = {"id": node.id, "depth": node.depth}
    names = ("title", "doi", "arxiv", "year", "cited_by_count")
    shown |= {name: getattr(work, name) if work is not None else None for name in names}
    if shown["title"] is not None and len(shown["title"]) > title_chars:
        shown["title"] = f"{shown['title'][: title_chars - 1]}…"
    return {**shown, "retracted": True if work is not None and work.is_retracted else None}
