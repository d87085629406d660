"""What nobody planned: a defect met by one row of a batch, and a call that its deadline ends."""

import logging
from dataclasses import replace
from typing import Any

import anyio
import pytest

from core.catalog.embedded.store import EmbeddedCatalog
from core.catalog.models import PaperRow
from core.clock import ManualClock
from core.deadline import deadline
from core.errors import SourceTimeout
from core.references.attempts import Trace, Traced, traced
from core.references.repeat import MemoryRepeats, Question
from server.registry import BoundToolset
from server.toolsets.references import TOOLSET
from tests.references_desk import ALL_OFF, check_error, outcomes, tools_over
from tests.told_backend import ToldBackend

BROKEN = "1810.04805"


def cracked(inner: EmbeddedCatalog) -> ToldBackend:
    """The catalog with one paper over which its code stumbles."""

    def stumble(row: PaperRow | None) -> PaperRow | None:
        if row is not None and row.arxiv_id == BROKEN:
            raise RuntimeError("a text that nobody may see")
        return row

    backend = ToldBackend(inner, kind="sample")
    backend.changes["find"] = stumble
    return backend


class Stuck(MemoryRepeats):
    """A memory that never answers once there is something to keep."""

    async def succeeded(self, question: Question) -> None:
        await anyio.sleep_forever()


def rows_of(answer: dict[str, Any]) -> list[str]:
    rows = answer.get("results", answer.get("entries"))
    assert rows is not None
    return [row["error"]["code"] if "error" in row else "ok" for row in rows]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("batch_fetch", {"refs": ["1706.03762", "1810.04805", "1512.03385"]}),
        ("batch_from_bibliography", {"content": "1706.03762\n1810.04805\n1512.03385\n"}),
        ("bibtex_export", {"refs": ["1706.03762", "1810.04805", "1512.03385"]}),
        ("csl_export", {"refs": ["1706.03762", "1810.04805", "1512.03385"], "resolve": True}),
    ],
)
async def test_a_row_that_meets_a_defect_says_so_and_its_siblings_are_answered(
    sample_backend: EmbeddedCatalog, caplog: pytest.LogCaptureFixture, tool: str, arguments: dict[str, Any]
) -> None:
    async with tools_over(cracked(sample_backend), ALL_OFF) as tools:
        answer = await tools.good(tool, **arguments)
    assert rows_of(answer) == ["ok", "INTERNAL_ERROR", "ok"]
    error = answer.get("results", answer.get("entries"))[1]["error"]
    check_error(error, in_batch=True)
    assert error["message"] == "Something went wrong inside paperdesk; if it keeps failing, tell the operator."
    logged = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert logged and all(line.startswith("row_crashed error=RuntimeError at=") for line in logged)
    assert "nobody may see" not in str(answer) + caplog.text


async def test_citations_beside_one_that_meets_a_defect_are_answered(
    sample_backend: EmbeddedCatalog, caplog: pytest.LogCaptureFixture
) -> None:
    queries = ["Vaswani et al. Attention is all you need. NeurIPS 2017", "Devlin, arXiv:1810.04805", "? !"]
    async with tools_over(cracked(sample_backend), ALL_OFF) as tools:
        answer = await tools.good("batch_resolve_citations", queries=queries)
    assert rows_of(answer) == ["ok", "INTERNAL_ERROR", "ok"]
    assert answer["results"][0]["best"] == "10.48550/arXiv.1706.03762"
    assert "row_crashed error=RuntimeError" in caplog.text and "nobody may see" not in caplog.text


@pytest.mark.parametrize("force", [False, True])
async def test_a_call_that_its_deadline_ends_says_who_was_asked_by_then(
    sample_backend: EmbeddedCatalog, force: bool
) -> None:
    quick = tuple(replace(tool, deadline_s=0.05) for tool in TOOLSET.tools)
    async with tools_over(sample_backend, ALL_OFF, Stuck(ManualClock())) as tools:
        bound = BoundToolset(replace(TOOLSET, tools=quick), tools.services, clock=tools.desk.time.clock)
        outcome = await bound.call("doiget_fetch_paper", {"ref": "1706.03762", "force": force})
    structured = outcome.structured
    assert structured is not None and (outcome.ending, outcome.code) == ("timeout", "FETCH_TIMEOUT")
    assert (structured["ok"], structured["ref"], structured["canonical"]) == (False, "1706.03762", "arxiv:1706.03762")
    check_error(structured["error"])
    assert outcomes(structured["error"]) == {"catalog": "consulted_resolved", "arxiv": "not_consulted_not_needed"}


async def test_of_a_call_with_several_parts_none_speaks_for_the_whole() -> None:
    error = SourceTimeout("No answer in time.", source="paperdesk")
    one, other = Trace(), Trace()
    with deadline(1.0, ManualClock()) as ends:
        assert ends.witnessed(error) is error
        with traced(one):
            one.note("crossref", "consulted_resolved")
        seen = ends.witnessed(error)
        assert isinstance(seen, Traced) and (seen.cause, seen.attempts) == (error, one.attempts)
        with traced(other):
            assert ends.witnessed(error) is error
