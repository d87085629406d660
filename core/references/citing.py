"""Works for citation texts: the catalog first, then Crossref (references contract, 3.20, 3.21, 6.1)."""

from collections.abc import Sequence

from core.catalog.models import PaperFilters, SearchMode
from core.errors import InvalidInput, PaperdeskError, SourceTimeout
from core.references.asking import Asking
from core.references.attempts import traced
from core.references.batches import log_defect, within_call
from core.references.citations.queries import Batch, named_in, read_queries, read_query
from core.references.citations.ranking import Found, Ranking, rank
from core.references.citations.shown import shown, shown_failures
from core.references.failures import failure_of
from core.references.results import CitationAnswer, RowsAnswer
from core.references.room import Room
from core.references.shelf import work_of

_CATALOG_HITS = 5
_NOTHING = Ranking((), None)


class Citations:
    """Finds what a citation means."""

    def __init__(self, room: Room) -> None:
        self._room = room

    async def one(self, query: str, limit: int) -> CitationAnswer:
        """Candidates for one citation."""
        batch = read_query(query, limit)
        asking = self._room.asking()
        ranking = _NOTHING
        if batch.texts:
            with traced(asking.trace):
                ranking = await self._ranking(batch.texts[0], batch, asking)
        row = shown([(query, ranking)])[0]
        return CitationAnswer(ok=True, **row, attempts=asking.trace.shown())

    async def many(self, queries: Sequence[str], limit: int) -> RowsAnswer:
        """Candidates for each of several citations, in order; each text is searched once."""
        batch = read_queries(queries, limit)
        rankings: dict[str, Ranking | Exception] = {}

        async def fill(_: str, text: str) -> None:
            asking = self._room.asking()
            try:
                with traced(asking.trace):
                    rankings[text] = await self._ranking(text, batch, asking)
            except Exception as error:
                log_defect(error)
                rankings[text] = error

        await within_call({text: text for text in batch.texts}, fill)
        late = SourceTimeout("The batch ran out of time before this citation; send it again.", source="crossref")
        found = [_NOTHING if place is None else rankings.get(batch.texts[place], late) for place in batch.places]
        good = [(query, each) for query, each in zip(queries, found, strict=True) if isinstance(each, Ranking)]
        bad = shown_failures(
            [
                (query, failure_of(each).shown(in_batch=True))
                for query, each in zip(queries, found, strict=True)
                if not isinstance(each, Ranking)
            ]
        )
        rows, failures = iter(shown(good, beside=bad)), iter(bad)
        results = [next(rows if isinstance(each, Ranking) else failures) for each in found]
        return RowsAnswer(ok=True, results=results)

    async def _ranking(self, text: str, batch: Batch, asking: Asking) -> Ranking:
        found = await self._named(text, asking)
        named_alone = rank(text, found, batch.limit)
        own = await self._catalog(text, asking)
        ranking = rank(text, [*found, *own], batch.limit)
        if not found and ranking.best is not None and ranking.best.found.source == "catalog":
            asking.trace.note("crossref", "not_consulted_not_needed")
            accepted = [each for each in own if each.work.key == ranking.best.found.work.key]
            return rank(text, accepted, batch.limit)
        if named_alone.best is not None:
            asking.trace.note("crossref", "not_consulted_not_needed")
            return ranking
        try:
            works = await asking.of(
                "crossref",
                asking.sources.crossref,
                lambda each: each.search(text, rows=batch.rows, caller=asking.caller),
            )
        except PaperdeskError:
            # What was found already is an answer; nothing at all would pass for "no such work".
            if not ranking.candidates:
                raise
            return ranking
        return rank(text, [*found, *own, *(Found(work, "crossref") for work in works)], batch.limit)

    async def _named(self, text: str, asking: Asking) -> list[Found]:
        """The record that an identifier in the text names; a wrong one does not end the search."""
        named = named_in(text)
        if named is None:
            return []
        try:
            resolved = await self._room.resolution.resolve(named.identifier, asking)
        except PaperdeskError:
            return []
        return [Found(resolved.work, resolved.source, named.text)]

    async def _catalog(self, text: str, asking: Asking) -> list[Found]:
        backend = self._room.shelf.backend
        try:
            rows = list(await backend.near_titles(text, _CATALOG_HITS))
            hits = await backend.search(text[:500], SearchMode.KEYWORD, PaperFilters(), (), 1, _CATALOG_HITS)
            ids = dict.fromkeys(row.canonical_id for row in [*hits.rows, *rows])
            works = [work_of(await backend.paper(id)) for id in ids]
        except InvalidInput:
            works = []
        except PaperdeskError as error:
            asking.trace.failed("catalog", error)
            return []
        found = [Found(work, "catalog") for work in works]
        # What shares too few words to be a candidate is no record of what was cited.
        known = rank(text, found, _CATALOG_HITS).candidates
        asking.trace.note("catalog", "consulted_resolved" if known else "consulted_no_record")
        return found
