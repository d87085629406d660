"""Papers, claims and benchmarks written as Markdown documents (contract 7.2)."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from core.catalog.models import Benchmark, EvaluationRow
from core.evidence.connector.text import assembled
from core.evidence.identity import is_https
from core.evidence.listing import cut
from core.evidence.results import Document, FullClaim, PaperAnswer

TITLE_CHARS = 300
CLAIM_TITLE_CHARS = 120
_AUTHORS_MAX = 50


def _texts(values: Mapping[str, object]) -> dict[str, str]:
    """Metadata: texts only, what is unknown left out."""
    return {name: str(value) for name, value in values.items() if value is not None and value != ""}


def paper_document(answer: PaperAnswer, text: str | None, *, goes_on: bool) -> Document:
    """A paper with its claims and, as far as it fits, its stored text."""
    paper, assessment = answer.paper, answer.paper.assessment
    names = [author.name for author in paper.authors[:_AUTHORS_MAX]]
    more = f" and {len(paper.authors) - len(names)} more" if len(paper.authors) > len(names) else ""
    status = paper.retraction.status
    blocks = ["**This paper was retracted.**"] if status == "retracted" else []
    blocks.append(f"# {paper.title}")
    blocks += [f"Authors: {', '.join(names)}{more}"] if names else []
    blocks += [f"Published: {paper.published}"] if paper.published else []
    blocks += [f"## Abstract\n\n{paper.abstract}"] if paper.abstract else []
    blocks += [f"## Takeaway\n\n{paper.takeaway}"] if paper.takeaway else []
    if answer.claims:
        blocks += ["## Claims", "\n\n".join(_claim_line(claim) for claim in answer.claims)]
    if text:
        blocks += ["## Text", text]
    body, is_cut = assembled(blocks, goes_on=goes_on)
    metadata = {
        "kind": "paper",
        "source": paper.source,
        "year": paper.year,
        "authors": cut(", ".join(names) + more, 1_000),
        "doi": paper.doi,
        "arxiv_id": paper.arxiv_id,
        "paper_type": assessment and assessment.paper_type,
        "evidence_strength": assessment and assessment.evidence_strength,
        "retraction": status,
        "truncated": "true" if is_cut else "false",
    }
    return Document(
        id=f"paper:{paper.paper_id}",
        title=cut(paper.title, TITLE_CHARS),
        text=body,
        url=paper.url,
        metadata=_texts(metadata),
    )


def _claim_line(claim: FullClaim) -> str:
    direction = f", {claim.direction}" if claim.direction else ""
    judged = f"{claim.evidence_grade}, weight {claim.evidence_weight:.4f}{direction}"
    return f"- claim:{claim.claim_id} ({judged}): {claim.claim_text}"


def claim_title(text: str) -> str:
    """A claim as a title."""
    return cut(text, CLAIM_TITLE_CHARS)


def claim_document(claim: FullClaim, paper: PaperAnswer) -> Document:
    """A claim with what it rests on, what bears on it and its paper."""
    shown = paper.paper
    blocks = [f"The paper of this claim was retracted: {shown.title}"] if shown.retraction.status == "retracted" else []
    blocks.append(claim.claim_text)
    blocks += [f"Rests on: {claim.evidence_basis}"] if claim.evidence_basis else []
    capped = f" (capped from {claim.grade_capped_from})" if claim.grade_capped_from else ""
    blocks.append(
        f"Grade: {claim.evidence_grade}{capped}. Weight: {claim.evidence_weight:.4f} ({claim.weight_version})."
    )
    if effect := claim.effect:
        parts = effect.model_dump(exclude_none=True)
        blocks.append("Effect: " + ", ".join(f"{name} {value}" for name, value in parts.items()))
    if claim.locator and claim.locator.quote:
        blocks.append(f"> {claim.locator.quote}")
    if claim.relationships:
        lines = [
            f"- {each.type} ({each.role}) claim:{each.claim_id} of {each.paper_title}: {each.claim_text}"
            for each in claim.relationships
        ]
        blocks += ["Relations:", "\n\n".join(lines)]
    blocks.append(f"Paper: {shown.title} (paper:{shown.paper_id})")
    text, _ = assembled(blocks)
    metadata = {
        "kind": "claim",
        "paper_id": claim.paper_id,
        "grade": claim.evidence_grade,
        "weight": f"{claim.evidence_weight:.4f}",
        "direction": claim.direction,
        "outcome_category": claim.outcome_category,
    }
    return Document(
        id=f"claim:{claim.claim_id}",
        title=claim_title(claim.claim_text),
        text=text,
        url=shown.url,
        metadata=_texts(metadata),
    )


def benchmark_url(benchmark: Benchmark, site: str) -> str:
    """The benchmark's own address, else its page."""
    if benchmark.hf_url and is_https(benchmark.hf_url):
        return benchmark.hf_url
    return f"{site.rstrip('/')}/benchmark/{quote(benchmark.slug or benchmark.id, safe='')}"


def benchmark_document(
    benchmark: Benchmark, rows: Sequence[EvaluationRow], directions: Mapping[str, str], site: str
) -> Document:
    """A benchmark with the best of its leaderboard."""
    blocks = [f"# {benchmark.name}"]
    blocks += [benchmark.description] if benchmark.description else []
    if benchmark.metrics:
        metrics = [f"{name} ({directions.get(name, 'unknown')} is better)" for name in benchmark.metrics]
        blocks.append("Metrics: " + ", ".join(metrics))
    if rows:
        lines = ["| rank | model | metrics | paper | year |", "| --- | --- | --- | --- | --- |"]
        lines += [_leaderboard_line(row) for row in rows]
        blocks.append("\n".join(lines))
    text, is_cut = assembled(blocks)
    slug = benchmark.slug or benchmark.id
    metadata = {
        "kind": "benchmark",
        "slug": slug,
        "paper_count": benchmark.paper_count,
        "truncated": "true" if is_cut else "false",
    }
    return Document(
        id=f"benchmark:{slug}",
        title=cut(benchmark.name, TITLE_CHARS),
        text=text,
        url=benchmark_url(benchmark, site),
        metadata=_texts(metadata),
    )


def _leaderboard_line(row: EvaluationRow) -> str:
    metrics = ", ".join(f"{name} {value}" for name, value in row.metrics.items())
    cells = (row.best_rank, row.model_name, metrics, row.paper_title, (row.paper_published or "")[:4])
    shown = ["" if cell is None else cut(" ".join(str(cell).replace("|", "\\|").split()), 300) for cell in cells]
    return f"| {' | '.join(shown)} |"
