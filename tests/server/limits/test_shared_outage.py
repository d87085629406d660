"""Windows in a store that does not answer: open, quiet, and asked again after a while.

What a store that answers does is held by `tests/gates/test_shared_store.py`, over real ones.
"""

import importlib.util
import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import anyio
import pytest

from core.clock import ManualClock
from core.errors import OperatorError
from server.limits.admission import Limiter
from server.limits.budgets import WINDOWS, Budgets
from server.limits.identity import Caller
from server.limits.refusal import LimitRefused
from server.limits.shared import SharedWindows, open_store
from server.limits.windows import Draw

pytestmark = pytest.mark.anyio

ONE = Caller("ip", b"1" * 16)
DRAW = Draw(WINDOWS["per_minute"], 1)
SECRET = "planted-password"
SCHEMES = ("redis", "valkey")


@contextmanager
def silent_port() -> Iterator[int]:
    """A port that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_requests_pass_while_the_store_is_down_and_slots_still_hold(
    scheme: str, caplog: pytest.LogCaptureFixture
) -> None:
    # hosting A70 (part)
    caplog.set_level(logging.DEBUG)
    clock = ManualClock()
    port = closed_port()
    windows = SharedWindows(open_store(f"{scheme}://:{SECRET}@127.0.0.1:{port}/0"), clock)
    desk = Limiter(Budgets(anonymous={"per_minute": 1, "concurrent": 2}), windows)
    for _ in range(5):
        ticket = await desk.admit(ONE)
        await ticket.take(["catalog_semantic_per_minute", "semantic_daily"])
        ticket.owe("semantic_daily")
        assert ticket.rate is None
        await ticket.close()
    held = [await desk.admit(ONE), await desk.admit(ONE)]
    with pytest.raises(LimitRefused) as caught:
        await desk.admit(ONE)
    assert (caught.value.budget, caught.value.rate) == ("concurrent", None)
    for ticket in held:
        await ticket.close()
    assert await desk.charge(ONE) is None
    # All within the five seconds after the first failure, in which the store is not asked.
    assert (windows.errors, windows.is_down) == (1, True)
    for _ in range(3):
        clock.advance(5)
        assert await windows.take(ONE.digest, (DRAW,)) is None
    assert windows.errors == 4
    ours = [(record.levelname, record.getMessage()) for record in caplog.records if record.name.startswith("paperdesk")]
    assert ours == [("WARNING", "limit_store=down error=ConnectionError windows=open")]
    assert str(port) not in caplog.text and SECRET not in caplog.text and "127.0.0.1" not in caplog.text
    await windows.aclose()


@pytest.mark.parametrize("scheme", SCHEMES)
async def test_a_store_that_says_nothing_is_given_up_in_time(scheme: str) -> None:
    clock = ManualClock()
    with silent_port() as port:
        windows = SharedWindows(open_store(f"{scheme}://127.0.0.1:{port}/0"), clock)
        with anyio.fail_after(1):
            assert await windows.look(ONE.digest, DRAW) is None
        assert windows.errors == 1
        await windows.aclose()


async def test_one_request_finds_out_for_all_whether_an_outage_is_over() -> None:
    clock = ManualClock()
    with silent_port() as port:
        windows = SharedWindows(open_store(f"redis://127.0.0.1:{port}/0"), clock)
        assert await windows.look(ONE.digest, DRAW) is None
        clock.advance(5)
        async with anyio.create_task_group() as group:
            for _ in range(20):
                group.start_soon(windows.look, ONE.digest, DRAW)
        assert windows.errors == 2
        await windows.aclose()


async def test_a_request_that_leaves_while_it_asks_does_not_put_the_question_off() -> None:
    clock = ManualClock()
    with silent_port() as port:
        windows = SharedWindows(open_store(f"redis://127.0.0.1:{port}/0"), clock)
        assert await windows.look(ONE.digest, DRAW) is None
        clock.advance(5)
        with anyio.move_on_after(0.01) as scope:
            await windows.look(ONE.digest, DRAW)
        assert scope.cancelled_caught
        assert await windows.look(ONE.digest, DRAW) is None
        assert windows.errors == 2
        await windows.aclose()


def test_a_client_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    for scheme in SCHEMES:
        with pytest.raises(OperatorError) as caught:
            open_store(f"{scheme}s://:{SECRET}@127.0.0.1:1/0")
        assert caught.value.message == (
            f"The store that PAPERDESK_LIMITS_URL names needs the Python package {scheme}, which is not installed;"
            " install paperdesk with its extra `shared`."
        )


def test_an_address_that_the_client_refuses_is_not_shown() -> None:
    with pytest.raises(OperatorError) as caught:
        open_store(f"redis://:{SECRET}@127.0.0.1:1/0?socket_timeout=never")
    assert SECRET not in caught.value.message and "PAPERDESK_LIMITS_URL" in caught.value.message
