"""A scan's stages, one after the other under one lease, until the client is needed (scan contract 10.3 to 10.5)."""

import hashlib
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType

import anyio

from core.clock import Clock
from core.deadline import deadline
from core.defects import place_of
from core.errors import ArtifactCorrupt, PaperdeskError, StoreUnavailable
from core.scan.answers.refusals import Code
from core.scan.engine.configuration import LEASE_S, PAUSE_S, RENEWED_EVERY_S, TRIES, EngineSettings
from core.scan.engine.keeping import Held, Keeping
from core.scan.engine.scan import Scan
from core.scan.engine.stages.emitting import emit
from core.scan.engine.stages.expanding import expand
from core.scan.engine.stages.failing import RETRY_AFTER_MS, StageFailed
from core.scan.engine.stages.retrieving import retrieve
from core.scan.engine.stages.verifying import verify
from core.scan.engine.stages.weighing import cover, shorten
from core.scan.engine.state import Failure
from core.scan.engine.steps import is_stage
from core.scan.searching.port import Literature
from core.scan.vocabulary import Step

Stage = Callable[[Scan, Literature], Awaitable[Scan]]
Sleep = Callable[[float], Awaitable[None]]

STAGES: Mapping[Step, Stage] = MappingProxyType(
    {
        Step.RETRIEVE: retrieve,
        Step.EXPAND: expand,
        Step.COVERAGE: cover,
        Step.RETRIEVE_R2: retrieve,
        Step.EXPAND_R2: expand,
        Step.COVERAGE_R2: cover,
        Step.SHORTLIST: shorten,
        Step.VERIFY: verify,
        Step.EMIT: emit,
    }
)
SECTIONS: Mapping[Step, str] = MappingProxyType(
    {
        Step.RETRIEVE: "retrieval",
        Step.RETRIEVE_R2: "retrieval_round2",
        Step.EXPAND: "expansion",
        Step.EXPAND_R2: "expansion_round2",
        Step.VERIFY: "verification",
        Step.EMIT: "emit",
    }
)
"""Where the manifest tells of a stage."""

_log = logging.getLogger("paperdesk.scan")
_salt = secrets.token_bytes(16)


class Runner:
    """Does what is owed of one scan. `holder` names this process to the store."""

    def __init__(
        self,
        keeping: Keeping,
        literature: Literature,
        clock: Clock,
        settings: EngineSettings,
        *,
        sleep: Sleep = anyio.sleep,
    ) -> None:
        self._keeping = keeping
        self._literature = literature
        self._clock = clock
        self._settings = settings
        self._sleep = sleep
        self._holder = secrets.token_hex(8)

    async def run(self, key: str) -> None:
        """All stages until the client is needed or one fails; nothing where another holder has the lease."""
        store = self._keeping.store
        token = await store.acquire(key, self._holder, LEASE_S)
        if token is None:
            return
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._renew, key, token, group.cancel_scope)
                while await self._next(key, token):
                    pass
                group.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await store.release(key, token)

    async def _renew(self, key: str, token: int, scope: anyio.CancelScope) -> None:
        """Whoever has lost the lease stops: what it did could not be kept."""
        while True:
            await self._sleep(RENEWED_EVERY_S)
            if not await self._keeping.store.renew(key, token, LEASE_S):
                scope.cancel()
                return

    async def _next(self, key: str, token: int) -> bool:
        """Does one stage; False when there is none, or it failed, or was not ours to do."""
        snapshot = await self._keeping.store.load(key)
        if snapshot is None or not snapshot.stored.is_owed:
            return False
        step = Step(snapshot.stored.step)
        started_s = self._clock.monotonic_s()
        try:
            held = await self._keeping.load(key)
            if held is None or held.snapshot.version != snapshot.version:
                return held is not None
            after = await self._tried(held.scan)
            finished = self._stamped(held, after, self._clock.monotonic_s() - started_s)
            is_kept = await self._keeping.commit(key, held, finished, token)
        except (StageFailed, ArtifactCorrupt) as error:
            await self._keeping.park(key, snapshot, _failure_of(error), token)
            self._note(key, step, "failed", started_s)
            return False
        self._note(key, step, "done" if is_kept else "lost", started_s)
        return is_kept and is_stage(finished.state.step)

    async def _tried(self, scan: Scan) -> Scan:
        """A stage's outcome within its deadline; what may pass by itself is tried once more. Raises `StageFailed`."""
        step = scan.state.step
        limit_s = self._settings.limit_s(step)
        for left in reversed(range(TRIES)):
            try:
                with anyio.fail_after(limit_s), deadline(limit_s, self._clock):
                    return await STAGES[step](scan, self._literature)
            except (StageFailed, StoreUnavailable, ArtifactCorrupt):
                raise
            except TimeoutError as error:
                raise StageFailed(Code.STAGE_TIMEOUT, (f"stage: {step}",)) from error
            except Exception as error:
                if not isinstance(error, PaperdeskError):
                    _log.error("stage_crashed stage=%s error=%s at=%s", step, type(error).__name__, place_of(error))
                if not left:
                    raise StageFailed(Code.STAGE_FAILED, (f"stage: {step}",)) from error
                await self._sleep(PAUSE_S)
        raise AssertionError("a stage has at least one try")

    def _stamped(self, held: Held, after: Scan, span_s: float) -> Scan:
        """What a stage gave, with the times that it must not know, and free of an earlier failure."""
        step = held.scan.state.step
        ended_s = self._clock.now_s()
        times = {f"{step}.started_at": _iso(ended_s - span_s), f"{step}.finished_at": _iso(ended_s)}
        manifest = {**after.manifest, "timestamps": {**after.manifest.get("timestamps", {}), **times}}
        if section := SECTIONS.get(step):
            manifest[section] = {**(manifest.get(section) or {}), "duration_s": round(span_s, 3)}
        counts = dict(after.state.counts)
        if after.state.step is Step.COMPLETE:
            counts["wall_clock_s"] = round(max(0.0, ended_s - after.state.started_s), 3)
        manifest["counts"] = counts
        state = replace(after.state, counts=counts, failure=None, attempts=0)
        logs = {
            name: _timed(lines, held.scan.logs.get(name, ()), step, _iso(ended_s)) for name, lines in after.logs.items()
        }
        return replace(after, state=state, manifest=manifest, logs=logs)

    def _note(self, key: str, step: Step, result: str, started_s: float) -> None:
        span_ms = round((self._clock.monotonic_s() - started_s) * 1000)
        _log.info("stage=%s result=%s ms=%d scan=%s", step, result, span_ms, shown_key(key))


def shown_key(key: str) -> str:
    """A scan in logs: the same within a process, and nothing that it could be found by."""
    return hashlib.blake2b(key.encode(), key=_salt, digest_size=6).hexdigest()


def _failure_of(error: StageFailed | ArtifactCorrupt) -> Failure:
    if isinstance(error, ArtifactCorrupt):
        return Failure(Code.ARTIFACT_CORRUPT, (f"artifact: {error.name}",))
    return Failure(error.code, error.errors, error.retry_after_ms or RETRY_AFTER_MS)


def _timed(
    lines: tuple[Mapping[str, object], ...], known: tuple[Mapping[str, object], ...], step: Step, at: str
) -> tuple[Mapping[str, object], ...]:
    if lines is known:
        return known
    return (*known, *({"ts": at, "stage": step.value, **line} for line in lines[len(known) :]))


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
