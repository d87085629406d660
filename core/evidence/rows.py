"""Rows of claims and of papers, from the stored bodies to the values that lists show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from core.catalog.embedded.connection import Connection
from core.evidence.identity import DEFAULT_SITE
from core.evidence.listing import CUTS, cut
from core.evidence.results import ClaimRow, PaperRow
from core.evidence.stored.evidence_set import EvidenceSet, Json, bodies
from core.evidence.vocabulary import Retriever

_NESTED = ("paper", "locator", "effect", "assessment")


@dataclass(frozen=True, slots=True)
class PaperHit:
    """How one paper was found."""

    score: float
    retriever: Retriever
    matched_fields: tuple[str, ...] = ()
    snippets: tuple[Json, ...] = ()
    chunk: Json | None = None


def shortened(body: Json) -> Json:
    """A stored body with the long texts of rows cut, one level deep."""
    short: Json = {}
    for name, value in body.items():
        if isinstance(value, str) and name in CUTS:
            short[name] = cut(value, CUTS[name])
        elif name in _NESTED and isinstance(value, dict):
            short[name] = shortened(value)
        else:
            short[name] = value
    return short


class Rows:
    """Makes rows of one evidence set; `site` completes addresses that no record gives."""

    def __init__(self, stored: EvidenceSet, site: str = DEFAULT_SITE) -> None:
        self._stored = stored
        self._site = site.rstrip("/")

    def with_url(self, body: Json) -> Json:
        """A body with its address."""
        return {"url": f"{self._site}/paper/{quote(body['paper_id'], safe='/:;()')}", **body}

    def _source(self, paper: int) -> str:
        return self._stored.sources[int(self._stored.papers["source"][paper])]

    def claims(
        self,
        connection: Connection,
        numbers: Sequence[int],
        scores: Sequence[float],
        retriever: Retriever,
        model: str | None = None,
    ) -> list[ClaimRow]:
        """Rows of claims in the order given."""
        papers = [int(self._stored.claims["paper"][no]) for no in numbers]
        found, counts = bodies(connection, "claim", "body", numbers), bodies(connection, "claim", "counts", numbers)
        briefs = bodies(connection, "paper", "brief", list(dict.fromkeys(papers)))
        return [
            ClaimRow.model_validate(
                {
                    **shortened(found[no]),
                    "paper": shortened(self.with_url(briefs[paper])),
                    "relationship_counts": counts[no],
                    "score": score,
                    "provenance": self._provenance(retriever, paper, model),
                }
            )
            for no, paper, score in zip(numbers, papers, scores, strict=True)
        ]

    def papers(self, connection: Connection, hits: Mapping[int, PaperHit], model: str | None = None) -> list[PaperRow]:
        """Rows of papers in the order of the hits."""
        listed = bodies(connection, "paper", "listed", list(hits))
        return [
            PaperRow.model_validate(
                {
                    **shortened(self.with_url(listed[no])),
                    "authors": [cut(name, CUTS["name"]) for name in listed[no]["authors"]],
                    "score": hit.score,
                    "matched_fields": list(hit.matched_fields),
                    "snippets": list(hit.snippets),
                    "chunk": hit.chunk,
                    "provenance": self._provenance(hit.retriever, no, model),
                }
            )
            for no, hit in hits.items()
        ]

    def _provenance(self, retriever: Retriever, paper: int, model: str | None) -> Json:
        return {
            "retriever": retriever,
            "source": self._source(paper),
            "corpus_version": self._stored.corpus_version,
            "model": model,
        }
