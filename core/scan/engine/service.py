"""The front of the scan room: four calls, documents, deletion, and the work between them (scan contract 2, 4.3, 10)."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio

from core.clock import Clock
from core.defects import place_of
from core.errors import ArtifactCorrupt, NotFound, StoreUnavailable
from core.scan import checking
from core.scan.answers.envelope import Envelope, received_id, refusal
from core.scan.answers.refusals import Code, Refused
from core.scan.engine.artifacts import UNKNOWN, Artifact, artifact_of
from core.scan.engine.calls import Caller, Calls
from core.scan.engine.configuration import PURGES_EVERY_S, SHUTDOWN_S, EngineSettings
from core.scan.engine.jobs import Jobs
from core.scan.engine.keeping import Keeping
from core.scan.engine.running import Runner, shown_key
from core.scan.engine.state import ScanState
from core.scan.engine.steps import phase_of
from core.scan.engine.waiting import Sleep
from core.scan.engine.who import Who
from core.scan.searching.port import Literature
from core.scan.stores.port import ScanStore, scan_key

_log = logging.getLogger("paperdesk.scan")

_Call = Callable[[Mapping[str, Any], Caller | None], Awaitable[Envelope]]


class Scans:
    """All scans of one store. Whatever happens to a scan, each of the four calls answers with an envelope.

    `run` looks for work that nobody does until it is cancelled; `close` ends what works here and lets go of the store.
    """

    def __init__(
        self,
        store: ScanStore,
        literature: Literature,
        clock: Clock,
        settings: EngineSettings,
        *,
        version: str,
        sleep: Sleep = anyio.sleep,
    ) -> None:
        self._store = store
        self._clock = clock
        self._settings = settings
        self._sleep = sleep
        self._keeping = Keeping(store, seals=settings.seals)
        self._unreadable: set[str] = set()
        self._jobs = Jobs(Runner(self._keeping, literature, clock, settings, sleep).run, sleep)
        self._calls = Calls(self._keeping, literature, self._jobs, clock, settings, version=version, sleep=sleep)

    async def start(self, arguments: Mapping[str, Any], who: Who) -> Envelope:
        """Begins a scan, or polls the one that was begun with the same arguments (2.2)."""
        return await self._answered(arguments, who, self._calls.start)

    async def proceed(self, arguments: Mapping[str, Any], who: Who) -> Envelope:
        """Takes a judgement, or polls (2.3)."""
        return await self._answered(arguments, who, self._calls.proceed)

    async def verify(self, arguments: Mapping[str, Any], who: Who) -> Envelope:
        """Has a ranked scan verified and finished (2.4)."""
        return await self._answered(arguments, who, self._calls.verify)

    async def result(self, arguments: Mapping[str, Any], who: Who) -> Envelope:
        """Reads a scan, and wakes what it owes (2.5)."""
        return await self._answered(arguments, who, self._calls.result)

    async def artifact(self, scan_id: str, name: str, who: Who) -> Artifact:
        """A document of a scan in its current version (8.3). Raises `NotFound`, the same for every cause."""
        key = scan_key(who.scope, scan_id)
        held = await self._keeping.load(key)
        if held is None:
            raise NotFound(UNKNOWN)
        try:
            return await artifact_of(self._store, key, scan_id, held, name)
        except NotFound:
            # It may be there in a later version, which took its place meanwhile.
            later = await self._keeping.load(key)
            if later is None or later.snapshot.version == held.snapshot.version:
                raise
            return await artifact_of(self._store, key, scan_id, later, name)

    async def delete(self, scan_id: str, who: Who) -> None:
        """Ends a scan's work and removes all of it; nothing when there is none (10.7)."""
        key = scan_key(who.scope, scan_id)
        await self._jobs.cancel(key)
        await self._store.delete(key)

    async def run(self) -> None:
        """Takes up scans whose process died, and removes those that expired, for as long as it runs (10.4, 10.7)."""
        purged_s = self._clock.monotonic_s()
        trouble: str | None = None
        while True:
            found = None
            try:
                await self._take_up()
                if self._clock.monotonic_s() - purged_s >= PURGES_EVERY_S:
                    purged_s = self._clock.monotonic_s()
                    await self._store.purge(self._clock.now_s())
            except Exception as error:
                # Whatever is wrong with one scan or the store, the others go on.
                found = f"error={type(error).__name__} at={place_of(error)}"
            if found != trouble:
                # Once for each change: a store that cannot be written to may be so for good.
                trouble = found
                _log.log(logging.WARNING if found else logging.INFO, "scan_look %s", found or "well")
            await self._sleep(self._settings.looks_every_s)

    async def stop(self, *, grace_s: float = SHUTDOWN_S) -> None:
        """Begins no more work, and ends what works here after a time to end by itself; calls are still answered."""
        await self._jobs.close(grace_s=grace_s)

    async def close(self, *, grace_s: float = SHUTDOWN_S) -> None:
        """Stops the work of this process and lets go of the store."""
        await self.stop(grace_s=grace_s)
        await self._store.aclose()

    async def _take_up(self) -> None:
        free = self._jobs.free
        # Scans that cannot be read are owed for good; they keep no other one back.
        for key in await self._store.owed(free + len(self._unreadable)) if free else ():
            try:
                state = await self._keeping.place(key)
            except StoreUnavailable:
                raise
            except Exception as error:
                if key not in self._unreadable:
                    _log.warning("scan_unreadable scan=%s error=%s", shown_key(key), type(error).__name__)
                self._unreadable.add(key)
                continue
            if state is not None:
                self._jobs.drive(key, state.owner, self._settings.jobs_max(is_key=state.is_key))

    async def _answered(self, arguments: Mapping[str, Any], who: Who, call: _Call) -> Envelope:
        """What the call answers, or an envelope that says what went wrong."""
        scan_id = checking.scan_id_of(arguments)
        caller = None if scan_id is None else Caller(scan_id, who)
        try:
            return await call(arguments, caller)
        except Refused as error:
            refused = error
        except StoreUnavailable:
            return refusal(received_id(arguments), Refused(Code.STORE_UNAVAILABLE))
        except ArtifactCorrupt as error:
            refused = Refused(Code.ARTIFACT_CORRUPT, (f"artifact: {error.name}",))
        except Exception as error:
            _log.error("scan_call_crashed error=%s at=%s", type(error).__name__, place_of(error))
            refused = Refused(Code.INTERNAL_ERROR)
        return await self._refused(received_id(arguments), caller, refused)

    async def _refused(self, received: str, caller: Caller | None, refused: Refused) -> Envelope:
        """A refusal with the place of the scan that it is about, as far as that can be read."""
        state: ScanState | None = None
        try:
            if caller is not None and (state := await self._keeping.place(caller.key)) is not None:
                held = await self._keeping.load(caller.key)
                if held is not None:
                    return self._calls.views.refused(received, held.scan, refused)
        except Exception as error:
            _log.info("scan_refused_without_place error=%s", type(error).__name__)
        return refusal(received, refused, phase="unknown" if state is None else phase_of(state.step))
