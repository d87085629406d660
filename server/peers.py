"""Who is at the other end of a connection, and whether what it says of others is believed (hosting contract 4.1)."""

import socket
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network

Network = IPv4Network | IPv6Network

_LOOPBACK_6 = bytes(15) + b"\x01"
_MAPPED = bytes(10) + b"\xff\xff"
_LOOPBACK_4 = 127


def packed_address(text: str) -> bytes | None:
    """4 or 16 bytes of an IP address, or None; a zone is dropped and an IPv4-mapped address is the IPv4 one."""
    try:
        if ":" not in text:
            return socket.inet_pton(socket.AF_INET, text)
        packed = socket.inet_pton(socket.AF_INET6, text.partition("%")[0])
    except (OSError, ValueError):
        return None
    return packed[12:] if packed.startswith(_MAPPED) else packed


class Ranges:
    """A few address ranges, asked for every request."""

    def __init__(self, networks: Iterable[Network] = ()) -> None:
        self.networks = tuple(networks)
        self._by_size = {
            size: tuple(
                (int(network.network_address), int(network.netmask))
                for network in self.networks
                if len(network.network_address.packed) == size
            )
            for size in (4, 16)
        }

    def __contains__(self, packed: bytes) -> bool:
        ranges = self._by_size[len(packed)]
        if not ranges:
            return False
        value = int.from_bytes(packed)
        for start, mask in ranges:  # noqa: SIM110, a generator would cost more than what it does
            if value & mask == start:
                return True
        return False


class PeerTrust:
    """Which peers may say for whom they speak: loopback, unless that is switched off, and the operator's ranges.

    Nothing asked is remembered: an address would outlive its request.
    """

    def __init__(self, cidrs: Iterable[Network] = (), trust_loopback: bool = True) -> None:
        self._ranges = Ranges(cidrs)
        self._trust_loopback = trust_loopback

    def is_loopback(self, host: str | None) -> bool:
        """Whether a peer is this machine; None is a Unix socket, which has no address and is."""
        if host is None:
            return True
        packed = packed_address(host)
        return is_loopback(packed)

    def is_trusted(self, host: str | None) -> bool:
        """Whether a peer's forwarding headers count; what is no address is nobody's proxy."""
        if host is None:
            return self._trust_loopback
        packed = packed_address(host)
        return packed is not None and self.trusts(packed)

    def trusts(self, packed: bytes) -> bool:
        """As `is_trusted`, of an address that was read before."""
        return (self._trust_loopback and is_loopback(packed)) or packed in self._ranges


def is_loopback(packed: bytes | None) -> bool:
    """As `PeerTrust.is_loopback`, of an address that was read before; what is none is not."""
    if packed is None:
        return False
    return packed[0] == _LOOPBACK_4 if len(packed) == 4 else packed == _LOOPBACK_6
