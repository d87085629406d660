"""Whom a request is counted against (hosting contract 4.1): pure rules from a peer and a few headers to a digest."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from server.limits.egress import EgressTiers
from server.peers import PeerTrust, is_loopback, packed_address

MAX_HOPS = 20
DIGEST_BYTES = 16

NO_LIMITS: Mapping[str, int] = MappingProxyType({})

_TAG = re.compile(r"[A-Za-z0-9._-]{1,128}")
_PORT = re.compile(r"[0-9]{1,5}")
_GROUPED_BYTES = 8
"""An IPv6 customer has a whole /64 to call from."""


class Caller(NamedTuple):
    """An identity. `kind` is `ip`, `tag`, `key` or `tier`; `name` is a key's id or a tier's name, never an address.

    `limits` are a key's own, by budget.
    """

    kind: str
    digest: bytes
    name: str | None = None
    limits: Mapping[str, int] = NO_LIMITS


class Identities:
    """The one rule that finds a caller; what it returns holds a keyed digest in place of the clear identity."""

    def __init__(self, *, peers: PeerTrust, tiers: EgressTiers, secret: bytes) -> None:
        self._peers = peers
        self._tiers = tiers
        # Copying a keyed state costs half of keying it anew.
        self._state = hashlib.blake2b(digest_size=DIGEST_BYTES, key=hashlib.blake2b(secret, digest_size=32).digest())

    def of_key(self, key_id: str, limits: Mapping[str, int] = NO_LIMITS) -> Caller:
        """The holder of a valid API key."""
        return Caller("key", self._digest(b"key:", key_id.encode()), key_id, limits)

    def of_peer(self, host: str | None, forwarded: Sequence[str] = (), tag: str | None = None) -> Caller:
        """The caller behind a peer; `host` is None for a Unix socket, `forwarded` are the `X-Forwarded-For` lines."""
        packed = None if host is None else packed_address(host)
        is_trusted = self._peers.is_trusted(host) if packed is None else self._peers.trusts(packed)
        if not is_trusted:
            return self._of_address(packed, host)
        if forwarded:
            client = self._client(forwarded)
            return self._of_address(packed if client is None else client, host)
        if tag is not None and (host is None or is_loopback(packed)) and _TAG.fullmatch(tag):
            return Caller("tag", self._digest(b"tag:", tag.encode()))
        return self._of_address(packed, host)

    def _client(self, forwarded: Sequence[str]) -> bytes | None:
        """The first address from the right that is no trusted hop; None stands for the peer."""
        last_hop: bytes | None = None
        for entry in reversed(",".join(forwarded).rsplit(",", MAX_HOPS)[-MAX_HOPS:]):
            packed = _address(entry.strip(" \t"))
            if packed is None:
                return last_hop
            if not self._peers.trusts(packed):
                return packed
            last_hop = packed
        return None

    def _of_address(self, packed: bytes | None, host: str | None) -> Caller:
        if packed is None:
            return Caller("ip", self._digest(b"host:", (host or "").encode("utf-8", "surrogateescape")))
        tier = self._tiers.tier_of(packed)
        if tier is not None:
            return Caller("tier", self._digest(b"tier:", tier.encode()), tier)
        return Caller("ip", self._digest(b"ip:", packed if len(packed) == 4 else packed[:_GROUPED_BYTES]))

    def _digest(self, kind: bytes, value: bytes) -> bytes:
        state = self._state.copy()
        state.update(kind + value)
        return state.digest()


def _address(entry: str) -> bytes | None:
    """An entry of `X-Forwarded-For`, out of its brackets and without its port."""
    if entry.startswith("["):
        inner, bracket, rest = entry[1:].partition("]")
        is_whole = bracket and ":" in inner and (not rest or (rest[0] == ":" and _PORT.fullmatch(rest[1:])))
        return packed_address(inner) if is_whole else None
    if entry.count(":") == 1:
        entry, _, port = entry.partition(":")
        if _PORT.fullmatch(port) is None:
            return None
    return packed_address(entry)
