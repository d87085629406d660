"""Whether the catalog can answer, known from memory and probed in the background (hosting contract 5.2)."""

import logging
from collections.abc import Awaitable, Callable
from typing import Literal

import anyio

from core.clock import Clock

Reason = Literal["starting", "catalog", "stale"]

AFTER_SUCCESS_S = 30.0
AFTER_FAILURE_S = 5.0
PROBE_LIMIT_S = 5.0
STALE_AFTER_S = 120.0

_log = logging.getLogger("paperdesk.readiness")


class Readiness:
    """The state of the last probe. `since_start` says that the catalog was opened, hence ready, before the first."""

    def __init__(self, probe: Callable[[], Awaitable[None]], clock: Clock, *, since_start: bool = False) -> None:
        self._probe = probe
        self._clock = clock
        self._succeeded_s: float | None = clock.monotonic_s() if since_start else None
        self._failed = False

    def reason(self) -> Reason | None:
        """Why the service is not ready, or None when it is."""
        if self._succeeded_s is None:
            return "catalog" if self._failed else "starting"
        if self._clock.monotonic_s() - self._succeeded_s > STALE_AFTER_S:
            return "stale"
        return "catalog" if self._failed else None

    def age_s(self) -> float | None:
        """Seconds since the last probe that succeeded."""
        return None if self._succeeded_s is None else self._clock.monotonic_s() - self._succeeded_s

    async def probe_once(self) -> bool:
        """Asks the catalog, within a time limit; an unexpected failure counts as a failure too."""
        succeeded = False
        try:
            with anyio.move_on_after(PROBE_LIMIT_S):
                await self._probe()
                succeeded = True
        except Exception as error:
            _log.debug("probe_failed error=%s", type(error).__name__)
        if succeeded:
            self._succeeded_s = self._clock.monotonic_s()
        if self._failed is succeeded:
            self._failed = not succeeded
            _log.warning("catalog_ready=%s", "true" if succeeded else "false")
        return succeeded

    async def keep_probing(self) -> None:
        """Probes for ever, one at a time, whether or not anyone asks."""
        while True:
            succeeded = await self.probe_once()
            await anyio.sleep(AFTER_SUCCESS_S if succeeded else AFTER_FAILURE_S)
