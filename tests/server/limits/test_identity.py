"""Whom a request is counted against, by peer, forwarding headers, tag and key."""

import gc
from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.limits.egress import EgressTiers
from server.limits.identity import Caller, Identities
from server.peers import PeerTrust
from server.setting_table import SETTINGS
from server.setting_values import shared_egress

SECRET = b"s" * 32
PROXY = "10.9.0.2"
SHIPPED = shared_egress(next(setting.default for setting in SETTINGS if setting.field == "shared_egress"))


def identities(*, trust_loopback: bool = True, tiers: EgressTiers = SHIPPED, secret: bytes = SECRET) -> Identities:
    peers = PeerTrust([ip_network("10.9.0.0/24")], trust_loopback)
    return Identities(peers=peers, tiers=tiers, secret=secret)


def address(host: str) -> Caller:
    """The identity of an address that calls by itself."""
    return identities(trust_loopback=False).of_peer(host)


@pytest.mark.parametrize("peer", ["203.0.113.7", "10.0.0.1", "192.168.0.1", "fd00::1"])
def test_an_untrusted_peer_cannot_speak_for_another(peer: str) -> None:
    # hosting A62
    plain = identities().of_peer(peer)
    assert (plain.kind, plain.name) == ("ip", None)
    assert identities().of_peer(peer, ["198.51.100.1"], "desk") == plain
    assert plain != identities().of_peer("203.0.113.8")


@pytest.mark.parametrize(
    ("peer", "lines", "client"),
    [
        ("127.0.0.1", ["1.2.3.4, 203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        (None, ["203.0.113.9"], "203.0.113.9"),
        (PROXY, ["203.0.113.9, 10.9.0.7,10.9.0.8"], "203.0.113.9"),
        (PROXY, ["1.2.3.4", "203.0.113.9"], "203.0.113.9"),
        (PROXY, ["203.0.113.9", "10.9.0.7"], "203.0.113.9"),
        (PROXY, ["203.0.113.9:4711"], "203.0.113.9"),
        (PROXY, ["[2001:db8::1]:80"], "2001:db8::1"),
        (PROXY, ["[2001:db8::1]"], "2001:db8::1"),
        (PROXY, ["2001:db8::1"], "2001:db8::1"),
        (PROXY, ["::ffff:203.0.113.9"], "203.0.113.9"),
        (PROXY, ["fe80::1%eth0"], "fe80::1"),
        (PROXY, ["10.9.0.7, 10.9.0.8"], PROXY),
        (PROXY, ["unknown"], PROXY),
        (PROXY, [""], PROXY),
        (PROXY, ["203.0.113.9, unknown"], PROXY),
        (PROXY, ["203.0.113.9, unknown, 10.9.0.7"], "10.9.0.7"),
        (PROXY, ["203.0.113.9:http"], PROXY),
        (PROXY, ["[203.0.113.9]"], PROXY),
        (PROXY, ["[2001:db8::1"], PROXY),
        (PROXY, ["[2001:db8::1]x"], PROXY),
        (PROXY, ["203.0.113.9, " + ", ".join(["10.9.0.7"] * 19)], "203.0.113.9"),
        (PROXY, ["203.0.113.9, " + ", ".join(["10.9.0.7"] * 20)], PROXY),
    ],
)
def test_the_client_is_the_first_from_the_right_that_is_no_trusted_hop(
    peer: str | None, lines: list[str], client: str
) -> None:
    # hosting A63
    assert identities().of_peer(peer, lines) == address(client)


@given(st.text(alphabet="0123456789.:,[] abcf", max_size=60))
def test_a_forged_left_part_never_matters(forged: str) -> None:
    # hosting A63
    assert identities().of_peer(PROXY, [f"{forged}, 203.0.113.9"]) == address("203.0.113.9")


def test_a_tag_names_the_caller_of_a_loopback_peer_only() -> None:
    # hosting A64
    tagged = identities().of_peer("127.0.0.1", (), "desk-1.A_b")
    assert (tagged.kind, tagged.name) == ("tag", None)
    assert identities().of_peer(None, (), "desk-1.A_b") == identities().of_peer("::1", (), "desk-1.A_b") == tagged
    assert identities().of_peer("127.0.0.1", (), "desk-2") != tagged
    assert identities().of_peer("127.0.0.1", (), "x" * 128).kind == "tag"


@pytest.mark.parametrize("tag", ["with space", "a/b", "x" * 129, "", "ümlaut", "a\n"])
def test_a_tag_of_another_form_is_ignored(tag: str) -> None:
    # hosting A64
    assert identities().of_peer("127.0.0.1", (), tag) == address("127.0.0.1")


def test_a_tag_is_ignored_beside_a_forwarded_address_from_a_range_and_without_trust() -> None:
    # hosting A64
    assert identities().of_peer("127.0.0.1", ["203.0.113.9"], "desk") == address("203.0.113.9")
    assert identities().of_peer("127.0.0.1", [""], "desk") == address("127.0.0.1")
    assert identities().of_peer(PROXY, (), "desk") == address(PROXY)
    assert identities(trust_loopback=False).of_peer("127.0.0.1", (), "desk") == address("127.0.0.1")
    assert identities(trust_loopback=False).of_peer("127.0.0.1", ["203.0.113.9"]) == address("127.0.0.1")


def test_an_ipv6_customer_is_one_caller_and_a_mapped_address_is_the_ipv4_one() -> None:
    # hosting A65
    assert address("2001:db8:0:1::1") == address("2001:db8:0:1:ffff::9")
    assert address("2001:db8:0:2::1") != address("2001:db8:0:1::1")
    assert address("::ffff:203.0.113.9") == address("203.0.113.9")
    assert address("203.0.113.9") != address("203.0.113.10")


def test_addresses_of_a_shared_egress_are_one_caller() -> None:
    # hosting A66
    tier = address("160.79.104.1")
    assert (tier.kind, tier.name) == ("tier", "anthropic")
    assert tier == address("160.79.111.254") == address("2607:6bc0::5")
    assert identities().of_peer(PROXY, ["160.79.105.9"]) == tier
    assert address("160.79.112.1").kind == address("160.79.103.255").kind == "ip"
    assert identities(tiers=EgressTiers({})).of_peer("160.79.104.1").kind == "ip"


def test_kinds_of_identity_never_meet() -> None:
    of = identities()
    callers = [
        of.of_key("10.0.0.1"),
        of.of_peer("127.0.0.1", (), "10.0.0.1"),
        of.of_peer("10.0.0.1"),
        of.of_peer("anthropic"),
        of.of_peer("160.79.104.1"),
        of.of_peer(None),
    ]
    assert len({caller.digest for caller in callers}) == len(callers)


def test_a_digest_depends_on_the_key_and_says_nothing_of_the_caller() -> None:
    # hosting A72 (part)
    one, other = identities().of_peer("203.0.113.9"), identities(secret=b"t" * 32).of_peer("203.0.113.9")
    assert len(one.digest) == 16
    assert one.digest != other.digest
    assert identities().of_peer("203.0.113.9") == one
    for held in (one, identities().of_peer("127.0.0.1", (), "my-tag")):
        assert not {"203.0.113.9", "my-tag"} & {text for text in gc.get_referents(held) if isinstance(text, str)}


def test_a_key_holder_is_known_by_the_id_and_carries_own_limits() -> None:
    holder = identities().of_key("abcd1234", {"per_minute": 7})
    assert holder == Caller("key", identities().of_key("abcd1234").digest, "abcd1234", {"per_minute": 7})


def test_tiers_that_share_an_address_are_found() -> None:
    tiers = EgressTiers(
        {"one": [ip_network("10.0.0.0/8")], "two": [ip_network("10.1.0.0/16")], "six": [ip_network("2001:db8::/32")]}
    )
    assert list(tiers.overlaps()) == [("one", "two")]
    assert list(tiers.overlapping([ip_network("2001:db8:1::/48")])) == ["six"]
