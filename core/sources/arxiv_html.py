"""arXiv's own HTML of a paper, as bytes (references contract, sections 4.4, 8.1)."""

from core.http.remembering import Kind
from core.identifiers import Identifier
from core.sources.answers import Document
from core.sources.service import Service


class ArxivHtml(Service):
    """The HTML that arXiv makes of newer papers, by version."""

    async def page(self, identifier: Identifier, *, caller: str) -> Document:
        """The page of a paper, or of its version; raises `NotFound` where there is none."""
        # An old id holds a slash, which is a step in arXiv's paths.
        path = f"/html/{identifier.value}{identifier.version or ''}"
        found = await self._get(path, caller=caller, kind=Kind.TEXT, want="html", operation="page")
        return Document(self.key, found.body, found.url, found.stale)
