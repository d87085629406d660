"""OpenAlex works, JSON lines (catalog contract 20.3)."""

from core.catalog.models import EntityKind
from core.errors import InvalidInput
from core.identifiers import IdentifierKind
from core.ingest import fields
from core.ingest.cleaning import clean_text
from core.ingest.dates import partial_date
from core.ingest.facts import PaperFacts
from core.ingest.fields import Row, known
from core.ingest.identity import Identity
from core.ingest.staging import Input

_MAX_ABSTRACT_WORDS = 20_000


class OpenAlexReader:
    """Reads works; topics become tasks only when wanted."""

    def __init__(self, *, topics_as_tasks: bool) -> None:
        self._topics_as_tasks = topics_as_tasks

    def read(self, row: Row, sink: Input, number: int) -> None:
        """Stages one work; a row without an OpenAlex id is bad, one without a title is not."""
        identity = _identity(row, sink)
        facts = PaperFacts()
        facts.update(_plain_facts(row))  # type: ignore[typeddict-item]
        facts["authors"], facts["organizations"] = _authorships(row, sink)
        if self._topics_as_tasks:
            topics = [fields.name(topic, "display_name") for topic in fields.objects(row, "topics")]
            facts["tasks"] = [sink.mention(EntityKind.TASK, topic) for topic in topics if topic]
        sink.paper(identity, facts)


def _identity(row: Row, sink: Input) -> Identity:
    identity = Identity()
    work = fields.raw_text(row, "id")
    if work is None or not identity.add_any(work, IdentifierKind.OPENALEX):
        raise InvalidInput("no OpenAlex id")
    if (doi := fields.raw_text(row, "doi")) and not identity.add_doi(doi):
        sink.left_out["DOI that is none"] += 1
    ids = fields.child(row, "ids") or {}
    if pmid := fields.raw_text(ids, "pmid"):
        identity.add_any(pmid if "/" in pmid else f"pmid:{pmid}", IdentifierKind.PMID)
    if pmcid := fields.raw_text(ids, "pmcid"):
        identity.add_any(pmcid if "/" in pmcid or not pmcid.isdecimal() else f"PMC{pmcid}", IdentifierKind.PMCID)
    if mag := fields.raw_text(ids, "mag"):
        identity.add("mag", mag)
    for location in _locations(row):
        landing = fields.url(location, "landing_page_url")
        if landing and ("arxiv.org/" in landing or "/10.48550/" in landing):
            identity.add_url(landing)
    return identity


def _locations(row: Row) -> list[Row]:
    primary = fields.child(row, "primary_location")
    return [*([primary] if primary else []), *fields.objects(row, "locations")]


def _plain_facts(row: Row) -> dict[str, object]:
    date = fields.raw_text(row, "publication_date")
    year = fields.raw_text(row, "publication_year")
    locations = _locations(row)
    best = fields.child(row, "best_oa_location")
    source = fields.child(locations[0], "source") if locations else None
    pdfs = [fields.url(location, "pdf_url") for location in ([best] if best else []) + locations]
    pages = [fields.url(location, "landing_page_url") for location in locations]
    return known(
        title=fields.name(row, "title") or fields.name(row, "display_name"),
        abstract=_abstract(row),
        published=(partial_date(date) if date else None) or (partial_date(year) if year else None),
        venue=fields.name(source, "display_name") if source else None,
        url_abs=next((page for page in pages if page), None),
        url_pdf=next((pdf for pdf in pdfs if pdf), None),
        citation_count=fields.integer(row, "cited_by_count"),
        is_retracted=fields.flag(row, "is_retracted"),
    )


def _abstract(row: Row) -> str | None:
    """The words of the inverted index in the order of their positions."""
    index = fields.child(row, "abstract_inverted_index")
    if not index:
        return None
    placed: list[tuple[int, str]] = []
    for word, positions in index.items():
        if not isinstance(positions, list) or not all(isinstance(position, int) for position in positions):
            raise InvalidInput("`abstract_inverted_index` is not words with positions")
        placed.extend((position, word) for position in positions)
    placed.sort()
    return clean_text(" ".join(word for _, word in placed[:_MAX_ABSTRACT_WORDS]))


def _authorships(row: Row, sink: Input) -> tuple[list[str | list[str]], list[str]]:
    authors: list[str | list[str]] = []
    organizations: dict[str, None] = {}
    for authorship in fields.objects(row, "authorships"):
        author = fields.child(authorship, "author") or {}
        label = fields.name(author, "display_name")
        key = fields.raw_text(author, "id")
        if label and key:
            natural = f"openalex:{key.rstrip('/').rpartition('/')[2].upper()}"
            orcid = (fields.raw_text(author, "orcid") or "").rstrip("/").rpartition("/")[2] or None
            sink.author(natural, known(name=label, orcid=orcid))
            authors.append([natural])
        elif label:
            authors.append(label)
        for institution in fields.objects(authorship, "institutions"):
            if organization := fields.name(institution, "display_name"):
                organizations[sink.mention(EntityKind.ORGANIZATION, organization)] = None
    return authors, list(organizations)
