"""One paper from all rows that describe it: whose word counts, and what is united (catalog contract 20).

Single-valued fields come from the row heard first that has one, citation counts from OpenAlex first. The list of
authors counts as one value: uniting the spellings of two sources would list people twice. Other lists are united.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from core.folds import key_fold, plain_fold
from core.ingest.dates import arxiv_month
from core.ingest.facts import Precedence

Facts = dict[str, Any]

_SINGLE = (
    "arxiv_id",
    "doi",
    "title",
    "abstract",
    "authors",
    "published",
    "venue",
    "conference",
    "url_abs",
    "url_pdf",
    "velocity",
    "is_retracted",
    "version",
    "is_latest",
)
_COMPARED = ("arxiv_id", "doi", "title", "published", "venue", "conference", "citation_count", "is_retracted", "id")
_UNITED = ("tasks", "methods", "organizations", "frameworks")


def merged(rows: Sequence[tuple[int, Facts]], conflicts: Counter[str]) -> Facts:
    """The facts of one paper from (precedence, facts), best heard first; counts fields that rows disagree on."""
    if len(rows) == 1:
        facts = rows[0][1]
    else:
        facts = _united([facts for _, facts in rows])
        openalex = [each for precedence, each in rows if precedence == Precedence.OPENALEX]
        for each in [*openalex, *(facts for _, facts in rows)]:
            if "citation_count" in each:
                facts["citation_count"] = each["citation_count"]
                break
        for name in _COMPARED:
            values = [each[name] for _, each in rows if name in each]
            if len(values) > 1 and any(not _agree(name, values[0], value) for value in values[1:]):
                conflicts[name] += 1
    if "published" not in facts and "arxiv_id" in facts and (month := arxiv_month(facts["arxiv_id"])):
        facts["published"] = month
    return facts


def _united(rows: list[Facts]) -> Facts:
    facts: Facts = {}
    for name in _SINGLE:
        value = next((row[name] for row in rows if row.get(name) not in (None, [], "")), None)
        if value is not None:
            facts[name] = value
    facts["idents"] = _without_repeats([tuple(ident) for row in rows for ident in row["idents"]])
    for name in _UNITED:
        facts[name] = _without_repeats([value for row in rows for value in row.get(name, ())])
    if any("repositories" in row for row in rows):
        facts["repositories"] = _repositories([each for row in rows for each in row.get("repositories", ())])
    kinds = sorted({kind for row in rows for kind in row.get("resources", ())})
    facts["resources"] = {
        kind: _without_repeats([value for row in rows for value in row.get("resources", {}).get(kind, ())])
        for kind in kinds
    }
    return facts


def _without_repeats(values: list[Any]) -> list[Any]:
    return list(dict.fromkeys(values))


def _repositories(repositories: list[Facts]) -> list[Facts]:
    """One entry per address: official if any says so, other facts from the first that states them."""
    by_url: dict[str, Facts] = {}
    for repository in repositories:
        known = by_url.setdefault(repository["url"], dict(repository))
        for name, value in repository.items():
            if name == "is_official":
                known[name] = bool(known.get(name)) or bool(value)
            elif known.get(name) is None:
                known[name] = value
    return list(by_url.values())


def _agree(name: str, one: Any, other: Any) -> bool:
    if name == "title":
        return key_fold(one) == key_fold(other)
    if name == "published":
        # A coarser date does not contradict a finer one.
        return bool(one.startswith(other) or other.startswith(one))
    if isinstance(one, str) and isinstance(other, str):
        return plain_fold(one) == plain_fold(other)
    return bool(one == other)
