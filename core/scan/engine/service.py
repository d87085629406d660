"""The front of the scan room: four calls, documents, deletion, and the work between them (scan contract 2, 4.3, 10)."""

import hashlib
import hmac
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

import anyio
import orjson

from core.clock import Clock
from core.defects import place_of
from core.errors import ArtifactCorrupt, NotFound, PaperdeskError, StoreUnavailable
from core.scan import checking
from core.scan.answers.envelope import Envelope, received_id, refusal
from core.scan.answers.refusals import Code, Refused
from core.scan.answers.warnings import WarningCode
from core.scan.checking import ContinueRequest, StartRequest, VerifyRequest
from core.scan.engine.artifacts import Artifact, artifact_of
from core.scan.engine.configuration import (
    CALL_WAIT_S,
    GLANCE_S,
    LEASE_S,
    LOOKS_EVERY_S,
    PURGES_EVERY_S,
    EngineSettings,
)
from core.scan.engine.jobs import Jobs
from core.scan.engine.judging import beside, judged, verifiable
from core.scan.engine.keeping import Held, Keeping
from core.scan.engine.running import Runner, Sleep
from core.scan.engine.scan import Scan, begun
from core.scan.engine.state import ACCEPTED_MAX, ScanState, said
from core.scan.engine.steps import is_stage
from core.scan.engine.views import Views
from core.scan.engine.who import Who
from core.scan.profiles import PROFILES
from core.scan.searching.port import Literature, Warned
from core.scan.stores.port import ScanStore, scan_key
from core.scan.vocabulary import Step

RETRY_AFTER_MS = 2_000
QUOTA_RETRY_AFTER_MS = 10_000

_log = logging.getLogger("paperdesk.scan")

ALREADY_APPLIED = said(WarningCode.ALREADY_APPLIED)


@dataclass(frozen=True, slots=True)
class _Call:
    """One call: whose it is, and the scan's key."""

    scan_id: str
    key: str
    who: Who


class Scans:
    """All scans of one store. Whatever happens to a scan, each of the four calls answers with an envelope.

    `run` looks for work that nobody does until it is cancelled; `close` ends what works here.
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
        self._literature = literature
        self._clock = clock
        self._settings = settings
        self._sleep = sleep
        self._keeping = Keeping(store, seals=settings.seals)
        self._version = version
        self._views = Views(version)
        self._jobs = Jobs(Runner(self._keeping, literature, clock, settings, sleep=sleep).run)
        self._holder = f"call-{id(self):x}"

    async def start(self, arguments: Mapping[str, Any], who: Who) -> Envelope:
        """Begins a scan, or polls the one that was begun with the same arguments (2.2)."""
        return await self._answered(arguments, who, self._start)

    async def proceed(self, arguments: Mapping[str, Any], who: Who) -> Envelope:
        """Takes a judgement, or polls (2.3)."""
        return await self._answered(arguments, who, self._proceed)

    async def verify(self, arguments: Mapping[str, Any], who: Who) -> Envelope:
        """Has a ranked scan verified and finished (2.4)."""
        return await self._answered(arguments, who, self._verify)

    async def result(self, arguments: Mapping[str, Any], who: Who) -> Envelope:
        """Reads a scan, and wakes what it owes (2.5)."""
        return await self._answered(arguments, who, self._result)

    async def artifact(self, scan_id: str, name: str, who: Who) -> Artifact:
        """A document of a scan in its current version (8.3). Raises `NotFound`, the same for every cause."""
        held = await self._keeping.load(scan_key(who.scope, scan_id))
        if held is None:
            raise NotFound("There is no such document of a scan.")
        return await artifact_of(self._store, scan_key(who.scope, scan_id), scan_id, held, name)

    async def delete(self, scan_id: str, who: Who) -> None:
        """Ends a scan's work and removes all of it; nothing when there is none (10.7)."""
        key = scan_key(who.scope, scan_id)
        await self._jobs.cancel(key)
        await self._store.delete(key)

    async def run(self) -> None:
        """Takes up scans whose process died, and removes those that expired, for as long as it runs (10.4, 10.7)."""
        purged_s = self._clock.monotonic_s()
        while True:
            try:
                await self._take_up()
                if self._clock.monotonic_s() - purged_s >= PURGES_EVERY_S:
                    purged_s = self._clock.monotonic_s()
                    await self._store.purge(self._clock.now_s())
            except PaperdeskError as error:
                _log.warning("scan_store=down error=%s", type(error).__name__)
            await self._sleep(LOOKS_EVERY_S)

    async def close(self) -> None:
        """Stops the work of this process and lets go of the store."""
        await self._jobs.close()
        await self._store.aclose()

    async def _take_up(self) -> None:
        for key in await self._store.owed(self._jobs.free):
            snapshot = await self._store.load(key)
            if snapshot is not None:
                state = ScanState.of(snapshot.stored.state)
                self._jobs.drive(key, state.owner, self._settings.jobs_max(is_key=state.is_key))

    async def _answered(
        self,
        arguments: Mapping[str, Any],
        who: Who,
        call: Callable[[Mapping[str, Any], _Call | None], Awaitable[Envelope]],
    ) -> Envelope:
        scan_id = checking.scan_id_of(arguments)
        made = None if scan_id is None else _Call(scan_id, scan_key(who.scope, scan_id), who)
        received = received_id(arguments)
        try:
            return await call(arguments, made)
        except Refused as refused:
            return await self._refused(received, made, refused)
        except StoreUnavailable:
            refused = Refused(Code.STORE_UNAVAILABLE, retry_after_ms=RETRY_AFTER_MS)
        except ArtifactCorrupt as corrupt:
            refused = Refused(Code.ARTIFACT_CORRUPT, (f"artifact: {corrupt.name}",))
        except Exception as error:
            _log.error("scan_call_crashed error=%s at=%s", type(error).__name__, place_of(error))
            refused = Refused(Code.INTERNAL_ERROR, retry_after_ms=RETRY_AFTER_MS)
        return refusal(received, refused)

    async def _refused(self, received: str, call: _Call | None, refused: Refused) -> Envelope:
        """A refusal with the place of the scan that it is about, if there is one."""
        try:
            held = None if call is None else await self._keeping.load(call.key)
        except PaperdeskError:
            held = None
        return refusal(received, refused) if held is None else self._views.refused(received, held.scan, refused)

    async def _start(self, arguments: Mapping[str, Any], call: _Call | None) -> Envelope:
        request = checking.start(arguments)
        assert call is not None, "a sound start has a sound id"
        hashes = await self._hashes(request)
        held = await self._keeping.load(call.key)
        if held is None:
            await self._create(call, request, hashes)
            held = await self._keeping.load(call.key)
        if held is None:
            raise Refused(Code.UNKNOWN_SCAN)
        checking.refuse_conflict(held.scan.state.hashes, hashes)
        return await self._polled(call, held)

    async def _proceed(self, arguments: Mapping[str, Any], call: _Call | None) -> Envelope:
        held = None if call is None else await self._keeping.load(call.key)
        request = checking.proceed(arguments, beside(None if held is None else held.scan))
        if call is None or held is None:
            raise Refused(Code.UNKNOWN_SCAN)
        sent = next((each for each in _artifacts(request) if each is not None), None)
        if sent is None:
            return await self._polled(call, held)
        digest = await self._digest(request)
        return await self._taken(call, held, digest, lambda scan: judged(scan, request))

    async def _verify(self, arguments: Mapping[str, Any], call: _Call | None) -> Envelope:
        held = None if call is None else await self._keeping.load(call.key)
        request = checking.verify(arguments, beside(None if held is None else held.scan))
        if call is None or held is None:
            raise Refused(Code.UNKNOWN_SCAN)
        step = held.scan.state.step
        if request.ranked_entries is None and (step is Step.COMPLETE or is_stage(step)):
            return await self._polled(call, held)
        today = datetime.fromtimestamp(self._clock.now_s(), UTC).date().isoformat()
        digest = await self._digest(request)
        return await self._taken(call, held, digest, lambda scan: verifiable(scan, request, today))

    async def _result(self, arguments: Mapping[str, Any], call: _Call | None) -> Envelope:
        checking.result(arguments)
        held = None if call is None else await self._keeping.load(call.key)
        if call is None or held is None:
            raise Refused(Code.UNKNOWN_SCAN)
        state = held.scan.state
        if is_stage(state.step) and state.failure is None and not held.snapshot.is_leased:
            self._jobs.drive(call.key, state.owner, call.who.jobs_max)
        return self._views.result(call.scan_id, held.scan)

    async def _create(self, call: _Call, request: StartRequest, hashes: Mapping[str, str]) -> None:
        """Keeps a new scan, unless another call was faster. Raises `Refused` where a quota is used up."""
        who = call.who
        if self._jobs.is_full or self._jobs.count(who.owner) >= who.jobs_max:
            raise Refused(Code.JOB_LIMIT, retry_after_ms=QUOTA_RETRY_AFTER_MS)
        if await self._store.open_count(who.owner) >= who.open_max:
            raise Refused(Code.SCAN_LIMIT, retry_after_ms=QUOTA_RETRY_AFTER_MS)
        scan = self._begun(request, hashes, who)
        await self._keeping.create(call.key, scan, expires_at_s=self._expiry_s(who))

    def _begun(self, request: StartRequest, hashes: Mapping[str, str], who: Who) -> Scan:
        now_s = self._clock.now_s()
        today = datetime.fromtimestamp(now_s, UTC).date()
        profile, plan = PROFILES[request.profile], request.plan
        routing = self._literature.routing(plan.domain, (*plan.queries, *plan.round2))
        live = self._literature.live(plan.domain, (*plan.queries, *plan.round2))
        state = ScanState(
            step=Step.RETRIEVE,
            owner=who.owner,
            is_key=who.is_key,
            started_s=now_s,
            start_day=today.isoformat(),
            window=checking.scan_window(request, today),
            profile_name=request.profile,
            top=request.top,
            foundational=request.foundational,
            slug=request.slug,
            per_query=request.per_query or profile.per_query,
            cap=request.max_candidates or profile.cap(len(live)),
            is_forced=request.force_gap_round,
            hashes=dict(hashes),
            sources=routing,
        )
        return begun(Scan(state, plan), self._version)

    async def _taken(self, call: _Call, held: Held, digest: str, change: Callable[[Scan], Scan]) -> Envelope:
        """Commits a judgement, then lets the stages after it run for as long as a call waits."""
        ends_s = self._clock.monotonic_s() + CALL_WAIT_S
        while True:
            state = held.scan.state
            if is_stage(state.step):
                self._jobs.drive(call.key, state.owner, call.who.jobs_max)
                return self._views.refused(call.scan_id, held.scan, _running(held.scan))
            if digest in state.accepted and not _still_fits(held.scan, change):
                return await self._polled(call, held, ALREADY_APPLIED)
            after = change(held.scan)
            if after is held.scan:
                return await self._polled(call, held, ALREADY_APPLIED)
            if await self._commit(call, held, after, digest):
                break
            if self._clock.monotonic_s() >= ends_s:
                return self._views.refused(
                    call.scan_id, held.scan, Refused(Code.CALL_IN_PROGRESS, retry_after_ms=RETRY_AFTER_MS // 2)
                )
            await self._sleep(GLANCE_S)
            held = await self._reloaded(call)
        return await self._polled(call, await self._reloaded(call))

    async def _commit(self, call: _Call, held: Held, after: Scan, digest: str) -> bool:
        """Whether a change was kept; not while another call or stage holds the scan, or after it changed."""
        token = await self._store.acquire(call.key, self._holder, LEASE_S)
        if token is None:
            return False
        accepted = (*after.state.accepted, digest)[-ACCEPTED_MAX:]
        try:
            kept = replace(after, state=replace(after.state, accepted=accepted))
            return await self._keeping.commit(call.key, held, kept, token, expires_at_s=self._expiry_s(call.who))
        finally:
            with anyio.CancelScope(shield=True):
                await self._store.release(call.key, token)

    async def _polled(self, call: _Call, held: Held, *extra: Warned) -> Envelope:
        """The scan as it stands once its stages have ended, or the wait has."""
        if is_stage(held.scan.state.step):
            held = await self._waited(call, held)
        return self._views.current(call.scan_id, held.scan, *extra)

    async def _waited(self, call: _Call, held: Held) -> Held:
        """Drives what is owed and waits for it; a stage that failed before is tried again by this."""
        attempts = held.scan.state.attempts
        with anyio.move_on_after(self._settings.wait_s):
            while True:
                task = self._jobs.drive(call.key, held.scan.state.owner, call.who.jobs_max)
                if task is None:
                    break
                finished = anyio.Event()
                task.add_done_callback(lambda _, done=finished: done.set())  # type: ignore[misc]
                await finished.wait()
                held = await self._reloaded(call)
                state = held.scan.state
                if not is_stage(state.step) or (state.failure is not None and state.attempts != attempts):
                    return held
                await self._sleep(GLANCE_S)
        return await self._reloaded(call)

    async def _reloaded(self, call: _Call) -> Held:
        held = await self._keeping.load(call.key)
        if held is None:
            raise Refused(Code.UNKNOWN_SCAN)
        return held

    async def _hashes(self, request: StartRequest) -> Mapping[str, str]:
        plan = request.plan
        live = self._literature.live(plan.domain, (*plan.queries, *plan.round2))
        cap = PROFILES[request.profile].cap(len(live))
        return checking.fingerprints(request, await self._secret(), default_cap=cap)

    async def _digest(self, request: ContinueRequest | VerifyRequest) -> str:
        """A keyed digest of a judgement, by which one that comes again is known."""
        material = orjson.dumps(asdict(replace(request, scan_id="")), option=orjson.OPT_SORT_KEYS)
        return hmac.new(await self._secret(), material, hashlib.sha256).hexdigest()[:32]

    async def _secret(self) -> bytes:
        return self._settings.secret or await self._store.secret()

    def _expiry_s(self, who: Who) -> float:
        return self._clock.now_s() + self._settings.ttl_s(is_key=who.is_key)


def _artifacts(request: ContinueRequest) -> tuple[object, ...]:
    return request.screen_scores, request.gap_queries, request.ranked_entries


def _still_fits(scan: Scan, change: Callable[[Scan], Scan]) -> bool:
    """Whether the present step takes a judgement that was taken before, perhaps to put it in a later one's place."""
    try:
        change(scan)
    except Refused:
        return False
    return True


def _running(scan: Scan) -> Refused:
    """What a judgement that comes while a stage is owed is told; nothing of it is kept."""
    return Refused(Code.STAGE_RUNNING, retry_after_ms=RETRY_AFTER_MS, stage=scan.state.step.value)
