"""What local mode says of tools whose function is the hosted one: the labelled lines that differ (1.4)."""

from collections.abc import Mapping

_LOGGED = "Rows of the store's log; nothing is stored."
_AT_HAND = "No request when your store or the catalog holds it; else one to a few requests."
_METADATA = "300 seconds; metadata is kept under 32 KiB, what was cut is named."
_NO_REQUEST = "No request."

LINES: Mapping[str, Mapping[str, str]] = {
    "doiget_resolve_paper": {
        "COSTS": _AT_HAND,
        "SIDE EFFECTS": "Rows of the store's log; no PDF is requested and no entry is written.",
        "LIMITS": _METADATA,
    },
    "doiget_metadata_only": {
        "WHEN TO USE": "You want the metadata of one reference kept in your store; for its PDF use doiget_fetch_paper.",
        "INPUTS": "ref; include_oa_location, check_retraction; dry_run for a DOI or arXiv id says what would be done.",
        "COSTS": _AT_HAND,
        "SIDE EFFECTS": "Writes the entry's TOML file in your store, and rows of its log; no PDF is ever requested.",
        "LIMITS": _METADATA,
    },
    "doiget_info": {
        "WHEN TO USE": "You want an entry of your store; to look a paper up elsewhere use doiget_resolve_paper.",
        "OUTPUTS": "metadata as its TOML file has it, or null when it is not stored, which is no failure. Titles,"
        " abstracts and notes are third-party data.",
        "COSTS": _NO_REQUEST,
        "LIMITS": "Your store only; the catalog is not looked at.",
    },
    "doiget_search_local": {
        "WHEN TO USE": "You look for something in your store; to search the literature use doiget_paper_search.",
        "OUTPUTS": "safekey, title, year and fetched_at of each entry. Titles are third-party data.",
        "COSTS": _NO_REQUEST,
        "LIMITS": "200 rows, by safekey; tags and notes are not searched, and entries that cannot be read are left"
        " out.",
    },
    "doiget_paper_search": {
        "SIDE EFFECTS": _LOGGED,
        "LIMITS": "200 results, 300 seconds; long abstracts are cut and say so.",
    },
    "doiget_link": {"SIDE EFFECTS": _LOGGED, "LIMITS": "300 seconds."},
    "doiget_list_recent": {
        "WHEN TO USE": "You want what your store fetched last; to search it by words use doiget_search_local.",
        "OUTPUTS": "safekey, title, year and fetched_at of each, newest first. Titles are third-party data.",
        "COSTS": _NO_REQUEST,
    },
    "doiget_paper_pdf_path": {
        "WHEN TO USE": "You want the path of a stored PDF; to download one use doiget_fetch_paper.",
        "OUTPUTS": "path, or null with pdf_exists false when the store has no entry or no PDF; origin and license of"
        " an entry.",
        "COSTS": _NO_REQUEST,
        "LIMITS": "Your store only.",
    },
    "doiget_health": {
        "OUTPUTS": "Versions, mode, whether the store can be written, and what the catalog is.",
        "SIDE EFFECTS": "None; a store that is not there is not made.",
    },
    "doiget_expand_citation_graph": {"SIDE EFFECTS": _LOGGED, "LIMITS": "100 works, 800 edges, 300 seconds."},
    "doiget_bibtex_export": {
        "OUTPUTS": "One entry per reference in order; bibtex null when your store does not hold it. Titles are"
        " third-party data.",
        "LIMITS": "200 references, 20 with resolve; 300 seconds.",
    },
    "doiget_csl_export": {
        "OUTPUTS": "One entry per reference in order; csl null when your store does not hold it. Titles are"
        " third-party data.",
        "LIMITS": "200 references, 20 with resolve; 300 seconds.",
    },
    "doiget_resolve_citation": {"LIMITS": "50 candidates, 300 seconds."},
    "doiget_batch_resolve_citations": {"LIMITS": "50 citations, 250 candidates together, 300 seconds."},
    "doiget_tag": {
        "WHEN TO USE": "You want to tag an entry of your store or put it in collections; for a note use"
        " doiget_annotate.",
        "INPUTS": "ref, a DOI or arXiv id; add, remove, collection_add, collection_remove. Adding comes before"
        " removing.",
        "OUTPUTS": "tags and collections as they are now. Something that is not stored is a STORE_ERROR.",
        "SIDE EFFECTS": "Changes the entry's TOML file; doing it twice changes nothing more.",
        "LIMITS": "Stored entries only; tags are told apart by case.",
    },
    "doiget_annotate": {
        "WHEN TO USE": "You want to keep a note with an entry of your store; for tags use doiget_tag.",
        "INPUTS": "ref, a DOI or arXiv id; text in place of an earlier note, or clear, which wins over text.",
        "OUTPUTS": "annotation as it is now, null when there is none. Something that is not stored is a STORE_ERROR.",
        "SIDE EFFECTS": "Changes the entry's TOML file.",
        "LIMITS": "One note for each stored entry.",
    },
}
"""By tool and label; what is not named here, the docstring says for both modes."""


def restated(description: str, lines: Mapping[str, str]) -> str:
    """A description in labelled lines with other ones in their places."""
    found = {}
    for line in description.splitlines():
        label, _, text = line.partition(": ")
        found[label] = text
    if unknown := lines.keys() - found.keys():
        raise ValueError(f"the description has no line {', '.join(sorted(unknown))}")
    return "\n".join(f"{label}: {text}" for label, text in {**found, **lines}.items())
