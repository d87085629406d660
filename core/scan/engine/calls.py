"""What each of the four calls does at each step (scan contract 2.2 to 2.5, 4.3)."""

import asyncio
import hashlib
import hmac
import secrets
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime
from typing import Any

import anyio
import orjson

from core.clock import Clock
from core.scan import checking
from core.scan.answers.envelope import Envelope
from core.scan.answers.refusals import Code, Refused
from core.scan.answers.warnings import WarningCode
from core.scan.checking import StartRequest
from core.scan.engine.beginning import default_cap, first_of
from core.scan.engine.configuration import CALL_WAIT_S, GLANCE_S, LOOK_S, EngineSettings
from core.scan.engine.jobs import Jobs
from core.scan.engine.judging import Judgement, beside, is_poll, judged, stands, takes
from core.scan.engine.keeping import Held, Keeping
from core.scan.engine.scan import Scan
from core.scan.engine.state import ACCEPTED_MAX, said
from core.scan.engine.steps import is_stage
from core.scan.engine.views import Views
from core.scan.engine.waiting import Sleep, bounded
from core.scan.engine.who import Who
from core.scan.searching.port import Literature, Warned
from core.scan.stores.port import scan_key
from core.scan.vocabulary import Step

CALL_RETRY_AFTER_MS = 1_000
QUOTA_RETRY_AFTER_MS = 10_000

ALREADY_APPLIED = said(WarningCode.ALREADY_APPLIED)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls about which scan; `key` is where the store keeps it."""

    scan_id: str
    who: Who

    @property
    def key(self) -> str:
        """The scan's key in the caller's scope."""
        return scan_key(self.who.scope, self.scan_id)


class Calls:
    """The calls behind sound ids. Raises `Refused`, `StoreUnavailable`, `ArtifactCorrupt`."""

    def __init__(
        self,
        keeping: Keeping,
        literature: Literature,
        jobs: Jobs,
        clock: Clock,
        settings: EngineSettings,
        *,
        version: str,
        sleep: Sleep,
    ) -> None:
        self._keeping = keeping
        self._literature = literature
        self._jobs = jobs
        self._clock = clock
        self._settings = settings
        self._version = version
        self._sleep = sleep
        self.views = Views(version)
        self._holder = secrets.token_hex(8)
        self._beginning: Counter[tuple[str, str]] = Counter()

    async def start(self, arguments: Mapping[str, Any], caller: Caller | None) -> Envelope:
        """Begins a scan, or polls the one that was begun with the same arguments (2.2)."""
        request = checking.start(arguments)
        assert caller is not None, "a sound start has a sound id"
        cap = default_cap(request, self._literature)
        hashes = checking.fingerprints(request, await self._secret(), default_cap=cap)
        held = await self._keeping.load(caller.key)
        if held is None:
            await self._begin(caller, request, hashes)
            held = await self._known(caller)
        checking.refuse_conflict(held.scan.state.hashes, hashes)
        return await self._polled(caller, held)

    async def proceed(self, arguments: Mapping[str, Any], caller: Caller | None) -> Envelope:
        """Takes a judgement, or polls (2.3)."""
        held = await self._held(caller)
        request = checking.proceed(arguments, beside(None if held is None else held.scan))
        if caller is None or held is None:
            raise Refused(Code.UNKNOWN_SCAN)
        if is_poll(request):
            return await self._polled(caller, held)
        return await self._taken(caller, held, request)

    async def verify(self, arguments: Mapping[str, Any], caller: Caller | None) -> Envelope:
        """Has a ranked scan verified and finished (2.4)."""
        held = await self._held(caller)
        request = checking.verify(arguments, beside(None if held is None else held.scan))
        if caller is None or held is None:
            raise Refused(Code.UNKNOWN_SCAN)
        if request.ranked_entries is None and held.scan.state.step in (Step.VERIFY, Step.EMIT, Step.COMPLETE):
            return await self._polled(caller, held)
        return await self._taken(caller, held, request)

    async def result(self, arguments: Mapping[str, Any], caller: Caller | None) -> Envelope:
        """Reads a scan, and wakes what it owes (2.5)."""
        checking.result(arguments)
        held = await self._held(caller)
        if caller is None or held is None:
            raise Refused(Code.UNKNOWN_SCAN)
        state = held.scan.state
        if is_stage(state.step) and state.failure is None and not held.snapshot.is_leased:
            self._drive(caller, held)
        return self.views.result(caller.scan_id, held.scan, is_working=self._works(caller, held))

    async def _held(self, caller: Caller | None) -> Held | None:
        return None if caller is None else await self._keeping.load(caller.key)

    async def _known(self, caller: Caller) -> Held:
        held = await self._keeping.load(caller.key)
        if held is None:
            raise Refused(Code.UNKNOWN_SCAN)
        return held

    async def _begin(self, caller: Caller, request: StartRequest, hashes: Mapping[str, str]) -> None:
        """Keeps a new scan, unless another call was faster. Raises `Refused` where a quota is used up."""
        try:
            await self._create(caller, request, hashes)
        except Refused:
            # Quotas are no matter of a scan that an equal call has begun meanwhile.
            if await self._keeping.load(caller.key) is None:
                raise

    async def _create(self, caller: Caller, request: StartRequest, hashes: Mapping[str, str]) -> None:
        who = caller.who
        begun = sum(owner == who.owner and key != caller.key for owner, key in self._beginning)
        if self._jobs.is_full or self._jobs.count(who.owner) + begun >= who.jobs_max:
            raise Refused(Code.JOB_LIMIT, retry_after_ms=QUOTA_RETRY_AFTER_MS)
        mark = (who.owner, caller.key)
        self._beginning[mark] += 1
        try:
            if await self._keeping.store.open_count(who.owner) + begun >= who.open_max:
                raise Refused(Code.SCAN_LIMIT, retry_after_ms=QUOTA_RETRY_AFTER_MS)
            now_s, today = self._clock.now_s(), self._today()
            scan = first_of(request, hashes, who, self._literature, started_s=now_s, today=today, version=self._version)
            await self._keeping.create(caller.key, scan, expires_at_s=self._expiry_s(who))
            self._jobs.drive(caller.key, who.owner, who.jobs_max)
        finally:
            self._beginning -= Counter({mark: 1})

    async def _taken(self, caller: Caller, held: Held, request: Judgement) -> Envelope:
        """Commits a judgement, then lets the stages after it run for as long as a call waits."""
        digest = await self._digest(request)
        ends_s = self._clock.monotonic_s() + CALL_WAIT_S
        while True:
            scan = held.scan
            if not takes(scan, request) and (digest in scan.state.accepted or stands(scan, request)):
                return await self._polled(caller, held, ALREADY_APPLIED)
            if is_stage(scan.state.step):
                self._drive(caller, held)
                return self.views.current(caller.scan_id, scan, is_working=True)
            after = judged(scan, request, self._today().isoformat())
            if after is scan:
                return await self._polled(caller, held, ALREADY_APPLIED)
            if await self._commit(caller, held, after, digest):
                return await self._polled(caller, await self._known(caller))
            if self._clock.monotonic_s() >= ends_s:
                refused = Refused(Code.CALL_IN_PROGRESS, retry_after_ms=CALL_RETRY_AFTER_MS)
                return self.views.refused(caller.scan_id, scan, refused)
            await self._sleep(GLANCE_S)
            held = await self._known(caller)

    async def _commit(self, caller: Caller, held: Held, after: Scan, digest: str) -> bool:
        """Whether a change was kept; not while another call or stage holds the scan, or after it changed."""
        token = await self._keeping.store.acquire(caller.key, self._holder, self._settings.lease_s)
        if token is None:
            return False
        accepted = (*after.state.accepted, digest)[-ACCEPTED_MAX:]
        try:
            kept = replace(after, state=replace(after.state, accepted=accepted, attempts=0, failure=None))
            expires_at_s = self._expiry_s(caller.who)
            return await self._keeping.commit(caller.key, held, kept, token, expires_at_s=expires_at_s)
        finally:
            with anyio.CancelScope(shield=True):
                await self._keeping.store.release(caller.key, token)

    async def _polled(self, caller: Caller, held: Held, *extra: Warned) -> Envelope:
        """The scan as it stands once its stages have ended, or the wait has."""
        if is_stage(held.scan.state.step):
            try:
                held = await bounded(self._settled(caller, held), self._settings.wait_s, self._sleep)
            except TimeoutError:
                held = await self._known(caller)
        is_working = self._works(caller, held)
        return self.views.current(caller.scan_id, held.scan, *extra, is_working=is_working)

    async def _settled(self, caller: Caller, held: Held) -> Held:
        """Drives what is owed until the client is needed; a stage that failed before is tried again by this."""
        attempts = held.scan.state.attempts
        while True:
            job = self._drive(caller, held)
            if job is None:
                return held
            await asyncio.wait([job])
            held = await self._known(caller)
            state = held.scan.state
            if not is_stage(state.step) or (state.failure is not None and state.attempts != attempts):
                return held
            await self._sleep(LOOK_S)

    def _drive(self, caller: Caller, held: Held) -> "asyncio.Task[None] | None":
        return self._jobs.drive(caller.key, held.scan.state.owner, caller.who.jobs_max)

    def _works(self, caller: Caller, held: Held) -> bool:
        return held.snapshot.is_leased or self._jobs.has(caller.key)

    async def _digest(self, request: Judgement) -> str:
        """A keyed digest of a judgement, by which one that comes again is known."""
        material = orjson.dumps(asdict(replace(request, scan_id="")), option=orjson.OPT_SORT_KEYS)
        return hmac.new(await self._secret(), material, hashlib.sha256).hexdigest()[:32]

    async def _secret(self) -> bytes:
        return self._settings.secret or await self._keeping.store.secret()

    def _expiry_s(self, who: Who) -> float:
        return self._clock.now_s() + self._settings.ttl_s(is_key=who.is_key)

    def _today(self) -> date:
        return datetime.fromtimestamp(self._clock.now_s(), UTC).date()
