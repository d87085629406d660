"""From an operator's choices to rules: figures for each mode, what is on, and what stops the start."""

from typing import Any

import pytest

from core.errors import SettingsError
from core.http.client import Timeouts
from core.http.hosts import HostPatterns, Reach
from core.http.opening import user_agent
from core.http.rules import Credential, Off, Pace
from core.sources.configuration import SourceChoices, build_sources
from core.sources.table import SOURCE_KEYS, TABLE

CONTACT = "desk@papers.test"
NAMES = [row.name for row in TABLE]


def hosted(**more: Any) -> SourceChoices:
    return SourceChoices(contact=CONTACT, **more)


def local(**more: Any) -> SourceChoices:
    return SourceChoices(is_hosted=False, **more)


def problems(choices: SourceChoices) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        build_sources(choices)
    return list(caught.value.problems)


def on(choices: SourceChoices) -> list[str]:
    return [name for name, rules in build_sources(choices).rules.items() if rules.off is None]


TIER_1 = [
    "crossref",
    "unpaywall",
    "arxiv",
    "arxiv-src",
    "arxiv-html",
    "ar5iv",
    "openalex",
    "datacite",
    "ncbi",
    "doi-ra",
]
OPT_IN = ["semantic_scholar", "europe-pmc", "doaj"]


def test_hosted_asks_tier_1_and_what_was_switched_on() -> None:
    assert on(hosted()) == TIER_1
    assert set(on(hosted(on=tuple(OPT_IN)))) == {*TIER_1, *OPT_IN}
    assert set(on(hosted(off=("crossref", "arxiv")))) == {*TIER_1} - {"crossref", "arxiv"}
    assert on(hosted(is_offline=True)) == []


# references A76
def test_without_a_contact_hosted_asks_nobody_and_local_all_but_unpaywall() -> None:
    assert on(SourceChoices(on=tuple(OPT_IN))) == []
    assert set(on(local())) == {*TIER_1, "arxiv-pdf", "oa-publisher"} - {"unpaywall"}
    assert set(on(local(contact=CONTACT))) == {*TIER_1, "arxiv-pdf", "oa-publisher"}


@pytest.mark.parametrize(
    ("choices", "name", "required_env"),
    [
        (SourceChoices(), "crossref", "PAPERDESK_CONTACT_EMAIL"),
        (local(), "unpaywall", "PAPERDESK_CONTACT_EMAIL"),
        (hosted(), "doaj", "PAPERDESK_SOURCES_ON"),
        (hosted(off=("arxiv",)), "arxiv", "PAPERDESK_SOURCES_OFF"),
        (local(off=("arxiv",)), "arxiv-pdf", "PAPERDESK_SOURCES_OFF"),
        (hosted(is_offline=True), "crossref", "PAPERDESK_OFFLINE"),
        (hosted(), "oa-publisher", None),
        (hosted(), "arxiv-pdf", None),
    ],
)
def test_a_source_that_is_off_names_the_setting_that_would_change_it(
    choices: SourceChoices, name: str, required_env: str | None
) -> None:
    off = build_sources(choices)[name].off
    assert isinstance(off, Off)
    assert off.required_env == required_env


@pytest.mark.parametrize(
    ("choices", "name", "paces"),
    [
        (hosted(), "crossref", (Pace("crossref", 0.2, 3, lane="one"), Pace("crossref", 0.4, 3, lane="list"))),
        (local(), "crossref", (Pace("crossref", 0.2, 1, lane="one"), Pace("crossref", 1.0, 1, lane="list"))),
        (hosted(), "unpaywall", (Pace("unpaywall", 0.2, 3, a_day=90_000),)),
        *[
            (local(), name, (Pace("arxiv", 3.0, 1, queue_max=4),))
            for name in ("arxiv", "arxiv-pdf", "arxiv-src", "arxiv-html", "ar5iv")
        ],
        (hosted(), "openalex", (Pace("openalex", 0.2, 4),)),
        (hosted(), "datacite", (Pace("datacite", 0.3, 2),)),
        (hosted(), "ncbi", (Pace("ncbi", 0.334, 1),)),
        (hosted(keys={"ncbi": "k"}), "ncbi", (Pace("ncbi", 0.11, 3),)),
        (hosted(), "semantic_scholar", (Pace("semantic_scholar", 3.0, 1),)),
        (hosted(keys={"semantic_scholar": "k"}), "semantic_scholar", (Pace("semantic_scholar", 1.0, 1),)),
        (hosted(), "europe-pmc", (Pace("europe-pmc", 0.2, 2),)),
        (hosted(), "doaj", (Pace("doaj", 0.5, 1),)),
        (local(), "oa-publisher", (Pace("oa-publisher", 1.0, 1, is_per_host=True),)),
    ],
)
def test_each_source_has_its_pace(choices: SourceChoices, name: str, paces: tuple[Pace, ...]) -> None:
    assert build_sources(choices)[name].paces == paces


@pytest.mark.parametrize(
    ("choices", "name", "figures"),
    [
        (hosted(), "crossref", (Timeouts(5, 15, 20), 2, 5, 10_485_760, None)),
        (hosted(), "arxiv", (Timeouts(5, 15, 10), 0, 5, 10_485_760, None)),
        (hosted(), "arxiv-html", (Timeouts(5, 15, 20), 2, 5, 20_971_520, None)),
        (hosted(), "arxiv-src", (Timeouts(5, 15, 20), 2, 5, 50_000_000, 200_000_000)),
        (hosted(), "doi-ra", (Timeouts(5, 15, 20), 2, 0, 10_485_760, None)),
        (local(), "crossref", (Timeouts(10, 60, 300), 3, 10, 10_485_760, None)),
        (local(), "arxiv", (Timeouts(10, 60, 10), 0, 10, 10_485_760, None)),
        (local(), "arxiv-src", (Timeouts(10, 60, 300), 3, 10, 100_000_000, 500_000_000)),
        (local(), "arxiv-pdf", (Timeouts(10, 60, 300), 3, 10, 100_000_000, None)),
    ],
)
def test_each_mode_has_its_figures(choices: SourceChoices, name: str, figures: tuple[Any, ...]) -> None:
    rules = build_sources(choices)[name]
    bounds = rules.bounds
    assert (rules.timeouts, rules.retries, rules.max_redirects, bounds.max_bytes, bounds.max_unpacked_bytes) == figures
    assert bounds.error_bytes == 65_536


# references A76
@pytest.mark.parametrize(
    "contact",
    [
        "me@localhost",
        "me@example.org",
        "me@example.com",
        "me@mail.example.net",
        "me@example",
        "me@host",
        "me",
        "@papers.test",
        "me@papers..test",
        "me@papers.test\r\nX-Injected: 1",
        "me@papers.test>",
        "mé@papers.test",
        "",
    ],
)
def test_a_contact_that_nobody_reads_stops_the_start(contact: str) -> None:
    assert problems(SourceChoices(contact=contact)) == [
        "PAPERDESK_CONTACT_EMAIL: write the address of a mailbox that somebody reads; sources are told it"
    ]


# references A65
@pytest.mark.parametrize(
    "base",
    [
        "http://mirror.test/crossref",
        "https://mirror.test:8443/",
        "https://me@mirror.test/",
        "https://mirror.test/?key=1",
        "https://mirror.test/#x",
        "https://93.184.216.34/",
        "https://10.0.0.1/",
        "http://10.0.0.1:8080",
        "https://[2606:2800::1]/",
        "https://intranet/",
        "ftp://127.0.0.1/",
        "mirror.test",
        "https://[::bad/",
        "",
    ],
)
def test_a_base_that_is_neither_public_https_nor_loopback_stops_the_start(base: str) -> None:
    (problem,) = problems(local(bases={"CROSSREF": base}))
    assert problem.startswith("PAPERDESK_SOURCE_CROSSREF_URL: write an ")


# references A65
@pytest.mark.parametrize("base", ["http://127.0.0.1:8080/cr", "http://localhost:8080", "https://[::1]:9"])
def test_a_loopback_base_needs_to_be_allowed_where_the_service_is_hosted(base: str) -> None:
    (problem,) = problems(hosted(bases={"CROSSREF": base}))
    assert problem.startswith("PAPERDESK_SOURCE_CROSSREF_URL: ")
    assert "--allow-loopback-sources" in problem
    assert build_sources(hosted(bases={"CROSSREF": base}, allows_loopback=True))["crossref"].off is None
    assert build_sources(local(bases={"CROSSREF": base}))["crossref"].off is None


# references A65
def test_a_base_replaces_the_hosts_of_its_own_source_alone() -> None:
    bases = {"ARXIV_API": "http://127.0.0.1:8080/arxiv/", "CROSSREF": "https://Mirror.test/cr/"}
    sources = build_sources(local(bases=bases))
    assert sources["arxiv"].base_url == "http://127.0.0.1:8080/arxiv"
    assert sources["arxiv"].reach == Reach(HostPatterns(), ("http://127.0.0.1:8080",))
    assert sources["crossref"].reach == Reach(HostPatterns(("mirror.test",)))
    assert sources["crossref"].base_url == "https://Mirror.test/cr"
    assert sources["arxiv-html"].reach == Reach(HostPatterns(("arxiv.org", "export.arxiv.org", "*.arxiv.org")))


def test_a_gap_is_loosened_on_loopback_only() -> None:
    loopback = {"ARXIV_API": "http://127.0.0.1:8080"}
    assert build_sources(local(bases=loopback, min_gaps_ms={"ARXIV_API": 0}))["arxiv"].paces[0].gap_s == 0
    assert build_sources(local(min_gaps_ms={"ARXIV_API": 5_000}))["arxiv"].paces[0].gap_s == 5
    (problem,) = problems(local(min_gaps_ms={"ARXIV_API": 2_999}))
    assert problem.startswith("PAPERDESK_SOURCE_ARXIV_API_MIN_GAP_MS: write at least 3000: a shorter gap is taken")


def test_open_copies_come_from_the_list_and_from_what_the_operator_adds() -> None:
    choices = local(
        oa_extra_hosts=("copies.test",),
        oa_host_classes=("registries",),
        oa_loopback_origins=("http://127.0.0.1:9/x",),
        blocked_hosts=("*.mdpi.com",),
    )
    sources = build_sources(choices)
    rules = sources["oa-publisher"]
    assert {"*.nature.com", "zenodo.org", "copies.test"} <= set(rules.reach.hosts.texts)
    assert rules.reach.loopback_origins == ("http://127.0.0.1:9",)
    assert sources.blocked == HostPatterns(("*.mdpi.com",))
    assert not {"zenodo.org", "*.ac.uk"} & set(build_sources(local())["oa-publisher"].reach.hosts.texts)


# references A70
def test_a_copy_at_arxiv_is_paced_as_arxiv_and_any_other_by_its_host() -> None:
    rules = build_sources(local())["oa-publisher"]
    assert rules.pace_at(rules.pace(), "www.nature.com").group == "oa-publisher:www.nature.com"
    for host in ("arxiv.org", "export.arxiv.org"):
        assert rules.pace_at(rules.pace(), host) == Pace("arxiv", 3.0, 1, queue_max=4)


@pytest.mark.parametrize("origin", ["http://copies.test", "https://93.184.216.34", "ftp://127.0.0.1"])
def test_an_origin_for_open_copies_lies_on_loopback(origin: str) -> None:
    (problem,) = problems(local(oa_loopback_origins=(origin,)))
    assert problem.startswith("PAPERDESK_OA_LOOPBACK_ORIGINS: write an ")


def test_every_problem_is_told_at_once_and_no_value_is_repeated() -> None:
    found = problems(
        SourceChoices(
            contact="SEEDED@localhost",
            keys={"openalex": "SEEDED key"},
            off=("SEEDED",),
            on=("crossref", "SEEDED"),
            bases={"CROSSREF": "http://SEEDED.test", "SEEDED": "x"},
            min_gaps_ms={"DOAJ": 1},
            oa_loopback_origins=("http://127.0.0.1:9",),
            oa_extra_hosts=("SEEDED host",),
            oa_host_classes=("SEEDED",),
            blocked_hosts=("https://SEEDED",),
        )
    )
    assert [problem.partition(":")[0] for problem in found] == [
        "PAPERDESK_CONTACT_EMAIL",
        "PAPERDESK_SOURCE_CROSSREF_URL",
        "PAPERDESK_OPENALEX_API_KEY",
        "PAPERDESK_SOURCE_DOAJ_MIN_GAP_MS",
        "PAPERDESK_OA_EXTRA_HOSTS",
        "PAPERDESK_OA_HOST_CLASSES",
        "PAPERDESK_OA_LOOPBACK_ORIGINS",
        "PAPERDESK_BLOCKED_HOSTS",
        "PAPERDESK_SOURCES_OFF",
        "PAPERDESK_SOURCES_ON",
        "PAPERDESK_SOURCE_<KEY>_URL and _MIN_GAP_MS",
    ]
    assert "SEEDED" not in "".join(found)


# references A75
def test_no_choice_and_no_rule_shows_a_key_or_the_contact() -> None:
    choices = hosted(keys={"openalex": "SEEDED"})
    shown = repr(choices) + repr(build_sources(choices))
    assert "SEEDED" not in shown
    assert CONTACT not in shown
    assert build_sources(choices)["openalex"].credentials == (
        Credential("mailto", CONTACT),
        Credential("api_key", "SEEDED"),
    )


def test_the_client_names_itself_with_the_contact_where_there_is_one() -> None:
    assert user_agent("1.2", "https://desk.test", CONTACT) == f"paperdesk/1.2 (+https://desk.test; mailto:{CONTACT})"
    assert user_agent("1.2", "https://desk.test", None) == "paperdesk/1.2 (+https://desk.test)"


@pytest.mark.parametrize("row", TABLE, ids=NAMES)
def test_every_row_lies_at_one_of_its_own_hosts_over_https(row: Any) -> None:
    rules = build_sources(local(contact=CONTACT))[row.name]
    host = row.base_url.removeprefix("https://").partition("/")[0]
    assert not row.base_url or (rules.reach.hosts.match(host) and row.base_url.startswith("https://"))
    assert rules.key in SOURCE_KEYS


def test_names_are_unique_and_a_lane_is_asked_for_by_name() -> None:
    assert len(set(NAMES)) == len(NAMES)
    crossref = build_sources(hosted())["crossref"]
    assert (crossref.pace().lane, crossref.pace("list").gap_s) == ("one", 0.4)
