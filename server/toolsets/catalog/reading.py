"""The tool that reads full texts."""

from typing import Annotated

from pydantic import Field

from core.catalog.results import PaperReadResult
from core.catalog.service import Catalog
from server.toolsets.catalog.parameters import Paper


async def read_paper(
    services: Catalog,
    paper: Paper,
    cursor: Annotated[str, Field(description="next_cursor of the chunk before; left out for the start")] | None = None,
) -> PaperReadResult:
    """Reads the stored Markdown of a paper, one chunk a call; while truncated is true, next_cursor gives the next.

    For abstract, authors and links use get_paper_info, which also says by has_markdown whether a text is stored.
    """
    return await services.reader.read(paper, cursor)
