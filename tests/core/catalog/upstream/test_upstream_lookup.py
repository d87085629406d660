"""Papers by title and identifier through HTTP: levels, budget of pages, and what a plain upstream cannot do."""

import pytest

from core.catalog.models import MatchLevel, TitleMatches
from core.catalog.resolve import Resolver
from core.catalog.upstream.catalog import UpstreamCatalog
from core.errors import Ambiguous, NotFound, SourceMalformed
from core.identifiers import parse
from tests.scripted_upstream import Params, ScriptedUpstream, answer, page

Row = dict[str, object]


def paper(number: int, title: str, **more: object) -> Row:
    return {"id": number, "title": title, "arxiv_id": f"2401.{number:05}", **more}


def searches(upstream: ScriptedUpstream) -> list[str]:
    return [target for target in upstream.asked if target.startswith("papers/search")]


def script(upstream: ScriptedUpstream, phrase: list[Row], words: list[list[Row]]) -> None:
    """What the phrase finds, and the pages that the plain words find."""

    def found(asked: Params) -> object:
        number = int(asked["page"])
        if asked["q"].startswith('"'):
            return page(phrase if number == 1 else [], len(phrase))
        count = sum(len(rows) for rows in words)
        rows = words[number - 1] if number <= len(words) else []
        return page(rows, count, next_page=number + 1 if number < len(words) else None)

    upstream.scripts["papers/search"] = found


# catalog A31
async def test_a_common_word_as_title_needs_one_phrase_query(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    script(upstream, [paper(2, "Networks of Fog"), paper(1, "Networks")], [])
    found = await catalog.find_titles('"networks')
    assert (found.level, [row.title for row in found.rows]) == (MatchLevel.NORMALIZED_TITLE, ["Networks"])
    found = await catalog.find_titles("networks")
    assert (found.level, [row.title for row in found.rows]) == (MatchLevel.TITLE, ["Networks"])
    assert searches(upstream)[-1] == "papers/search?q=%22networks%22&mode=keyword&page_size=100&page=1"


# catalog A31
async def test_a_missing_title_takes_the_phrase_and_at_most_ten_pages_of_words(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    rows = [[paper(100 * number + place, f"Fog {number} {place}") for place in range(100)] for number in range(10)]
    script(upstream, [], rows)
    with pytest.raises(NotFound) as caught:
        await Resolver(catalog, asks_public_metadata=False).paper("Fogs of 3 7")
    assert len(searches(upstream)) == 11
    assert 1 <= len(caught.value.suggestions) <= 3
    assert upstream.at_once_most <= 3


async def test_pages_beyond_the_budget_make_a_missing_title_ambiguous(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    rows = [[paper(100 * number + place, f"Fog {number} {place}") for place in range(100)] for number in range(12)]
    script(upstream, [], rows)
    with pytest.raises(Ambiguous) as caught:
        await catalog.find_titles("Fogs of 3 7")
    assert len(searches(upstream)) == 11
    assert len(caught.value.candidates) == 3
    script(upstream, [], [*rows[:4], [paper(5000, "Fogs of 3 7")], *rows[5:]])
    assert [row.id for row in (await catalog.find_titles("Fogs of 3 7")).rows] == ["5000"]


# catalog A28
async def test_a_second_equal_title_on_page_two_makes_it_ambiguous(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    fill = [paper(number, f"Other {number}") for number in range(10, 109)]
    script(upstream, [], [[paper(1, "Twin Fog"), *fill], [paper(2, "twin  FOG")]])
    with pytest.raises(Ambiguous) as caught:
        await Resolver(catalog).paper("Twin Fog")
    assert sorted(entry.id for entry in caught.value.candidates) == ["2401.00001", "2401.00002"]


async def test_an_empty_answer_is_no_title_and_no_list_is_malformed(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    script(upstream, [], [])
    assert await catalog.find_titles("Fog") == TitleMatches(None, (), ())
    upstream.scripts["papers/search"] = answer({"count": 0})
    with pytest.raises(SourceMalformed):
        await catalog.find_titles("Fog")


@pytest.mark.parametrize(
    ("wanted", "level", "ids"),
    [
        ("bert", MatchLevel.SHORT_NAME, ["1"]),
        ("Fog—Horns", MatchLevel.NORMALIZED_TITLE, ["3"]),
        ("Heron", MatchLevel.TITLE, ["4"]),
    ],
)
async def test_levels_are_tried_in_order_over_all_rows(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog, wanted: str, level: MatchLevel, ids: list[str]
) -> None:
    # catalog A29, A30
    rows = [paper(1, "BERT: Pre-training"), paper(3, "Fog Horns"), paper(5, "Heron: A Bird"), paper(4, "Heron")]
    script(upstream, rows, [])
    found = await catalog.find_titles(wanted)
    assert (found.level, [row.id for row in found.rows]) == (level, ids)


@pytest.mark.parametrize("text", ["10.1234/abc", "PMID:123", "PMC3531190", "W2741809807", "a" * 40])
async def test_a_plain_upstream_has_no_table_of_other_identifiers(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog, text: str
) -> None:
    assert await catalog.find(parse(text, titles=False, bare_digits="catalog")) is None
    assert upstream.asked == ["about"]


async def test_an_upstream_of_ours_is_asked_for_identifiers_and_titles(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    capabilities = ["papers.identifiers", "papers.titles"]
    upstream.scripts |= {
        "about": answer({"service": "paperdesk", "api_version": "v1", "capabilities": capabilities}),
        "papers/pmid%3A123": answer(paper(9, "Found")),
        "papers/titles": answer({"level": "short_name", "results": [paper(8, "Fog: A Thing")]}),
    }
    row = await catalog.find(parse("PMID:123", titles=False, bare_digits="catalog"))
    assert row is not None and row.id == "9"
    titles = await catalog.find_titles("fog")
    assert (titles.level, [each.id for each in titles.rows]) == (MatchLevel.SHORT_NAME, ["8"])
    assert upstream.calls()["about"] == 1


async def test_a_slug_is_asked_for_and_else_found_by_the_title_that_gives_it(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    script(upstream, [], [[paper(1, "Fog Horns"), paper(2, "Fog, Horns!", slug="fog-horns-1")]])
    page_url = parse("paperswithcode.com/paper/fog-horns", titles=False, bare_digits="catalog")
    row = await catalog.find(page_url)
    assert row is not None and row.id == "1"
    upstream.scripts["papers/fog-horns"] = answer(paper(3, "Other"))
    row = await catalog.find(page_url)
    assert row is not None and row.id == "3"


async def test_versions_of_arxiv_ids_are_left_aside(upstream: ScriptedUpstream, catalog: UpstreamCatalog) -> None:
    # catalog A25
    upstream.scripts["papers/55"] = answer({"id": "55", "title": "T", "arxiv_id": "2401.00009v3"})
    assert (await Resolver(catalog).paper("55")).canonical_id == "2401.00009"
