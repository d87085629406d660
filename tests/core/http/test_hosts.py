"""Which hosts a list holds, and what an address must be like to be asked at all."""

import contextlib

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Denial
from core.http.hosts import NO_HOSTS, HostPatterns, Reach, ascii_host, host_of, origin_of

SPRINGER = HostPatterns.of(["*.springer.com", "example.org"])


# references A64
@pytest.mark.parametrize(
    ("address", "is_on_it"),
    [
        ("https://springer.com/", True),
        ("https://a.b.springer.com/", True),
        ("https://LINK.Springer.COM/", True),
        ("https://example.org/", True),
        ("https://evilspringer.com/", False),
        ("https://springer.com.evil.org/", False),
        ("https://ѕpringer.com/", False),
        ("https://link.ѕpringer.com/", False),
        ("https://springer。com/", True),
        ("https://springer.com./", False),
        ("https://.springer.com/", False),
        ("https://sub.example.org/", False),
        ("https://93.184.216.34/", False),
        ("https://[2606:2800:220:1::1]/", False),
        ("https:///path", False),
    ],
)
def test_a_pattern_holds_its_name_and_all_below_it_and_nothing_that_looks_like_it(address: str, is_on_it: bool) -> None:
    assert SPRINGER.match(host_of(httpx.URL(address))) is is_on_it


def test_patterns_are_kept_in_one_form_and_once() -> None:
    found = HostPatterns.of([" *.Springer.com", "*.springer.com", "Bücher.example"])
    assert found.texts == ("*.springer.com", "xn--bcher-kva.example")
    assert (SPRINGER + found).texts == ("*.springer.com", "example.org", "xn--bcher-kva.example")


@pytest.mark.parametrize(
    "text", ["", "*", "*.com", "localhost", "a..b", "https://a.org", "a.org/x", "10.0.0.1", "*.0.0.1", "a b.org", "⁇.x"]
)
def test_what_is_no_host_is_no_pattern(text: str) -> None:
    with pytest.raises(ValueError, match=r"^write a host name such as example.org"):
        HostPatterns.of([text])


@given(st.text(max_size=40))
def test_any_text_is_a_host_or_refused_by_name(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert ascii_host(text).isascii()


REACH = Reach(HostPatterns.of(["api.crossref.org", "*.crossref.org"]), ("http://127.0.0.1:8080",))
EXPECTED = ("http://127.0.0.1:8080", "api.crossref.org", "*.crossref.org")


# references A61, A65
@pytest.mark.parametrize(
    ("address", "denial"),
    [
        ("https://api.crossref.org/works", None),
        ("https://api.crossref.org:443/works", None),
        ("http://127.0.0.1:8080/works", None),
        (
            "http://api.crossref.org/works",
            Denial("insecure_scheme", "crossref", attempted="http:…", expected=("https",), hop_index=2),
        ),
        (
            "ftp://api.crossref.org/works",
            Denial("insecure_scheme", "crossref", attempted="ftp:…", expected=("https",), hop_index=2),
        ),
        (
            "http://127.0.0.1:8081/works",
            Denial("insecure_scheme", "crossref", attempted="http:…", expected=("https",), hop_index=2),
        ),
        (
            "https://api.crossref.org:8443/",
            Denial("host_in_block_list", "crossref", attempted="api.crossref.org", hop_index=2),
        ),
        (
            "https://me@api.crossref.org/",
            Denial("host_in_block_list", "crossref", attempted="api.crossref.org", hop_index=2),
        ),
        (
            "http://me@127.0.0.1:8080/",
            Denial("host_in_block_list", "crossref", attempted="127.0.0.1", hop_index=2),
        ),
        (
            "https://bad.crossref.org/",
            Denial("host_in_block_list", "crossref", attempted="bad.crossref.org", hop_index=2),
        ),
        (
            "https://elsewhere.test/",
            Denial("redirect_not_in_allowlist", "crossref", attempted="elsewhere.test", expected=EXPECTED, hop_index=2),
        ),
        (
            "https://93.184.216.34/",
            Denial("redirect_not_in_allowlist", "crossref", attempted="93.184.216.34", expected=EXPECTED, hop_index=2),
        ),
        (
            "https://127.0.0.1:8080/",
            Denial("host_in_block_list", "crossref", attempted="127.0.0.1", hop_index=2),
        ),
    ],
)
def test_an_address_is_refused_with_the_facts_of_the_first_rule_that_it_breaks(
    address: str, denial: Denial | None
) -> None:
    blocked = HostPatterns.of(["bad.crossref.org"])
    assert REACH.refusal(httpx.URL(address), source="crossref", blocked=blocked, hop_index=2) == denial


def test_nothing_is_allowed_where_the_list_is_empty() -> None:
    denial = Reach(NO_HOSTS).refusal(httpx.URL("https://a.org"), source="x", blocked=NO_HOSTS, hop_index=0)
    assert denial == Denial("redirect_not_in_allowlist", "x", attempted="a.org", expected=(), hop_index=0)


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("https://A.org/x", "https://a.org:443"),
        ("http://a.org", "http://a.org:80"),
        ("http://[::1]:9/x", "http://[::1]:9"),
    ],
)
def test_an_origin_always_names_its_port(address: str, origin: str) -> None:
    assert origin_of(httpx.URL(address)) == origin
