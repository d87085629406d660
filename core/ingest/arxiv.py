"""arXiv metadata snapshot, JSON lines (catalog contract 20.2)."""

from core.errors import InvalidInput
from core.ingest import fields
from core.ingest.cleaning import clean_name
from core.ingest.dates import mail_date
from core.ingest.facts import PaperFacts
from core.ingest.fields import Row, known
from core.ingest.identity import Identity
from core.ingest.staging import Input


class ArxivReader:
    """Reads rows; with `categories` only those that have one of them (others are passed over, not bad)."""

    def __init__(self, categories: frozenset[str]) -> None:
        self._categories = categories

    def wants(self, row: Row) -> bool:
        """Whether a row is in one of the wanted categories."""
        if not self._categories:
            return True
        return not self._categories.isdisjoint((fields.raw_text(row, "categories") or "").split())

    def read(self, row: Row, sink: Input, number: int) -> None:
        """Stages one paper; a row without an arXiv id or title is bad."""
        written = fields.raw_text(row, "id")
        identity = Identity()
        if written is None or not identity.add_arxiv(written):
            raise InvalidInput("no arXiv id")
        title = fields.name(row, "title")
        if title is None:
            raise InvalidInput("no title")
        # The field may hold several DOIs with blanks between them; the first is the article.
        for doi in (fields.raw_text(row, "doi") or "").split()[:1]:
            if not identity.add_doi(doi):
                sink.left_out["DOI that is none"] += 1
        facts = PaperFacts(title=title, authors=list(_authors(row)))
        facts.update(
            known(
                abstract=fields.prose(row, "abstract"),
                published=_first_version(row),
                venue=fields.name(row, "journal-ref"),
                url_abs=f"https://arxiv.org/abs/{identity.arxiv_id}",
                url_pdf=f"https://arxiv.org/pdf/{identity.arxiv_id}",
            )  # type: ignore[typeddict-item]
        )
        sink.paper(identity, facts)


def _first_version(row: Row) -> str | None:
    for version in fields.objects(row, "versions"):
        if version.get("version") == "v1" and (created := fields.raw_text(version, "created")):
            return mail_date(created)
    return None


def _authors(row: Row) -> list[str]:
    parsed = fields.items(row, "authors_parsed")
    if parsed:
        names = [_author(parts) for parts in parsed]
        return [name for name in names if name]
    text = fields.name(row, "authors") or ""
    parts = text.replace(" and ", ", ").split(",")
    return [name for part in parts if (name := part.strip())]


def _author(parts: object) -> str | None:
    """`[last, first, suffix, ...]` as `first last suffix`; what follows are affiliations."""
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise InvalidInput("`authors_parsed` is not a list of lists of texts")
    last, first, suffix = (*parts[:3], "", "", "")[:3]
    return clean_name(" ".join(part for part in (first, last, suffix) if part))
