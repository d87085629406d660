"""PDFs of open copies: arXiv's own, and those of hosts on the list (references contract, 4.4, 4.8, 5.7).

Local mode alone has it. It is no part of `Sources`, so that nothing which only resolves a reference can reach it.
"""

from core.errors import InvalidReference
from core.http.hosts import HostPatterns, address_of, host_of
from core.http.polite import PoliteClient
from core.http.remembering import Kind
from core.http.rules import SourceRules
from core.http.urls import secured
from core.identifiers import Identifier, IdentifierKind, parse
from core.sources.answers import Document
from core.sources.configuration import Rulebook

ARXIV = "arxiv"
PUBLISHER = "oa-publisher"

_NAMES_ARXIV_PAPERS = HostPatterns(("*.arxiv.org", "*.doi.org"))


class Pdfs:
    """Downloads PDFs, whose first bytes are looked at before anybody gets them; raises what the polite client does."""

    def __init__(self, client: PoliteClient, rulebook: Rulebook) -> None:
        self._client = client
        self._arxiv = rulebook["arxiv-pdf"]
        self._publisher = rulebook["oa-publisher"]

    async def of_arxiv(self, identifier: Identifier, *, caller: str) -> Document:
        """The paper at arXiv; of a versioned id that very version."""
        return await self._get(self._arxiv, f"/pdf/{identifier.value}{identifier.version or ''}", caller=caller)

    async def at(self, url: str, *, caller: str) -> Document:
        """The PDF at the address of an open copy; what is written with http is asked over https."""
        return await self._get(self._publisher, self.address(url), caller=caller)

    def address(self, url: str) -> str:
        """The address that is asked for a copy."""
        written = address_of(url)
        if written is None or self._publisher.reach.is_loopback(written):
            return url
        return secured(url)

    async def _get(self, rules: SourceRules, path: str, *, caller: str) -> Document:
        found = await self._client.get(
            rules, path, kind=Kind.UNKEPT, want="pdf", caller=caller, operation="pdf", accept=rules.accept
        )
        return Document(rules.key, found.body, found.url, found.stale)


def arxiv_paper_at(url: str) -> Identifier | None:
    """The arXiv paper that an address names, if it is arXiv's own or that of an arXiv DOI."""
    written = address_of(url)
    if written is None or not _NAMES_ARXIV_PAPERS.match(host_of(written)):
        return None
    try:
        found = parse(url, titles=False, bare_digits="refuse")
    except InvalidReference:
        return None
    return found if found.kind is IdentifierKind.ARXIV and found.plausible else None
