"""What the catalog knows of a reference, as a bibliographic record (references contract, section 3.1 step 1)."""

from core.catalog.backend import CatalogBackend
from core.catalog.models import PaperRecord
from core.errors import InvalidInput, NotFound, PaperdeskError
from core.identifiers import Identifier, IdentifierKind, parse
from core.records import Author, OaLocation, PartialDate, UpdateNotice, Work

SOURCE = "catalog"
ARXIV_LICENSE = "arxiv-default"


class Shelf:
    """The catalog, asked by identifier."""

    def __init__(self, backend: CatalogBackend) -> None:
        self.backend = backend

    async def work(self, identifier: Identifier) -> Work | None:
        """The record of what an identifier names, whatever version it asks for; None where the catalog has none."""
        record = await self.record(identifier)
        return None if record is None else work_of(record)

    async def holds(self, scheme: str, value: str) -> bool:
        """Whether a paper of that name is held; `scheme` and `value` as in keys of identifiers."""
        try:
            identifier = parse(f"{scheme}:{value}", titles=False, bare_digits="refuse")
            return await self.backend.find(identifier) is not None
        except PaperdeskError:
            return False

    async def record(self, identifier: Identifier) -> PaperRecord | None:
        """All that the catalog holds on it."""
        if not identifier.plausible:
            return None
        row = await self.backend.find(identifier)
        if row is None:
            return None
        try:
            return await self.backend.paper(row.canonical_id)
        except NotFound:
            return None


def work_of(record: PaperRecord) -> Work:
    """A catalog record as all rooms share it."""
    row = record.row
    ids = _ids(record)
    arxiv = ids.get(IdentifierKind.ARXIV)
    doi = ids.get(IdentifierKind.DOI)
    names = [name for name in record.authors or row.authors if name.strip()]
    published = _date(row.published)
    return Work(
        key=_key(ids, row.id),
        doi=None if doi is None else doi.value,
        arxiv_id=None if arxiv is None else arxiv.id,
        pmid=_id(ids, IdentifierKind.PMID),
        pmcid=_id(ids, IdentifierKind.PMCID),
        openalex_id=_id(ids, IdentifierKind.OPENALEX),
        s2_id=_id(ids, IdentifierKind.S2),
        title=row.title or None,
        authors=tuple(Author(name) for name in names),
        author_count=max(row.author_count, len(names)) or None,
        published=published,
        type=_type(record, is_posted=arxiv is not None),
        venue=record.venue or (record.conference.name if record.conference else None),
        abstract=record.abstract,
        url=row.url_abs if row.url_abs and row.url_abs.startswith("https://") else None,
        license=ARXIV_LICENSE if arxiv is not None else None,
        oa_status="green" if arxiv is not None else None,
        oa_locations=(arxiv_location(arxiv),) if arxiv is not None else (),
        cited_by_count=row.citation_count,
        updates=(UpdateNotice("retraction", source=SOURCE),) if record.is_retracted else (),
        sources=(SOURCE,),
    )


def is_enough(work: Work) -> bool:
    """Whether a record answers for its paper: a title, an author and a year."""
    return bool(work.title and work.authors and work.year)


def arxiv_location(identifier: Identifier) -> OaLocation:
    """Where arXiv has the paper."""
    id = f"{identifier.value}{identifier.version or ''}"
    return OaLocation(
        f"https://arxiv.org/abs/{id}", f"https://arxiv.org/pdf/{id}", "repository", "submittedVersion", ARXIV_LICENSE
    )


def _ids(record: PaperRecord) -> dict[IdentifierKind, Identifier]:
    """What names the paper, by kind; what the catalog spells in another way than it should is left out."""
    written = [("arxiv", record.row.arxiv_id), ("doi", record.doi), *record.identifiers]
    found: dict[IdentifierKind, Identifier] = {}
    for scheme, value in written:
        if not value:
            continue
        try:
            identifier = parse(f"{scheme}:{value}", titles=False, bare_digits="refuse")
        except InvalidInput:
            continue
        found.setdefault(identifier.kind, identifier)
    return found


def _key(ids: dict[IdentifierKind, Identifier], catalog_id: str) -> str:
    order = (IdentifierKind.ARXIV, IdentifierKind.DOI, IdentifierKind.PMID, IdentifierKind.OPENALEX)
    return next((ids[kind].key for kind in order if kind in ids), f"catalog:{catalog_id}")


def _id(ids: dict[IdentifierKind, Identifier], kind: IdentifierKind) -> str | None:
    return ids[kind].id if kind in ids else None


def _type(record: PaperRecord, *, is_posted: bool) -> str | None:
    if record.conference is not None:
        return "proceedings-article"
    return "posted-content" if is_posted and not record.venue else None


def _date(text: str | None) -> PartialDate | None:
    try:
        return PartialDate.parse(text) if text else None
    except InvalidInput:
        return None
