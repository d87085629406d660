"""The tool on claims."""

from typing import Annotated

from pydantic import Field

from core.evidence.results import ClaimPage
from core.evidence.service import CLAIMS_LIMIT, Evidence
from core.evidence.vocabulary import Direction, EffectType, EvidenceGrade, PaperType
from server.toolsets.evidence.parameters import Limit, Query


async def search_claims(
    services: Evidence,
    direction: Annotated[
        Direction, Field(description="Direction of the finding; null_result is a finding of no effect")
    ]
    | None = None,
    effect_type: Annotated[EffectType, Field(description="What the size of the effect is given in")] | None = None,
    evidence_grade: Annotated[EvidenceGrade, Field(description="Grade of the claim")] | None = None,
    limit: Limit = CLAIMS_LIMIT,
    min_evidence_weight: Annotated[float, Field(ge=0.0, le=1.0, description="Least weight, inclusive")] | None = None,
    outcome_category: Annotated[
        str, Field(min_length=1, max_length=100, description="Outcome by slug or name, such as developer_productivity")
    ]
    | None = None,
    paper_type: Annotated[PaperType, Field(description="Design of the claim's paper")] | None = None,
    query: Query | None = None,
) -> ClaimPage:
    """Finds graded claims of papers, the weightiest first, with what supports or contradicts each.

    For papers use search_papers; for all claims of one paper use get_paper.
    """
    return await services.search_claims(
        direction=direction,
        effect_type=effect_type,
        evidence_grade=evidence_grade,
        limit=limit,
        min_evidence_weight=min_evidence_weight,
        outcome_category=outcome_category,
        paper_type=paper_type,
        query=query,
    )
