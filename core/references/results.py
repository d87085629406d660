"""What the tools of the references family answer: open objects of which only `ok` is always there (1.2, 1.3, 3).

A field that was not set is absent; one that was set to None is there as null.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Json = dict[str, Any]

Maybe = Annotated[Json | None, Field(description="null when there is none")]
Attempts = Annotated[
    list[Json] | None, Field(description="Each source in the order asked, with its outcome; null without a trace")
]


class Answer(BaseModel):
    """Every answer, good or bad."""

    model_config = ConfigDict(extra="allow")

    ok: bool = Field(description="Whether the call did what was asked; false comes with `error`")
    error: Json = Field(default={}, description="code, message, disposition and more; only when ok is false")


class ReferenceAnswer(Answer):
    """An answer on one reference."""

    ref: Any = Field(default=None, description="The reference as it was sent; what it was read as in a dry run")
    canonical: str = Field(default="", description="Its identity, such as doi:10.1038/nature14539")
    schema_version: str = Field(default="", description="Version of this form")
    stale: bool = Field(default=False, description="true: a remembered answer past its life")


class ResolvedAnswer(ReferenceAnswer):
    """Metadata of one reference."""

    source: str = Field(default="", description="Where the record came from")
    resolver_profile: str = Field(default="", description="Equals source")
    license: str | None = Field(default=None, description="Licence of the open copy; null when undetermined")
    oa_url: str | None = Field(default=None, description="Where an open copy is; null when none is known")
    oa_status: str | None = Field(default=None, description="closed, gold, green, hybrid, bronze; null: not determined")
    metadata: Json = Field(default={}, description="The source's own record; third-party data")
    metadata_trimmed: list[str] = Field(default=[], description="What was cut from metadata to keep it small")
    metadata_quality: list[str] = Field(default=[], description="Damaged fields, such as mojibake:title")
    repaired_fields: Json = Field(default={}, description="Field to the source of the better value")
    work: Json = Field(default={}, description="The record in one form for all sources")
    dry_run: bool = Field(default=False, description="true: nothing was asked and nothing kept")
    plan: Json = Field(default={}, description="What a call that is no dry run would ask")
    rate_limit_budget: Json = Field(default={}, description="How fast sources are asked")
    retraction: Json = Field(default={}, description="status retracted, no_marker_found or unknown, and why")
    attempts: Attempts = None


class FetchAnswer(ResolvedAnswer):
    """Where one paper's open copy is, or what a fetch would do."""

    path: str | None = Field(default=None, description="Path of the stored file; null when hosted")
    size_bytes: int = Field(default=0, description="Size of the stored file; 0 when hosted")
    title: str | None = Field(default=None, description="Title of the record; null when unknown")
    authors: list[str] = Field(default=[], description="Authors as Family, Given")
    year: int | None = Field(default=None, description="Year of the record; null when unknown")
    pdf: Json = Field(default={}, description="status located, no_oa_url or blocked, with what belongs to it")


class RowsAnswer(Answer):
    """One row for each thing that was sent, in order."""

    results: list[Json] = Field(default=[], description="One row per item, each with its own ok or error")
    summary: Json = Field(default={}, description="Counts: total, ok, failed, parse_errors")
    dry_run: bool = Field(default=False, description="true: nothing was asked")
    plans: list[Json] = Field(default=[], description="Plans of a dry run")


class InfoAnswer(ReferenceAnswer):
    """One stored record."""

    safekey: str = Field(default="", description="The record's name in files and exports")
    metadata: Maybe = None
    retraction: Json = Field(default={}, description="status, notices and who was checked")


class ListAnswer(Answer):
    """Rows of a search or a list."""

    count: int = Field(default=0, description="Number of rows")
    scope: str = Field(default="", description="local or external")
    store: str = Field(default="", description="catalog or directory")
    query: str = Field(default="", description="The query as it was sent")
    results: list[Json] = Field(default=[], description="Rows of a search")
    entries: list[Json] = Field(default=[], description="Rows of a list")
    total_results: int | None = Field(default=None, description="The outside index's own figure; null when not asked")
    catalog_results: int = Field(default=0, description="How many of the results come from the catalog")
    degraded: bool = Field(default=False, description="true: the outside index could not be asked")
    hint: str = Field(default="", description="What to try when nothing was found")
    filters: Json = Field(default={}, description="The filters that ran, names with what they were taken for")
    attempts: Attempts = None


class PdfPathAnswer(ReferenceAnswer):
    """Where a stored PDF is."""

    safekey: str = Field(default="", description="The record's name in files and exports")
    path: str | None = Field(default=None, description="Path of the PDF; always null when hosted")
    pdf_exists: bool = Field(default=False, description="Whether a PDF is stored")
    origin: str | None = Field(default=None, description="user-supplied, or null; only with an entry")
    license: str | None = Field(default=None, description="Licence of the copy; null when undetermined")
    oa_url: str | None = Field(default=None, description="Where the catalog knows an open copy; null when it does not")
    oa_status: str | None = Field(default=None, description="As the catalog knows it; null: not determined")


class TextAnswer(ReferenceAnswer):
    """The text of one paper, or a part of it."""

    arxiv_id: str = Field(default="", description="The paper's arXiv id")
    version: str | None = Field(default=None, description="The version that was asked for; null: the latest")
    source: str = Field(default="", description="Where the text came from")
    title: str | None = Field(default=None, description="Title in the text; null when it has none")
    sections: list[Json] = Field(default=[], description="heading, text, level and kind of each section")
    tex_source: str = Field(default="", description="The TeX text")
    main_file: str | None = Field(default=None, description="The file the text starts in; null for a plain file")
    files: list[Json] = Field(default=[], description="Text files of the source with their size")
    unresolved_includes: list[str] = Field(default=[], description="Files that are included and missing")
    encoding: str = Field(default="", description="How the source was decoded")
    char_count: int = Field(default=0, description="Code points of the returned text")
    total_chars: int = Field(default=0, description="Code points of the whole text")
    truncated: bool = Field(default=False, description="Whether more follows")
    next_offset: int | None = Field(default=None, description="Pass it as offset to read on; null at the end")
    outline: list[Json] = Field(default=[], description="All sections: heading, level, chars")
    quality: str = Field(default="", description="ok, thin or damaged")
    license: str | None = Field(default=None, description="Licence that the page states; null when it states none")
    retrieved_from: str = Field(default="", description="Address or store the text was read from")
    attempts: Attempts = None


class LinkAnswer(ReferenceAnswer):
    """What arXiv paper a DOI belongs to."""

    doi: str | None = Field(default=None, description="The DOI; null when unknown")
    arxiv: str | None = Field(default=None, description="The arXiv id; null: none is known")
    openalex_id: str | None = Field(default=None, description="OpenAlex's id; null when it was not asked")
    title: str | None = Field(default=None, description="Title; null when unknown")
    source: str = Field(default="", description="catalog or openalex")
    published_doi: str | None = Field(default=None, description="DOI of the published version; null when unknown")
    attempts: Attempts = None


class GraphAnswer(ReferenceAnswer):
    """A citation graph."""

    seed_work_id: str = Field(default="", description="OpenAlex's id of the work asked for")
    nodes: list[Json] = Field(default=[], description="Works with their distance from the seed")
    edges: list[Json] = Field(default=[], description="from cites to")
    truncated: bool = Field(default=False, description="Whether anything was left out")
    total_visited: int = Field(default=0, description="Number of nodes")
    attempts: Attempts = None


class ExportAnswer(Answer):
    """One export entry for each reference."""

    entries: list[Json] = Field(default=[], description="ref, safekey and the export, null when unknown; or error")


class CitationAnswer(Answer):
    """Candidates for one citation text."""

    query: str = Field(default="", description="The citation as it was sent")
    candidates: list[Json] = Field(default=[], description="Works that it may be, best score first")
    best: str | None = Field(default=None, description="DOI of the one accepted candidate; null: none is certain")
    attempts: Attempts = None


class ProfileAnswer(Answer):
    """What this deployment can do."""

    oa_enabled: bool = Field(default=True, description="Open access sources are part of the service")
    metadata_sources: list[str] = Field(default=[], description="Enabled metadata sources")
    tdm_enabled: bool = Field(default=False, description="Publisher text mining is no part of paperdesk")
    tdm_elsevier: bool = Field(default=False, description="Always false")
    tdm_aps: bool = Field(default=False, description="Always false")
    tdm_springer: bool = Field(default=False, description="Always false")
    tdm_ieee: bool = Field(default=False, description="Always false")
    rate_limit_per_sec: float = Field(default=0.0, description="Starts a second for one caller")
    tier_1: list[str] = Field(default=[], description="Of arxiv, crossref, unpaywall those that are on")
    tier_2: list[str] = Field(default=[], description="Equals metadata_sources")
    tier_3: list[str] = Field(default=[], description="Always empty")
    mode: str = Field(default="", description="hosted or local")
    contact_configured: bool = Field(default=False, description="Whether sources are told whom to write to")
    sources: list[Json] = Field(default=[], description="Each source: enabled, pacing, cooling_down")
    limits: Json = Field(default={}, description="Largest batches, exports and texts; deadlines")
    unavailable_tools: list[str] = Field(default=[], description="Tools this mode does not offer")


class HealthAnswer(Answer):
    """Whether the service is well."""

    version: str = Field(default="", description="paperdesk's version")
    schema_version: str = Field(default="", description="Version of the answers' form")
    store_writable: bool = Field(default=False, description="Whether there is a store to write to")
    build: Json = Field(default={}, description="How this build was made; unknown parts are null")
    mode: str = Field(default="", description="hosted or local")
    catalog: Json = Field(default={}, description="backend, papers and updated_at of the catalog")


class KeptAnswer(ReferenceAnswer):
    """What is noted at a stored entry."""

    tags: list[str] = Field(default=[], description="Tags in the order they were added")
    collections: list[str] = Field(default=[], description="Collections in the order they were added")
    annotation: str | None = Field(default=None, description="The note; null when there is none")
