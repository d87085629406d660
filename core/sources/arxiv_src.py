"""The source archive of an arXiv paper, as bytes (references contract, sections 4.4, 8.2)."""

from core.http.remembering import Kind
from core.identifiers import Identifier
from core.sources.answers import Document
from core.sources.service import Service


class ArxivSrc(Service):
    """What authors sent to arXiv: an archive, one file, or a PDF."""

    async def archive(self, identifier: Identifier, *, caller: str) -> Document:
        """The bytes as they are; raises `NotFound` where there are none, or no longer."""
        path = f"/src/{identifier.value}{identifier.version or ''}"
        found = await self._get(path, caller=caller, kind=Kind.TEX, want="bytes", operation="archive")
        return Document(self.key, found.body, found.url, found.stale)
