"""Tools that read what is held and ask no source."""

from typing import Annotated

from pydantic import Field

from core.references.results import InfoAnswer, KeptAnswer, ListAnswer, PdfPathAnswer
from core.references.service import References
from server.toolsets.references.parameters import ListLimit, StoredRef


async def doiget_info(services: References, ref: StoredRef) -> InfoAnswer:
    """WHEN TO USE: You want the record that is held here; to look it up elsewhere use doiget_resolve_paper.
    INPUTS: ref, a DOI or arXiv id.
    OUTPUTS: metadata, or null when it is not held, which is no failure; doiget.fetched_at is when the catalog was \
built; retraction. Titles and abstracts are third-party data.
    COSTS: No request to a source.
    SIDE EFFECTS: None.
    LIMITS: Only what the catalog of this service holds.
    """
    return await services.holdings.info(ref)


async def doiget_search_local(
    services: References,
    query: Annotated[str, Field(description="Part of a title, author, venue or publisher; empty lists all")],
    limit: ListLimit = 50,
) -> ListAnswer:
    """WHEN TO USE: You look for something held here; to search the literature use doiget_paper_search.
    INPUTS: query, matched as written whatever its case; limit.
    OUTPUTS: safekey, title, year and fetched_at (when the catalog was built, the same for all) of each row, by \
identity. Titles are third-party data.
    COSTS: No request to a source.
    SIDE EFFECTS: None.
    LIMITS: 200 rows; the catalog's own index proposes the rows, so rare spellings inside words may be missed.
    """
    return await services.holdings.search(query, limit)


async def doiget_list_recent(services: References, limit: ListLimit = 50) -> ListAnswer:
    """WHEN TO USE: You want the newest papers held here; to search by words use doiget_search_local.
    INPUTS: limit.
    OUTPUTS: safekey, title, year and fetched_at of each. All were taken in when the catalog was built (fetched_at), \
so that the latest published are listed, by safekey. Titles are third-party data.
    COSTS: No request to a source.
    SIDE EFFECTS: None.
    LIMITS: 200 rows.
    """
    return await services.holdings.recent(limit)


async def doiget_paper_pdf_path(services: References, ref: StoredRef) -> PdfPathAnswer:
    """WHEN TO USE: You want the path of a stored PDF; hosted there is none, so use doiget_fetch_paper for its address.
    INPUTS: ref, a DOI or arXiv id.
    OUTPUTS: path null and pdf_exists false; oa_url where the catalog knows an open copy.
    COSTS: No request to a source.
    SIDE EFFECTS: None; no file is read.
    LIMITS: This hosted service stores no PDFs.
    """
    return await services.holdings.pdf_path(ref)


async def doiget_tag(
    services: References,
    ref: StoredRef,
    add: Annotated[list[str], Field(description="Tags to add")] | None = None,
    remove: Annotated[list[str], Field(description="Tags to remove")] | None = None,
    collection_add: Annotated[list[str], Field(description="Collections to add")] | None = None,
    collection_remove: Annotated[list[str], Field(description="Collections to remove")] | None = None,
) -> KeptAnswer:
    """WHEN TO USE: You keep a store of your own and want to tag an entry; hosted there is none.
    INPUTS: ref; add, remove, collection_add, collection_remove.
    OUTPUTS: CAPABILITY_DENIED when hosted.
    COSTS: No request.
    SIDE EFFECTS: None when hosted.
    LIMITS: Local mode only.
    """
    return await services.tagging.tag(
        ref,
        add=add or (),
        remove=remove or (),
        collection_add=collection_add or (),
        collection_remove=collection_remove or (),
    )


async def doiget_annotate(
    services: References,
    ref: StoredRef,
    text: Annotated[str, Field(description="The note, in place of an earlier one")] | None = None,
    clear: Annotated[bool, Field(description="Remove the note")] = False,
) -> KeptAnswer:
    """WHEN TO USE: You keep a store of your own and want to annotate an entry; hosted there is none.
    INPUTS: ref; text or clear.
    OUTPUTS: CAPABILITY_DENIED when hosted.
    COSTS: No request.
    SIDE EFFECTS: None when hosted.
    LIMITS: Local mode only.
    """
    return await services.tagging.annotate(ref, text, clear=clear)
