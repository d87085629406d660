"""What failed in one worker is known to the others, through real stores, Redis and Valkey."""

from collections.abc import AsyncIterator, Iterator

import pytest

from core.clock import ManualClock
from core.http.pacing.shared import open_client
from core.references.repeat import Failure, Question
from core.references.shared_repeat import SharedRepeats
from tests.stores import Store

pytestmark = [pytest.mark.gate, pytest.mark.anyio]

MISSING = Failure("NOT_FOUND", "terminal", "No such paper.", details={"attempts": [{"source": "crossref"}]})
DOWN = Failure("NETWORK_ERROR", "retry_after", "Crossref did not answer.", retry_after_s=8.0)


@pytest.fixture(scope="module", params=["redis", "valkey"])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = Store(request.param, tmp_path_factory.mktemp(request.param))
    store.start()
    try:
        yield store
    finally:
        store.stop()


@pytest.fixture
async def workers(store: Store) -> AsyncIterator[list[SharedRepeats]]:
    made = [SharedRepeats(open_client(store.url, limit_s=10), ManualClock(), limit_s=10) for _ in range(2)]
    yield made
    for each in made:
        await each.aclose()


# references A49
async def test_two_workers_share_what_failed(workers: list[SharedRepeats]) -> None:
    first, second = workers
    asked = Question("doi:10.1234/shared", None, "fetch", "f1")
    assert await second.find(asked) is None
    await first.failed(asked, MISSING)
    await second.failed(asked, Failure("NOT_FOUND", "terminal", "Said again."))
    found = await second.find(asked)
    assert found is not None and found.failure == MISSING and 500 < found.left_s <= 600
    assert await second.find(Question(asked.key, None, "fetch", "f2")) is None
    await second.failed(asked, DOWN)
    found = await first.find(asked)
    assert found is not None and found.failure == DOWN and 0 < found.left_s <= 8
    assert (found.code, found.retry_after_s) == ("RATE_LIMITED", found.left_s)
    await second.succeeded(asked)
    assert await first.find(asked) is None


# references A49
async def test_two_workers_share_the_forced_calls_of_a_client(workers: list[SharedRepeats], store: Store) -> None:
    for number in range(10):
        assert await workers[number % 2].force("198.51.100.7") == 0.0
    assert 3_500 < await workers[0].force("198.51.100.7") <= 3_600
    assert 3_500 < await workers[1].force("198.51.100.7") <= 3_600
    assert await workers[0].force("another") == 0.0
    assert "198.51.100.7" not in store.contents()
    assert workers[0].errors == 0
