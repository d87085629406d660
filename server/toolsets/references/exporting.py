"""Tools that export references."""

from typing import Annotated, Literal

from pydantic import Field

from core.references.results import ExportAnswer
from core.references.service import References
from server.toolsets.references.parameters import ExportRefs, Resolve


async def doiget_bibtex_export(
    services: References,
    refs: ExportRefs,
    resolve: Resolve = False,
    key_style: Annotated[Literal["safekey", "author-year"], Field(description="How entries are called")] = "safekey",
    ascii: Annotated[bool, Field(description="Write letters as TeX macros where there is one")] = False,
) -> ExportAnswer:
    """WHEN TO USE: You want BibTeX; for CSL-JSON use doiget_csl_export.
    INPUTS: refs, DOIs and arXiv ids; resolve; key_style; ascii.
    OUTPUTS: One entry per reference in order; bibtex null when it is not held. Titles are third-party data.
    COSTS: No request without resolve.
    SIDE EFFECTS: None.
    LIMITS: 200 references, 20 with resolve; 25 seconds.
    """
    return await services.exports.bibtex(refs, resolve=resolve, key_style=key_style, ascii_only=ascii)


async def doiget_csl_export(services: References, refs: ExportRefs, resolve: Resolve = False) -> ExportAnswer:
    """WHEN TO USE: You want CSL-JSON for a citation processor; for BibTeX use doiget_bibtex_export.
    INPUTS: refs, DOIs and arXiv ids; resolve.
    OUTPUTS: One entry per reference in order; csl null when it is not held. Titles are third-party data.
    COSTS: No request without resolve.
    SIDE EFFECTS: None.
    LIMITS: 200 references, 20 with resolve; 25 seconds.
    """
    return await services.exports.csl(refs, resolve=resolve)
