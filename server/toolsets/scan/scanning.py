"""The four tools of a literature scan; every rule about their arguments is the room's (scan contract 2)."""

from collections.abc import Mapping
from typing import Any

from core.scan.engine.desk import ScanDesk
from server.toolsets.scan.answers import ScanAnswer, answered


async def scan_start(services: ScanDesk, arguments: Mapping[str, Any]) -> ScanAnswer:
    """Starts a literature scan from a brief and a plan of queries, and gives the first batch of papers to screen.

    scan_continue takes the judgements that follow; scan_result reads a scan that is at work. For a single question,
    search_papers of the catalog endpoint is quicker.
    """
    return answered(await services.start(arguments))


async def scan_continue(services: ScanDesk, arguments: Mapping[str, Any]) -> ScanAnswer:
    """Takes one judgement of a scan - screening scores, gap queries or ranked entries - and gives what comes next.

    Without a judgement it polls; scan_verify follows when every shortlisted paper is ranked.
    """
    return answered(await services.proceed(arguments))


async def scan_verify(services: ScanDesk, arguments: Mapping[str, Any]) -> ScanAnswer:
    """Checks every ranked paper against live records, selects the evidence and finishes the scan.

    scan_result then gives the papers, the coverage and the rendered evidence.
    """
    return answered(await services.verify(arguments))


async def scan_result(services: ScanDesk, arguments: Mapping[str, Any]) -> ScanAnswer:
    """Reads a scan as it stands: what to do next, or the finished evidence; it changes nothing.

    Poll with it while a scan is at work; scan_continue and scan_verify move a scan on.
    """
    return answered(await services.result(arguments))
