"""What a paper is called and where it can be seen: canonical ids and the URL ladder (contract sections 3 and 7.3)."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from core.catalog.models import PaperRecord
from core.errors import InvalidReference
from core.identifiers import Identifier, IdentifierKind, parse

DEFAULT_SITE = "https://paperswithcode.co"
_SAFE_IN_DOI = "/:;()"
_MAX_URL_CHARS = 2048
_OWN_PREFIX = re.compile(r"\s*(?:paper:)?\s*semantic_scholar\s*:\s*", re.IGNORECASE)
_S2_HASH = re.compile(r"[0-9a-f]{40}")
_ESCAPED = re.compile(r"%[0-9A-Fa-f]{2}")


@dataclass(frozen=True, slots=True)
class PaperNames:
    """All ids of one paper; `record_url` is the address that its own record gives."""

    arxiv: str | None = None
    doi: str | None = None
    openalex: str | None = None
    s2: str | None = None
    catalog: str | None = None
    record_url: str | None = None

    @property
    def paper_id(self) -> str:
        """The first that there is, in the contract's order."""
        ids = {
            "arxiv": self.arxiv,
            "doi": None if self.doi is None else self.doi.casefold(),
            "openalex": None if self.openalex is None else self.openalex.upper(),
            "semantic_scholar": self.s2,
            "catalog": self.catalog,
        }
        return next(f"{scheme}:{value}" for scheme, value in ids.items() if value)

    @property
    def source(self) -> str:
        """Where the paper's record comes from, as far as its ids tell."""
        kinds = {"arxiv": self.arxiv, "openalex": self.openalex, "semantic_scholar": self.s2, "crossref": self.doi}
        return next((name for name, value in kinds.items() if value), "catalog")

    def url(self, site: str = DEFAULT_SITE) -> str:
        """An https address, never empty: the ladder of section 7.3."""
        if self.record_url and is_https(self.record_url):
            return self.record_url
        if self.doi:
            return f"https://doi.org/{quote(self.doi, safe=_SAFE_IN_DOI)}"
        if self.arxiv:
            return f"https://arxiv.org/abs/{self.arxiv}"
        if self.openalex:
            return f"https://openalex.org/{self.openalex.upper()}"
        if self.s2 and _S2_HASH.fullmatch(self.s2):
            return f"https://www.semanticscholar.org/paper/{self.s2}"
        return f"{site.rstrip('/')}/paper/{quote(self.paper_id, safe=_SAFE_IN_DOI)}"


def is_https(url: str) -> bool:
    """Whether a text is an absolute https address without blanks."""
    if len(url) > _MAX_URL_CHARS or any(letter.isspace() or not letter.isprintable() for letter in url):
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme == "https" and bool(parts.hostname)
    except ValueError:
        return False


def names_of(record: PaperRecord) -> PaperNames:
    """The ids of a catalog paper; of several of one scheme the first."""
    row = record.row
    ids: dict[str, str] = {}
    for scheme, value in record.identifiers:
        ids.setdefault(scheme, value)
    hashes = [value for scheme, value in record.identifiers if scheme == "s2" and _S2_HASH.fullmatch(value)]
    own = [url for url in (row.url_abs, row.source_url) if url and is_https(url)]
    return PaperNames(
        arxiv=row.arxiv_id,
        doi=record.doi or ids.get("doi"),
        openalex=ids.get("openalex"),
        s2=hashes[0] if hashes else ids.get("s2"),
        catalog=row.id,
        record_url=own[0] if own else None,
    )


def read_reference(text: str, *, titles: bool, own_ids: bool = True) -> Identifier:
    """What a reference names, by the one parser; `semantic_scholar:` and a percent-encoded colon are read too.

    Raises `InvalidReference`. Without `own_ids` digits alone are refused.
    """
    text = text.strip()
    if re.match(r"[A-Za-z_]+%3[Aa]", text):
        text = re.sub("%3[Aa]", ":", text, count=1)
    text = _OWN_PREFIX.sub("s2:", text, count=1) if _OWN_PREFIX.match(text) else text
    return parse(text, titles=titles, bare_digits="catalog" if own_ids else "refuse", title_minimum="one_alphanumeric")


def named_by(text: str) -> Identifier | None:
    """The identifier that a query is, for a search; None where it is words, digits alone among them."""
    if text.strip().isdecimal():
        return None
    try:
        found = read_reference(text, titles=True, own_ids=False)
    except InvalidReference:
        return None
    return None if found.kind is IdentifierKind.TITLE else found


def as_catalog_reference(names: Mapping[str, str], keys: Iterable[str] = ("arxiv", "catalog")) -> str | None:
    """What a catalog backend takes as the id of a paper; None where it is known by neither of the two."""
    return next((names[key] for key in keys if names.get(key)), None)
