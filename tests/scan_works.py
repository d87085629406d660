"""Works, candidates and plans of a scan in few words."""

from datetime import date
from typing import Any

from core.scan.days import ScanWindow
from core.scan.identity.keys import ids_of
from core.scan.models import Candidate, FoundWork, Origin, Plan, Query, ScanAuthor, SubCriterion
from core.scan.vocabulary import SourceName

WINDOW = ScanWindow(date(2024, 1, 1), date(2026, 8, 20))
ROUTING: tuple[SourceName, ...] = ("catalog", "openalex", "s2", "arxiv")
IDS = ("doi", "arxiv", "pmid", "openalex", "s2", "catalog")


def hit(rank: int, query: str = "Q1", source: SourceName = "s2", *, secondary: bool = False) -> Origin:
    """A place in the list that a query gave."""
    return Origin(source, "query", query, None, rank, secondary)


def linked(rank: int, seed: str, source: SourceName = "s2") -> Origin:
    """A place among the references of a seed."""
    return Origin(source, "references", None, seed, rank)


def found(title: str, *authors: str, **values: Any) -> FoundWork:
    """A record; identifiers are given by their kinds, authors by their names."""
    ids = {kind: values.pop(kind) for kind in IDS if kind in values}
    return FoundWork(title, authors=tuple(ScanAuthor(name) for name in authors), ids=ids_of(**ids), **values)


def candidate(cid: str, *origins: Origin, outside_window: bool = False, **values: Any) -> Candidate:
    """A candidate with a title of its own."""
    values.setdefault("title", f"The title of work {cid}")
    return Candidate(cid, FoundWork(origins=origins, **values), outside_window)


def plan(*queries: str, text: str = "Does it matter?") -> Plan:
    """A plan of three sub-criteria and the queries of these ids."""
    return Plan(
        "What matters",
        "cs",
        tuple(SubCriterion(f"C{number}", f"Criterion {number}", text) for number in (1, 2, 3)),
        tuple(Query(query, "direct", "what matters") for query in queries),
    )
