"""Peers: which are this machine, which are believed."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.peers import PeerTrust, Ranges, packed_address

ADDRESSES = st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6))


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (None, True),
        ("127.0.0.1", True),
        ("127.255.0.9", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("::1%lo", True),
        ("10.0.0.1", False),
        ("::2", False),
        ("testclient", False),
        ("", False),
        ("127.0.0.1\0", False),
    ],
)
def test_loopback_is_this_machine_in_every_spelling(host: str | None, expected: bool) -> None:
    assert PeerTrust().is_loopback(host) is expected
    assert PeerTrust((), trust_loopback=False).is_loopback(host) is expected


def test_private_peers_are_untrusted_unless_they_are_named() -> None:
    # hosting A62
    assert [PeerTrust().is_trusted(host) for host in ("10.0.0.1", "192.168.0.1", "fd00::1")] == [False] * 3
    named = PeerTrust([ipaddress.ip_network("10.0.0.0/30"), ipaddress.ip_network("2001:db8::/64")])
    trusted = ("10.0.0.1", "::ffff:10.0.0.1", "2001:db8::9", "127.0.0.1", None)
    assert [named.is_trusted(host) for host in trusted] == [True] * 5
    assert [named.is_trusted(host) for host in ("10.0.0.4", "2001:db8:0:1::9", "nobody")] == [False] * 3


def test_trust_in_loopback_can_be_taken_away() -> None:
    # hosting A64 (part)
    trust = PeerTrust([ipaddress.ip_network("10.0.0.1")], trust_loopback=False)
    assert [trust.is_trusted(host) for host in ("127.0.0.1", "::1", None, "10.0.0.1")] == [False, False, False, True]


@given(ADDRESSES)
def test_an_address_is_read_as_the_standard_library_reads_it(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    mapped = getattr(address, "ipv4_mapped", None)
    assert packed_address(str(address)) == (mapped or address).packed


@given(st.text(max_size=40))
def test_what_the_standard_library_takes_for_no_address_is_none(text: str) -> None:
    try:
        ipaddress.ip_address(text.partition("%")[0] if ":" in text else text)
    except ValueError:
        assert packed_address(text) is None


@given(ADDRESSES, ADDRESSES, st.integers(1, 32))
def test_a_range_holds_what_the_standard_library_says(
    one: ipaddress.IPv4Address | ipaddress.IPv6Address,
    other: ipaddress.IPv4Address | ipaddress.IPv6Address,
    prefix: int,
) -> None:
    network = ipaddress.ip_network(f"{one}/{prefix}", strict=False)
    for address in (one, other):
        if getattr(address, "ipv4_mapped", None) is None:
            assert (address.packed in Ranges([network])) is (address in network)
