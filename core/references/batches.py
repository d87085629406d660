"""Rows of a batch: each identity once, arXiv's in one request, each with its own failure, all within the call (3.5)."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import anyio

from core.deadline import MARGIN_S, current_deadline
from core.defects import place_of
from core.errors import PaperdeskError, SourceMalformed
from core.identifiers import Identifier, IdentifierKind
from core.references.asking import Asking
from core.references.attempts import Trace
from core.references.failures import Code, failure_of
from core.references.room import Room
from core.references.shelf import is_enough
from core.sources.answers import Record
from core.sources.arxiv import Arxiv, Outcome

T = TypeVar("T")

AT_ONCE = 8
_ANSWER_S = 1.0
"""Kept back for what follows the rows."""

_log = logging.getLogger("paperdesk.references")


@dataclass(frozen=True, slots=True)
class Foretold:
    """What one request said of several arXiv ids, for rows that ask for them one by one."""

    room: Room
    outcomes: Mapping[Identifier, Outcome] = field(default_factory=dict)

    def apart(self, identifier: Identifier) -> Asking:
        """The sources for one row, with arXiv's answer in hand where there is one."""
        asking = self.room.asking()
        outcome = self.outcomes.get(identifier)
        if outcome is None or asking.sources.arxiv is None:
            return asking
        return Asking(replace(asking.sources, arxiv=_Known(outcome)), asking.caller)


class _Known(Arxiv):
    """arXiv, whose answer for one id has come already."""

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome

    async def record(self, identifier: Identifier, *, caller: str) -> Record:
        """What came."""
        if isinstance(self._outcome, PaperdeskError):
            raise self._outcome
        return self._outcome


def distinct(identifiers: Sequence[Identifier]) -> dict[str, Identifier]:
    """Each identity and version once, in order."""
    named: dict[str, Identifier] = {}
    for each in identifiers:
        named.setdefault(f"{each.key}{each.version or ''}", each)
    return named


async def foretold(identifiers: Sequence[Identifier], room: Room) -> Foretold:
    """Asks arXiv in one request for all ids that nothing at hand answers for."""
    arxiv = room.sources.arxiv
    wanted = [each for each in identifiers if each.kind is IdentifierKind.ARXIV and each.plausible]
    if arxiv is None or len(wanted) < 2:
        return Foretold(room)
    missing = [each for each in wanted if not await _is_held(each, room)]
    if len(missing) < 2:
        return Foretold(room)
    try:
        return Foretold(room, await arxiv.records(missing, caller=room.caller()))
    except PaperdeskError as error:
        return Foretold(room, dict.fromkeys(missing, error))
    except Exception as error:
        log_defect(error)
        unread = SourceMalformed("The answer of arXiv could not be read; tell the operator.", source="arxiv")
        return Foretold(room, dict.fromkeys(missing, unread))


async def filled(row: Callable[[], Awaitable[dict[str, Any]]], trace: Trace | None = None) -> dict[str, Any]:
    """A row; its failure is its own, even one that nobody planned. Only that of the log stops the whole call (10.4)."""
    try:
        return await row()
    except Exception as error:
        log_defect(error)
        failure = failure_of(error)
        if failure.code is Code.LOG_ERROR:
            raise
        if trace is not None and not failure.attempts:
            failure = replace(failure, attempts=trace.attempts)
        return {"ok": False, "error": failure.shown(in_batch=True)}


def log_defect(error: Exception) -> None:
    """Logs an exception of a row that is none of our tree, by its class and place and never by its text."""
    if not isinstance(error, PaperdeskError):
        _log.error("row_crashed error=%s at=%s", type(error).__name__, place_of(error))


async def within_call(named: Mapping[str, T], fill: Callable[[str, T], Awaitable[None]]) -> None:
    """Fills the rows, several at a time, until the call has just enough time left to answer."""
    ends = current_deadline()
    left_s = None if ends is None else max(ends.left_s() - MARGIN_S - _ANSWER_S, 0.0)
    slots = anyio.Semaphore(AT_ONCE)

    async def one(name: str, asked: T) -> None:
        async with slots:
            await fill(name, asked)

    with anyio.move_on_after(left_s):
        async with anyio.create_task_group() as tasks:
            for name, asked in named.items():
                tasks.start_soon(one, name, asked)


async def _is_held(identifier: Identifier, room: Room) -> bool:
    try:
        kept = None if room.keeping is None else await room.keeping.store.read(identifier)
        if kept is not None and kept.work is not None and is_enough(kept.work):
            return True
        work = None if identifier.version is not None else await room.shelf.work(identifier)
    except Exception as error:
        log_defect(error)
        return False
    return work is not None and is_enough(work)
