"""A round of searches: what is asked, in what order it comes out, and what becomes of sources that fail."""

import random
from datetime import date
from itertools import count
from typing import Any

import pytest

from core.catalog.models import PaperRecord, PaperRow
from core.errors import SourceTimeout
from core.scan.models import Origin
from core.scan.searching.port import Tally, Warned
from core.sources.configuration import SourceChoices
from tests.core.scan.searching.desk import (
    ARXIV,
    CROSSREF,
    EVERY,
    OPENALEX,
    S2,
    Shelf,
    arxiv,
    crossref,
    crossref_row,
    literature_of,
    openalex,
    openalex_row,
    query,
    s2,
    s2_row,
    silent,
)
from tests.polite_desk import CONTACT
from tests.scripted_upstream import answer
from tests.source_world import Asked

PAPER = PaperRecord(PaperRow("7", "Deep shelves", arxiv_id="2501.00009", published="2025-01-02"), abstract="All of it.")


async def test_every_hit_has_one_origin_in_plan_routing_and_rank_order() -> None:
    async with literature_of(shelf=Shelf({"7": PAPER})) as on:
        on.world.scripts |= silent() | {
            OPENALEX: openalex(openalex_row(1), openalex_row(2)),
            f"{S2}/search": s2(s2_row(3)),
            ARXIV: arxiv(("2501.00004", "A <b>fourth</b>")),
        }
        found = await on.retrieve(query("Q1"), query("Q2", "shallow deep"))
        assert [work.origins for work in found.works] == [
            (Origin(source, "query", id, None, rank),)
            for id in ("Q1", "Q2")
            for source, rank in (("catalog", 0), ("openalex", 0), ("openalex", 1), ("s2", 0), ("arxiv", 0))
        ]
        assert [work.title for work in found.works[:5]] == [
            "Deep shelves", "Openalex work 1", "Openalex work 2", "Scholar work 3", "A fourth",
        ]  # fmt: skip
        assert found.works[0].abstract == "All of it."
        assert dict(found.tallies) == {
            "catalog": Tally(2, 2),
            "openalex": Tally(2, 4),
            "s2": Tally(2, 2),
            "arxiv": Tally(2, 2),
        }
        assert (found.warnings, found.secondary_spent) == ((), 0)
        assert all(each["event"] == "source_query" for each in found.events)


# scan A55, A56
async def test_each_source_is_asked_in_its_own_language_inside_the_window() -> None:
    async with literature_of() as on:
        on.world.scripts |= silent()
        await on.retrieve(query("Q1", '"deep learning" NOT survey', "keyword"))
        (bulk,) = on.asked(f"{S2}/search/bulk")
        assert (bulk.params["query"], bulk.params["publicationDateOrYear"]) == (
            '"deep learning" -survey', "2024-01-01:2026-08-31",
        )  # fmt: skip
        assert on.asked(f"{S2}/search") == []
        (at_openalex,) = on.asked(OPENALEX)
        assert at_openalex.params["search"] == '"deep learning" NOT survey'
        (at_arxiv,) = on.asked(ARXIV)
        assert at_arxiv.params["sortBy"] == "relevance"
        assert at_arxiv.params["search_query"] == (
            '(all:"deep learning" ANDNOT all:survey) AND submittedDate:[202401010000 TO 202608312359]'
        )


# scan A55
async def test_exclusions_hold_where_a_source_could_not_express_them() -> None:
    async with literature_of() as on:
        on.world.scripts |= silent() | {OPENALEX: openalex(openalex_row(1, title="A survey"), openalex_row(2))}
        found = await on.retrieve(query("Q1", "deep NOT survey", "keyword"), domain="general")
        assert [(work.title, work.origins[0].rank) for work in found.works] == [("Openalex work 2", 1)]
        assert found.tallies["openalex"].hits == 2


# scan A55
async def test_a_bulk_answer_is_ordered_by_terms_citations_and_id_and_then_cut() -> None:
    rows = [
        s2_row(4, title="Nothing", abstract="deep here", citationCount=900),
        s2_row(3, title="Deep", citationCount=5),
        s2_row(2, title="Deep", citationCount=5),
        s2_row(1, title="Deep learning"),
        s2_row(5, title="Nothing", citationCount=1_000),
        s2_row(6, title="Deep", citationCount=7),
    ]
    async with literature_of(("s2",)) as on:
        on.world.scripts[f"{S2}/search/bulk"] = s2(*rows)
        found = await on.retrieve(query("Q1", "deep learning", "keyword"), limit=5)
        assert [int(work.ids.s2 or "", 16) for work in found.works] == [1, 6, 2, 3, 4]


# scan A54
async def test_the_answer_is_the_same_for_any_order_of_arrival() -> None:
    answers = []
    for seed in range(3):
        async with literature_of(shelf=Shelf({"7": PAPER})) as on:
            turns = random.Random(seed)

            def scripted(asked: Asked, turns: random.Random = turns, on: Any = on) -> Any:
                on.desk.time.clock.advance(turns.random())
                behaviours = {
                    OPENALEX: openalex(openalex_row(1), openalex_row(2)),
                    f"{S2}/search": s2(s2_row(3)),
                    ARXIV: arxiv(("2501.00004", "A fourth")),
                }
                return behaviours[f"{asked.host}{asked.path}"]

            on.world.otherwise = scripted
            answers.append(await on.retrieve(*(query(f"Q{number}", f"deep {number}") for number in range(4)), left=4))
    assert answers[0] == answers[1] == answers[2]


# scan A77
async def test_a_dead_source_is_counted_and_warned_of_and_the_others_answer() -> None:
    async with literature_of() as on:
        on.world.scripts |= silent() | {f"{S2}/search": answer({}, 500), OPENALEX: openalex(openalex_row(1))}
        found = await on.retrieve(query("Q1"), query("Q2"), domain="general")
        assert found.tallies["s2"] == Tally(queried=2, failed=2)
        assert found.tallies["openalex"] == Tally(queried=2, hits=2)
        assert Warned("source_failed", "s2 did not answer 2 of 2 queries.") in found.warnings
        assert [each["event"] for each in found.events if each["source"] == "s2"] == ["source_query_failed"] * 2
        assert "query_no_hits" not in {each.code for each in found.warnings if "s2" in each.text}


async def test_no_hits_are_no_failure() -> None:
    async with literature_of() as on:
        on.world.scripts |= silent()
        found = await on.retrieve(query("Q1"), domain="general")
        assert {source: (tally.failed, tally.hits) for source, tally in found.tallies.items()} == {
            "catalog": (0, 0), "openalex": (0, 0), "s2": (0, 0),
        }  # fmt: skip
        assert [each.code for each in found.warnings] == ["query_no_hits"] * 3
        assert [each["event"] for each in found.events] == ["source_returned_nothing"] * 3


async def test_the_stage_is_tried_again_after_five_seconds_when_every_live_source_failed() -> None:
    async with literature_of() as on:
        broken = answer({}, 400)
        on.world.scripts |= {OPENALEX: [broken, openalex(openalex_row(1))], f"{S2}/search": [broken, s2()]}
        found = await on.retrieve(query("Q1"), domain="general")
        assert 5.0 in on.desk.time.slept
        assert (found.tallies["openalex"], found.tallies["s2"]) == (Tally(1, 1), Tally(1, 0))
        assert [each.code for each in found.warnings] == ["query_no_hits", "query_no_hits"]


async def test_when_they_fail_again_the_catalog_goes_on_alone() -> None:
    async with literature_of(("catalog", "openalex", "s2"), shelf=Shelf({"7": PAPER})) as on:
        on.world.otherwise = answer({}, 400)
        found = await on.retrieve(query("Q1"), domain="general")
        assert [work.title for work in found.works] == ["Deep shelves"]
        assert [each.code for each in found.warnings] == ["source_failed", "source_failed", "live_sources_failed"]
        assert len(on.world.asked) == 4


async def test_crossref_stands_in_for_the_queries_that_openalex_did_not_answer() -> None:
    def by_query(asked: Asked) -> Any:
        return answer({}, 400) if "two" in asked.params["search"] else openalex(openalex_row(1))

    async with literature_of(("openalex", "crossref")) as on:
        on.world.scripts |= {OPENALEX: by_query, CROSSREF: crossref(crossref_row("10.1234/a", "A deep one"))}
        found = await on.retrieve(query("Q1", "one"), query("Q2", "two"), domain="general")
        assert [(work.origins[0].source, work.origins[0].query_id) for work in found.works] == [
            ("openalex", "Q1"), ("crossref", "Q2"),
        ]  # fmt: skip
        assert found.tallies["crossref"] == Tally(1, 1)
        assert found.tallies["openalex"] == Tally(2, 1, 1)
        (asked,) = on.asked(CROSSREF)
        assert (asked.params["query.bibliographic"], asked.params["filter"]) == (
            "two", "from-pub-date:2024-01-01,until-pub-date:2026-08-31",
        )  # fmt: skip


# scan A57
async def test_nearly_empty_lists_are_relaxed_within_the_budget_in_plan_order() -> None:
    numbers = count(1)

    def few(asked: Asked) -> Any:
        return openalex(openalex_row(next(numbers)))

    async with literature_of(("openalex",)) as on:
        on.world.scripts[OPENALEX] = few
        queries = [query(f"Q{number}", f'"a b" w{number} NOT c', "keyword") for number in range(3)]
        found = await on.retrieve(*queries, domain="general", left=4)
        assert found.secondary_spent == 4
        assert [each.params["search"] for each in on.asked(OPENALEX)] == [
            *(f'"a b" AND w{number} NOT c' for number in range(3)),
            *(f"a AND b AND w{number}" for number in range(3)),
            "a OR b OR w0",
        ]
        assert [(work.origins[0].query_id, work.origins[0].secondary) for work in found.works] == [
            ("Q0", False), ("Q0", True), ("Q0", True), ("Q1", False), ("Q1", True), ("Q2", False), ("Q2", True),
        ]  # fmt: skip
        assert found.tallies["openalex"] == Tally(queried=7, hits=7, secondary=4)


# scan A57
@pytest.mark.parametrize(("hits", "left", "spent"), [(5, 12, 0), (4, 12, 1), (0, 0, 0)])
async def test_full_lists_and_an_empty_purse_relax_nothing(hits: int, left: int, spent: int) -> None:
    async with literature_of(("openalex",)) as on:
        on.world.scripts[OPENALEX] = openalex(*map(openalex_row, range(1, 1 + hits)))
        found = await on.retrieve(query("Q1", "one two three four"), domain="general", left=left)
        assert (found.secondary_spent, len(on.world.asked)) == (spent, 1 + spent)


async def test_failed_lists_are_not_relaxed() -> None:
    async with literature_of(("openalex",)) as on:
        on.world.otherwise = answer({}, 400)
        found = await on.retrieve(query("Q1"), domain="general", left=9)
        assert (found.secondary_spent, len(on.world.asked)) == (0, 2)


@pytest.mark.parametrize(
    ("named", "choices", "reason", "text"),
    [
        (EVERY, SourceChoices(), "no_contact", "this deployment has no contact address, without which no source is"),
        (EVERY, SourceChoices(contact=CONTACT, is_offline=True), "offline", "this deployment asks no source outside."),
        (("catalog",), SourceChoices(contact=CONTACT), "off", "it is switched off in this deployment."),
        (EVERY, SourceChoices(contact=CONTACT, off=("openalex",)), "off", "it is switched off in this deployment."),
    ],
)
async def test_a_source_that_is_not_asked_is_skipped_with_its_reason(
    named: tuple[str, ...], choices: SourceChoices, reason: str, text: str
) -> None:
    async with literature_of(named, choices=choices, shelf=Shelf({"7": PAPER})) as on:
        on.world.scripts |= silent()
        found = await on.retrieve(query("Q1"), domain="general")
        assert found.tallies["openalex"] == Tally(skipped=1, reason=reason)
        warned = next(each for each in found.warnings if "openalex" in each.text)
        assert (warned.code, text in warned.text) == ("source_skipped", True)
        assert on.asked(OPENALEX) == []
        assert found.works[0].title == "Deep shelves"


async def test_a_failing_catalog_is_counted_like_any_source() -> None:
    shelf = Shelf(failure=SourceTimeout("It did not answer.", source="catalog"))
    async with literature_of(("catalog",), shelf=shelf) as on:
        found = await on.retrieve(query("Q1"), query("Q2", "a OR b", "keyword"), domain="general")
        assert found.tallies["catalog"] == Tally(queried=2, failed=2)


async def test_nothing_is_sent_for_a_text_without_words() -> None:
    async with literature_of() as on:
        found = await on.retrieve(query("Q1", "?!"), left=3)
        assert (on.world.asked, on.shelf.searches, found.works) == ([], [], ())


async def test_the_catalog_is_asked_inside_the_window() -> None:
    async with literature_of(("catalog",)) as on:
        await on.retrieve(query("Q1", "one"), domain="general", limit=7)
        ((text, mode, filters, size),) = on.shelf.searches
        assert (text, mode.value, size, filters.published_after, filters.published_before) == (
            "one", "keyword", 7, date(2024, 1, 1).isoformat(), "2026-08-31",
        )  # fmt: skip


async def test_keys_are_told_of() -> None:
    choices = SourceChoices(contact=CONTACT, keys={"openalex": "k" * 20, "semantic_scholar": "s" * 20})
    async with literature_of(choices=choices) as on:
        on.world.scripts |= silent()
        found = await on.retrieve(query("Q1"))
        assert {source: tally.auth for source, tally in found.tallies.items()} == {
            "catalog": "anon", "openalex": "key", "s2": "key", "arxiv": "anon",
        }  # fmt: skip
