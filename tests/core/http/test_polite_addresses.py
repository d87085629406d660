"""Where the polite client goes and where it does not: redirects, names that resolve inwards, overrides."""

import pytest

from core.errors import Denial, NoFullText, SourceDenied, SourceError, SourceUnreachable
from core.sources.configuration import SourceChoices
from tests.polite_desk import CONTACT, Desk, desk_in
from tests.scripted_upstream import Behaviour, answer
from tests.source_world import AGENT, PUBLIC, World, world_around

CROSSREF = ("api.crossref.org", "*.crossref.org")


def to(location: str, status: int = 302) -> Behaviour:
    return answer(b"", status, {"location": location})


async def test_a_request_says_who_asks_and_reaches_its_source_over_tls(desk: Desk) -> None:
    desk.world.scripts["api.crossref.org/works/10.1%2Fa"] = answer({"status": "ok"}, headers={"x-a": "1"})
    found = await desk.get("crossref", ("works", "10.1/a"), {"rows": 5, "select": "DOI,title"})
    assert (found.status, found.json(), found.headers["x-a"]) == (200, {"status": "ok"}, "1")
    assert (found.stale, found.url) == (False, "https://api.crossref.org/works/10.1%2Fa?rows=5&select=DOI%2Ctitle")
    (asked,) = desk.world.asked
    assert asked.target == "/works/10.1%2Fa?rows=5&select=DOI%2Ctitle&mailto=desk%40papers.test"
    assert {name: value for name, value in asked.headers.items() if name != "connection"} == {
        "host": "api.crossref.org",
        "user-agent": AGENT,
        "accept": "application/json",
        "accept-encoding": "gzip",
    }
    assert (desk.world.dialled, desk.outcomes) == ([(PUBLIC, 443)], [("crossref", "ok")])


@pytest.mark.parametrize(
    ("path", "target"),
    [
        (("works", "10.1234/a/../b//c"), "/works/10.1234%2Fa%2F..%2Fb%2F%2Fc"),
        ("/works/doi:10.1%2Fa", "/works/doi:10.1%2Fa"),
        ("https://api.crossref.org/works/x?rows=1#top", "/works/x?rows=1"),
    ],
)
async def test_a_path_is_sent_as_it_is_written(desk: Desk, path: str, target: str) -> None:
    desk.world.scripts["api.crossref.org" + target.partition("?")[0]] = answer({})
    await desk.get("crossref", path)
    mark = "&" if "?" in target else "?"
    assert desk.world.asked[0].target == f"{target}{mark}mailto=desk%40papers.test"


# references A61
@pytest.mark.parametrize(
    ("location", "denial"),
    [
        (
            "http://api.crossref.org/b",
            Denial("insecure_scheme", "crossref", attempted="http:…", expected=("https",), hop_index=1),
        ),
        (
            "https://api.crossref.org:8443/b",
            Denial("host_in_block_list", "crossref", attempted="api.crossref.org", hop_index=1),
        ),
        (
            "https://user@api.crossref.org/b",
            Denial("host_in_block_list", "crossref", attempted="api.crossref.org", hop_index=1),
        ),
        (
            "https://93.184.216.34/b",
            Denial("redirect_not_in_allowlist", "crossref", attempted=PUBLIC, expected=CROSSREF, hop_index=1),
        ),
        (
            "https://elsewhere.test/b",
            Denial("redirect_not_in_allowlist", "crossref", attempted="elsewhere.test", expected=CROSSREF, hop_index=1),
        ),
        (
            "//elsewhere.test/b",
            Denial("redirect_not_in_allowlist", "crossref", attempted="elsewhere.test", expected=CROSSREF, hop_index=1),
        ),
    ],
)
async def test_a_redirect_to_a_place_that_is_not_allowed_is_refused_and_never_followed(
    desk: Desk, location: str, denial: Denial
) -> None:
    desk.world.scripts["api.crossref.org/a"] = to(location)
    with pytest.raises(SourceDenied) as caught:
        await desk.get("crossref")
    assert (type(caught.value), caught.value.source, caught.value.denial) == (SourceDenied, "crossref", denial)
    assert desk.world.calls() == {"api.crossref.org/a": 1}
    assert desk.world.resolved == ["api.crossref.org"]


# references A61
@pytest.mark.parametrize(
    ("location", "calls"),
    [
        ("/a", {"/a": 1}),
        ("/b", {"/a": 1, "/b": 1}),
        ("/hop/1", {"/a": 1, **{f"/hop/{number}": 1 for number in range(1, 6)}}),
        ("https://a b.org:x/", {"/a": 1}),
        ("", {"/a": 1}),
    ],
)
async def test_a_redirect_that_leads_nowhere_is_a_network_failure_and_is_not_tried_again(
    desk: Desk, location: str, calls: dict[str, int]
) -> None:
    desk.world.scripts["api.crossref.org/a"] = to(location)
    desk.world.scripts["api.crossref.org/b"] = to("a")
    for number in range(1, 9):
        desk.world.scripts[f"api.crossref.org/hop/{number}"] = to(str(number + 1), 307)
    with pytest.raises(SourceError) as caught:
        await desk.get("crossref")
    assert (type(caught.value), caught.value.denial) == (SourceUnreachable, None)
    assert desk.world.calls() == {f"api.crossref.org{path}": count for path, count in calls.items()}


@pytest.mark.parametrize("status", [300, 304, 305, 302])
async def test_a_3xx_without_a_place_to_go_is_never_an_answer(desk: Desk, status: int) -> None:
    desk.world.scripts["api.crossref.org/a"] = answer(b"", status)
    with pytest.raises(SourceUnreachable):
        await desk.get("crossref")
    assert len(desk.world.asked) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_within_the_list_is_followed_and_paced(desk: Desk, status: int) -> None:
    desk.world.scripts["api.crossref.org/a"] = to("../v2/b?x=1", status)
    desk.world.scripts["api.crossref.org/v2/b"] = to("https://other.crossref.org/c", status)
    desk.world.scripts["other.crossref.org/c"] = answer({"c": 1})
    found = await desk.get("crossref")
    assert (found.json(), found.url) == ({"c": 1}, "https://other.crossref.org/c")
    assert desk.time.slept == [0.2, 0.2]


async def test_local_mode_follows_ten_redirects() -> None:
    async with desk_in(SourceChoices(is_hosted=False)) as desk:
        for number in range(10):
            desk.world.scripts[f"api.datacite.org/{number}"] = to(f"/{number + 1}")
        desk.world.scripts["api.datacite.org/10"] = answer({})
        assert (await desk.get("datacite", ("0",))).url == "https://api.datacite.org/10"


async def test_a_source_whose_redirects_are_not_followed_asks_once(desk: Desk) -> None:
    desk.world.scripts["/ra/10.1"] = to("/b")
    desk.change("datacite", max_redirects=0)
    with pytest.raises(SourceUnreachable):
        await desk.get("datacite", ("ra", "10.1"))
    assert len(desk.world.asked) == 1


@pytest.mark.parametrize("location", ["https://arxiv.org/abs/1706.03762", "http://arxiv.org/abs/1706.03762"])
async def test_ar5iv_sending_elsewhere_has_not_converted_the_paper(desk: Desk, location: str) -> None:
    desk.world.scripts["ar5iv.labs.arxiv.org/html/1706.03762"] = to(location)
    with pytest.raises(NoFullText):
        await desk.get("ar5iv", ("html", "1706.03762"), want="html")
    assert len(desk.world.asked) == 1


async def test_ar5iv_sending_to_itself_is_followed(desk: Desk) -> None:
    desk.world.scripts["ar5iv.labs.arxiv.org/html/1706.03762"] = to("/html/x")
    desk.world.scripts["ar5iv.labs.arxiv.org/html/x"] = answer(b"<html>")
    assert (await desk.get("ar5iv", ("html", "1706.03762"), want="html")).body == b"<html>"


# references A61
@pytest.mark.parametrize(
    ("address", "reason", "attempted"),
    [
        ("https://elsewhere.test/x", "redirect_not_in_allowlist", "elsewhere.test"),
        ("http://api.crossref.org/x", "insecure_scheme", "http:…"),
        ("http://user@10.0.0.1/x.pdf", "insecure_scheme", "http:…"),
        ("https://[::bad/", "redirect_not_in_allowlist", None),
    ],
)
async def test_a_first_address_that_is_not_allowed_is_never_asked(
    desk: Desk, address: str, reason: str, attempted: str | None
) -> None:
    with pytest.raises(SourceDenied) as caught:
        await desk.get("crossref", address)
    denial = caught.value.denial
    assert denial is not None
    assert (denial.reason, denial.attempted, denial.hop_index) == (reason, attempted, 0)
    assert (desk.world.asked, desk.world.resolved, desk.outcomes) == ([], [], [])


async def test_the_block_list_wins_over_the_sources_own() -> None:
    async with desk_in(SourceChoices(contact=CONTACT, blocked_hosts=("*.crossref.org",))) as desk:
        with pytest.raises(SourceDenied) as caught:
            await desk.get("crossref")
    assert caught.value.denial == Denial("host_in_block_list", "crossref", attempted="api.crossref.org", hop_index=0)


# references A62
@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["10.0.0.1"],
        ["169.254.169.254"],
        ["100.64.0.1"],
        ["::1"],
        ["fd00::1"],
        ["fe80::1"],
        ["::ffff:127.0.0.1"],
        ["64:ff9b::7f00:1"],
        [PUBLIC, "10.0.0.1"],
        ["10.0.0.1", PUBLIC],
    ],
)
async def test_a_name_that_resolves_inwards_is_refused_without_showing_where(desk: Desk, addresses: list[str]) -> None:
    desk.world.names["api.crossref.org"] = [addresses]
    with pytest.raises(SourceDenied) as caught:
        await desk.get("crossref")
    assert caught.value.denial == Denial("ssrf_private_address", "crossref", attempted="api.crossref.org")
    assert not any(address in str(caught.value) for address in addresses)
    assert (desk.world.dialled, desk.world.asked, desk.time.slept) == ([], [], [])


async def test_a_redirect_target_is_resolved_and_checked_too(desk: Desk) -> None:
    desk.world.scripts["api.crossref.org/a"] = to("https://other.crossref.org/b")
    desk.world.names["other.crossref.org"] = [["192.168.0.1"]]
    with pytest.raises(SourceDenied) as caught:
        await desk.get("crossref")
    assert caught.value.denial == Denial("ssrf_private_address", "crossref", attempted="other.crossref.org")


# references A63
async def test_a_resolver_that_changes_its_mind_cannot_move_the_connection(desk: Desk) -> None:
    desk.world.names["api.crossref.org"] = [[PUBLIC], ["127.0.0.1"]]
    desk.world.scripts["api.crossref.org/a"] = answer({"a": 1})
    assert (await desk.get("crossref")).json() == {"a": 1}
    assert (desk.world.resolved, desk.world.dialled) == (["api.crossref.org"], [(PUBLIC, 443)])


async def test_a_certificate_of_another_name_is_not_taken(desk: Desk) -> None:
    desk.world.scripts["/a"] = answer({})
    with pytest.raises(SourceUnreachable):
        await desk.get("crossref", "https://unnamed.crossref.org/a")
    assert desk.world.asked == []


async def test_the_next_address_is_dialled_where_one_takes_no_connection(world: World) -> None:
    async with desk_in(world=world) as desk:
        world.names["api.crossref.org"] = [["93.184.216.1", PUBLIC]]
        world.dead.add("93.184.216.1")
        world.scripts["api.crossref.org/a"] = answer({})
        await desk.get("crossref")
    assert world.dialled == [("93.184.216.1", 443), (PUBLIC, 443)]


@pytest.fixture
async def world():  # type: ignore[no-untyped-def]
    async with world_around() as around:
        yield around


def loopback_choices(world: World, **more: object) -> SourceChoices:
    bases = {"CROSSREF": f"{world.plain_url}/cr/"}
    return SourceChoices(contact=CONTACT, allows_loopback=True, bases=bases, **more)  # type: ignore[arg-type]


# references A65
async def test_a_loopback_override_keeps_its_path_and_works_for_its_own_source_only(world: World) -> None:
    async with desk_in(loopback_choices(world), world=world) as desk:
        world.scripts["/cr/works/x"] = answer({"x": 1})
        assert (await desk.get("crossref", ("works", "x"))).json() == {"x": 1}
        (asked,) = world.asked
        assert asked.host == world.plain_url.removeprefix("http://")
        origins = (world.plain_url,)
        for address, reason, expected in (
            ("https://api.crossref.org/works/x", "redirect_not_in_allowlist", origins),
            (f"http://127.0.0.1:{world.plain_port + 1}/cr", "insecure_scheme", ("https",)),
        ):
            with pytest.raises(SourceDenied) as caught:
                await desk.get("crossref", address)
            assert caught.value.denial is not None
            assert (caught.value.denial.reason, caught.value.denial.expected) == (reason, expected)
        with pytest.raises(SourceDenied) as caught:
            await desk.get("datacite", f"{world.plain_url}/cr/works/x")
        assert caught.value.denial == Denial(
            "insecure_scheme", "datacite", attempted="http:…", expected=("https",), hop_index=0
        )
        assert len(world.asked) == 1


# references A65
async def test_no_source_is_led_to_anothers_loopback_service(world: World) -> None:
    async with desk_in(loopback_choices(world), world=world) as desk:
        world.scripts["api.datacite.org/a"] = to(f"{world.plain_url}/cr/a")
        with pytest.raises(SourceDenied):
            await desk.get("datacite")
        assert world.calls() == {"api.datacite.org/a": 1}


async def test_a_loopback_name_must_resolve_to_this_machine(world: World) -> None:
    choices = SourceChoices(
        contact=CONTACT, allows_loopback=True, bases={"CROSSREF": f"http://localhost:{world.plain_port}"}
    )
    world.scripts["/a"] = answer({"a": 1})
    world.names["localhost"] = [["127.0.0.1"], [PUBLIC]]
    async with desk_in(choices, world=world) as desk:
        assert (await desk.get("crossref")).json() == {"a": 1}
        with pytest.raises(SourceDenied):
            await desk.get("crossref", ("b",))
    assert len(world.asked) == 1
