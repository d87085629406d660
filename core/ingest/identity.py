"""What names a paper across sources: identifiers in the folded form in which they are compared."""

import re
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from core.errors import InvalidInput
from core.identifiers import Identifier, IdentifierKind, parse

Ident = tuple[str, str]
"""Scheme and folded value."""

_NEW_ARXIV = re.compile(
    r"(?:(?:0[89]|1[0-4])(?:0[1-9]|1[0-2])\.\d{4}|(?:1[5-9]|2\d)(?:0[1-9]|1[0-2])\.\d{5})\Z", re.ASCII
)
_PLAIN_DOI = re.compile(r"10\.\d{4,9}/[A-Za-z0-9._/-]{0,200}[A-Za-z0-9]\Z", re.ASCII)
_ARXIV_DOI = "10.48550/"
_URL = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)
_ACL_HOSTS = frozenset(
    {"aclweb.org", "aclanthology.org", "aclanthology.info", "anthology.aclweb.org", "aclanthology.coli.uni-saarland.de"}
)
_ACL_OLD = re.compile(r"([A-Za-z]\d{2}-\d{4,5})(?:v\d+)?(?:\.pdf|\.bib)?\Z", re.ASCII)
_ACL_NEW = re.compile(r"(\d{4}\.[a-z0-9_]+-[a-z0-9_]+\.\d+)(?:v\d+)?(?:\.pdf|\.bib)?\Z", re.ASCII | re.IGNORECASE)
_SITE_HOSTS = frozenset({"paperswithcode.com", "paperswithcode.co"})
_SCHEME_OF_KIND = {
    IdentifierKind.ARXIV: "arxiv",
    IdentifierKind.DOI: "doi",
    IdentifierKind.PMID: "pmid",
    IdentifierKind.PMCID: "pmcid",
    IdentifierKind.OPENALEX: "openalex",
    IdentifierKind.S2: "s2",
    IdentifierKind.CATALOG: "catalog",
    IdentifierKind.SLUG: "slug",
}


def parsed(text: str) -> Identifier | None:
    """What a text names by its form, titles aside; None when it names nothing or cannot exist."""
    try:
        identifier = parse(text, titles=False, bare_digits="refuse")
    except InvalidInput:
        return None
    return identifier if identifier.plausible else None


def ident_of(identifier: Identifier) -> Ident | None:
    """An identifier as scheme and folded value; None for titles."""
    scheme = _SCHEME_OF_KIND.get(identifier.kind)
    return None if scheme is None else (scheme, identifier.key.partition(":")[2])


def first_url(text: str) -> str | None:
    """The first web address in a text, which may have stray characters around it."""
    match = _URL.search(text)
    return match.group() if match else None


def folded_url(url: str) -> str | None:
    """A web address as it is compared: host without `www.`, path and query, without scheme and final slash."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    host = (parts.hostname or "").removeprefix("www.")
    path = parts.path.rstrip("/")
    return f"{host}{path}?{parts.query}" if parts.query else f"{host}{path}" if host and path else None


def is_site_url(url: str) -> bool:
    """Whether an address lies on the catalog's own site."""
    return (folded_url(url) or "").partition("/")[0] in _SITE_HOSTS


def _known_host(url: str) -> Ident | None:
    parts = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.")
    if host == "openreview.net":
        forum = parse_qs(parts.query).get("id", [""])[0]
        return ("openreview", forum) if forum else None
    if host in _ACL_HOSTS:
        last = parts.path.rstrip("/").rpartition("/")[2]
        if match := _ACL_OLD.match(last):
            return ("acl", match.group(1).upper())
        if match := _ACL_NEW.match(last):
            return ("acl", match.group(1).lower())
    return None


@dataclass(slots=True)
class Identity:
    """The identifiers of one row, gathered; the first arXiv id, DOI and slug are the ones a record shows."""

    arxiv_id: str | None = None
    doi: str | None = None
    slug: str | None = None
    idents: list[Ident] = field(default_factory=list)

    def add(self, scheme: str, value: str) -> None:
        """An identifier that is already folded."""
        if (scheme, value) not in self.idents:
            self.idents.append((scheme, value))

    def _take(self, identifier: Identifier) -> bool:
        ident = ident_of(identifier)
        if ident is None:
            return False
        if ident[0] == "arxiv":
            self.arxiv_id = self.arxiv_id or identifier.id
        elif ident[0] == "doi":
            self.doi = self.doi or identifier.id
        elif ident[0] == "slug":
            self.slug = self.slug or ident[1]
        self.add(*ident)
        return True

    def add_arxiv(self, text: str) -> bool:
        """An arXiv id in any spelling; False when it is none."""
        if _NEW_ARXIV.match(text):
            self.arxiv_id = self.arxiv_id or text
            self.add("arxiv", text)
            return True
        identifier = parsed(text if text[:1].isdigit() or ":" in text or "/" in text else f"arxiv:{text}")
        return identifier is not None and identifier.kind is IdentifierKind.ARXIV and self._take(identifier)

    def add_doi(self, text: str) -> bool:
        """A DOI in any spelling; one of arXiv's own is an arXiv id. False when it is none."""
        if _PLAIN_DOI.match(text) and not text.startswith(_ARXIV_DOI):
            self.doi = self.doi or text
            self.add("doi", text.lower())
            return True
        identifier = parsed(text)
        kinds = (IdentifierKind.DOI, IdentifierKind.ARXIV)
        return identifier is not None and identifier.kind in kinds and self._take(identifier)

    def add_any(self, text: str, kind: IdentifierKind) -> bool:
        """An identifier of one kind in any spelling; False when it is none."""
        identifier = parsed(text)
        return identifier is not None and identifier.kind is kind and self._take(identifier)

    def add_url(self, url: str) -> bool:
        """The identifier that a web address carries; False when it carries none."""
        try:
            ident = _known_host(url)
        except ValueError:
            return False
        if ident is not None:
            self.add(*ident)
            return True
        identifier = parsed(url)
        return identifier is not None and self._take(identifier)
