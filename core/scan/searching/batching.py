"""Asks for many works of known ids in few requests (scan contract 7.13, 10.8)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

from core.errors import PaperdeskError, SourceError, SourceMalformed
from core.identifiers import Identifier
from core.scan.models import Ids
from core.scan.searching.asking import Asked, Asking, Got, gathered
from core.scan.searching.reach import Reach
from core.sources.answers import ListedWork, Record
from core.sources.arxiv import BATCH_MAX as ARXIV_MAX
from core.sources.arxiv import Arxiv, listed
from core.sources.crossref import LIST_MAX as CROSSREF_MAX
from core.sources.fields import identified
from core.sources.openalex import BATCH_MAX as OPENALEX_MAX
from core.sources.openalex_queries import fits_filter

Answered = dict[str, Got[ListedWork]]
"""What became of each id, by the id that was asked for."""

_ARXIV_DOI = "10.48550/arxiv."
_Alone = Callable[[str], Awaitable[ListedWork]]
_Together = Callable[[Sequence[str]], Awaitable[Sequence[ListedWork]]]


def doi_of(ids: Ids) -> str | None:
    """The DOI by which indexes know a work: its own, or that of its arXiv id."""
    return ids.doi or (f"{_ARXIV_DOI}{ids.arxiv}" if ids.arxiv else None)


async def at_crossref(dois: Sequence[str], *, asking: Asking, reach: Reach, caller: str) -> Answered:
    """What Crossref has under each DOI, twenty to a request; nothing where it is not asked here."""
    crossref = reach.sources.crossref
    if crossref is None or not reach.has("crossref"):
        return {}
    together = partial(crossref.listed_by_dois, caller=caller)
    return await _by_dois(
        "crossref", dois, CROSSREF_MAX, together, partial(crossref.listed_work, caller=caller), asking
    )


async def at_openalex(
    dois: Sequence[str], *, with_references: bool = False, asking: Asking, reach: Reach, caller: str
) -> Answered:
    """What OpenAlex has under each DOI, fifty to a request; nothing where it is not asked here."""
    openalex = reach.sources.openalex
    if openalex is None or not reach.has("openalex"):
        return {}
    together = partial(openalex.listed_by_dois, with_references=with_references, caller=caller)
    return await _by_dois(
        "openalex", dois, OPENALEX_MAX, together, partial(openalex.listed_work, caller=caller), asking
    )


async def at_arxiv(ids: Sequence[str], *, asking: Asking, reach: Reach, caller: str) -> Answered:
    """What arXiv has under each of its ids, a hundred to a request; nothing where it is not asked here."""
    arxiv = reach.sources.arxiv
    if arxiv is None or not reach.has("arxiv"):
        return {}
    found: Answered = {}
    for part in _parts(ids, ARXIV_MAX):
        wanted = {each: identifier for each in part if (identifier := identified(f"arxiv:{each}"))}
        found |= {each: Got() for each in part if each not in wanted}
        got = await asking.ask("arxiv", partial(_arxiv_records, arxiv, tuple(wanted.values()), caller))
        for each, identifier in wanted.items():
            found[each] = Got(failure=got.failure) if got.value is None else got.value[identifier]
    return found


async def _arxiv_records(
    arxiv: Arxiv, identifiers: Sequence[Identifier], caller: str
) -> Mapping[Identifier, Got[ListedWork]]:
    """What became of each id; raises what kept all of them from being asked for."""
    outcomes = await arxiv.records(identifiers, caller=caller)
    failures = [each for each in outcomes.values() if isinstance(each, SourceError)]
    if failures and not any(isinstance(each, Record) for each in outcomes.values()):
        raise failures[0]
    return {identifier: _outcome(outcome) for identifier, outcome in outcomes.items()}


def _outcome(outcome: Record | PaperdeskError) -> Got[ListedWork]:
    if isinstance(outcome, Record):
        return Got(listed(outcome))
    return Got(failure="failed" if isinstance(outcome, SourceError) else None)


async def _by_dois(
    source: Asked, dois: Sequence[str], most: int, together: _Together, alone: _Alone, asking: Asking
) -> Answered:
    """Lists of those that a filter can carry, the others one by one; a list that is refused is asked one by one too."""
    found: Answered = {}

    async def one(doi: str) -> None:
        found[doi] = await asking.ask(source, partial(alone, doi))

    async def many(part: Sequence[str]) -> None:
        got = await asking.ask(source, partial(_unless_refused, partial(together, part)))
        if got.is_absent:
            # One id that the source finds fault with must not speak for the others.
            await gathered([partial(one, doi) for doi in part])
            return
        by_doi = {doi_in(each): each for each in got.value or ()}
        found.update({doi: Got(by_doi.get(doi), got.failure) for doi in part})

    parts = _parts([doi for doi in dois if fits_filter(doi)], most)
    singles = [partial(one, doi) for doi in dict.fromkeys(dois) if not fits_filter(doi)]
    await gathered([*(partial(many, part) for part in parts), *singles])
    return found


async def _unless_refused(asked: Callable[[], Awaitable[Sequence[ListedWork]]]) -> Sequence[ListedWork] | None:
    try:
        return await asked()
    except SourceMalformed:
        return None


def doi_in(listed_work: ListedWork) -> str | None:
    """The DOI that a source has a work under."""
    work = listed_work.work
    return work.doi or (f"{_ARXIV_DOI}{work.arxiv_id}" if work.arxiv_id else None)


def _parts(ids: Sequence[str], most: int) -> list[list[str]]:
    distinct = list(dict.fromkeys(ids))
    return [distinct[start : start + most] for start in range(0, len(distinct), most)]
