"""Archive file methods: one method a row."""

from core.catalog.models import EntityKind
from core.ingest import fields
from core.ingest.facts import PaperRef, natural_key
from core.ingest.fields import Row
from core.ingest.identity import Identity
from core.ingest.pwc_papers import method_facts, site_slug
from core.ingest.staging import Input


def paper_ref(row: Row, key: str, source_set: str) -> PaperRef | None:
    """The paper of a `{title, url}` object or a text, when it names one."""
    value = row.get(key)
    if isinstance(value, str):
        value = {"title": value}
    if not isinstance(value, dict):
        return None
    identity = Identity()
    if url := fields.url(value, "url"):
        identity.add_url(url)
    elif page := fields.raw_text(value, "url"):
        identity.add("slug", site_slug(page) or page)
    title = fields.name(value, "title")
    if not identity.idents and title is None:
        return None
    return PaperRef(idents=identity.idents, title=title, set=source_set)


def read_method(row: Row, sink: Input, number: int) -> None:
    """Stages one method; its slug is the last part of its address, its area that of the first collection."""
    facts = method_facts(row)
    given_slug = site_slug(fields.raw_text(row, "url"))
    natural = natural_key(EntityKind.METHOD, facts["name"], given_slug=given_slug)
    if given_slug:
        facts["slug"] = given_slug
    for collection in fields.objects(row, "collections")[:1]:
        if area := fields.name(collection, "area"):
            facts["area"] = sink.mention(EntityKind.AREA, area)
    if source := paper_ref(row, "paper", sink.source_set):
        facts["source_paper"] = source
    sink.entity(EntityKind.METHOD, natural, facts, line=number)
