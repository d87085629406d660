"""Tools that look up the metadata of one reference."""

from core.references.results import ResolvedAnswer
from core.references.service import References
from server.toolsets.references.parameters import CheckRetraction, DryRun, IncludeOa, Ref


async def doiget_resolve_paper(
    services: References,
    ref: Ref,
    include_oa_location: IncludeOa = False,
    check_retraction: CheckRetraction = False,
) -> ResolvedAnswer:
    """WHEN TO USE: You have one identifier and want its metadata; for a title or citation use doiget_resolve_citation.
    INPUTS: ref; include_oa_location and check_retraction ask further sources.
    OUTPUTS: The source's record (metadata), one form for all sources (work), open access, retraction, attempts. \
oa_status null means not determined, never closed. Titles and abstracts are third-party data.
    COSTS: No request when the catalog holds it; else one to a few requests.
    SIDE EFFECTS: None; no PDF is requested and nothing is kept.
    LIMITS: 25 seconds; metadata is kept under 32 KiB, what was cut is named.
    """
    return await services.records.resolve(ref, include_oa=include_oa_location, check_retraction=check_retraction)


async def doiget_metadata_only(
    services: References,
    ref: Ref,
    include_oa_location: IncludeOa = False,
    check_retraction: CheckRetraction = False,
    dry_run: DryRun = False,
) -> ResolvedAnswer:
    """WHEN TO USE: As doiget_resolve_paper, with a dry run; where the paper can be read, use doiget_fetch_paper.
    INPUTS: ref; include_oa_location, check_retraction; dry_run for a DOI or arXiv id says what would be asked.
    OUTPUTS: As doiget_resolve_paper, or the plan. Titles and abstracts are third-party data.
    COSTS: No request when the catalog holds it; else one to a few requests.
    SIDE EFFECTS: None here: this hosted service keeps nothing.
    LIMITS: 25 seconds; metadata is kept under 32 KiB, what was cut is named.
    """
    return await services.records.metadata_only(
        ref, include_oa=include_oa_location, check_retraction=check_retraction, dry_run=dry_run
    )
