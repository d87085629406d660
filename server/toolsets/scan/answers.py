"""The one model of every answer: six keys, whatever happened (scan contract 3)."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from core.scan.answers.envelope import Envelope


class ScanAnswer(BaseModel):
    """The envelope on the wire; `next_action` has no type in the schema, since it may be null."""

    model_config = ConfigDict(extra="allow")

    scan_id: str = Field(description="The scan's id as it was received.")
    phase: str = Field(description="screen, gap, rank or complete; unknown where there is no scan to speak of.")
    status: str = Field(
        description="ok, invalid_artifact, wrong_phase, in_progress, queued_behind_other_scan or failed."
    )
    next_action: str | None = Field(
        description=(
            "What the client does next: screen_candidates, write_gap_queries, rank_shortlist, verify_ranked or"
            " complete; null while the service works, after a failed stage, and where there is no scan."
        )
    )
    progress: dict[str, Any] = Field(description="How far the scan is; empty where there is none.")
    payload: dict[str, Any] = Field(description="What the next action needs, or what went wrong and how to go on.")


def answered(envelope: Envelope) -> ScanAnswer:
    """An envelope of the room as the tool's result."""
    return ScanAnswer(**envelope.json())
