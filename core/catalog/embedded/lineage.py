"""Explicit predecessor and successor links of one paper."""

from core.catalog.embedded.connection import Connection
from core.catalog.embedded.papers import UNTITLED, linked_papers, required_pid
from core.catalog.models import PaperLink
from core.catalog.taxonomy_models import Lineage


def lineage(connection: Connection, paper_id: str) -> Lineage:
    """The paper with its links, each list by published date (missing last), then id; raises `NotFound`."""
    pid = required_pid(connection, paper_id)
    statement = "SELECT id, title, arxiv_id, published FROM paper WHERE pid = ?"
    id_, title, arxiv_id, published = connection.execute(statement, (pid,)).fetchone()
    return Lineage(
        paper=PaperLink(str(id_), title or UNTITLED, arxiv_id or str(id_), published),
        predecessors=linked_papers(connection, pid, wanted="predecessor", given="successor"),
        successors=linked_papers(connection, pid, wanted="successor", given="predecessor"),
    )
