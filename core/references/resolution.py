"""Resolves one reference: the catalog first, then the sources in their order (references contract, section 3.1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.errors import NotFound, PaperdeskError, Unsupported
from core.identifiers import Identifier, IdentifierKind, parse
from core.records import OaLocation, PartialDate, Work
from core.references.asking import Asking, first_known, spellings
from core.references.retraction import catalog_evidence
from core.references.shelf import ARXIV_LICENSE, Shelf, arxiv_location, is_enough, work_of
from core.references.shown_works import shown_work
from core.references.store.documents import OWN_TABLE
from core.references.store.store import Store
from core.sources.answers import OaAnswer, Record
from core.works.merging import merge
from core.works.repair import repair


@dataclass(frozen=True, slots=True)
class OpenAccess:
    """Where a work can be read; `status` None is not determined, which never means closed."""

    status: str | None = None
    url: str | None = None
    license: str | None = None
    locations: tuple[OaLocation, ...] = ()


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a reference came to. `identifier` is what was looked up, `records` all that was heard, best first."""

    identifier: Identifier
    source: str
    metadata: Mapping[str, Any]
    work: Work
    records: tuple[Record, ...]
    oa: OpenAccess = OpenAccess()
    trimmed: tuple[str, ...] = ()
    quality: tuple[str, ...] = ()
    repaired: Mapping[str, str] = field(default_factory=dict)
    kept: Mapping[str, Any] | None = None
    """What the user's store says of the entry that answered, where one did: its table `doiget`."""

    @property
    def stale(self) -> bool:
        """Whether a remembered answer past its life is among them."""
        return any(record.stale for record in self.records)


class Resolution:
    """The order in which a reference is looked up."""

    def __init__(self, shelf: Shelf, store: Store | None = None) -> None:
        self._shelf = shelf
        self._store = store

    async def resolve(self, identifier: Identifier, asking: Asking, *, include_oa: bool = False) -> Resolved:
        """The record of a reference; raises the error of the source that is first asked for its kind."""
        exchanged = await self.exchanged(identifier, asking)
        if isinstance(exchanged, Resolved):
            return exchanged
        if exchanged.kind is IdentifierKind.ARXIV:
            return await self._arxiv(exchanged, asking)
        return await self._doi(exchanged, asking, include_oa=include_oa)

    async def exchanged(self, identifier: Identifier, asking: Asking) -> Identifier | Resolved:
        """The DOI or arXiv id that a reference of another kind stands for; a record where it has neither."""
        require_plausible(identifier)
        if identifier.kind in (IdentifierKind.DOI, IdentifierKind.ARXIV):
            return identifier
        held = await self._shelf.work(identifier)
        if held is not None and (own := own_identifier(held)) is not None:
            return own
        match identifier.kind:
            case IdentifierKind.PMID | IdentifierKind.PMCID:
                record = await asking.of(
                    "ncbi", asking.sources.ncbi, lambda ncbi: ncbi.record(identifier, caller=asking.caller)
                )
                if record.work.doi is None:
                    raise Unsupported("This PubMed record has no DOI, and without one it cannot be resolved further.")
            case IdentifierKind.OPENALEX:
                record = await asking.of(
                    "openalex",
                    asking.sources.openalex,
                    lambda openalex: openalex.work(identifier, caller=asking.caller),
                )
            case IdentifierKind.S2:
                record = await asking.of(
                    "semantic_scholar",
                    asking.sources.semantic_scholar,
                    lambda graph: graph.work(identifier, caller=asking.caller),
                )
            case _:
                raise NotFound("The catalog holds no such paper; send its DOI or arXiv id.")
        return own_identifier(record.work) or _answered(identifier, record, record.work.sources[0])

    async def from_openalex(self, identifier: Identifier, asking: Asking) -> Resolved:
        """What OpenAlex knows of a DOI that nobody else answers for: it may tell where a copy is."""
        openalex = asking.sources.openalex
        record = await asking.of("openalex", openalex, lambda each: each.work(identifier, caller=asking.caller))
        return _answered(identifier, record, "openalex")

    async def _arxiv(self, identifier: Identifier, asking: Asking) -> Resolved:
        if (stored := await self._stored(identifier, asking)) is not None:
            return stored
        held = await self._held(identifier, asking)
        if held is not None and identifier.version is not None:
            asking.trace.note("catalog", "consulted_no_record", "it does not say which version it holds")
        elif held is not None and is_enough(held.work):
            asking.trace.note("arxiv", "not_consulted_not_needed")
            return _arxiv_answer(identifier, held, "catalog")
        arxiv = asking.sources.arxiv
        try:
            record = await asking.of("arxiv", arxiv, lambda each: each.record(identifier, caller=asking.caller))
            return _arxiv_answer(identifier, record, "arxiv", [held] if held else [])
        except NotFound:
            raise
        except PaperdeskError as error:
            return await self._without_arxiv(identifier, asking, held, error)

    async def _without_arxiv(
        self, identifier: Identifier, asking: Asking, held: Record | None, error: PaperdeskError
    ) -> Resolved:
        """arXiv cannot be asked: OpenAlex knows its papers by their DOIs, though no version of them."""
        openalex = asking.sources.openalex
        if identifier.version is None:
            try:
                record = await asking.of("openalex", openalex, lambda each: each.work(identifier, caller=asking.caller))
                return _arxiv_answer(identifier, record, "openalex", [held] if held else [])
            except PaperdeskError:
                if held is not None:
                    return _arxiv_answer(identifier, held, "catalog")
        raise error

    async def _doi(self, identifier: Identifier, asking: Asking, *, include_oa: bool) -> Resolved:
        found = await self._stored(identifier, asking) or await self._looked_up(identifier, asking)
        if found.source == "unpaywall" or not include_oa or found.oa.status is not None:
            return found
        return await with_open_access(found, asking)

    async def _looked_up(self, identifier: Identifier, asking: Asking) -> Resolved:
        held = await self._held(identifier, asking)
        if held is not None and is_enough(held.work):
            asking.trace.note("crossref", "not_consulted_not_needed")
            return _answered(identifier, held, "catalog", oa=_oa_of(held.work))
        return await self._from_agencies(identifier, asking, held)

    async def _from_agencies(self, identifier: Identifier, asking: Asking, held: Record | None) -> Resolved:
        others = [held] if held else []
        try:
            record = await first_known(spellings(identifier), lambda doi: _crossref(doi, asking))
            return _answered(identifier, record, "crossref", others)
        except PaperdeskError as error:
            first = error
        order = ("datacite", "unpaywall") if isinstance(first, NotFound) else ("unpaywall", "datacite")
        for source in order:
            try:
                if source == "datacite":
                    record = await first_known(spellings(identifier), lambda doi: _datacite(doi, asking))
                    oa = OpenAccess(license=record.work.license)
                    return _answered(identifier, record, "datacite", others, oa=oa)
                answer = await first_known(spellings(identifier), lambda doi: _unpaywall(doi, asking))
                return _answered(identifier, answer.record, "unpaywall", others, oa=oa_of_answer(answer))
            except PaperdeskError:
                continue
        if held is not None and not isinstance(first, NotFound):
            return _answered(identifier, held, "catalog", oa=_oa_of(held.work))
        raise first

    async def _stored(self, identifier: Identifier, asking: Asking) -> Resolved | None:
        """What the user's own store holds, where it is enough; the store is part of what lies at hand (3.1 step 1)."""
        if self._store is None:
            return None
        try:
            kept = await self._store.read(identifier)
        except PaperdeskError as error:
            # A damaged entry does not keep the others from answering.
            asking.trace.failed("store", error)
            return None
        if kept is None or kept.work is None or not is_enough(kept.work):
            asking.trace.note("store", "consulted_no_record")
            return None
        asking.trace.note("store", "consulted_resolved")
        asking.trace.note(
            "arxiv" if identifier.kind is IdentifierKind.ARXIV else "crossref", "not_consulted_not_needed"
        )
        # What is kept counts before what any source says now, whoever it once came from.
        year = kept.work.year
        dated = kept.work.published or (None if year is None else PartialDate.from_parts([year]))
        held = replace(kept.work, sources=("store",), published=dated)
        own, record = kept.metadata.get(OWN_TABLE), Record(held, shown_work(held))
        own = own if isinstance(own, dict) else {}
        if identifier.kind is IdentifierKind.ARXIV:
            found = _arxiv_answer(identifier, record, "catalog")
            return replace(found, kept=own, oa=replace(found.oa, license=kept.work.license or found.oa.license))
        # An entry has no address of a copy; only that there is none needs no address.
        status = "closed" if kept.work.oa_status == "closed" else None
        oa = OpenAccess(status, license=kept.work.license)
        return replace(_answered(identifier, record, "catalog", oa=oa), kept=own)

    async def _held(self, identifier: Identifier, asking: Asking) -> Record | None:
        try:
            record = await self._shelf.record(identifier)
        except PaperdeskError as error:
            # A catalog behind the network may fail; the sources may still answer.
            asking.trace.failed("catalog", error)
            return None
        if record is None:
            asking.trace.note("catalog", "consulted_no_record")
            return None
        asking.trace.note("catalog", "consulted_resolved")
        work = work_of(record)
        return Record(work, shown_work(work), evidence=catalog_evidence(record.is_retracted))


def require_plausible(identifier: Identifier) -> None:
    """Raises `NotFound` for an arXiv id that cannot exist; nobody is asked."""
    if not identifier.plausible:
        raise NotFound(f"There is no arXiv paper {identifier.id}: no such id can exist.")


def own_identifier(work: Work) -> Identifier | None:
    """The arXiv id or DOI that a record is kept under, else its DOI or arXiv id."""
    texts = [work.key if work.key.startswith(("arxiv:", "doi:")) else None]
    texts += [f"doi:{work.doi}" if work.doi else None, f"arxiv:{work.arxiv_id}" if work.arxiv_id else None]
    text = next((text for text in texts if text), None)
    return None if text is None else parse(text, titles=False, bare_digits="refuse")


def unresolved_arxiv(identifier: Identifier) -> Resolved:
    """All that an arXiv id says by itself, for when nobody can be asked about it."""
    work = Work(key=identifier.key, arxiv_id=identifier.value, arxiv_version=identifier.version)
    return _arxiv_answer(identifier, Record(work), "arxiv")


def oa_of_answer(answer: OaAnswer) -> OpenAccess:
    """What Unpaywall says."""
    return OpenAccess(answer.oa_status, answer.oa_url, answer.license, answer.locations)


async def with_open_access(found: Resolved, asking: Asking) -> Resolved:
    """With what Unpaywall says; its failure is none of the call's, and leaves open access undetermined."""
    try:
        answer = await first_known(spellings(found.identifier), lambda doi: _unpaywall(doi, asking))
    except PaperdeskError:
        return found
    if answer.oa_status == "closed":
        asking.trace.note("unpaywall", "consulted_not_open_access")
    oa = oa_of_answer(answer)
    oa = replace(oa, license=oa.license or found.oa.license)
    records = (*found.records, answer.record)
    return _united(replace(found, oa=oa), records)


def enriched(found: Resolved, records: Sequence[Record]) -> Resolved:
    """With what further sources say of the same work."""
    return _united(found, (*found.records, *records)) if records else found


async def _crossref(doi: str, asking: Asking) -> Record:
    return await asking.of("crossref", asking.sources.crossref, lambda each: each.work(doi, caller=asking.caller))


async def _datacite(doi: str, asking: Asking) -> Record:
    return await asking.of("datacite", asking.sources.datacite, lambda each: each.work(doi, caller=asking.caller))


async def _unpaywall(doi: str, asking: Asking) -> OaAnswer:
    return await asking.of("unpaywall", asking.sources.unpaywall, lambda each: each.oa(doi, caller=asking.caller))


def _oa_of(work: Work) -> OpenAccess:
    best = next(iter(work.oa_locations), None)
    url = None if best is None else best.url_for_pdf or best.url
    return OpenAccess(work.oa_status, url, work.license, work.oa_locations)


def _arxiv_answer(identifier: Identifier, record: Record, source: str, others: list[Record] | None = None) -> Resolved:
    location = arxiv_location(identifier)
    license = record.work.license if record.work.license and source == "openalex" else ARXIV_LICENSE
    oa = OpenAccess("green", location.url_for_pdf, license, (location,))
    return _answered(identifier, record, source, others, oa=oa)


def _answered(
    identifier: Identifier,
    record: Record,
    source: str,
    others: list[Record] | None = None,
    *,
    oa: OpenAccess | None = None,
) -> Resolved:
    metadata = record.metadata or shown_work(record.work)
    oa = _oa_of(record.work) if oa is None and source == "openalex" else oa or OpenAccess()
    found = Resolved(identifier, source, metadata, record.work, (), oa, record.trimmed, record.quality)
    return _united(found, (record, *(others or ())))


def _united(found: Resolved, records: tuple[Record, ...]) -> Resolved:
    """All that was heard as one record; what is damaged in one is taken whole from another."""
    works = [record.work for record in records]
    repaired, better = repair(works[0], works[1:])
    return replace(found, records=records, work=merge([repaired, *works[1:]]), repaired=better)
