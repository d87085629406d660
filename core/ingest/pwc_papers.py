"""Archive file papers-with-abstracts: one paper a row, with its tasks and methods by name."""

import re

from core.catalog.models import EntityKind
from core.errors import InvalidInput
from core.folds import slug
from core.ingest import fields
from core.ingest.dates import partial_date
from core.ingest.facts import EntityFacts, PaperFacts, PaperRef, Precedence, natural_key
from core.ingest.fields import Row, known
from core.ingest.identity import Identity, folded_url, is_site_url
from core.ingest.staging import Input

_PROCEEDING = re.compile(r"(?P<name>.*\S)\s+(?P<year>(?:19|20)\d{2})(?:\s+(?P<month>\d{1,2}))?\Z")


def site_slug(url: str | None) -> str | None:
    """The last part of a page address of the archive's site, or a slug as it stands."""
    if not url:
        return None
    return url.rstrip("/").rpartition("/")[2].lower() or None


def date_of(row: Row, key: str, sink: Input) -> str | None:
    """A date at the precision it is written in; one that names no day is left out and counted."""
    text = fields.raw_text(row, key)
    date = partial_date(text) if text else None
    if text and date is None:
        sink.left_out["date that is none"] += 1
    return date


def paper_identity(row: Row, sink: Input, *, url_key: str, arxiv_key: str) -> Identity:
    """Site slug, arXiv id, OpenReview id and NeurIPS id of a row."""
    identity = Identity()
    if (arxiv := fields.raw_text(row, arxiv_key)) and not identity.add_arxiv(arxiv):
        sink.left_out["arXiv id that is none"] += 1
    if openreview := fields.raw_text(row, "openreview_id"):
        identity.add("openreview", openreview)
    if nips := fields.raw_text(row, "nips_id"):
        identity.add("nips", nips)
    if page := site_slug(fields.raw_text(row, url_key)):
        identity.slug = page
        identity.add("slug", page)
    return identity


def read_paper(row: Row, sink: Input, number: int) -> None:
    """Stages one paper; a row without a title or site address is bad."""
    identity = paper_identity(row, sink, url_key="paper_url", arxiv_key="arxiv_id")
    title = fields.name(row, "title")
    if title is None:
        raise InvalidInput("no title")
    if not identity.idents:
        raise InvalidInput("no identifier")
    links = [fields.url(row, key) for key in ("url_abs", "url_pdf", "conference_url_abs", "conference_url_pdf")]
    for link in links[:2]:
        if link and not identity.arxiv_id and "arxiv.org" in link:
            identity.add_url(link)
    facts = PaperFacts(title=title)
    facts.update(_plain_facts(row, identity, links, sink))  # type: ignore[typeddict-item]
    facts["authors"] = list(fields.names(row, "authors"))
    facts["tasks"] = [sink.mention(EntityKind.TASK, task) for task in fields.names(row, "tasks")]
    facts["methods"] = [_method(method, sink) for method in fields.objects(row, "methods")]
    conference = _conference(row, sink)
    facts.update(conference)
    sink.paper(identity, facts)
    for link in links:
        if link and not is_site_url(link) and (folded := folded_url(link)):
            sink.address(folded)
    _lineage(row, identity, sink, number)


def _plain_facts(row: Row, identity: Identity, links: list[str | None], sink: Input) -> dict[str, object]:
    return known(
        slug=identity.slug,
        abstract=fields.prose(row, "abstract") or fields.prose(row, "short_abstract"),
        published=date_of(row, "date", sink),
        url_abs=links[0] or links[2],
        url_pdf=links[1] or links[3],
    )


def _conference(row: Row, sink: Input) -> PaperFacts:
    """`NeurIPS 2021 12` is the conference NeurIPS of 2021, in December; a text without a year is a venue only."""
    proceeding = fields.name(row, "proceeding")
    venue = fields.name(row, "conference")
    match = _PROCEEDING.match(proceeding) if proceeding else None
    if match is None:
        text = proceeding or venue
        return PaperFacts(venue=text) if text else PaperFacts()
    label, year = match["name"], match["year"]
    natural = natural_key(EntityKind.CONFERENCE, label, given_slug=slug(f"{label} {year}") or None)
    facts = {"name": label, "year": int(year)}
    sink.repeated_entity(EntityKind.CONFERENCE, natural, facts, precedence=Precedence.ARCHIVE)
    return PaperFacts(venue=f"{label} {year}", conference=natural)


def method_facts(row: Row) -> EntityFacts:
    """What a method object says; shared with the methods file."""
    label = fields.name(row, "name") or fields.name(row, "full_name")
    if label is None:
        raise InvalidInput("a method without a name")
    return known(
        name=label,
        full_name=fields.name(row, "full_name"),
        description=fields.prose(row, "description"),
        introduced_year=method_year(row),
        source_url=fields.url(row, "source_url"),
        source_title=fields.name(row, "source_title"),
    )


def method_year(row: Row) -> int | None:
    """A year of four digits; dumps write 2000 and text alike."""
    text = fields.raw_text(row, "introduced_year")
    return int(text) if text and len(text) == 4 and text.isdecimal() and 1900 <= int(text) <= 2100 else None


def _method(row: Row, sink: Input) -> str:
    facts = method_facts(row)
    natural = natural_key(EntityKind.METHOD, facts["name"])
    collection = fields.child(row, "main_collection")
    area = fields.name(collection, "area") if collection else None
    if area:
        facts["area"] = sink.mention(EntityKind.AREA, area)
    # The methods file knows better, where there is one.
    sink.repeated_entity(EntityKind.METHOD, natural, facts, precedence=Precedence.ARCHIVE_LINKS)
    return natural


def _lineage(row: Row, identity: Identity, sink: Input, number: int) -> None:
    reproduced = site_slug(fields.raw_text(row, "reproduces_paper"))
    if reproduced:
        predecessor = PaperRef(idents=[("slug", reproduced)])
        sink.lineage(predecessor, PaperRef(idents=identity.idents), "reproduces_paper", f"row {number}")
