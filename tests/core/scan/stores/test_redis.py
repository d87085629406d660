"""What goes to a Redis server and comes from it; what its scripts do is tried on real ones in `tests/gates`."""

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest

from core.clock import ManualClock
from core.errors import StoreUnavailable
from core.http.pacing.shared import StoreClient
from core.scan.stores.redis import KEY_PREFIX, PURGED_AT_A_TIME, RedisShelf
from core.scan.stores.shelf import Facts, Row

pytestmark = pytest.mark.anyio

FACTS = Facts("ann", is_open=True, is_waiting=False, expires_at_s=1.5)
WRITTEN = ["ann", 1, 0, "1.5", 0, b"record", 3, b"blob"]
SLOTS = {0: b"record", 3: b"blob"}


class Line:
    """A server's end of the line: it keeps what it is asked, and answers what it was told to."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[list[Any]] = []

    def register_script(self, script: bytes) -> Callable[..., Awaitable[list[Any]]]:
        async def ask(keys: list[str], args: list[Any]) -> Any:
            assert keys == [KEY_PREFIX]
            self.asked.append(args)
            if not self.answers:
                raise ConnectionError("planted")
            answer = self.answers.pop(0)
            return await anyio.sleep_forever() if answer == "silence" else answer

        return ask

    async def aclose(self) -> None:
        self.asked.append(["closed"])


def shelf(line: Line, **options: Any) -> RedisShelf:
    return RedisShelf(StoreClient(line, (OSError, TimeoutError)), ManualClock(7.0), **options)


async def test_each_step_is_one_question_and_its_answer() -> None:
    line = Line(1, [b"2", 1, b"record", None], None, 5, None, 1, 0, 0, [b"k", b"l"], 3, 1, b"s" * 32)
    asking = shelf(line)
    answers = [
        await asking.put("k", FACTS, SLOTS),
        await asking.row("k"),
        await asking.row("k", 3),
        await asking.acquire("k", "me", 60),
        await asking.acquire("k", "me", 60),
        await asking.renew("k", 5, 60),
        await asking.swap("k", 2, 5, FACTS, SLOTS, [1, 2]),
    ]
    await asking.release("k", 5)
    answers += [await asking.owed(9), await asking.open_count("ann")]
    await asking.delete("k")
    answers.append(await asking.secret(b"p"))
    await asking.aclose()
    assert answers == [True, Row(2, True, b"record"), None, 5, None, True, False, ("k", "l"), 3, b"s" * 32]
    assert line.asked == [
        ["", "k", *WRITTEN],
        ["", "k", 0, "none"],
        ["", "k", 0, 3],
        ["", "k", "me", "60"],
        ["", "k", "me", "60"],
        ["", "k", 5, "60"],
        ["", "k", 2, 5, 2, 1, 2, *WRITTEN],
        ["", "k", 5, 0],
        ["", 9],
        ["", "ann"],
        ["", "k"],
        ["", b"p"],
        ["closed"],
    ]


async def test_a_purge_goes_on_until_nothing_is_left_to_look_at() -> None:
    line = Line([PURGED_AT_A_TIME, PURGED_AT_A_TIME - 1], [3, 3])
    assert await shelf(line, use_own_time=True).purge(2.5) == PURGED_AT_A_TIME + 2
    assert line.asked == [["7.0", "2.5", PURGED_AT_A_TIME]] * 2


@pytest.mark.parametrize("answers", [(), ("silence",)])
async def test_a_server_that_is_away_or_silent_is_unavailable(answers: tuple[str, ...]) -> None:
    with pytest.raises(StoreUnavailable, match="does not answer") as caught:
        await shelf(Line(*answers), limit_s=0.01).delete("k")
    assert "planted" not in caught.value.message
