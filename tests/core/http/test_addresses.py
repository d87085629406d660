"""Which addresses lie on the public internet, in whatever form they come."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.http.addresses import is_loopback, is_public


# references A62
@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "100.100.100.200",
        "168.63.129.16",
        "0.0.0.0",
        "192.0.2.1",
        "198.51.100.7",
        "203.0.113.9",
        "198.18.0.1",
        "192.0.0.192",
        "192.88.99.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "fd00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fe80::1%eth0",
        "2606:2800::1%eth0",
        "fec0::1",
        "ff02::1",
        "100::1",
        "2001:db8::1",
        "3fff::1",
        "2001:20::1",
        "5f00::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a00:1",
        "64:ff9b:1::808:808",
        "2002:7f00:1::1",
        "2002:a00:1::1",
        # Teredo: a public server and a client at 10.0.0.1; a private server and a public client.
        "2001:0:5db8:d822:0:0:f5ff:fffe",
        "2001:0:a00:1:0:0:a247:27dd",
        "not an address",
        "",
    ],
)
def test_what_is_not_public_is_refused_whatever_it_is_wrapped_in(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "93.184.216.34",
        "8.8.8.8",
        "100.63.255.255",
        "100.128.0.1",
        "172.32.0.1",
        "2606:2800:220:1:248:1893:25c8:1946",
        "::ffff:93.184.216.34",
        "64:ff9b::5db8:d822",
        "2002:5db8:d822::1",
        "2001:0:5db8:d822:0:0:a247:27dd",
    ],
)
def test_what_is_public_is_let_through(address: str) -> None:
    assert is_public(address)


CARRIERS = ("::ffff:0:0/96", "64:ff9b::/96", "2002::/16", "2001::/32")


@given(st.ip_addresses())
def test_nothing_that_the_standard_library_calls_private_is_public(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    if address.is_private or address.is_multicast or address.is_link_local or address.is_reserved:
        carries_another = any(address in ipaddress.ip_network(network) for network in CARRIERS)
        assert carries_another or not is_public(str(address))


@pytest.mark.parametrize(
    ("address", "is_near"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("10.0.0.1", False),
        ("x", False),
    ],
)
def test_loopback_is_this_machine_alone(address: str, is_near: bool) -> None:
    assert is_loopback(address) is is_near
