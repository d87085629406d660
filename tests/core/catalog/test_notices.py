"""Notices: said anywhere below a call, handed out once in its result's notes."""

import anyio

from core.catalog.notices import collecting, noted, notice
from core.catalog.results import QueryResult

SKIPPED, OLD = "Rows that were no objects were skipped.", "This answer is old."


@noted
async def answer(*said: str, notes: list[str] | None = None) -> QueryResult:
    """A call whose backend says some sentences."""
    for sentence in said:
        notice(sentence)
    return QueryResult(notes=notes)


async def test_notices_follow_the_notes_of_a_result() -> None:
    assert (await answer(SKIPPED, OLD, notes=["First."])).notes == ["First.", SKIPPED, OLD]


async def test_a_sentence_is_handed_out_once() -> None:
    assert (await answer(SKIPPED, OLD, SKIPPED, notes=[OLD])).notes == [OLD, SKIPPED]


async def test_a_call_that_says_nothing_has_no_notes() -> None:
    assert (await answer()).notes is None


async def test_tasks_of_a_call_speak_to_its_result() -> None:
    async def say(sentence: str) -> None:
        notice(sentence)

    @noted
    async def parted() -> QueryResult:
        async with anyio.create_task_group() as group:
            group.start_soon(say, SKIPPED)
            group.start_soon(say, OLD)
        return QueryResult()

    assert set((await parted()).notes or ()) == {SKIPPED, OLD}


async def test_calls_side_by_side_hear_only_their_own() -> None:
    heard: dict[str, list[str] | None] = {}

    async def ask(sentence: str) -> None:
        @noted
        async def slowly() -> QueryResult:
            await anyio.lowlevel.checkpoint()
            notice(sentence)
            await anyio.lowlevel.checkpoint()
            return QueryResult()

        heard[sentence] = (await slowly()).notes

    async with anyio.create_task_group() as group:
        group.start_soon(ask, SKIPPED)
        group.start_soon(ask, OLD)
    assert heard == {SKIPPED: [SKIPPED], OLD: [OLD]}


async def test_a_surrounding_collection_hears_nothing_of_an_inner_one() -> None:
    with collecting() as outer:
        with collecting() as inner:
            notice(SKIPPED)
        notice(OLD)
    assert (list(outer), list(inner)) == ([OLD], [SKIPPED])


def test_a_sentence_that_nobody_collects_is_lost() -> None:
    notice(SKIPPED)
    with collecting() as said:
        pass
    assert said == {}
