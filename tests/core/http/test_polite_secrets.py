"""Keys and contact go to their own source and are found nowhere else."""

import logging
from typing import Any

import pytest

from core.errors import PaperdeskError
from core.http.hosts import Reach
from core.sources.configuration import SourceChoices
from tests.polite_desk import Desk, desk_in
from tests.scripted_upstream import answer, hang_up
from tests.source_world import Asked

CONTACT = "seeded-contact@papers.test"
KEYS = {"openalex": "SEEDED-oa-key", "ncbi": "SEEDED-ncbi-key", "semantic_scholar": "SEEDED-s2-key"}
SEEDED = ("seeded-contact", "SEEDED")
CHOICES = SourceChoices(contact=CONTACT, keys=KEYS, on=("semantic_scholar",))

SENT = {
    "crossref": {"mailto": CONTACT},
    "unpaywall": {"email": CONTACT},
    "openalex": {"mailto": CONTACT, "api_key": KEYS["openalex"]},
    "ncbi": {"tool": "paperdesk", "email": CONTACT, "api_key": KEYS["ncbi"]},
    "datacite": {},
    "arxiv": {},
    "semantic_scholar": {},
}


@pytest.mark.parametrize("name", SENT)
async def test_each_source_gets_the_key_and_contact_that_it_takes(name: str) -> None:
    async with desk_in(CHOICES) as desk:
        base = desk.sources[name].base_url.partition("/")[2].partition("/")[2].partition("/")[2]
        path = f"/{base}/a" if base else "/a"
        desk.world.scripts[path] = answer({})
        await desk.get(name, ("a",), {"q": "x"})
        (asked,) = desk.world.asked
        assert asked.params == {"q": "x", **SENT[name]}
        assert asked.headers.get("x-api-key") == (KEYS[name] if name == "semantic_scholar" else None)


# references A75
async def test_a_key_is_not_sent_to_a_redirects_host_and_not_led_there_by_its_address() -> None:
    async with desk_in(CHOICES) as desk:
        desk.world.scripts["api.crossref.org/a"] = answer(
            b"", 302, {"location": f"https://other.crossref.org/b?mailto={CONTACT}&keep=a%20b"}
        )
        desk.world.scripts["other.crossref.org/b"] = answer({})
        found = await desk.get("crossref")
        assert desk.world.asked[1].target == "/b?keep=a%20b"
        assert found.url == "https://other.crossref.org/b?keep=a%20b"


async def test_a_header_key_stays_with_its_own_host() -> None:
    async with desk_in(CHOICES) as desk:
        hosts = desk.sources["crossref"].reach.hosts + desk.sources["semantic_scholar"].reach.hosts
        desk.change("semantic_scholar", reach=Reach(hosts))
        desk.world.scripts["api.semanticscholar.org/graph/v1/a"] = answer(
            b"", 307, {"location": "https://api.crossref.org/b"}
        )
        desk.world.scripts["api.crossref.org/b"] = answer({})
        await desk.get("semantic_scholar")
        assert ["x-api-key" in each.headers for each in desk.world.asked] == [True, False]


async def test_a_redirect_on_the_same_host_is_asked_with_the_key_once() -> None:
    async with desk_in(CHOICES) as desk:
        desk.world.scripts["api.openalex.org/works/W1"] = answer(
            b"", 301, {"location": f"/works/W2?api_key={KEYS['openalex']}"}
        )
        desk.world.scripts["api.openalex.org/works/W2"] = answer({})
        await desk.get("openalex", ("works", "W1"))
        assert desk.world.asked[1].target == f"/works/W2?mailto=seeded-contact%40papers.test&api_key={KEYS['openalex']}"


async def test_an_answer_is_found_whatever_key_it_was_asked_with() -> None:
    async with desk_in(CHOICES) as desk:
        desk.world.scripts["/works/W1"] = answer({})
        await desk.get("openalex", "/works/W1")
        await desk.get("openalex", "/works/W1", {"api_key": "another", "mailto": "me@papers.test"})
        desk.change("openalex", credentials=())
        await desk.get("openalex", "/works/W1")
        assert len(desk.world.asked) == 1


def _echo(asked: Asked) -> Any:
    """A source that repeats in its answer whatever it was sent."""
    return answer({"you": asked.target, **asked.headers}, 403, {"x-echo": asked.target})


# references A75
@pytest.mark.parametrize(
    "script",
    [
        answer({"a": 1}),
        _echo,
        hang_up,
        answer(b"", 302, {"location": "https://elsewhere.test/?api_key=SEEDED-oa-key"}),
        answer(b"", 302, {"location": "http://SEEDED-oa-key.test/"}),
        answer(b"SEEDED", 200),
        answer(b"SEEDED", 500),
        answer(b"SEEDED", 404),
        answer(b"", 429, {"retry-after": "SEEDED"}),
    ],
)
async def test_no_key_contact_or_question_is_in_a_log_line_a_failure_or_a_repr(
    script: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    # The TLS and event-loop layers log nothing of a request; the library's own lines at DEBUG name its headers.
    logging.getLogger("httpcore").setLevel(logging.INFO)
    async with desk_in(CHOICES) as desk:
        desk.world.scripts["/works"] = script
        told = ""
        try:
            found = await desk.get("openalex", "/works", {"search": "SEEDED question"}, caller="SEEDED client")
            told += repr(found)
            assert "SEEDED-oa-key" not in found.url
        except PaperdeskError as failure:
            told += f"{failure!r} {vars(failure)}"
        told += repr(desk.sources) + repr(CHOICES) + str(desk.client.counters())
        told += "\n".join(f"{record.getMessage()} {record.args}" for record in caplog.records)
        assert [seed for seed in SEEDED if seed in told] == []
        assert len(desk.world.asked) >= 1


async def test_each_question_leaves_one_line_of_fixed_words(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "paperdesk.sources")
    desk.world.scripts["/a"] = answer({"a": 1})
    for _ in range(2):
        await desk.get("crossref", operation="work")
    with pytest.raises(PaperdeskError):
        await desk.get("crossref", ("b",), operation="work")
    assert [record.getMessage() for record in caplog.records if record.name == "paperdesk.sources"] == [
        "source=crossref operation=work result=2xx ms=0 cache=miss",
        "source=crossref operation=work result=2xx ms=0 cache=hit",
        "source=crossref operation=work result=NotFound ms=200 cache=-",
    ]
