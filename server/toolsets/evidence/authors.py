"""Tools on people."""

from typing import Annotated

from pydantic import Field

from core.evidence.results import AuthorPage, AuthorPapersPage
from core.evidence.service import AUTHORS_LIMIT, PAPERS_LIMIT, Evidence
from server.toolsets.evidence.parameters import Limit, Name


async def find_authors(
    services: Evidence,
    limit: Limit = AUTHORS_LIMIT,
    query: Annotated[
        str, Field(min_length=1, max_length=500, description="A name or a part of one; absent: those with most papers")
    ]
    | None = None,
) -> AuthorPage:
    """Finds people by name, with their ids and a few of their papers.

    Then use get_author_papers for all papers of one of them.
    """
    return await services.find_authors(limit=limit, query=query)


async def get_author_papers(
    services: Evidence,
    author_id: Annotated[Name, Field(description="Id from find_authors, such as entity:12; wins over a name")]
    | None = None,
    author_name: Annotated[Name, Field(description="Name; when several people match, all their papers")] | None = None,
    limit: Limit = PAPERS_LIMIT,
) -> AuthorPapersPage:
    """Lists the papers of one person, newest first; one of author_id and author_name is needed.

    To learn who is meant use find_authors first.
    """
    return await services.get_author_papers(author_id=author_id, author_name=author_name, limit=limit)
