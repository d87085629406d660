"""What the scan toolset calls: the room's scans for whoever makes the present request (scan contract 10.6)."""

from collections.abc import Mapping
from typing import Any

from core.scan.answers.envelope import Envelope
from core.scan.engine.service import Scans
from core.scan.engine.who import Who
from server.exchange import current_exchange
from server.registry import HeldAs

ANONYMOUS = "anonymous"
"""The scope of all who have no key: there the scan's id is itself the secret."""

PROCESS = "process"

KEY_OPEN, KEY_JOBS = 20, 4
TIER_OPEN = 100


class ScanDesk:
    """Four calls, documents and deletion, each for the caller of the exchange that is under way."""

    def __init__(self, scans: Scans, *, open_max: int, jobs_max: int) -> None:
        self.scans = scans
        self._open_max = open_max
        self._jobs_max = jobs_max

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

    async def artifact(self, scan_id: str, name: str) -> HeldAs:
        """One document of a scan; raises `NotFound`, with one text for every cause."""
        found = await self.scans.artifact(scan_id, name, self._who())
        return HeldAs(found.text, found.mime_type)

    async def delete(self, scan_id: str) -> None:
        """Removes a scan, if the caller has one of that id."""
        await self.scans.delete(scan_id, self._who())

    def _who(self) -> Who:
        exchange = current_exchange.get()
        caller = None if exchange is None else exchange.caller
        if caller is None:
            return Who(ANONYMOUS, PROCESS, is_key=False, open_max=self._open_max, jobs_max=self._jobs_max)
        owner = caller.digest.hex()
        if caller.kind == "key":
            return Who(
                f"key:{caller.name}",
                owner,
                is_key=True,
                open_max=max(KEY_OPEN, self._open_max),
                jobs_max=max(KEY_JOBS, self._jobs_max),
            )
        open_max = max(TIER_OPEN, self._open_max) if caller.kind == "tier" else self._open_max
        return Who(ANONYMOUS, owner, is_key=False, open_max=open_max, jobs_max=self._jobs_max)
