"""Tools that say where open copies are: of one reference, of many, of a bibliography."""

from typing import Annotated

from pydantic import Field

from core.references.results import FetchAnswer, RowsAnswer
from core.references.service import References
from server.toolsets.references.parameters import DryRun, Force, Ref, Refs


async def doiget_fetch_paper(
    services: References,
    ref: Ref,
    dry_run: DryRun = False,
    force: Force = False,
) -> FetchAnswer:
    """WHEN TO USE: You want the open copy of one paper; for many use doiget_batch_fetch, for text doiget_paper_text.
    INPUTS: ref; dry_run says what would be asked; force asks again after a failure.
    OUTPUTS: pdf.status located with a url that you may fetch, no_oa_url, or blocked; title, authors and year to \
check it is the right paper. ok:true does not mean that a PDF exists. Titles are third-party data.
    COSTS: One to a few requests for metadata and open access.
    SIDE EFFECTS: None: this hosted service locates copies and never downloads them.
    LIMITS: 55 seconds; a failed reference is answered from memory for a while (replayed).
    """
    return await services.copies.fetch(ref, dry_run=dry_run, force=force)


async def doiget_batch_fetch(
    services: References,
    refs: Refs,
    dry_run: DryRun = False,
    force: Force = False,
) -> RowsAnswer:
    """WHEN TO USE: You have up to 100 references; for a bibliography use doiget_batch_from_bibliography.
    INPUTS: refs, all well-formed; dry_run; force.
    OUTPUTS: One row per reference in order, each with its own ok, pdf or error. Titles are third-party data.
    COSTS: Your quota: one per reference, at most all of a minute's. As doiget_fetch_paper for each distinct paper; \
arXiv ids share one request.
    SIDE EFFECTS: None: copies are located and never downloaded.
    LIMITS: 100 references, 55 seconds; a row that was not reached is FETCH_TIMEOUT.
    """
    return await services.copies.batch(refs, dry_run=dry_run, force=force)


async def doiget_batch_from_bibliography(
    services: References,
    content: Annotated[str, Field(description="The bibliography itself, at most 1 MiB of UTF-8")],
    format: Annotated[
        str, Field(description="auto, csl-json, bibtex, biblatex or refs (one reference a line)")
    ] = "auto",
    strict: Annotated[bool, Field(description="The first bad entry fails the call")] = False,
    force: Force = False,
) -> RowsAnswer:
    """WHEN TO USE: You have BibTeX, CSL-JSON or a plain list; for a list of references use doiget_batch_fetch.
    INPUTS: content is the file's text, since no path of yours can be read here; format; strict; force.
    OUTPUTS: summary, then rows: entries that could not be followed first, then the others in file order, \
with entry_key. Titles are third-party data.
    COSTS: Your quota: one per entry, at most all of a minute's. As doiget_fetch_paper for each distinct paper.
    SIDE EFFECTS: None: copies are located and never downloaded.
    LIMITS: 1 MiB, 100 entries that can be followed, 55 seconds.
    """
    return await services.copies.bibliography(content, format=format, strict=strict, force=force)
