"""Live records for verification: who is asked for what, and that none, failed and unknown stay apart."""

from typing import Any

import pytest

from core.scan.models import Candidate, LiveRecord
from core.scan.searching.port import Answers, Lookups
from core.sources.configuration import SourceChoices
from tests.core.scan.searching.desk import (
    ARXIV,
    CROSSREF,
    EVERY,
    OPENALEX,
    S2,
    LiteratureDesk,
    arxiv,
    candidate,
    crossref,
    crossref_row,
    literature_of,
    openalex,
    openalex_row,
    s2_row,
    silent,
)
from tests.polite_desk import CONTACT
from tests.scripted_upstream import answer
from tests.source_world import PUBLIC, Asked

TITLE = "A title that is long enough"
CID = "a" * 12
DATACITE = "api.datacite.org/dois/10.1234"
AGENCY = "doi.org/ra/10.1234"
S2_BY_DOI = f"{S2}/DOI:10.1234%2Fa"
AT_CROSSREF = LiveRecord("crossref", TITLE, 2025, "Other", "10.1234/a")
ELSEWHERE = answer({}, 302, {"location": "https://elsewhere.test/"})
NO_SUCH_DOI = answer([{"DOI": "10.1234/a", "status": "DOI does not exist"}])


async def looked_up(on: LiteratureDesk, *candidates: Candidate) -> Lookups:
    return await on.literature.lookups(candidates, "scan")


async def answers_of(on: LiteratureDesk, one: Candidate) -> Answers:
    return (await looked_up(on, one)).answers[one.cid]


def datacite(**more: Any) -> Any:
    attributes = {"doi": "10.1234/a", "titles": [{"title": TITLE}], "publicationYear": 2025, **more}
    return answer({"data": {"attributes": attributes}})


# scan A39
async def test_a_doi_has_its_registry_and_the_index_in_one_request_each() -> None:
    async with literature_of() as on:
        on.world.scripts |= silent() | {
            CROSSREF: crossref(crossref_row("10.1234/A", TITLE)),
            OPENALEX: openalex(openalex_row(1, title=TITLE, doi="https://doi.org/10.1234/a")),
        }
        found = await looked_up(on, candidate(CID, TITLE, "openalex", doi="10.1234/a", openalex="W1"))
        at_openalex = LiveRecord("openalex", TITLE, 2025, None, "10.1234/a")
        assert found.answers == {CID: Answers(records=(AT_CROSSREF, at_openalex))}
        assert found.answered == {"crossref", "openalex"}
        assert (found.failed, found.is_offline, len(on.world.asked)) == (frozenset(), False, 2)


# scan A45
async def test_45_works_with_dois_need_three_lists_and_one_index() -> None:
    def listed(asked: Asked) -> Any:
        dois = [part.removeprefix("doi:") for part in asked.params["filter"].split(",")]
        return crossref(*(crossref_row(doi, TITLE) for doi in dois))

    async with literature_of() as on:
        on.world.scripts |= silent() | {CROSSREF: listed}
        found = await looked_up(
            on, *(candidate(f"{number:012x}", TITLE, doi=f"10.1234/{number}") for number in range(45))
        )
        assert all(len(each.records) == 1 for each in found.answers.values())
        assert [each.host for each in on.world.asked].count("api.crossref.org") == 3
        assert len(on.world.asked) == 4


# scan A40
@pytest.mark.parametrize("failing", [answer({}, 500), answer({}, 403), answer({}, 429), None])
async def test_a_registry_that_does_not_answer_is_unchecked_and_never_unresolved(failing: Any) -> None:
    async with literature_of(("crossref",)) as on:
        if failing is None:
            on.world.dead.add(PUBLIC)
        on.world.otherwise = failing
        found = await looked_up(on, candidate(CID, TITLE, doi="10.1234/a"))
        assert found.answers[CID] == Answers(unchecked=("crossref", "openalex"))
        assert (found.answered, found.failed) == (frozenset(), {"crossref"})


# scan A40
async def test_a_doi_of_datacite_is_found_there() -> None:
    async with literature_of(("crossref",)) as on:
        on.world.scripts |= silent() | {f"{DATACITE}/a": datacite()}
        assert await answers_of(on, candidate(CID, TITLE, doi="10.1234/a")) == Answers(
            records=(LiveRecord("datacite", TITLE, 2025, None, "10.1234/a"),),
            absent=("crossref",),
            unchecked=("openalex",),
        )
        assert not any(each.host == "doi.org" for each in on.world.asked)


# scan A38
@pytest.mark.parametrize(
    ("agency", "expected"),
    [
        (NO_SUCH_DOI, Answers(absent=("crossref", "datacite", "openalex"), is_doi_unresolved=True)),
        (answer({}, 404), Answers(absent=("crossref", "datacite", "openalex"), is_doi_unresolved=True)),
        (answer([{"RA": "mEDRA"}]), Answers(absent=("crossref", "datacite", "openalex"))),
        (answer({}, 500), Answers(absent=("crossref", "openalex"), unchecked=("datacite",))),
        (ELSEWHERE, Answers(absent=("crossref", "openalex"), unchecked=("datacite",))),
    ],
)  # fmt: skip
async def test_the_doi_system_decides_on_a_doi_that_nobody_knows(agency: Any, expected: Answers) -> None:
    async with literature_of(("openalex", "crossref")) as on:
        on.world.scripts |= silent() | {f"{AGENCY}/a": agency}
        assert await answers_of(on, candidate(CID, TITLE, doi="10.1234/a")) == expected


async def test_a_doi_that_crossrefs_list_lacks_though_it_is_its_own_is_asked_for_alone() -> None:
    async with literature_of(("crossref",)) as on:
        on.world.scripts |= silent() | {
            f"{AGENCY}/a": answer([{"RA": "Crossref"}]),
            f"{CROSSREF}/10.1234%2Fa": answer({"status": "ok", "message": crossref_row("10.1234/a", TITLE)}),
        }
        found = await answers_of(on, candidate(CID, TITLE, doi="10.1234/a"))
        assert (found.records, found.absent, found.is_doi_unresolved) == ((AT_CROSSREF,), ("datacite",), False)
        on.world.scripts[f"{CROSSREF}/10.1234%2Fb"] = answer({}, 400)
        on.world.scripts[f"{AGENCY}/b"] = answer([{"RA": "Crossref"}])
        failed = await answers_of(on, candidate(CID, TITLE, doi="10.1234/b"))
        assert (failed.records, failed.absent, failed.unchecked) == ((), ("datacite",), ("crossref", "openalex"))


async def test_datacite_failing_or_off_is_unchecked() -> None:
    async with literature_of(("crossref",)) as on:
        on.world.scripts |= silent() | {f"{DATACITE}/a": answer({}, 400)}
        found = await answers_of(on, candidate(CID, TITLE, doi="10.1234/a"))
        assert (found.absent, found.unchecked, found.is_doi_unresolved) == (
            ("crossref",),
            ("datacite", "openalex"),
            False,
        )
    choices = SourceChoices(contact=CONTACT, off=("datacite", "doi-ra"))
    async with literature_of(("crossref",), choices=choices) as on:
        on.world.scripts |= silent()
        found = await answers_of(on, candidate(CID, TITLE, doi="10.1234/a"))
        assert (found.absent, found.unchecked, found.is_doi_unresolved) == (
            ("crossref",),
            ("datacite", "openalex"),
            False,
        )


async def test_a_doi_with_a_comma_is_asked_for_alone_and_a_refused_list_one_by_one() -> None:
    async with literature_of(("openalex", "crossref")) as on:
        on.world.scripts |= {
            CROSSREF: answer({}, 400),
            f"{CROSSREF}/10.1234%2Fa": answer({"status": "ok", "message": crossref_row("10.1234/a", TITLE)}),
            f"{CROSSREF}/10.1234%2Fb%2Cc": answer({"status": "ok", "message": crossref_row("10.1234/b,c", TITLE)}),
            OPENALEX: openalex(),
            f"{OPENALEX}/doi:10.1234%2Fb%2Cc": answer(openalex_row(1, doi="https://doi.org/10.1234/b,c")),
        }
        found = await looked_up(
            on, candidate(CID, TITLE, doi="10.1234/a"), candidate("b" * 12, TITLE, doi="10.1234/b,c")
        )
        assert [[each.source for each in answers.records] for answers in found.answers.values()] == [
            ["crossref"], ["crossref", "openalex"],
        ]  # fmt: skip


# scan A38
async def test_arxiv_ids_are_asked_for_in_one_request_and_a_made_up_one_is_absent() -> None:
    async with literature_of() as on:
        on.world.scripts |= silent() | {
            ARXIV: arxiv(("1706.03762", TITLE)),
            OPENALEX: openalex(openalex_row(1, title=TITLE, doi="https://doi.org/10.48550/arxiv.1706.03762")),
        }
        real, made_up = candidate(CID, TITLE, arxiv="1706.03762"), candidate("b" * 12, TITLE, arxiv="2401.99999")
        found = (await looked_up(on, real, made_up)).answers
        assert [each.source for each in found[CID].records] == ["arxiv", "openalex"]
        assert found["b" * 12] == Answers(absent=("arxiv", "openalex", "s2"))
        assert on.asked(ARXIV)[0].params["id_list"] == "1706.03762,2401.99999"
        assert on.asked(CROSSREF) == []


async def test_arxiv_failing_leaves_its_ids_unchecked() -> None:
    async with literature_of(("arxiv", "openalex")) as on:
        on.world.scripts |= {ARXIV: answer({}, 500), OPENALEX: openalex()}
        found = await looked_up(on, candidate(CID, TITLE, arxiv="1706.03762"))
        assert found.answers[CID] == Answers(absent=("openalex",), unchecked=("arxiv",))
        assert (found.answered, found.failed) == ({"openalex"}, {"arxiv"})


# scan A39
async def test_s2_is_asked_only_for_works_that_nobody_independent_confirms_and_at_most_20() -> None:
    async with literature_of(("openalex", "s2")) as on:
        on.world.scripts |= silent() | {S2_BY_DOI: answer(s2_row(5, title=TITLE, externalIds={"DOI": "10.1234/a"}))}
        found = await answers_of(on, candidate(CID, TITLE, "openalex", doi="10.1234/a"))
        assert [each.source for each in found.records] == ["s2"]
        works = [candidate(f"{number:012x}", TITLE, doi=f"10.1234/x{number}") for number in range(30)]
        before = len(on.world.asked)
        await looked_up(
            on, candidate(CID, TITLE, "s2", doi="10.1234/q"), candidate("b" * 12, TITLE, s2="1" * 40), *works
        )
        at_s2 = [each for each in on.world.asked[before:] if each.host == "api.semanticscholar.org"]
        assert [each.path.rpartition("%2F")[2] for each in at_s2] == [f"x{number}" for number in range(20)]


async def test_an_independent_index_is_enough() -> None:
    async with literature_of(("openalex", "s2")) as on:
        row = openalex_row(1, title=TITLE, doi="https://doi.org/10.1234/a")
        on.world.scripts |= {OPENALEX: openalex(row)}
        await looked_up(on, candidate(CID, TITLE, "s2", doi="10.1234/a"))
        await looked_up(on, candidate(CID, TITLE, "catalog", doi="10.1234/a"))
        assert not any(each.host == "api.semanticscholar.org" for each in on.world.asked)


# scan A41
@pytest.mark.parametrize(
    ("title", "year", "is_taken"),
    [
        (TITLE, 2025, True),
        (TITLE.upper() + ".", 2026, True),
        (TITLE, 2023, False),
        ("A title that is not long enough", 2025, False),
        ("Another one", 2025, False),
    ],
)
async def test_a_work_without_ids_is_looked_for_by_its_title(title: str, year: int, is_taken: bool) -> None:
    async with literature_of(("crossref",)) as on:
        row = crossref_row("10.1234/a", title, issued={"date-parts": [[year]]})
        on.world.scripts[CROSSREF] = crossref(crossref_row("10.1234/z", ""), row)
        found = await answers_of(on, candidate(CID, TITLE))
        assert (found.absent, [each.by for each in found.records]) == (
            ((), ["bibliographic"]) if is_taken else (("crossref",), [])
        )
        (asked,) = on.world.asked
        assert (asked.params["query.bibliographic"], asked.params["rows"]) == (TITLE, "5")


# scan A42
async def test_each_source_can_tell_of_a_retraction() -> None:
    notice = crossref_row("10.1234/n", "A notice", **{"update-to": [{"DOI": "10.1234/b", "type": "retraction"}]})
    async with literature_of() as on:
        on.world.scripts |= silent() | {
            CROSSREF: crossref(
                crossref_row("10.1234/a", TITLE, **{"updated-by": [{"DOI": "10.1/n", "type": "removal"}]}),
                crossref_row("10.1234/b", TITLE),
                crossref_row("10.1234/c", f"RETRACTED: {TITLE}"),
                crossref_row("10.1234/d", TITLE, **{"updated-by": [{"DOI": "10.1/n", "type": "correction"}]}),
                notice,
            ),
            OPENALEX: openalex(openalex_row(4, title=TITLE, doi="https://doi.org/10.1234/e", is_retracted=True)),
            f"{S2}/DOI:10.1234%2Ff": answer(s2_row(5, title=TITLE, publicationTypes=["Retracted", "JournalArticle"])),
        }
        works = [candidate(letter * 12, TITLE, doi=f"10.1234/{letter}") for letter in "abcdef"]
        found = await looked_up(on, *works, candidate("9" * 12, "A notice", doi="10.1234/n"))
        marked = {cid[0]: [each.is_retracted for each in answers.records] for cid, answers in found.answers.items()}
        assert marked == {
            "a": [True], "b": [True], "c": [True], "d": [False], "e": [True], "f": [True], "9": [False],
        }  # fmt: skip


async def test_the_title_with_subtitle_is_compared_where_that_is_nearer() -> None:
    async with literature_of(("crossref",)) as on:
        on.world.scripts[CROSSREF] = crossref(crossref_row("10.1234/a", "A title", subtitle=["that is long enough"]))
        (record,) = (await answers_of(on, candidate(CID, TITLE, doi="10.1234/a"))).records
        assert record.title == "A title: that is long enough"


async def test_a_group_is_no_first_author() -> None:
    async with literature_of(("crossref",)) as on:
        on.world.scripts[CROSSREF] = crossref(crossref_row("10.1234/a", TITLE, author=[{"name": "The Trial Group"}]))
        (record,) = (await answers_of(on, candidate(CID, TITLE, doi="10.1234/a"))).records
        assert record.first_author_family is None


# scan A43
@pytest.mark.parametrize(
    ("named", "choices"),
    [
        (("catalog",), SourceChoices(contact=CONTACT)),
        (EVERY, SourceChoices(contact=CONTACT, is_offline=True)),
        (EVERY, SourceChoices()),
    ],
)
async def test_offline_nobody_is_asked_and_everything_is_unchecked(
    named: tuple[str, ...], choices: SourceChoices
) -> None:
    async with literature_of(named, choices=choices) as on:
        works = candidate("1" * 12, doi="10.1234/a"), candidate("2" * 12, arxiv="1706.03762"), candidate("3" * 12)
        found = await looked_up(on, *works)
        assert found == Lookups(
            {
                "1" * 12: Answers(unchecked=("crossref", "openalex")),
                "2" * 12: Answers(unchecked=("arxiv", "openalex")),
                "3" * 12: Answers(unchecked=("crossref",)),
            },
            is_offline=True,
            events=found.events,
        )
        assert on.world.asked == []


async def test_some_answer_and_some_fail() -> None:
    async with literature_of(("openalex", "crossref")) as on:
        on.world.scripts |= {CROSSREF: crossref(crossref_row("10.1234/a", TITLE)), OPENALEX: answer({}, 500)}
        found = await looked_up(on, candidate(CID, TITLE, doi="10.1234/a"))
        assert found.answers[CID] == Answers(records=(AT_CROSSREF,), unchecked=("openalex",))
        assert (found.answered, found.failed) == ({"crossref"}, {"openalex"})


async def test_ids_of_no_form_at_all_break_nothing() -> None:
    async with literature_of() as on:
        on.world.scripts |= silent()
        odd = candidate(CID, TITLE, doi="nonsense"), candidate("b" * 12, TITLE, arxiv="nonsense")
        found = (await looked_up(on, *odd)).answers
        assert all(each.records == () and "openalex" in each.absent for each in found.values())
