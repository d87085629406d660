"""A paper of the corpus in the forms in which it is stored: whole, as lists show it, and as the texts searched."""

from collections.abc import Sequence
from typing import Any

from core.ingest.evidence.catalog_papers import CatalogPaper
from core.ingest.evidence.corpus import retraction_of
from core.ingest.evidence.schema import Json
from core.texts.cleaning import clean_text

_ASSESSED = ("paper_type", "methods_rigor", "evidence_strength", "relevance", "rationale")
_LISTED = (
    "paper_id",
    "source",
    "title",
    "published",
    "year",
    "url",
    "pdf_url",
    "doi",
    "arxiv_id",
    "takeaway",
    "themes",
    "assessment",
)
_NO_SITE = ""


def paper_body(paper: CatalogPaper, assessment: Json | None, author_ids: Sequence[str | None]) -> Json:
    """All that is known of a paper; `url` only where the paper itself gives it."""
    names, stated = paper.names, assessment or {}
    takeaway = stated.get("takeaway")
    url = names.url(_NO_SITE)
    body: dict[str, Any] = {
        "paper_id": names.paper_id,
        "source": names.source,
        "title": paper.title,
        "authors": [
            {"name": name, "author_id": author_id} if author_id else {"name": name}
            for name, author_id in zip(paper.authors, author_ids, strict=True)
        ],
        "published": paper.published,
        "year": paper.year,
        "doi": None if names.doi is None else names.doi.casefold(),
        "arxiv_id": names.arxiv,
        "pdf_url": paper.pdf_url,
        "url": url if url.startswith("https://") else None,
        "abstract": paper.abstract,
        "takeaway": None if takeaway is None else clean_text(takeaway),
        "summary_markdown": stated.get("summary_markdown"),
        "themes": stated.get("themes", []),
        "assessment": {name: stated[name] for name in _ASSESSED if name in stated} or None,
        "hf_resources": stated.get("hf_resources"),
        "retraction": retraction_of(assessment, is_retracted=paper.is_retracted),
    }
    return {name: value for name, value in body.items() if value is not None}


def brief_of(body: Json) -> Json:
    """A paper as rows of claims show it."""
    assessment = body.get("assessment", {})
    brief: Json = {name: body[name] for name in ("paper_id", "title", "year", "url") if name in body}
    judged = {name: assessment[name] for name in ("paper_type", "evidence_strength") if name in assessment}
    return {**brief, **judged, "retraction_status": body["retraction"]["status"]}


def listed_of(body: Json, claim_count: int, authors_shown: int) -> Json:
    """A paper as rows of papers show it."""
    names = [each["name"] for each in body["authors"]]
    return {
        **{name: body[name] for name in _LISTED if name in body},
        "authors": names[:authors_shown],
        "author_count": len(names),
        "claim_count": claim_count,
        "retraction_status": body["retraction"]["status"],
    }


def searched_texts(paper: CatalogPaper, body: Json, claims: Sequence[str]) -> dict[str, list[str]]:
    """The texts of each searched field that has any."""
    themes = [f"{theme} {theme.replace('_', ' ')}" if "_" in theme else theme for theme in body["themes"]]
    texts = {
        "title": [paper.title],
        "authors": list(paper.authors),
        "themes": [*themes, *paper.subjects],
        "abstract": [body["abstract"]] if "abstract" in body else [],
        "summary": [body[name] for name in ("takeaway", "summary_markdown") if name in body],
        "claims": list(claims),
    }
    return {name: found for name, found in texts.items() if found}
