"""Whether an address lies on the public internet, whatever it is wrapped in (references contract 5.4)."""

import ipaddress
from collections.abc import Iterator
from ipaddress import IPv4Address as IPv4
from ipaddress import IPv6Address as IPv6

# Listed here and not taken from `ipaddress`, whose idea of "global" changes with the version of Python.
_CLOSED_V4 = tuple(
    map(
        ipaddress.IPv4Network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",
            "240.0.0.0/4",
            # A cloud's own metadata and wire service, at an address that looks public.
            "168.63.129.16/32",
        ),
    )
)
_OPEN_V6 = ipaddress.IPv6Network("2000::/3")
"""All that has been given out for use on the internet; loopback, private, link-local and the rest lie outside."""
_CLOSED_V6 = tuple(
    map(
        ipaddress.IPv6Network,
        ("2001::/23", "2001:db8::/32", "3fff::/20"),
    )
)
_MAPPED = ipaddress.IPv6Network("::ffff:0:0/96")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR = ipaddress.IPv6Network("2002::/16")
_TEREDO = ipaddress.IPv6Network("2001::/32")
_V4_BITS = 0xFFFFFFFF


def is_public(address: str) -> bool:
    """Whether an address, and each that it wraps, is globally routable; False for what is no address."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return all(map(_is_open, _unwrapped(parsed)))


def is_loopback(address: str) -> bool:
    """Whether only this machine answers at an address."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return all(inner.is_loopback for inner in _unwrapped(parsed))


def _unwrapped(address: IPv4 | IPv6) -> Iterator[IPv4 | IPv6]:
    """The addresses that decide: those inside where one carries others, else itself."""
    if isinstance(address, IPv4):
        yield address
        return
    bits = int(address)
    if address in _MAPPED or address in _NAT64:
        yield IPv4(bits & _V4_BITS)
    elif address in _SIX_TO_FOUR:
        yield IPv4(bits >> 80 & _V4_BITS)
    elif address in _TEREDO:
        # The server, and the client with every bit turned over.
        yield IPv4(bits >> 64 & _V4_BITS)
        yield IPv4(~bits & _V4_BITS)
    else:
        yield address


def _is_open(address: IPv4 | IPv6) -> bool:
    if isinstance(address, IPv4):
        return not any(address in network for network in _CLOSED_V4)
    return address.scope_id is None and address in _OPEN_V6 and not any(address in network for network in _CLOSED_V6)
