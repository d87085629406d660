"""What the scan toolset calls: the room's scans for whoever makes the present call (scan contract 10.6)."""

from collections.abc import Callable, Mapping
from typing import Any

from core.scan.answers.envelope import Envelope
from core.scan.engine.artifacts import Artifact
from core.scan.engine.service import Scans
from core.scan.engine.who import Who


class ScanDesk:
    """Four calls, documents and deletion; `who` tells for whom the call that is under way is made."""

    def __init__(self, scans: Scans, who: Callable[[], Who]) -> None:
        self.scans = scans
        self._who = who

    async def start(self, arguments: Mapping[str, Any]) -> Envelope:
        """`scan_start`."""
        return await self.scans.start(arguments, self._who())

    async def proceed(self, arguments: Mapping[str, Any]) -> Envelope:
        """`scan_continue`."""
        return await self.scans.proceed(arguments, self._who())

    async def verify(self, arguments: Mapping[str, Any]) -> Envelope:
        """`scan_verify`."""
        return await self.scans.verify(arguments, self._who())

    async def result(self, arguments: Mapping[str, Any]) -> Envelope:
        """`scan_result`."""
        return await self.scans.result(arguments, self._who())

    async def artifact(self, scan_id: str, name: str) -> Artifact:
        """One document of a scan; raises `NotFound`, with one text for every cause."""
        return await self.scans.artifact(scan_id, name, self._who())

    async def delete(self, scan_id: str) -> None:
        """Removes a scan, if the caller has one of that id."""
        await self.scans.delete(scan_id, self._who())
