"""An answer of any shape at all gives a record or names the field that it lacks: nothing else is raised."""

import random
from collections.abc import Callable
from typing import Any
from xml.sax.saxutils import escape

import pytest
from defusedxml.ElementTree import fromstring

from core.sources.answers import OaAnswer, Record, SearchHit
from core.sources.arxiv_feed import arxiv_record, entries
from core.sources.crossref import crossref_record
from core.sources.datacite import datacite_record
from core.sources.doaj import doaj_record
from core.sources.europe_pmc import europe_pmc_record
from core.sources.fields import MissingField
from core.sources.ncbi import ncbi_record
from core.sources.openalex_records import citing_work, search_hit
from core.sources.semantic_scholar import semantic_scholar_record
from core.sources.unpaywall import unpaywall_answer
from tests.core.sources import answered

READERS: dict[str, tuple[Callable[[Any], Any], dict[str, Any]]] = {
    "crossref": (crossref_record, answered.CROSSREF),
    "unpaywall": (unpaywall_answer, answered.UNPAYWALL),
    "datacite": (datacite_record, answered.DATACITE),
    "openalex": (search_hit, answered.OPENALEX),
    "graph": (citing_work, answered.OPENALEX),
    "semantic_scholar": (semantic_scholar_record, answered.SEMANTIC_SCHOLAR),
    "doaj": (doaj_record, answered.DOAJ),
    "europe-pmc": (europe_pmc_record, answered.EUROPE_PMC),
    "ncbi": (lambda row: ncbi_record("9659853", row), answered.NCBI),
}
ODD: list[Any] = [
    None, True, False, 0, -1, 2**64 - 1, 1e30, 1.5, "", " ", "x", "\u3000", "10.1234/a\u00a0b", "10.1234/ä\u2028",
    "https://", "http://[", "arxiv:9999.99999v0", "https://arxiv.org/abs/2413.99999", "0000-0000-0000-0000",
    "9" * 3_000, "<i>", "&#0;", "\ufffd", "\u00ad", [], [None], [[]], [{}], [[None, 13, 40]], {}, {"x": 1},
    [1, "a", {"name": []}], {"date-parts": [[2**64 - 1]]}, {"date-parts": [["2019", "02", "30"]]}, "2019-02-30", "0000",
    "-", "895--", ".", "..",
]  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(inner, (*path, key))
    return found


def changed(whole: Any, path: tuple[Any, ...], value: Any) -> Any:
    """With another value at a place; raises `LookupError` where the place is no longer there."""
    if not path:
        return value
    if not isinstance(whole, dict if isinstance(path[0], str) else list):
        raise LookupError
    inner = whole.copy()
    inner[path[0]] = changed(whole[path[0]], path[1:], value)
    return inner


@pytest.mark.parametrize("name", READERS)
def test_no_change_of_one_member_breaks_a_reader(name: str) -> None:
    read, row = READERS[name]
    unread = 0
    for path in places(row):
        for value in ODD:
            try:
                read(changed(row, path, value))
            except MissingField:
                unread += 1
    assert read(row) is not None
    # Only the members that a record cannot do without may end it.
    assert unread <= 4 * len(ODD)


@pytest.mark.parametrize("name", READERS)
def test_no_change_of_several_members_breaks_a_reader(name: str) -> None:
    read, row = READERS[name]
    chance, outcomes = random.Random(20_260_801), set()
    spots = places(row)
    for _ in range(300):
        odd = row
        for path in chance.sample(spots, 4):
            try:
                odd = changed(odd, path, chance.choice(ODD))
            except LookupError:
                continue  # the place went with another one
        try:
            outcomes.add(type(read(odd)))
        except MissingField:
            outcomes.add(MissingField)
    assert outcomes & {Record, OaAnswer, SearchHit, type(read(row))}


@pytest.mark.parametrize("value", [each for each in ODD if isinstance(each, str) and each.isprintable()])
def test_no_text_breaks_the_reader_of_arxiv(value: str) -> None:
    names = ("title", "summary", "published", "arxiv:doi", "arxiv:comment", "arxiv:journal_ref")
    inner = "".join(f"<{name}>{escape(value)}</{name}>" for name in names)
    feed = (
        '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom"><entry>'
        f"<id>http://arxiv.org/abs/1706.03762v1</id>{inner}<author><name>{escape(value)}</name></author>"
        "<author/><category/></entry></feed>"
    )
    work = arxiv_record(entries(fromstring(feed))[0]).work
    assert (work.key, work.arxiv_version, work.arxiv_categories) == ("arxiv:1706.03762", "v1", ())
