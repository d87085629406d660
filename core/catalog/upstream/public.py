"""Public metadata by an upstream: its shape is documented nowhere, so it is read tolerantly (catalog contract 16.6)."""

from core.catalog.public_models import PUBLIC_MISS, PUBLIC_UNAVAILABLE, LabelledUrl, PublicMetadata, PublicPaper
from core.catalog.upstream.api import Api
from core.catalog.upstream.lookup import reference_text
from core.catalog.upstream.values import Json, arxiv_id, day, first_text, identifier, objects, text, texts
from core.errors import InvalidReference, PaperdeskError
from core.http.client import Exchange
from core.http.upstream import BAD_REQUEST, NOT_FOUND, OK, UNAVAILABLE, UNPROCESSABLE
from core.identifiers import Identifier, IdentifierKind, parse

_NOBODY = frozenset({UNAVAILABLE})
"""That no source could be asked is an answer here, not a failure of the service."""

_MAPPINGS = ("catalog_paper", "paper", "catalog_id")


class UpstreamPublicMetadata:
    """Public metadata through one API."""

    def __init__(self, api: Api) -> None:
        self._api = api

    async def look_up(self, wanted: Identifier) -> PublicMetadata:
        """Found, missed, or unavailable; a refused reference is tried as a title. Never raises for a failing source."""
        try:
            if wanted.kind is not IdentifierKind.TITLE:
                exchange = await self._api.exchange(
                    ("papers", reference_text(wanted), "public-metadata"), takes=_NOBODY
                )
                if exchange.status not in (BAD_REQUEST, UNPROCESSABLE):
                    return self._outcome(exchange)
            path = ("papers", "public-metadata", "search")
            return self._outcome(await self._api.exchange(path, {"title": wanted.id}, takes=_NOBODY))
        except PaperdeskError:
            return PUBLIC_UNAVAILABLE

    def _outcome(self, exchange: Exchange) -> PublicMetadata:
        if exchange.status == NOT_FOUND:
            return PUBLIC_MISS
        if exchange.status != OK:
            return PUBLIC_UNAVAILABLE
        return read_public_metadata(self._api.parsed(exchange))


def read_public_metadata(answer: object) -> PublicMetadata:
    """Metadata in our own or a foreign shape; without a title and without a catalog paper it is a miss."""
    if not isinstance(answer, dict):
        return PUBLIC_MISS
    title, mapped = text(answer.get("title")), _mapped(answer)
    if title is None and mapped is None:
        return PUBLIC_MISS
    arxiv = arxiv_id(answer.get("arxiv_id"))
    known = next((found for name in ("id", "paper_id") if (found := text(answer.get(name)))), None)
    doi = text(answer.get("doi"))
    if known and not arxiv and not doi:
        arxiv, doi = _arxiv_or_doi(known)
    return PublicMetadata(
        PublicPaper(
            title=title,
            match=text(answer.get("match")),
            source=text(answer.get("source")),
            catalog_paper=mapped,
            authors=texts(answer.get("authors"), "name"),
            published=next(
                (day(answer[name]) for name in ("published", "published_at", "date") if answer.get(name)), None
            ),
            abstract=first_text(answer, "abstract", "summary"),
            venue=text(answer.get("venue")),
            arxiv_id=arxiv,
            doi=doi,
            url=text(answer.get("url")),
            url_pdf=first_text(answer, "url_pdf", "pdf_url"),
            available_at=_places(answer.get("available_at") or answer.get("links")),
        )
    )


def _mapped(answer: Json) -> str | None:
    """The canonical id of the catalog paper: under `catalog_paper`, `paper` or `catalog_id`, whole or by its id."""
    for name in _MAPPINGS:
        value = answer.get(name)
        found = (
            arxiv_id(value.get("arxiv_id")) or identifier(value.get("id"))
            if isinstance(value, dict)
            else identifier(value)
        )
        if found:
            return found
    return None


def _arxiv_or_doi(known: str) -> tuple[str | None, str | None]:
    try:
        found = parse(known, titles=False, bare_digits="refuse")
    except InvalidReference:
        return None, None
    if found.kind is IdentifierKind.ARXIV:
        return found.id, None
    return None, found.id if found.kind is IdentifierKind.DOI else None


def _places(value: object) -> tuple[LabelledUrl, ...]:
    """`[{label or name, url}]`, or an object from label to URL."""
    if isinstance(value, dict):
        return tuple(LabelledUrl(label, url) for label, url in value.items() if text(label) and text(url))
    rows = ((first_text(row, "label", "name"), text(row.get("url"))) for row in objects(value))
    return tuple(LabelledUrl(label or "Link", url) for label, url in rows if url)
