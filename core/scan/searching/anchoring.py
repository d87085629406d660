"""Works that the client knows, found by DOI or by exact title (scan contract 7.9)."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from core.errors import InvalidReference
from core.identifiers import IdentifierKind, parse
from core.scan.identity.keys import ids_of_identifier
from core.scan.identity.records import dated, ordered, united
from core.scan.models import Anchor, FoundWork, Ids
from core.scan.profiles import ANCHOR_RATIO
from core.scan.queries.writers import title_words
from core.scan.searching.asking import Asking, Got, gathered
from core.scan.searching.batching import Answered, at_arxiv, at_crossref, at_openalex, doi_of
from core.scan.searching.catalog import CatalogSource
from core.scan.searching.found import found_work, placed
from core.scan.searching.port import AnchorsFound, Event, Warned
from core.scan.searching.reach import Reach
from core.scan.titles import differ_in_kind, title_ratio
from core.scan.vocabulary import SourceName
from core.sources.answers import ListedWork

TITLE_HITS = 3

_Named = tuple[SourceName, FoundWork]


class AnchorRound:
    """The anchors of one plan."""

    def __init__(self, catalog: CatalogSource, asking: Asking, reach: Reach, caller: str) -> None:
        self._catalog = catalog
        self._asking = asking
        self._reach = reach
        self._caller = caller

    async def run(self, anchors: Sequence[Anchor]) -> AnchorsFound:
        """The works by place; an anchor whose DOI nobody knows is looked for by its title, where it has one."""
        ids = {place: named for place, anchor in enumerate(anchors) if (named := _ids_of(anchor.doi))}
        records = await self._by_ids(ids)
        titles = {
            place: anchor.title
            for place, anchor in enumerate(anchors)
            if anchor.title is not None and not records.get(place)
        }
        found: list[list[_Named]] = await gathered([partial(self._by_title, title) for title in titles.values()])
        records |= dict(zip(titles, found, strict=True))
        works = {place: _anchor(records[place], place) for place in range(len(anchors)) if records.get(place)}
        unresolved = tuple(place for place in range(len(anchors)) if place not in works)
        return AnchorsFound(works, unresolved, tuple(_events(len(anchors), works)), tuple(map(_warned, unresolved)))

    async def _by_ids(self, ids: Mapping[int, Ids]) -> dict[int, list[_Named]]:
        """What each source has under a DOI or arXiv id."""
        how: dict[str, Any] = {"asking": self._asking, "reach": self._reach, "caller": self._caller}
        dois = {place: doi for place, each in ids.items() if (doi := doi_of(each))}
        registered = {place: each.doi for place, each in ids.items() if each.doi}
        preprints = {place: each.arxiv for place, each in ids.items() if each.arxiv}
        openalex, crossref, arxiv = await gathered(
            [
                partial(at_openalex, list(dois.values()), **how),
                partial(at_crossref, list(registered.values()), **how),
                partial(at_arxiv, list(preprints.values()), **how),
            ]
        )
        found: dict[int, list[_Named]] = {place: [] for place in ids}
        for place, each in ids.items():
            known = await self._catalog.by_identifier(each)
            found[place] += [] if known is None else [("catalog", known)]
            found[place] += _named("openalex", openalex, dois.get(place))
            found[place] += _named("crossref", crossref, registered.get(place))
            found[place] += _named("arxiv", arxiv, preprints.get(place))
        return found

    async def _by_title(self, title: str) -> list[_Named]:
        """The first work of each source that has this very title; S2 is asked only where no other source has it."""
        found: list[_Named] = [("catalog", each) for each in await self._catalog.by_title(title, TITLE_HITS)]
        near, far = await gathered([partial(self._titled, source, title) for source in ("openalex", "crossref")])
        kept = _same([*found, *near, *far], title)
        return kept or _same(await self._titled("s2", title), title)

    async def _titled(self, source: SourceName, title: str) -> list[_Named]:
        words, sources, caller = title_words(title), self._reach.sources, self._caller
        if not words or not self._reach.has(source):
            return []

        async def search() -> Sequence[ListedWork]:
            match source:
                case "openalex" if sources.openalex is not None:
                    return await sources.openalex.listed(words, limit=TITLE_HITS, caller=caller)
                case "crossref" if sources.crossref is not None:
                    return await sources.crossref.listed(words, rows=TITLE_HITS, caller=caller)
                case "s2" if sources.semantic_scholar is not None:
                    return await sources.semantic_scholar.listed(words, limit=TITLE_HITS, caller=caller)
                case _:
                    return ()

        got = await self._asking.ask(source, search)
        works = (found_work(each, source) for each in got.value or ())
        return [(source, work) for work in works if work is not None]


def _ids_of(doi: str | None) -> Ids | None:
    """The DOI or arXiv id that an anchor gives."""
    try:
        found = parse(doi, titles=False, bare_digits="refuse") if doi else None
    except InvalidReference:
        return None
    if found is None or found.kind not in (IdentifierKind.DOI, IdentifierKind.ARXIV):
        return None
    ids = ids_of_identifier(found)
    return ids if doi_of(ids) else None


def _named(source: SourceName, answers: Answered, id: str | None) -> list[_Named]:
    got: Got[ListedWork] = answers.get(id or "", Got())
    work = None if got.value is None else found_work(got.value, source)
    return [] if work is None else [(source, work)]


def _same(found: Sequence[_Named], title: str) -> list[_Named]:
    """The first of each source that is called so; a title that differs in a number or a negation is another work's."""
    kept: dict[SourceName, FoundWork] = {}
    for source, work in found:
        if title_ratio(work.title, title) >= ANCHOR_RATIO and not differ_in_kind(work.title, title):
            kept.setdefault(source, work)
    return list(kept.items())


def _anchor(records: Sequence[_Named], place: int) -> FoundWork:
    """One work of all that sources say of it, the first of them where they do not speak of one and the same."""
    works = [dated(placed(work, source, "anchor", place)) for source, work in records]
    return united(ordered(_agreeing(works)))


def _agreeing(works: Sequence[FoundWork]) -> list[FoundWork]:
    """The first record and those that have no other DOI, arXiv id or PubMed id than what is known by then."""
    kept = [works[0]]
    for work in works[1:]:
        if all(_agree(work.ids, each.ids) for each in kept):
            kept.append(work)
    return kept


def _agree(one: Ids, other: Ids) -> bool:
    pairs = ((one.doi, other.doi), (one.arxiv, other.arxiv), (one.pmid, other.pmid))
    return all(mine is None or its is None or mine == its for mine, its in pairs)


def _events(count: int, works: Mapping[int, FoundWork]) -> list[Event]:
    return [
        {"event": "anchor_resolved" if place in works else "anchor_unresolved", "anchor": place}
        for place in range(count)
    ]


def _warned(place: int) -> Warned:
    return Warned("anchor_unresolved", f"Anchor {place + 1} of the plan was not found and takes no part.")
