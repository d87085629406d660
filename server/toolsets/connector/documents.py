"""The two tools that connectors of assistants call."""

from typing import Annotated

from pydantic import Field

from core.evidence.results import Document, Hits
from core.evidence.service import Connector


async def search(
    services: Connector,
    query: Annotated[str, Field(min_length=1, max_length=500, description="Words, a DOI, an arXiv id or a URL")],
) -> Hits:
    """Finds papers, graded claims and benchmarks by words or identifier.

    To read one of them use fetch with its id.
    """
    return await services.search(query=query)


async def fetch(
    services: Connector,
    id: Annotated[
        str,
        Field(
            min_length=1,
            max_length=500,
            description="An id from search, such as claim:123, or any DOI, arXiv id, URL or title",
        ),
    ],
) -> Document:
    """Gives one paper, claim or benchmark as Markdown, with its address.

    To find an id use search.
    """
    return await services.fetch(id=id)
