"""Parameters as keys of the memory: spellings that a backend answers alike become one (catalog contract 15).

Texts are compared by their plain fold, which is what names, titles and words are matched under (contract 9, 10 and 11);
ids are taken as they are: callers pass canonical ones.
"""

from dataclasses import replace
from typing import TypeVar

from core.catalog.models import BenchmarkFilters, PaperFilters
from core.catalog.taxonomy_models import FrameworkFilters, MethodFilters, TaskFilters
from core.folds import plain_fold

Searched = TypeVar("Searched", BenchmarkFilters, MethodFilters, TaskFilters)


def papers_key(filters: PaperFilters) -> PaperFilters:
    """Paper filters with their words folded and their authors, all of whom must match, as an ordered set."""
    authors = tuple(sorted(set(filters.author_ids)))
    return replace(filters, search=_folded(filters.search), author_ids=authors)


def searched_key(filters: Searched) -> Searched:
    """The filters of a listing with their words folded."""
    return replace(filters, search=_folded(filters.search))


def frameworks_key(filters: FrameworkFilters) -> FrameworkFilters:
    """Framework filters, which ignore case."""
    return FrameworkFilters(_folded(filters.domain), _folded(filters.category), _folded(filters.platform))


def _folded(text: str | None) -> str | None:
    return None if text is None else plain_fold(text)
