"""What is known of a paper in public, outside the catalog (catalog contract 16.6)."""

from core.identifiers import IdentifierKind
from server.api.naming import Desk, read_reference
from server.api.parameters import Parameters
from server.api.problems import Problem
from server.api.replies import Reply


async def by_reference(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """Public metadata by identifier; a title belongs to the search beside it."""
    identifier = read_reference(path[0])
    if identifier is None or identifier.kind is IdentifierKind.TITLE:
        raise Problem(
            422, "title_reference", "This is no identifier; for a title use papers/public-metadata/search?title=."
        )
    raise _no_source("identifier")


async def by_title(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """Public metadata by title."""
    query.required_text("title")
    raise _no_source("title")


def _no_source(kind: str) -> Problem:
    message = "This service asks no public source; look the paper up where it was published."
    return Problem(503, "lookup_unavailable", message, kind=kind, tried=[], failed=[])
