"""Papers of the own format."""

from typing import Any

from core.errors import InvalidInput
from core.identifiers import IdentifierKind
from core.ingest.cleaning import clean_label, clean_name, clean_text
from core.ingest.facts import PaperFacts, RepositoryFacts
from core.ingest.identity import Identity
from core.ingest.own_keys import OwnKeys
from core.ingest.staging import Input

RESOURCES = {
    "project_pages": "project_page",
    "hf_models": "hf_model",
    "hf_datasets": "hf_dataset",
    "hf_spaces": "hf_space",
}
_KINDS = {
    "pmid": IdentifierKind.PMID,
    "pmcid": IdentifierKind.PMCID,
    "openalex": IdentifierKind.OPENALEX,
    "s2": IdentifierKind.S2,
}
_PREFIXED = frozenset({"pmid", "pmcid", "openalex", "s2"})
_AS_THEY_STAND = ("citation_count", "velocity", "is_retracted", "is_latest", "published")
_NAMES = ("venue", "version", "slug")
_LINKS = (("tasks", "task"), ("methods", "method"), ("organizations", "organization"), ("frameworks", "framework"))


def read_paper(row: dict[str, Any], sink: Input, keys: OwnKeys, number: int) -> None:
    """Stages one paper; raises `InvalidInput` for a malformed identifier or a dangling key."""
    identity = _identity(row)
    facts = PaperFacts()
    if title := clean_name(row["title"]):
        facts["title"] = title
    if "id" in row:
        facts["id"] = int(row["id"])
    if "abstract" in row and (abstract := clean_text(row["abstract"])):
        facts["abstract"] = abstract
    for name in _AS_THEY_STAND:
        if name in row:
            facts[name] = row[name]  # type: ignore[literal-required]
    for name in _NAMES:
        if name in row and (text := clean_name(row[name])):
            facts[name] = text  # type: ignore[literal-required]
    for name, column in (("url", "url_abs"), ("pdf_url", "url_pdf")):
        if name in row:
            facts[column] = clean_name(row[name])  # type: ignore[literal-required]
    _add_links(row, facts, keys)
    if resources := {kind: row[name] for name, kind in RESOURCES.items() if row.get(name)}:
        facts["resources"] = resources
    sink.paper(identity, facts, own_key=row["key"])
    sink.own_paper(keys.scheme, row["key"], number)


def _identity(row: dict[str, Any]) -> Identity:
    identity = Identity()
    if "arxiv_id" in row and not identity.add_arxiv(row["arxiv_id"]):
        raise InvalidInput("`arxiv_id` is no arXiv id")
    if "doi" in row and not identity.add_doi(row["doi"]):
        raise InvalidInput("`doi` is no DOI")
    for scheme, values in row.get("identifiers", {}).items():
        for value in values if isinstance(values, list) else [values]:
            if not _add(identity, scheme, value.strip()):
                raise InvalidInput(f"`identifiers` holds a malformed {scheme}")
    if "slug" in row:
        identity.slug = clean_name(row["slug"])
        identity.add("slug", clean_label(row["slug"]))
    if "id" in row:
        identity.add("catalog", str(int(row["id"])))
    return identity


def _add(identity: Identity, scheme: str, value: str) -> bool:
    if scheme == "arxiv":
        return identity.add_arxiv(value)
    if scheme == "doi":
        return identity.add_doi(value)
    if scheme in _KINDS:
        prefixed = f"{scheme}:{value}" if ":" not in value else value
        return identity.add_any(value, _KINDS[scheme]) or identity.add_any(prefixed, _KINDS[scheme])
    identity.add(scheme, clean_label(value))
    return True


def _add_links(row: dict[str, Any], facts: PaperFacts, keys: OwnKeys) -> None:
    for name, kind in _LINKS:
        if name in row:
            facts[name] = [keys.natural(kind, key) for key in row[name]]  # type: ignore[literal-required]
    if "conference" in row:
        facts["conference"] = keys.natural("conference", row["conference"])
    if "authors" in row:
        facts["authors"] = [
            [keys.natural("author", author)] if isinstance(author, str) else clean_label(author["name"])
            for author in row["authors"]
        ]
    if "repositories" in row:
        facts["repositories"] = [_repository(repository) for repository in row["repositories"]]
        words = [repository["framework"] for repository in row["repositories"] if repository.get("framework")]
        linked = [keys.natural("framework", word) for word in words if keys.has("framework", word)]
        if linked:
            facts["frameworks"] = list(dict.fromkeys([*facts.get("frameworks", []), *linked]))


def _repository(row: dict[str, Any]) -> RepositoryFacts:
    facts = RepositoryFacts(url=clean_label(row["url"]))
    for name in row.keys() - {"url"}:
        facts[name] = clean_name(row[name]) if isinstance(row[name], str) else row[name]  # type: ignore[literal-required]
    return facts
