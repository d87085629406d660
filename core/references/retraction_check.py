"""Asks who may know of a retraction, all at once, and puts together what was heard (references contract, section 9)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import anyio

from core.catalog.models import PaperRecord
from core.errors import NotFound, PaperdeskError, SourceNotEnabled
from core.identifiers import IdentifierKind
from core.references.asking import Asking
from core.references.attempts import detail_of
from core.references.resolution import Resolved
from core.references.retraction import Retraction, Unchecked, catalog_evidence, combine
from core.sources.answers import Evidence


def retraction_of(found: Resolved) -> Retraction:
    """By the records that were heard anyway."""
    return combine(_heard(found), titles=[record.work.title for record in found.records])


def retraction_of_record(record: PaperRecord) -> Retraction:
    """By one record of the catalog."""
    return combine([catalog_evidence(record.is_retracted)], titles=[record.row.title])


async def checked_retraction(found: Resolved, asking: Asking) -> Retraction:
    """By every source that is on; one that fails says nothing, and is named."""
    check = _Check(asking)
    heard = _heard(found)
    already = {each.source for each in heard}
    async with anyio.create_task_group() as tasks:
        for source, ask in _questions(found, asking, already):
            tasks.start_soon(check.ask, source, ask)
    titles = [record.work.title for record in found.records]
    unchecked = [each for each in check.unchecked if each.source not in {one.source for one in check.heard}]
    return combine([*heard, *check.heard], titles=titles, unchecked=unchecked)


@dataclass(slots=True)
class _Check:
    asking: Asking
    heard: list[Evidence] = field(default_factory=list)
    unchecked: list[Unchecked] = field(default_factory=list)

    async def ask(self, source: str, question: Callable[[], Awaitable[Evidence | None]]) -> None:
        trace = self.asking.trace
        try:
            evidence = await question()
        except NotFound:
            self.unchecked.append(Unchecked(source, "it has no record of this work"))
            return
        except SourceNotEnabled as error:
            trace.failed(source, error)
            self.unchecked.append(Unchecked(source, "it is not asked by this deployment"))
            return
        except PaperdeskError as error:
            trace.failed(source, error)
            self.unchecked.append(Unchecked(source, detail_of(error)))
            return
        if evidence is None:
            self.unchecked.append(Unchecked(f"{source} notices", "a DOI with a comma cannot be asked for"))
        else:
            self.heard.append(evidence)


def _heard(found: Resolved) -> list[Evidence]:
    return [record.evidence for record in found.records if record.evidence is not None]


def _questions(
    found: Resolved, asking: Asking, already: set[str]
) -> list[tuple[str, Callable[[], Awaitable[Evidence | None]]]]:
    identifier, sources, caller = found.identifier, asking.sources, asking.caller
    doi = identifier.id if identifier.kind is IdentifierKind.DOI else found.work.doi
    questions: list[tuple[str, Callable[[], Awaitable[Evidence | None]]]] = []
    if (crossref := sources.crossref) is not None and doi is not None:
        questions.append(("crossref", lambda: crossref.retraction(doi, caller=caller)))
        if "crossref" not in already:

            async def of_record() -> Evidence | None:
                return (await crossref.work(doi, caller=caller)).evidence

            questions.append(("crossref", of_record))
    if (openalex := sources.openalex) is not None and "openalex" not in already:
        questions.append(("openalex", lambda: openalex.retraction(identifier, caller=caller)))
    if (ncbi := sources.ncbi) is not None and doi is not None and "ncbi" not in already:
        questions.append(("ncbi", lambda: ncbi.retraction(doi, caller=caller)))
    if (europe_pmc := sources.europe_pmc) is not None and doi is not None:
        questions.append(("europe-pmc", lambda: europe_pmc.retraction(doi, caller=caller)))
    if (arxiv := sources.arxiv) is not None and identifier.kind is IdentifierKind.ARXIV and "arxiv" not in already:

        async def of_entry() -> Evidence | None:
            return (await arxiv.record(identifier, caller=caller)).evidence

        questions.append(("arxiv", of_entry))
    return [*questions, *_switched_off(asking)]


def _switched_off(asking: Asking) -> list[tuple[str, Callable[[], Awaitable[Evidence | None]]]]:
    """Who would be asked if it were on: named, so that silence is not taken for a check."""

    def refusing(key: str) -> Callable[[], Awaitable[Evidence | None]]:
        async def refuse() -> Evidence | None:
            raise asking.sources.not_enabled(key)

        return refuse

    return [(key, refusing(key)) for key in ("crossref", "openalex", "ncbi") if key in asking.sources.off]
