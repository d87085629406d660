"""Live records of works: registries first and in bulk, then indexes, each only as far as it is needed (7.13)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from core.identifiers import Identifier
from core.scan.models import Candidate, Ids, LiveRecord
from core.scan.profiles import BIBLIOGRAPHIC_RATIO
from core.scan.searching.asking import Asking, Got, gathered
from core.scan.searching.batching import Answered, at_arxiv, at_crossref, at_openalex, doi_of
from core.scan.searching.catalog import identifiers_of
from core.scan.searching.port import Answers, Event, Lookups
from core.scan.searching.reach import Reach
from core.scan.titles import differ_in_sense, title_ratio
from core.scan.vocabulary import SourceName
from core.sources.answers import ListedWork
from core.works.names import name_parts

S2_LOOKUPS_MAX = 20
BIBLIOGRAPHIC_ROWS = 5
VERIFYING: tuple[SourceName, ...] = ("crossref", "datacite", "arxiv", "openalex", "s2")
"""In the order in which a record of one counts before that of another."""

_RETRACTED_TITLES = ("retracted:", "withdrawn:", "retracted article:", "[retracted]")
_YEARS_APART = 1


@dataclass(slots=True)
class _Found:
    """What is known of one candidate so far, by source: a record, None where the source has none."""

    records: dict[SourceName, LiveRecord | None] = field(default_factory=dict)
    unchecked: set[SourceName] = field(default_factory=set)
    is_doi_unresolved: bool = False

    def note(self, source: SourceName, candidate: Candidate, got: Got[ListedWork], by: str = "identifier") -> None:
        if got.failure:
            self.records.pop(source, None)
            self.unchecked.add(source)
        else:
            self.records[source] = None if got.value is None else live_record(source, candidate, got.value, by=by)

    def has(self, source: SourceName) -> bool:
        return self.records.get(source) is not None

    def answers(self) -> Answers:
        return Answers(
            records=tuple(found for source in VERIFYING if (found := self.records.get(source)) is not None),
            absent=tuple(each for each in VERIFYING if each in self.records and self.records[each] is None),
            unchecked=tuple(each for each in VERIFYING if each in self.unchecked),
            is_doi_unresolved=self.is_doi_unresolved,
        )


@dataclass(frozen=True, slots=True)
class _Elsewhere:
    """What became of a DOI that Crossref's list lacks; None of whoever was not asked."""

    datacite: Got[ListedWork] | None = None
    agency: Got[str] | None = None
    crossref: Got[ListedWork] | None = None


class LookupRound:
    """The lookups of one stage."""

    def __init__(self, candidates: Sequence[Candidate], asking: Asking, reach: Reach, caller: str) -> None:
        self._candidates = candidates
        self._asking = asking
        self._reach = reach
        self._caller = caller
        self._found = {each.cid: _Found() for each in candidates}
        self._retracted: set[str] = set()

    async def run(self) -> Lookups:
        """The answers of all sources, by cid."""
        on = [source for source in VERIFYING if self._reach.has(source)]
        await gathered([self._registered, self._in_arxiv, self._indexed, self._cited])
        await self._in_s2()
        answered = frozenset(source for source in on if self._asking.answered(source))
        failed = frozenset(source for source in on if self._asking.failed.get(source))
        return Lookups(
            answers={each.cid: self._answers(each) for each in self._candidates},
            answered=answered,
            failed=failed,
            is_offline=not on,
            events=tuple(self._events(on)),
        )

    async def _registered(self) -> None:
        """DOIs at the agencies that register them."""
        with_doi = {each.cid: each.work.ids.doi for each in self._candidates if each.work.ids.doi}
        if not self._reach.has("crossref"):
            self._unchecked("crossref", with_doi)
            return
        found = await at_crossref(list(with_doi.values()), asking=self._asking, reach=self._reach, caller=self._caller)
        self._note("crossref", with_doi, found)
        for got in found.values():
            self._retracted.update(got.value.retracts if got.value else ())
        elsewhere = [doi for doi, got in found.items() if got.is_absent]
        outcomes = await gathered([partial(self._elsewhere, doi) for doi in elsewhere])
        for doi, others in zip(elsewhere, outcomes, strict=True):
            for candidate in self._candidates:
                if candidate.work.ids.doi == doi:
                    self._settle(candidate, others)

    async def _elsewhere(self, doi: str) -> _Elsewhere:
        """At DataCite; then at Crossref once more, alone, where the DOI system says that it is there."""
        sources, ask, caller = self._reach.sources, self._asking.ask, self._caller
        datacite, agencies, crossref = sources.datacite, sources.doi_ra, sources.crossref
        at_datacite: Got[ListedWork] | None = None
        if datacite is not None:
            at_datacite = await ask("datacite", partial(datacite.listed_work, doi, caller=caller))
            if not at_datacite.is_absent:
                return _Elsewhere(at_datacite)
        agency: Got[str] = Got(failure="failed")
        if agencies is not None:
            agency = await ask("doi-ra", partial(agencies.agency, doi, caller=caller))
        if (agency.value or "").lower() != "crossref" or crossref is None:
            return _Elsewhere(at_datacite, agency)
        again = await ask("crossref", partial(crossref.listed_work, doi, caller=caller))
        return _Elsewhere(at_datacite, agency, again)

    def _settle(self, candidate: Candidate, elsewhere: _Elsewhere) -> None:
        found, agency = self._found[candidate.cid], elsewhere.agency
        found.note("datacite", candidate, elsewhere.datacite or Got(failure="failed"))
        if elsewhere.crossref is not None:
            found.note("crossref", candidate, elsewhere.crossref)
        if agency is not None and agency.failure:
            # Nobody could say whether there is such a DOI: its registry counts as not asked.
            found.note("datacite", candidate, Got(failure="failed"))
        found.is_doi_unresolved = agency is not None and agency.is_absent

    async def _in_arxiv(self) -> None:
        with_id = {each.cid: each.work.ids.arxiv for each in self._candidates if each.work.ids.arxiv}
        if not self._reach.has("arxiv"):
            self._unchecked("arxiv", with_id)
            return
        ids = list(with_id.values())
        found = await at_arxiv(ids, asking=self._asking, reach=self._reach, caller=self._caller)
        self._note("arxiv", with_id, found)

    async def _indexed(self) -> None:
        with_doi = {each.cid: doi for each in self._candidates if (doi := doi_of(each.work.ids))}
        if not self._reach.has("openalex"):
            self._unchecked("openalex", with_doi)
            return
        found = await at_openalex(list(with_doi.values()), asking=self._asking, reach=self._reach, caller=self._caller)
        self._note("openalex", with_doi, found)

    async def _cited(self) -> None:
        """Works without DOI and arXiv id, by title at Crossref."""
        bare = [each for each in self._candidates if doi_of(each.work.ids) is None]
        crossref = self._reach.sources.crossref
        if crossref is None or not self._reach.has("crossref"):
            self._unchecked("crossref", [each.cid for each in bare])
            return
        calls = [
            partial(crossref.listed, each.work.title, rows=BIBLIOGRAPHIC_ROWS, caller=self._caller) for each in bare
        ]
        answers: list[Got[Sequence[ListedWork]]] = await gathered(
            [partial(self._asking.ask, "crossref", call) for call in calls]
        )
        for candidate, got in zip(bare, answers, strict=True):
            self._retracted.update(doi for each in got.value or () for doi in each.retracts)
            same = next((each for each in got.value or () if _is_cited(candidate, each)), None)
            self._found[candidate.cid].note("crossref", candidate, Got(same, got.failure), by="bibliographic")

    async def _in_s2(self) -> None:
        """Works that no independent record confirms so far."""
        s2 = self._reach.sources.semantic_scholar
        if s2 is None or not self._reach.has("s2"):
            return
        wanted = [each for each in self._candidates if self._is_unconfirmed(each)][:S2_LOOKUPS_MAX]
        named = {each.cid: name for each in wanted for name in _names_at_s2(each)}
        wanted = [each for each in wanted if each.cid in named]
        calls = [partial(s2.listed_work, named[each.cid], caller=self._caller) for each in wanted]
        answers: list[Got[ListedWork]] = await gathered([partial(self._asking.ask, "s2", call) for call in calls])
        for candidate, got in zip(wanted, answers, strict=True):
            self._found[candidate.cid].note("s2", candidate, got)

    def _is_unconfirmed(self, candidate: Candidate) -> bool:
        """Whether S2 could be the first independent record: it did not supply the work, and no other one is there."""
        found, origins = self._found[candidate.cid], {origin.source for origin in candidate.work.origins}
        if doi_of(candidate.work.ids) is None or "s2" in origins:
            return False
        registered = any(found.has(source) for source in ("crossref", "datacite", "arxiv"))
        return not registered and not (found.has("openalex") and "openalex" not in origins)

    def _note(self, source: SourceName, asked: Mapping[str, str], found: Answered) -> None:
        for candidate in self._candidates:
            if candidate.cid in asked:
                self._found[candidate.cid].note(source, candidate, found[asked[candidate.cid]])

    def _unchecked(self, source: SourceName, cids: Iterable[str]) -> None:
        for cid in cids:
            self._found[cid].unchecked.add(source)

    def _answers(self, candidate: Candidate) -> Answers:
        answers = self._found[candidate.cid].answers()
        if candidate.work.ids.doi not in self._retracted:
            return answers
        records = tuple(
            replace(each, is_retracted=True) if each.source == "crossref" else each for each in answers.records
        )
        return replace(answers, records=records)

    def _events(self, on: Iterable[SourceName]) -> Iterable[Event]:
        for source in on:
            asked, failed = self._asking.asked.get(source, 0), self._asking.failed.get(source, 0)
            records = sum(each.has(source) for each in self._found.values())
            yield {"event": "http", "source": source, "asked": asked, "failed": failed, "records": records}
        matched = sum(
            1 for each in self._found.values() if (got := each.records.get("crossref")) and got.by != "identifier"
        )
        yield {"event": "bibliographic_match", "matched": matched}


def live_record(source: SourceName, candidate: Candidate, found: ListedWork, *, by: str = "identifier") -> LiveRecord:
    """What a source says of a candidate. Of title and title with subtitle the one that is nearer is compared."""
    work = found.work
    titles = [work.title] if work.title else []
    if work.title and work.subtitle:
        titles.append(f"{work.title}: {work.subtitle}")
    title = max(titles, key=lambda each: title_ratio(each, candidate.work.title), default=None)
    first = next(iter(work.authors), None)
    is_marked = (title or "").lower().startswith(_RETRACTED_TITLES)
    return LiveRecord(
        source=source,
        title=title,
        year=work.year,
        first_author_family=None if first is None or first.group else name_parts(first)[0],
        doi=work.doi,
        is_retracted=found.is_retracted or is_marked,
        by=by,
    )


def _is_cited(candidate: Candidate, found: ListedWork) -> bool:
    """Whether a row of a bibliographic search is the work: its title, and a year within one where both are known."""
    record, work = live_record("crossref", candidate, found), candidate.work
    if record.title is None or title_ratio(record.title, work.title) < BIBLIOGRAPHIC_RATIO:
        return False
    if differ_in_sense(record.title, work.title):
        return False
    return record.year is None or work.year is None or abs(record.year - work.year) <= _YEARS_APART


def _names_at_s2(candidate: Candidate) -> tuple[Identifier, ...]:
    """The DOI or arXiv id of a work that has one; an index is never asked by its own id."""
    ids = candidate.work.ids
    return identifiers_of(Ids(doi=ids.doi) if ids.doi else Ids(arxiv=ids.arxiv))
