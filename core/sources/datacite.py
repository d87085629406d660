"""DataCite: data, software and texts in repositories such as Zenodo (references contract 4.2, 4.4)."""

from core.identifiers import IdentifierKind
from core.records import Author, PartialDate, Work
from core.sources import fields
from core.sources.answers import ListedWork, Person, Record
from core.sources.drafting import Draft, present
from core.sources.fields import MissingField, Row
from core.sources.licences import licence_slug
from core.sources.service import Service
from core.sources.trimming import trimmed
from core.works.pages import page_range
from core.works.types import from_datacite

SOURCE = "datacite"
_SHOWN = (
    "doi",
    "titles",
    "creators",
    "dates",
    "publicationYear",
    "container",
    "publisher",
    "types",
    "descriptions",
    "rightsList",
    "relatedIdentifiers",
)
_KEPT = frozenset({"doi", "titles", "creators", "dates", "publicationYear", "publisher", "types", "rightsList"})


class Datacite(Service):
    """The registration agency of most repositories."""

    async def work(self, doi: str, *, caller: str) -> Record:
        """The work with this DOI, and what of DataCite's own attributes is read here."""
        prefix, _, suffix = fields.folded_doi(doi).partition("/")
        row, stale = await self._row(("dois", prefix, suffix), caller=caller, operation="work")
        with self._reading():
            data = fields.needed_row(row, "data", "data")
            return datacite_record(fields.needed_row(data, "attributes", "data.attributes"), stale=stale)

    async def listed_work(self, doi: str, *, caller: str) -> ListedWork:
        """The work with this DOI, as one of a list."""
        work = (await self.work(doi, caller=caller)).work
        return ListedWork(work, tuple(Person(author.name) for author in work.authors), work.type)


def datacite_record(attributes: Row, *, stale: bool = False) -> Record:
    """One object of attributes; raises `MissingField`."""
    registered = fields.registered_doi(fields.text(attributes, "doi"))
    if registered is None:
        raise MissingField("data.attributes.doi")
    doi, draft, container = fields.folded_doi(registered), Draft(), fields.row_in(attributes, "container")
    arxiv = fields.identified(doi) if doi.startswith("10.48550/") else None
    is_arxiv = arxiv is not None and arxiv.kind is IdentifierKind.ARXIV
    issn, isbn = _serial(container)
    work = Work(
        key=arxiv.key if arxiv is not None and is_arxiv else f"doi:{doi}",
        doi=doi,
        doi_registered=registered,
        arxiv_id=arxiv.value if arxiv is not None and is_arxiv else None,
        title=draft.clean("title", _title(attributes)),
        subtitle=draft.clean("subtitle", _typed(attributes, "titles", "titleType", "Subtitle", "title")),
        authors=present(_author(draft, each) for each in fields.rows(attributes, "creators")),
        published=_published(attributes),
        type=from_datacite(fields.text(fields.row_in(attributes, "types"), "resourceTypeGeneral")),
        venue=draft.clean("venue", fields.text(container, "title")),
        publisher=draft.clean("publisher", _publisher(attributes)),
        volume=fields.text(container, "volume"),
        issue=fields.text(container, "issue"),
        pages=_pages(container),
        issn=issn,
        isbn=isbn,
        language=fields.language(fields.text(attributes, "language")),
        abstract=draft.clean(
            "abstract", _typed(attributes, "descriptions", "descriptionType", "Abstract", "description")
        ),
        url=fields.https_url(fields.text(attributes, "url")),
        license=_license(attributes),
        preprint_of=next(iter(_related(attributes, {"IsPreprintOf"})), None),
        preprints=tuple(_related(attributes, {"HasPreprint"})),
        sources=(SOURCE,),
    )
    shown = {name: attributes[name] for name in _SHOWN if attributes.get(name) not in (None, "", [], {})}
    metadata, cut = trimmed(shown, people="creators", affiliation="affiliation", kept=_KEPT)
    return Record(work, metadata, cut, draft.quality, stale)


def _title(attributes: Row) -> str | None:
    titles = fields.rows(attributes, "titles")
    plain = (fields.text(each, "title") for each in titles if not each.get("titleType"))
    return next((title for title in plain if title), None)


def _typed(attributes: Row, member: str, type_member: str, wanted: str, value: str) -> str | None:
    found = (fields.text(each, value) for each in fields.rows(attributes, member) if each.get(type_member) == wanted)
    return next((text for text in found if text), None)


def _author(draft: Draft, row: Row) -> Author | None:
    family, given, name = fields.text(row, "familyName"), fields.text(row, "givenName"), fields.text(row, "name")
    if row.get("nameType") == "Organizational":
        return draft.group(name or family)
    if family or given:
        return draft.person(family, given, orcid=_orcid(row))
    return draft.named(name, orcid=_orcid(row))


def _orcid(row: Row) -> str | None:
    found = fields.rows(row, "nameIdentifiers")
    return next(
        (fields.text(each, "nameIdentifier") for each in found if each.get("nameIdentifierScheme") == "ORCID"), None
    )


def _published(attributes: Row) -> PartialDate | None:
    issued = fields.partial_date(_typed(attributes, "dates", "dateType", "Issued", "date"))
    year = fields.text(attributes, "publicationYear")
    return issued or (fields.date_of([year]) if year else None)


def _publisher(attributes: Row) -> str | None:
    return fields.text(attributes, "publisher") or fields.text(fields.row_in(attributes, "publisher"), "name")


def _pages(container: Row) -> str | None:
    pages = [page for name in ("firstPage", "lastPage") if (page := fields.text(container, name))]
    return page_range("-".join(pages)) if pages else None


def _serial(container: Row) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """ISSN and ISBN of what the work is in."""
    id = fields.text(container, "identifier") or ""
    issn = fields.issns([id])
    return issn, () if issn else fields.isbns([id])


def _license(attributes: Row) -> str | None:
    rights = fields.rows(attributes, "rightsList")
    for member in ("rightsIdentifier", "rightsUri"):
        for each in rights:
            if slug := licence_slug(fields.text(each, member)):
                return slug
    return None


def _related(attributes: Row, relations: set[str]) -> list[str]:
    """The ids of related works: arXiv ids and DOIs, each once."""
    found = []
    for each in fields.rows(attributes, "relatedIdentifiers"):
        if fields.text(each, "relationType") in relations:
            identifier = fields.identified(fields.text(each, "relatedIdentifier"))
            if identifier is not None and identifier.kind in (IdentifierKind.ARXIV, IdentifierKind.DOI):
                found.append(identifier.value)
    return list(dict.fromkeys(found))
