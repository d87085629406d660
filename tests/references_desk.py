"""What tests of the references tools share: the toolset over a catalog, and sources in a world of a test's own."""

import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema

from core.catalog.backend import CatalogBackend
from core.clock import ManualClock
from core.references.failures import DISPOSITIONS, Code
from core.references.keeping import Keeping
from core.references.repeat import Repeats
from core.references.service import References
from core.references.store.log import ProvenanceLog
from core.references.store.store import Store
from core.sources.bundle import open_sources
from core.sources.configuration import SourceChoices
from core.sources.pdfs import Pdfs
from server.registry import BoundToolset, ToolOutcome
from server.toolsets.references import TOOLSET
from server.toolsets.references.local import LOCAL_TOOLSET
from tests.polite_desk import CONTACT, Desk, desk_in
from tests.source_world import World

Json = dict[str, Any]

ALL_ON = SourceChoices(contact=CONTACT)
ALL_OFF = SourceChoices()
LOCAL = SourceChoices(is_hosted=False, contact=CONTACT)
FORBIDDEN = ("Traceback", "SELECT", "/core/", "desk@papers.test", "http://127", "detail")


@dataclass
class Tools:
    """The toolset as an endpoint calls it, and what is around it."""

    desk: Desk
    bound: BoundToolset
    services: References
    caller: str = "a"

    @property
    def world(self) -> World:
        return self.desk.world

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolOutcome:
        outcome = await self.bound.call(f"doiget_{name}", arguments)
        assert not outcome.is_error and outcome.meta is None
        assert outcome.structured is not None
        validator(f"doiget_{name}").validate(outcome.structured)
        return outcome

    async def good(self, name: str, **arguments: Any) -> Json:
        """The answer of a call that must succeed."""
        outcome = await self.call(name, arguments)
        assert outcome.structured is not None and outcome.structured["ok"] is True, outcome.structured
        assert outcome.code is None
        check_attempts(outcome.structured)
        for row in (*outcome.structured.get("results", ()), *outcome.structured.get("entries", ())):
            assert ("error" in row) is (row.get("ok") is False) or "ok" not in row
            if "error" in row:
                check_error(row["error"], in_batch=True)
        return outcome.structured

    async def bad(self, name: str, **arguments: Any) -> Json:
        """The error object of a call that must fail, after its form was checked."""
        outcome = await self.call(name, arguments)
        structured = outcome.structured
        assert structured is not None and structured["ok"] is False, structured
        error: Json = structured["error"]
        check_error(error)
        assert outcome.texts == (f"{error['code']}: {error['message']} [{error['disposition']}]",)
        assert outcome.code == error["code"]
        return error


# references A14
@cache
def validator(tool: str) -> jsonschema.Draft202012Validator:
    """What a strict client holds every answer against."""
    schemas = {
        each["name"]: each["outputSchema"] for each in BoundToolset(TOOLSET, None, clock=ManualClock()).tools_list
    }
    return jsonschema.Draft202012Validator(schemas.get(tool, {}))


# references A9, A10
def check_error(error: Json, *, in_batch: bool = False) -> None:
    """What every error has, and what none shows."""
    assert error["disposition"] == DISPOSITIONS[Code(error["code"])].value
    assert error["message"]
    assert not any(word in error["message"] for word in FORBIDDEN), error["message"]
    if in_batch:
        assert "denial_context" in error
    else:
        assert error.get("denial_context", {}) is not None
    check_attempts(error)


# references A11
def check_attempts(answer: Json) -> None:
    """A trace is null or tells of somebody, and of who was asked."""
    if "attempts" in answer and answer["attempts"] is not None:
        assert answer["attempts"] != []
        for each in answer["attempts"]:
            assert each["consulted"] is not each["outcome"].startswith("not_")
            assert len(each.get("detail", "")) <= 120


def outcomes(answer: Json) -> dict[str, str]:
    """The outcome of each source of a trace."""
    return {each["source"]: each["outcome"] for each in answer["attempts"]}


@contextlib.asynccontextmanager
async def tools_over(
    backend: CatalogBackend,
    choices: SourceChoices = ALL_ON,
    repeats: Repeats | None = None,
    *,
    store: Path | None = None,
) -> AsyncIterator[Tools]:
    """The toolset over a catalog, with sources by choice; with a directory of a store, in local mode."""
    async with desk_in(choices) as desk:
        tools: Tools
        clock = desk.time.clock
        keeping = None if store is None else keeping_in(store, desk)
        toolset = TOOLSET if keeping is None else LOCAL_TOOLSET
        services = References(
            backend,
            open_sources(desk.client, desk.sources),
            desk.sources,
            clock=clock,
            version="9.9",
            is_cooling=desk.client.is_cooling,
            has_contact=choices.contact is not None,
            caller=lambda: tools.caller,
            repeats=repeats,
            keeping=keeping,
            pdfs=None if keeping is None else Pdfs(desk.client, desk.sources),
        )
        longest_s = max(55.0, toolset.deadline_s)
        tools = Tools(desk, BoundToolset(toolset, services, clock=clock, deadline_max_s=longest_s), services)
        yield tools


def files_of(store: Path) -> list[str] | None:
    """What a store's directory holds, but for locks; None where there is none."""
    if not store.exists():
        return None
    found = (path.relative_to(store).as_posix() for path in store.rglob("*") if path.is_file())
    return sorted(name for name in found if not name.endswith(".lock"))


def keeping_in(store: Path, desk: Desk) -> Keeping:
    """A store and its log; whoever waits for a lock waits in the desk's time."""
    kept = Store(store, desk.time.clock, sleep=desk.time.sleep)
    return Keeping(kept, ProvenanceLog(kept.layout, desk.time.clock, sleep=desk.time.sleep))
