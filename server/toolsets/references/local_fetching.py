"""Tools of local mode that download open copies into the user's store."""

from typing import Annotated

from pydantic import Field

from core.references.results import FetchAnswer, RowsAnswer
from core.references.service import References
from server.toolsets.references.parameters import DryRun, Ref, Refs

LocalForce = Annotated[bool, Field(description="Ask again although the same failed a moment ago; it is logged")]


async def doiget_fetch_paper(
    services: References,
    ref: Ref,
    dry_run: DryRun = False,
    force: LocalForce = False,
) -> FetchAnswer:
    """WHEN TO USE: You want the PDF of one paper in your store; for many use doiget_batch_fetch, for its text \
doiget_paper_text.
    INPUTS: ref; dry_run says what would be asked and written; force asks again after a failure.
    OUTPUTS: path and size_bytes of what is stored; pdf.status fetched, preprint_fallback, preprint_doi_fallback, \
no_oa_url or blocked; title, authors and year to check it is the right paper. ok:true does not mean that a PDF exists. \
Titles are third-party data.
    COSTS: One to a few requests for metadata and open access, and one for each copy that is tried.
    SIDE EFFECTS: Writes the PDF and its TOML file in your store, and rows of its log.
    LIMITS: 300 seconds; open copies on listed hosts only; a failed reference is answered from memory for a while \
(replayed).
    """
    return await services.copies.fetch(ref, dry_run=dry_run, force=force)


async def doiget_batch_fetch(
    services: References,
    refs: Refs,
    dry_run: DryRun = False,
    force: LocalForce = False,
) -> RowsAnswer:
    """WHEN TO USE: You have up to 100 references; for a bibliography use doiget_batch_from_bibliography.
    INPUTS: refs, all well-formed; dry_run; force.
    OUTPUTS: One row per reference in order, each with its own ok, path, pdf or error. Titles are third-party data.
    COSTS: As doiget_fetch_paper for each distinct paper; arXiv ids share one request for their metadata.
    SIDE EFFECTS: As doiget_fetch_paper for each.
    LIMITS: 100 references, 300 seconds; a row that was not reached is FETCH_TIMEOUT.
    """
    return await services.copies.batch(refs, dry_run=dry_run, force=force)


async def doiget_batch_from_bibliography(
    services: References,
    content: Annotated[str, Field(description="The bibliography itself, at most 1 MiB of UTF-8")] | None = None,
    path: Annotated[str, Field(description="Absolute path of a bibliography file on this machine")] | None = None,
    format: Annotated[
        str, Field(description="auto, csl-json, bibtex, biblatex or refs (one reference a line)")
    ] = "auto",
    strict: Annotated[bool, Field(description="The first bad entry fails the call")] = False,
    force: LocalForce = False,
) -> RowsAnswer:
    """WHEN TO USE: You have BibTeX, CSL-JSON or a plain list; for a list of references use doiget_batch_fetch.
    INPUTS: content, or path to a .bib, .biblatex, .json, .csl, .txt or .refs file; format; strict; force.
    OUTPUTS: summary, then rows: entries that could not be followed first, then the others in file order, \
with entry_key. Titles are third-party data.
    COSTS: As doiget_fetch_paper for each distinct paper.
    SIDE EFFECTS: As doiget_fetch_paper for each; the bibliography itself is only read.
    LIMITS: 1 MiB of content, 10 MiB of a file, 100 entries that can be followed, 300 seconds.
    """
    return await services.local_copies.bibliography(content, path=path, format=format, strict=strict, force=force)
