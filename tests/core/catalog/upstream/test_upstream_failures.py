"""Failure drills against a real socket: what each way of failing becomes, and that the catalog recovers."""

import gzip
import logging
import socket

import pytest

from core.catalog.models import Direction, PaperFilters, PaperOrder, SearchMode
from core.catalog.upstream.catalog import UpstreamCatalog
from core.clock import ManualClock, SystemClock
from core.errors import (
    ContentChanged,
    InvalidInput,
    NoFullText,
    NotFound,
    PaperdeskError,
    SourceMalformed,
    SourceRateLimited,
    SourceTimeout,
    SourceUnreachable,
)
from core.http.client import HttpClient
from core.http.upstream import Upstream
from tests.scripted_upstream import Behaviour, ScriptedUpstream, answer, drip, hang_up, page, silence

PAPER = {"id": 7, "title": "A Paper", "arxiv_id": "2401.00001v2"}


# catalog A18, A19, A20
@pytest.mark.parametrize(
    ("behaviour", "failure"),
    [
        (hang_up, SourceUnreachable),
        (answer(b"SECRET", 500), SourceUnreachable),
        (answer(b"{", length=50), SourceUnreachable),
        (answer({"detail": "SECRET"}, 404), NotFound),
        (answer({"detail": "SECRET"}, 409), ContentChanged),
        (answer({"detail": {"code": "x", "message": "SECRET"}}, 400), InvalidInput),
        (answer({"detail": "SECRET"}, 422), InvalidInput),
        (answer(b"SECRET", 418), SourceMalformed),
        (answer(b'{"title": "SECRET"'), SourceMalformed),
        (answer(b'{"title": "\xff\xfe SECRET"}'), SourceMalformed),
        (answer(b"<html>SECRET</html>"), SourceMalformed),
        (answer([PAPER]), SourceMalformed),
        (answer("SECRET"), SourceMalformed),
        (answer({"title": "SECRET, without an id"}), SourceMalformed),
        (answer(b" " * (2 * 1024 * 1024 + 1)), SourceMalformed),
        (answer(gzip.compress(b" " * 20_000_000, mtime=0), headers={"content-encoding": "gzip"}), SourceMalformed),
        (answer(b"SECRET", headers={"content-encoding": "br"}), SourceMalformed),
        (answer(b"", 302, {"location": "https://other.example.org/SECRET"}), SourceMalformed),
        (answer(b"SECRET", 429, {"retry-after": "7"}), SourceRateLimited),
        (
            answer(
                b"SECRET",
                429,
                {"retry-after": "Wed, 21 Oct 2015 07:28:07 GMT", "date": "Wed, 21 Oct 2015 07:28:00 GMT"},
            ),
            SourceRateLimited,
        ),
    ],
)
async def test_each_way_of_failing_has_its_name_and_nothing_of_the_upstream_in_it(
    upstream: ScriptedUpstream,
    catalog: UpstreamCatalog,
    caplog: pytest.LogCaptureFixture,
    behaviour: Behaviour,
    failure: type[PaperdeskError],
) -> None:
    caplog.set_level(logging.DEBUG, "paperdesk")
    upstream.scripts["papers/2401.00001"] = behaviour
    with pytest.raises(failure) as caught:
        await catalog.paper("2401.00001")
    assert type(caught.value) is failure
    assert "SECRET" not in str(caught.value) + caplog.text
    if isinstance(caught.value, SourceRateLimited):
        assert caught.value.retry_after_s == 7


# catalog A20
@pytest.mark.parametrize("behaviour", [silence, drip])
async def test_an_answer_that_does_not_begin_or_end_in_time_is_a_timeout(
    upstream: ScriptedUpstream, hasty_catalog: UpstreamCatalog, behaviour: Behaviour
) -> None:
    upstream.scripts["papers/2401.00001"] = behaviour
    with pytest.raises(SourceTimeout):
        await hasty_catalog.paper("2401.00001")


async def test_nobody_listening_is_unreachable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unheard:
        port = unheard.getsockname()[1]
    clock = SystemClock()
    client = HttpClient(user_agent="paperdesk/9.9")
    catalog = UpstreamCatalog(Upstream(client, f"http://127.0.0.1:{port}", source="catalog", clock=clock), clock)
    with pytest.raises(SourceUnreachable):
        await catalog.ping()
    await client.aclose()


async def test_after_the_breaker_opened_one_trial_brings_the_catalog_back(upstream: ScriptedUpstream) -> None:
    clock = ManualClock()
    client = HttpClient(user_agent="paperdesk/9.9")
    catalog = UpstreamCatalog(Upstream(client, upstream.url, source="catalog", clock=clock), clock)
    upstream.scripts["papers/2401.00001"] = answer(b"down", 500)
    for _ in range(7):
        with pytest.raises(SourceUnreachable):
            await catalog.paper("2401.00001")
    assert len(upstream.asked) == 5
    upstream.scripts["papers/2401.00001"] = answer(PAPER)
    clock.advance(15)
    assert (await catalog.paper("2401.00001")).row.canonical_id == "2401.00001"
    assert len(upstream.asked) == 6
    await client.aclose()


# catalog A23
async def test_an_old_arxiv_id_is_one_part_of_the_path(upstream: ScriptedUpstream, catalog: UpstreamCatalog) -> None:
    with pytest.raises(NotFound):
        await catalog.paper("math.GT/0309136")
    assert upstream.asked == ["papers/math.GT%2F0309136?include_resources=true"]


async def test_readiness_needs_a_list_of_tasks(upstream: ScriptedUpstream, catalog: UpstreamCatalog) -> None:
    upstream.scripts["tasks/"] = answer({"items": []})
    await catalog.ping()
    assert sorted(upstream.asked) == ["about", "tasks/?page_size=1&page=1"]
    upstream.scripts["tasks/"] = answer({"ok": True})
    with pytest.raises(SourceMalformed):
        await catalog.ping()
    assert upstream.calls()["about"] == 1


VERSION = "0" * 64
HEADERS = {"X-PwC-Content-Version": VERSION, "X-PwC-Truncated": "1", "X-PwC-Next-Offset": "14"}
READ = "research/papers/2401.00001/read"


def chunk(body: bytes = b"text", **changed: str | None) -> Behaviour:
    names = {"version": "X-PwC-Content-Version", "truncated": "X-PwC-Truncated", "following": "X-PwC-Next-Offset"}
    headers = {**HEADERS, **{names[name]: value for name, value in changed.items()}}
    return answer(body, headers={name: value for name, value in headers.items() if value is not None})


async def test_a_chunk_is_taken_as_the_upstream_cut_it(upstream: ScriptedUpstream, catalog: UpstreamCatalog) -> None:
    upstream.scripts[READ] = chunk()
    found = await catalog.read("2401.00001", 10, 1024, VERSION)
    assert (found.body, found.version, found.offset, found.next_offset) == (b"text", VERSION, 10, 14)
    assert (found.total_bytes, found.paper_id, found.title) == (None, "2401.00001", None)
    assert upstream.asked == [f"{READ}?offset=10&limit=1024&content_version={VERSION}"]
    upstream.scripts[READ] = chunk(truncated="0", following=None)
    assert (await catalog.read("2401.00001", 10, 1024, None)).next_offset is None


# catalog A79
@pytest.mark.parametrize(
    "behaviour",
    [
        chunk(version="A" * 64),
        chunk(version="0" * 63),
        chunk(version="1" * 64),
        chunk(version=None),
        chunk(truncated="true"),
        chunk(truncated=None),
        chunk(following=None),
        chunk(truncated="0"),
        chunk(following="10"),
        chunk(following="9"),
        chunk(following="15"),
        chunk(following="x"),
        chunk(following="-1"),
        chunk(b"", following="10"),
        chunk(b"\xff\xfe\xff\xfe"),
        chunk(b"x" * 1025, following="1035"),
    ],
)
async def test_a_broken_chunk_is_refused(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog, behaviour: Behaviour
) -> None:
    upstream.scripts[READ] = behaviour
    with pytest.raises(SourceMalformed):
        await catalog.read("2401.00001", 10, 1024, VERSION)


async def test_a_missing_text_and_a_missing_paper_are_told_apart(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    with pytest.raises(NotFound):
        await catalog.read("2401.00001", 0, 1024, None)
    upstream.scripts["papers/2401.00001"] = answer(PAPER)
    with pytest.raises(NoFullText):
        await catalog.read("2401.00001", 0, 1024, None)
    upstream.scripts[READ] = answer(b"", 409)
    with pytest.raises(ContentChanged):
        await catalog.read("2401.00001", 5, 1024, VERSION)


@pytest.mark.parametrize(
    ("code", "failure"),
    [("unknown_author", NotFound), ("ambiguous_author", "ambiguous"), ("x", InvalidInput), (None, InvalidInput)],
)
@pytest.mark.parametrize("status", [404, 409, 422])
async def test_what_an_upstream_says_of_authors_is_worded_anew(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog, status: int, code: str | None, failure: object
) -> None:
    # catalog A45
    candidates = [{"id": 12, "name": "Ada Quill", "hf_username": "adaq"}, {"id": "x", "name": "SECRET"}]
    detail = {"code": code, "message": "SECRET", "candidates": candidates} if code else "SECRET"
    upstream.scripts["papers/"] = answer({"detail": detail}, status)
    filters = PaperFilters(author_ids=("Ada Quill",))
    with pytest.raises(PaperdeskError) as caught:
        await catalog.list_papers(filters, PaperOrder.TRENDING, Direction.DESC, 1, 10, False)
    assert "SECRET" not in str(caught.value)
    if failure == "ambiguous":
        entries = getattr(caught.value, "candidates", ())
        assert [(each.id, each.name, each.note) for each in entries] == [("12", "Ada Quill", "@adaq")]
    else:
        assert type(caught.value) is failure


async def test_a_page_past_the_end_is_empty_with_the_true_count(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    def papers(asked: dict[str, str]) -> object:
        return page([PAPER], 1) if asked["page"] == "1" else answer({}, 404)

    upstream.scripts |= {"papers/": papers, "papers/search": papers}
    listed = await catalog.list_papers(PaperFilters(), PaperOrder.TRENDING, Direction.DESC, 9, 10, False)
    assert (listed.rows, listed.count, listed.has_more) == ((), 1, False)
    found = await catalog.search("x", SearchMode.KEYWORD, PaperFilters(), (), 9, 10)
    assert (found.rows, found.count, found.has_more) == ((), 1, False)
