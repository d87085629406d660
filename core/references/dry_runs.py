"""What a call would do, without the network, the disk or a log (references contract, section 1.7)."""

from typing import Any

from core.identifiers import Identifier, IdentifierKind
from core.references.failures import BadArgument
from core.references.safekeys import safekey
from core.references.store.layout import Layout
from core.sources.configuration import Rulebook

_BUDGET = {"global_per_sec": 5.0, "per_source_min_gap_ms": 200}
_ARXIV_HOSTS = ["arxiv.org", "export.arxiv.org", "*.arxiv.org"]


def planned(ref: str, identifier: Identifier, rulebook: Rulebook, *, layout: Layout | None = None) -> dict[str, Any]:
    """`ref`, `plan` and `rate_limit_budget` of a dry run; `BadArgument` where a lookup would be needed.

    `layout` is that of the store in local mode: then the plan names the files that would be written.
    """
    if identifier.kind is IdentifierKind.DOI:
        shape, is_arxiv = {"doi": identifier.id}, False
    elif identifier.kind is IdentifierKind.ARXIV:
        shape, is_arxiv = {"arxiv": f"{identifier.id}{identifier.version or ''}"}, True
    else:
        raise BadArgument(
            "A dry run takes a DOI or an arXiv id; other ids need a lookup. Leave dry_run out, or send the DOI.",
            field="ref",
        )
    hosts = _ARXIV_HOSTS if is_arxiv else list(rulebook["oa-publisher"].reach.hosts.texts)
    plan = {
        "metadata_sources": [] if is_arxiv else ["crossref", "unpaywall"],
        "pdf_sources": [{"key": "arxiv" if is_arxiv else "oa-publisher", "candidate_hosts": hosts}],
        "redirect_allowlists_loaded": ["crossref", "unpaywall", "arxiv", "oa-publisher"],
        "candidate_hosts_are_upper_bound": True,
        "target_pdf_path": None if layout is None else str(layout.pdf(safekey(identifier))),
        "target_metadata_path": None if layout is None else str(layout.toml(safekey(identifier))),
        "would_append_provenance": layout is not None,
        "would_consult": ["catalog", "arxiv"] if is_arxiv else ["catalog", "crossref", "datacite", "unpaywall"],
    }
    return {"ref": shape, "plan": plan, "rate_limit_budget": dict(_BUDGET)}
