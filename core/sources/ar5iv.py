"""ar5iv's HTML of an arXiv paper, as bytes (references contract, sections 4.4, 8.1)."""

from core.http.remembering import Kind
from core.identifiers import Identifier
from core.sources.answers import Document
from core.sources.service import Service


class Ar5iv(Service):
    """The HTML that ar5iv made of the latest version that it knew; it has no others."""

    async def page(self, identifier: Identifier, *, caller: str) -> Document:
        """The page of a paper; raises `NotFound`, or `NoFullText` where a redirect says that it was not converted."""
        found = await self._get(
            f"/html/{identifier.value}", caller=caller, kind=Kind.TEXT, want="html", operation="page"
        )
        return Document(self.key, found.body, found.url, found.stale)
