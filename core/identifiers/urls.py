"""Reads the identifier out of a URL; nothing is ever fetched."""

import re
from collections.abc import Callable
from typing import NoReturn

from core.errors import InvalidReference
from core.identifiers.arxiv import match_arxiv, match_arxiv_file
from core.identifiers.clean import decode_percent, drop_tail
from core.identifiers.doi import read_doi, starts_like_doi
from core.identifiers.registries import (
    match_catalog,
    match_corpus_id,
    match_openalex,
    match_pmcid,
    match_pmid,
    match_s2_paper,
)
from core.identifiers.value import Identifier, IdentifierKind, Via

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_BARE_HOST = re.compile(r"([A-Za-z0-9.-]+)(?::[0-9]*)?(?=[/?#]|$)")
_AUTHORITY_END = re.compile(r"[/?#\\]")
_QUERY = re.compile(r"[?#]")
_PORT = re.compile(r":[0-9]*$")
_SLUG = re.compile(r"[A-Za-z0-9_~.-]+")
_DOI_IN_PATH = re.compile(r"/(?=10\.[0-9]{4,9}(?:\.[0-9]{1,9}){0,9}/.)")

_ARXIV_PAGES = frozenset({"abs", "pdf", "html", "format", "src", "e-print", "ps", "tb"})
_ALPHAXIV_PAGES = frozenset({"abs", "pdf", "html", "overview", "resources"})
_VIEW_PARTS = frozenset(
    {"abstract", "full", "fulltext", "pdf", "epdf", "html", "meta", "references", "figures", "summary"}
)
_VIEW_ENDINGS = (".full.pdf", ".pdf", ".full", ".abstract", ".short", ".html")
DOI_RESOLVERS = frozenset({"doi.org", "dx.doi.org"})
_VERSIONED_HOSTS = frozenset({"biorxiv.org", "medrxiv.org"})
_POSTED_VERSION = re.compile(r"v[0-9]{1,3}$")


def is_url(text: str) -> bool:
    """Whether `text` starts with a scheme, or with a host of the table without one."""
    if _SCHEME.match(text):
        return True
    match = _BARE_HOST.match(text)
    if match is None:
        return False
    host = _folded_host(match[1])
    return host in DOI_RESOLVERS or _reader_of(host) is not None


def read_url(text: str, *, extracted: bool = False) -> Identifier:
    """The identifier in a text that `is_url`; raises `unsupported_url`, or a DOI's failure, when it has none."""
    host, path = _split(text)
    path = decode_percent(path)
    if host in DOI_RESOLVERS:
        found = _read_resolver_path(path, extracted)
    elif reader := _reader_of(host):
        found = reader(drop_tail(path).strip("/"))
    else:
        found = _read_publisher_path(host, path, extracted)
    if found is None:
        refuse_url()
    return found


def refuse_url() -> NoReturn:
    """Raises the refusal of a URL that names no paper by its form."""
    raise InvalidReference(
        "No paper can be told from this URL. Send the DOI or arXiv id itself, as in 10.1038/nature14539 or 1706.03762.",
        reason="unsupported_url",
    )


def _split(text: str) -> tuple[str, str]:
    """Host, folded, and path, still encoded; a port, a query and a fragment are dropped."""
    if scheme := _SCHEME.match(text):
        if scheme[1].lower() not in ("http", "https"):
            refuse_url()
        text = text[scheme.end() :]
    end = _AUTHORITY_END.search(text)
    authority, rest = (text[: end.start()], text[end.start() :]) if end else (text, "")
    if "@" in authority or rest.startswith("\\"):
        refuse_url()
    return _folded_host(_PORT.sub("", authority)), _QUERY.split(rest, maxsplit=1)[0]


def _folded_host(host: str) -> str:
    return host.lower().removesuffix(".").removeprefix("www.")


def _reader_of(host: str) -> Callable[[str], Identifier | None] | None:
    return _read_arxiv_path if host.endswith(".arxiv.org") else PAPER_HOSTS.get(host)


def _read_resolver_path(path: str, extracted: bool) -> Identifier | None:
    doi = path.lstrip("/")
    if doi[:4].lower() == "doi:":
        doi = doi[4:].lstrip()
    return read_doi(doi, Via.URL, extracted=extracted) if starts_like_doi(doi) else None


def _read_publisher_path(host: str, path: str, extracted: bool) -> Identifier | None:
    match = _DOI_IN_PATH.search(path)
    if match is None:
        return None
    given = path[match.end() :]
    doi = _without_view(host, drop_tail(given))
    if doi == drop_tail(given):
        return read_doi(given, Via.URL, extracted=extracted)
    return read_doi(doi, Via.URL, given=drop_tail(given) if extracted else given)


def _without_view(host: str, doi: str) -> str:
    """The DOI less the publisher's name for one view of it; its suffix never becomes empty."""
    head, slash, last = doi.rstrip("/").rpartition("/")
    if slash and last.lower() in _VIEW_PARTS and "/" in head:
        doi = head
    else:
        for ending in _VIEW_ENDINGS:
            if doi.lower().endswith(ending) and not doi[: -len(ending)].endswith("/"):
                doi = doi[: -len(ending)]
                break
    if host in _VERSIONED_HOSTS:
        doi = _POSTED_VERSION.sub("", doi)
    return doi


def _read_arxiv_path(path: str) -> Identifier | None:
    page, _, rest = path.partition("/")
    return match_arxiv_file(rest, Via.URL) if page.lower() in _ARXIV_PAGES else None


def _read_alphaxiv_path(path: str) -> Identifier | None:
    page, _, rest = path.partition("/")
    return match_arxiv_file(rest, Via.URL) if page.lower() in _ALPHAXIV_PAGES else None


def _read_hugging_face_path(path: str) -> Identifier | None:
    page, _, rest = path.partition("/")
    return match_arxiv(rest, Via.URL) if page == "papers" else None


def _read_papers_with_code_path(path: str) -> Identifier | None:
    page, _, rest = path.partition("/")
    if page != "paper":
        return None
    if found := match_arxiv(rest, Via.URL) or match_catalog(rest, Via.URL):
        return found
    if not _SLUG.fullmatch(rest):
        return None
    slug = rest.lower()
    return Identifier(IdentifierKind.SLUG, slug, None, f"slug:{slug}", (), True, Via.URL)


def _read_pubmed_path(path: str) -> Identifier | None:
    return match_pmid(path, Via.URL)


def _read_pmc_path(path: str) -> Identifier | None:
    # A PMC article's figures and files lie under its own path, so what follows the id changes nothing.
    parts = path.split("/")
    return _read_pmcid(parts[1]) if parts[0] == "articles" and len(parts) > 1 else None


def _read_ncbi_path(path: str) -> Identifier | None:
    page, _, rest = path.partition("/")
    if page == "pubmed":
        return _read_pubmed_path(rest)
    return _read_pmc_path(rest) if page == "pmc" else None


def _read_europe_pmc_path(path: str) -> Identifier | None:
    parts = path.split("/")
    if len(parts) != 3 or parts[0] not in ("article", "abstract"):
        return None
    match parts[1].upper():
        case "MED":
            return match_pmid(parts[2], Via.URL)
        case "PMC":
            return _read_pmcid(parts[2])
        case _:
            return None


def _read_pmcid(part: str) -> Identifier | None:
    return match_pmcid(part, Via.URL) if part[:3].upper() == "PMC" else None


def _read_openalex_path(path: str) -> Identifier | None:
    return match_openalex(path.rpartition("/")[2], Via.URL)


def _read_semantic_scholar_path(path: str) -> Identifier | None:
    folded = path.lower()
    if folded.startswith(("arxiv/", "arxiv:")):
        return match_arxiv(path[6:], Via.URL)
    if folded.startswith("corpusid:"):
        return match_corpus_id(path[9:], Via.URL)
    before, _, last = path.rpartition("/")
    return match_s2_paper(last, Via.URL) if "paper" in before.split("/") else None


PAPER_HOSTS: dict[str, Callable[[str], Identifier | None]] = {
    "arxiv.org": _read_arxiv_path,
    "ar5iv.org": _read_arxiv_path,
    "alphaxiv.org": _read_alphaxiv_path,
    "huggingface.co": _read_hugging_face_path,
    "hf.co": _read_hugging_face_path,
    "paperswithcode.co": _read_papers_with_code_path,
    "paperswithcode.com": _read_papers_with_code_path,
    "pubmed.ncbi.nlm.nih.gov": _read_pubmed_path,
    "ncbi.nlm.nih.gov": _read_ncbi_path,
    "pmc.ncbi.nlm.nih.gov": _read_pmc_path,
    "europepmc.org": _read_europe_pmc_path,
    "openalex.org": _read_openalex_path,
    "api.openalex.org": _read_openalex_path,
    "semanticscholar.org": _read_semantic_scholar_path,
    "api.semanticscholar.org": _read_semantic_scholar_path,
}
"""Folded host -> reader of its path, without its outer slashes. `*.arxiv.org` is read as arxiv.org."""
