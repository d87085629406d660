"""The short id by which a scan names a work (scan contract 7.5)."""

import hashlib
from collections.abc import Collection

from core.scan.models import FoundWork
from core.scan.titles import normalised_title

_CID_CHARS = 12


def cid_of(work: FoundWork, taken: Collection[str]) -> str:
    """The cid of a work that is seen for the first time; `taken` are the cids and aliases that others have.

    It is given once: what becomes known of the work later never changes it.
    """
    key = natural_key(work)
    cid = _digits(key)
    suffix = 2
    while cid in taken:
        cid = _digits(f"{key}#{suffix}")
        suffix += 1
    return cid


def natural_key(work: FoundWork) -> str:
    """What a cid is made from: the strongest of DOI, arXiv id and PMID, else title and year."""
    for kind, value in (("doi", work.ids.doi), ("arxiv", work.ids.arxiv), ("pmid", work.ids.pmid)):
        if value:
            return f"{kind}:{value}"
    return f"title:{normalised_title(work.title)}|{'' if work.year is None else work.year}"


def _digits(key: str) -> str:
    digest = hashlib.sha1(key.encode(errors="surrogatepass"), usedforsecurity=False)
    return digest.hexdigest()[:_CID_CHARS]
