"""Finds papers of an evidence set by identifier and by exact title."""

from core.catalog.embedded.connection import Connection, bindable
from core.catalog.embedded.papers import folded_arxiv_id
from core.evidence.folding import folded_text
from core.identifiers import Identifier


def by_identifier(connection: Connection, identifier: Identifier) -> int | None:
    """The number of the paper that an identifier names, by its own spelling or an alternate one."""
    if not identifier.plausible:
        return None
    kind = identifier.kind.value
    for value in (identifier.value, *(each.removeprefix(f"{kind}:").casefold() for each in identifier.alternates)):
        row = connection.execute(
            "SELECT no FROM identifier WHERE scheme = ? AND value = ?", (kind, bindable(value))
        ).fetchone()
        if row is not None:
            return int(row[0])
    return None


def by_paper_id(connection: Connection, text: str) -> int | None:
    """The number of a paper by its canonical id as it is printed, whatever letters a DOI has."""
    row = connection.execute("SELECT no FROM paper WHERE paper_id = ?", (bindable(text.strip()),)).fetchone()
    return None if row is None else int(row[0])


def by_catalog_id(connection: Connection, canonical_id: str) -> int | None:
    """The number of the paper that a catalog calls so: by its arXiv id, else by its catalog id."""
    is_number = canonical_id.isascii() and canonical_id.isdecimal()
    key = ("catalog", canonical_id) if is_number else ("arxiv", folded_arxiv_id(canonical_id))
    row = connection.execute("SELECT no FROM identifier WHERE scheme = ? AND value = ?", key).fetchone()
    return None if row is None else int(row[0])


def by_title(connection: Connection, text: str) -> list[int]:
    """Papers whose title has the tokens of a text; the short name before a colon counts where it is unique."""
    folded = folded_text(text)
    if not folded:
        return []
    found = [no for (no,) in connection.execute("SELECT no FROM paper WHERE title_fold = ? ORDER BY no", (folded,))]
    short = [no for (no,) in connection.execute("SELECT no FROM paper WHERE short_fold = ? LIMIT 2", (folded,))]
    return found or (short if len(short) == 1 else [])
