"""The rubrics at fixed addresses, and the documents of a scan below the scan's own (scan contract 8.3, 9)."""

from core.scan.engine.desk import ScanDesk
from core.scan.rubrics.texts import RUBRICS
from server.registry import HeldAs


async def plan_rubric(services: ScanDesk) -> str:
    """How to turn a brief into a plan, and how a scan goes on from there."""
    return RUBRICS["plan"].text


async def screen_rubric(services: ScanDesk) -> str:
    """How to score a batch of papers."""
    return RUBRICS["screen"].text


async def gap_rubric(services: ScanDesk) -> str:
    """How to write queries for what the first round did not reach."""
    return RUBRICS["gap"].text


async def rank_rubric(services: ScanDesk) -> str:
    """How to rank a page of the shortlist."""
    return RUBRICS["rank"].text


async def report_rubric(services: ScanDesk) -> str:
    """How to write the answer from a finished scan."""
    return RUBRICS["report"].text


async def scan_artifact(services: ScanDesk, scan_id: str, artifact: str) -> HeldAs:
    """One document of a scan in its current version, such as evidence.json, coverage.json or screen-batches/01.json."""
    found = await services.artifact(scan_id, artifact)
    return HeldAs(found.text, found.mime_type)
