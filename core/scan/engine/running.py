"""A scan's stages, one after the other under one lease, until the client is needed (scan contract 10.3 to 10.5)."""

import asyncio
import hashlib
import logging
import secrets
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from core.clock import Clock
from core.deadline import deadline
from core.defects import place_of
from core.errors import ArtifactCorrupt, PaperdeskError, SourceError, StoreUnavailable
from core.scan.answers.refusals import Code
from core.scan.engine.configuration import PAUSE_S, TRIES, EngineSettings
from core.scan.engine.keeping import Held, Keeping
from core.scan.engine.scan import Scan
from core.scan.engine.stages.emitting import emit
from core.scan.engine.stages.expanding import expand
from core.scan.engine.stages.retrieving import retrieve
from core.scan.engine.stages.turns import RETRY_AFTER_MS, StageFailed, Turn
from core.scan.engine.stages.verifying import verify
from core.scan.engine.stages.weighing import cover, shorten
from core.scan.engine.state import Failure
from core.scan.engine.steps import is_stage
from core.scan.engine.waiting import Sleep, bounded, ended
from core.scan.searching.port import Literature
from core.scan.vocabulary import Step

Stage = Callable[[Scan, Turn], Coroutine[Any, Any, Scan]]

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
ASKING_SHARE = 0.9
"""Of a stage's time for asking sources, so that something is left for what they said."""
CALLER_SIGNS = 16

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
        sleep: Sleep,
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
        token = await store.acquire(key, self._holder, self._settings.lease_s)
        if token is None:
            return
        working = asyncio.ensure_future(self._all(key, token))
        renewing = asyncio.ensure_future(self._renew(key, token))
        try:
            await asyncio.wait((working, renewing), return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                working.result()
        finally:
            await ended(working, renewing)
            await store.release(key, token)

    async def _renew(self, key: str, token: int) -> None:
        """Ends when the lease is lost: what its holder would still do could not be kept."""
        is_held = True
        while is_held:
            await self._sleep(self._settings.renewed_every_s)
            try:
                is_held = await self._keeping.store.renew(key, token, self._settings.lease_s)
            except StoreUnavailable:
                continue  # the lease may outlive the trouble; if not, nothing can be committed

    async def _all(self, key: str, token: int) -> None:
        while await self._next(key, token):
            pass

    async def _next(self, key: str, token: int) -> bool:
        """Does one stage; False when there is none, or it failed, or was not ours to do."""
        snapshot = await self._keeping.store.load(key)
        if snapshot is None or not snapshot.stored.is_owed:
            return False
        step = Step(snapshot.stored.step)
        started_s = self._clock.monotonic_s()
        try:
            held = await self._keeping.load(key)
            if held is None:
                return False
            after = await self._tried(key, held.scan)
            finished = self._stamped(held, after, self._clock.monotonic_s() - started_s)
            is_kept = await self._keeping.commit(key, held, finished, token)
        except StoreUnavailable:
            raise
        except Exception as error:
            failure = _failure_of(error, step)
            await self._keeping.park(key, snapshot, failure, token)
            self._note(key, step, failure.code.value, started_s)
            return False
        self._note(key, step, "done" if is_kept else "lost", started_s, finished)
        return is_kept and is_stage(finished.state.step)

    async def _tried(self, key: str, scan: Scan) -> Scan:
        """A stage's outcome within its deadline; what may pass by itself is tried once more. Raises `StageFailed`."""
        step = scan.state.step
        limit_s = self._settings.limit_s(step)
        for left in reversed(range(TRIES)):
            turn = Turn(self._literature, key[:CALLER_SIGNS], is_last_try=not left)
            try:
                with deadline(limit_s * ASKING_SHARE, self._clock):
                    return await bounded(STAGES[step](scan, turn), limit_s, self._sleep)
            except TimeoutError as error:
                raise StageFailed(Code.STAGE_TIMEOUT, (f"stage: {step}",)) from error
            except (StageFailed, SourceError) as error:
                if not left or not getattr(error, "may_pass", True):
                    raise
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

    def _note(self, key: str, step: Step, result: str, started_s: float, after: Scan | None = None) -> None:
        span_ms = round((self._clock.monotonic_s() - started_s) * 1000)
        counts = "" if after is None else "".join(f" {name}={value}" for name, value in after.state.counts.items())
        _log.info("stage=%s result=%s ms=%d scan=%s%s", step, result, span_ms, shown_key(key), counts)


def shown_key(key: str) -> str:
    """A scan in logs: the same within a process, and nothing that it could be found by."""
    return hashlib.blake2b(key.encode(), key=_salt, digest_size=6).hexdigest()


def _failure_of(error: Exception, step: Step) -> Failure:
    match error:
        case ArtifactCorrupt():
            return Failure(Code.ARTIFACT_CORRUPT, (f"artifact: {error.name}",))
        case StageFailed():
            return Failure(error.code, error.errors, RETRY_AFTER_MS)
    if not isinstance(error, PaperdeskError):
        _log.error("stage_crashed stage=%s error=%s at=%s", step, type(error).__name__, place_of(error))
    return Failure(Code.STAGE_FAILED, (f"stage: {step}",), RETRY_AFTER_MS)


def _timed(
    lines: tuple[Mapping[str, object], ...], known: tuple[Mapping[str, object], ...], step: Step, at: str
) -> tuple[Mapping[str, object], ...]:
    if lines is known:
        return known
    return (*known, *({"ts": at, "stage": step.value, **line} for line in lines[len(known) :]))


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
