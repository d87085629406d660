"""Settings of identity and limits: what is a value, what contradicts what, and what stays secret."""

from ipaddress import ip_network
from typing import Any

import pytest

from core.clock import ManualClock
from core.errors import OperatorError, SettingsError
from server.bootstrap import budgets_of, open_limits
from server.limits.identity import Caller
from server.limits.memory import MemoryWindows
from server.limits.shared import SharedWindows
from server.settings import Settings, parse_settings

KEY = "k" * 16
IDENTITY_KEY = "planted-identity-key-of-32-characters"
URL = "redis://:planted-password@store.example.org:6380/2"
SHARED = {"PAPERDESK_LIMITS_URL": URL, "PAPERDESK_IDENTITY_KEY": IDENTITY_KEY, "PAPERDESK_CURSOR_KEYS": KEY}

ANONYMOUS = {
    "PAPERDESK_LIMIT_PER_MINUTE": ("PWC_MCP_REQUEST_LIMIT", 60),
    "PAPERDESK_LIMIT_CATALOG_SEMANTIC_PER_MINUTE": ("PWC_MCP_SEMANTIC_LIMIT", 10),
    "PAPERDESK_LIMIT_CONCURRENT": ("PWC_MCP_CONCURRENCY_LIMIT", 4),
    "PAPERDESK_LIMIT_GLOBAL_CONCURRENT": ("PWC_MCP_GLOBAL_CONCURRENCY_LIMIT", 128),
}
FURTHER = {
    "PAPERDESK_LIMIT_API_PER_MINUTE": 300,
    "PAPERDESK_KEY_LIMIT_PER_MINUTE": 300,
    "PAPERDESK_KEY_LIMIT_CATALOG_SEMANTIC_PER_MINUTE": 50,
    "PAPERDESK_KEY_LIMIT_CONCURRENT": 8,
    "PAPERDESK_KEY_LIMIT_API_PER_MINUTE": 3_000,
    "PAPERDESK_SHARED_LIMIT_PER_MINUTE": 1_200,
    "PAPERDESK_SHARED_LIMIT_CATALOG_SEMANTIC_PER_MINUTE": 200,
    "PAPERDESK_SHARED_LIMIT_CONCURRENT": 32,
    "PAPERDESK_SHARED_LIMIT_API_PER_MINUTE": 3_000,
}
ALL_LIMITS = [*ANONYMOUS, *FURTHER]


def problems(environment: dict[str, str], **more: Any) -> tuple[str, ...]:
    with pytest.raises(SettingsError) as caught:
        parse_settings(environment, **more)
    return caught.value.problems


def value(settings: Settings, name: str) -> Any:
    return getattr(settings, name.removeprefix("PAPERDESK_").lower())


def test_the_defaults_are_those_of_the_contract() -> None:
    settings = parse_settings({})
    assert {name: value(settings, name) for name in ALL_LIMITS} == {
        **{name: default for name, (_, default) in ANONYMOUS.items()},
        **FURTHER,
    }
    assert (settings.trusted_proxy_cidrs, settings.trust_loopback, settings.anonymous) == ((), True, True)
    assert (settings.limits_url, settings.identity_key, settings.keys_file, settings.workers) == ("memory:", "", "", 1)
    assert settings.shared_egress.tiers == {
        "anthropic": (ip_network("160.79.104.0/21"), ip_network("2607:6bc0::/48")),
    }


@pytest.mark.parametrize("name", ALL_LIMITS)
@pytest.mark.parametrize("bad", ["0", "-4", "abc", "10001", "1.5"])
def test_a_limit_is_a_whole_number_from_1_to_10000(name: str, bad: str) -> None:
    # hosting A69
    assert problems({name: bad}) == (f"{name}: write a whole number from 1 to 10000.",)


@pytest.mark.parametrize("name", ALL_LIMITS)
def test_a_limit_is_read_up_to_its_bounds(name: str) -> None:
    assert [value(parse_settings({name: text}), name) for text in ("1", "10000")] == [1, 10_000]


@pytest.mark.parametrize(("name", "alias"), [(name, alias) for name, (alias, _) in ANONYMOUS.items()])
def test_an_older_name_works_and_a_contradiction_stops_the_start(name: str, alias: str) -> None:
    # hosting A69
    assert value(parse_settings({alias: "7"}), name) == 7
    assert value(parse_settings({alias: "7", name: "7"}), name) == 7
    assert problems({alias: "7", name: "8"}) == (f"{name} and {alias} are both set, to different values; keep one.",)


def test_all_problems_of_limits_appear_together() -> None:
    # hosting A69
    found = problems(
        {
            "PAPERDESK_LIMIT_PER_MINUTE": "0",
            "PWC_MCP_CONCURRENCY_LIMIT": "-4",
            "PAPERDESK_KEY_LIMIT_API_PER_MINUTE": "abc",
            "PAPERDESK_LIMIT_GLOBAL_CONCURRENT": "10001",
            "PAPERDESK_TRUSTED_PROXY_CIDRS": "10.0.0.1/8",
            "PAPERDESK_SHARED_EGRESS": "nobody",
            "PAPERDESK_LIMITS_URL": "http://planted-secret",
            "PAPERDESK_IDENTITY_KEY": "short-secret",
            "PAPERDESK_WORKERS": "0",
            "PAPERDESK_ANONYMOUS": "maybe",
        }
    )
    assert [problem.partition(":")[0].removeprefix("PAPERDESK_") for problem in found] == [
        "TRUSTED_PROXY_CIDRS",
        "SHARED_EGRESS",
        "LIMIT_PER_MINUTE",
        "LIMIT_CONCURRENT",
        "KEY_LIMIT_API_PER_MINUTE",
        "LIMIT_GLOBAL_CONCURRENT",
        "LIMITS_URL",
        "IDENTITY_KEY",
        "ANONYMOUS",
        "WORKERS",
    ]
    assert "secret" not in "".join(found)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("0.0.0.0/0", "'0.0.0.0/0' is every address there is; name the ranges that are meant"),
        ("10.0.0.0/8,::/0", "'::/0' is every address there is; name the ranges that are meant"),
        ("10.0.0.1/8", "'10.0.0.1/8' is no address range; write it such as 10.0.0.0/8 or 2001:db8::/48"),
        ("10.0.0.0/8,", "'' is no address range; write it such as 10.0.0.0/8 or 2001:db8::/48"),
        ("proxy.example.org", "'proxy.example.org' is no address range; write it such as 10.0.0.0/8 or 2001:db8::/48"),
        ("::ffff:10.0.0.0/104", "'::ffff:10.0.0.0/104' holds IPv4 addresses; write those as IPv4"),
    ],
)
def test_trusted_ranges_are_ranges_and_never_everything(text: str, problem: str) -> None:
    assert problems({"PAPERDESK_TRUSTED_PROXY_CIDRS": text}) == (f"PAPERDESK_TRUSTED_PROXY_CIDRS: {problem}.",)


def test_trusted_ranges_have_an_older_name() -> None:
    settings = parse_settings({"PWC_MCP_TRUSTED_PROXY_CIDRS": "10.0.0.0/8, 2001:db8::/48"})
    assert settings.trusted_proxy_cidrs == (ip_network("10.0.0.0/8"), ip_network("2001:db8::/48"))


@pytest.mark.parametrize("text", ["nobody", "=10.0.0.0/8", "A b=10.0.0.0/8", "a=10.0.0.0/8;a=11.0.0.0/8", "a=", "a;"])
def test_a_table_of_shared_egress_of_another_form_is_refused(text: str) -> None:
    assert problems({"PAPERDESK_SHARED_EGRESS": text}) == (
        "PAPERDESK_SHARED_EGRESS: write name=range,range;name=range, each name once, in small letters, digits and"
        " hyphens.",
    )


def test_an_empty_table_of_shared_egress_switches_it_off() -> None:
    assert parse_settings({"PAPERDESK_SHARED_EGRESS": ""}).shared_egress.names == ()
    named = parse_settings({"PAPERDESK_SHARED_EGRESS": "one=10.0.0.0/8; two = 2001:db8::/48 , 11.0.0.0/8"})
    assert named.shared_egress.tiers == {
        "one": (ip_network("10.0.0.0/8"),),
        "two": (ip_network("2001:db8::/48"), ip_network("11.0.0.0/8")),
    }


def test_ranges_that_overlap_stop_the_start() -> None:
    assert problems({"PAPERDESK_SHARED_EGRESS": "one=10.0.0.0/8;two=10.1.0.0/16"}) == (
        "PAPERDESK_SHARED_EGRESS: one and two share addresses; each address belongs to one name.",
    )
    assert problems({"PAPERDESK_SHARED_EGRESS": "one=10.0.0.0/8", "PAPERDESK_TRUSTED_PROXY_CIDRS": "10.1.0.0/16"}) == (
        "PAPERDESK_SHARED_EGRESS and PAPERDESK_TRUSTED_PROXY_CIDRS share addresses of one; an address is either a"
        " proxy's or a caller's.",
    )


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("memory:", "memory:"),
        ("memory://", "memory:"),
        ("redis://localhost", "redis://localhost:6379"),
        ("redis://:pass@localhost/3", "redis://:pass@localhost:6379/3"),
        ("rediss://user:pass@store.example.org:6380/0", "rediss://user:pass@store.example.org:6380/0"),
        ("valkey://[::1]", "valkey://[::1]:6379"),
        ("valkeys://store.example.org:1?ssl_ca_certs=/ca", "valkeys://store.example.org:1?ssl_ca_certs=/ca"),
    ],
)
def test_a_store_has_an_address_with_its_port(given: str, kept: str) -> None:
    # hosting A71 (part)
    assert parse_settings({**SHARED, "PAPERDESK_LIMITS_URL": given}).limits_url == kept


@pytest.mark.parametrize(
    "text", ["memcached://x", "redis:", "redis://", "redis://x:port", "redis://x/db", "redis://x#y"]
)
def test_an_address_that_is_no_store_is_refused_and_not_shown(text: str) -> None:
    assert problems({**SHARED, "PAPERDESK_LIMITS_URL": text}) == (
        "PAPERDESK_LIMITS_URL: write memory:, or redis://, rediss://, valkey://, valkeys:// with host, port and"
        " database.",
    )


def test_several_workers_need_a_shared_store() -> None:
    # hosting A71
    assert problems(
        {"PAPERDESK_WORKERS": "2", "PAPERDESK_CURSOR_KEYS": KEY, "PAPERDESK_IDENTITY_KEY": IDENTITY_KEY}
    ) == (
        "PAPERDESK_WORKERS above 1 needs budgets that all of them share: set PAPERDESK_LIMITS_URL to a redis:// or"
        " valkey:// address, or serve with one worker.",
    )
    assert parse_settings({**SHARED, "PAPERDESK_WORKERS": "2"}).workers == 2
    assert parse_settings({"PAPERDESK_WORKERS": "2"}, serving=False).workers == 2


def test_a_shared_store_needs_an_identity_key_and_cursor_keys() -> None:
    # hosting A71
    assert problems({"PAPERDESK_LIMITS_URL": URL}) == (
        "PAPERDESK_CURSOR_KEYS is needed when PAPERDESK_LIMITS_URL names a shared store: set it, or"
        " PAPERDESK_CURSOR_KEYS_FILE, to a random text of at least 16 characters.",
        "PAPERDESK_IDENTITY_KEY is needed when PAPERDESK_LIMITS_URL names a shared store, so that all processes know a"
        " caller alike: set it, or PAPERDESK_IDENTITY_KEY_FILE, to a random text of at least 32 characters.",
    )
    found = problems({"PAPERDESK_WORKERS": "3"})
    assert [problem.split(" is needed")[0].split(" above")[0] for problem in found] == [
        "PAPERDESK_WORKERS",
        "PAPERDESK_CURSOR_KEYS",
        "PAPERDESK_IDENTITY_KEY",
    ]


def test_demanding_keys_without_a_key_file_stops_the_start() -> None:
    assert problems({"PAPERDESK_ANONYMOUS": "false"}) == (
        "PAPERDESK_ANONYMOUS is false, so that nobody could call: set PAPERDESK_KEYS_FILE to a file that"
        " `paperdesk keys new` has made.",
    )


def test_secrets_come_from_files_and_are_in_no_repr() -> None:
    # hosting A83
    files = {"/run/url": URL, "/run/identity": f"{IDENTITY_KEY}\n", "/run/cursor": KEY}
    settings = parse_settings(
        {
            "PAPERDESK_LIMITS_URL_FILE": "/run/url",
            "PAPERDESK_IDENTITY_KEY_FILE": "/run/identity",
            "PAPERDESK_CURSOR_KEYS_FILE": "/run/cursor",
        },
        read_file=files.__getitem__,
    )
    assert (settings.limits_url, settings.identity_key, settings.cursor_keys) == (URL, IDENTITY_KEY, (KEY,))
    for secret in ("planted", KEY, "store.example.org"):
        assert secret not in repr(settings)
        assert secret not in repr(open_limits(settings, ManualClock()))


def test_settings_become_budgets_with_the_workers_share_of_the_ceiling() -> None:
    settings = parse_settings(
        {
            **SHARED,
            "PAPERDESK_WORKERS": "3",
            "PAPERDESK_LIMIT_PER_MINUTE": "1",
            "PAPERDESK_KEY_LIMIT_PER_MINUTE": "2",
            "PAPERDESK_SHARED_LIMIT_CONCURRENT": "3",
        }
    )
    budgets = budgets_of(settings)
    told = [budgets.of(Caller(kind, b"")) for kind in ("tag", "key", "tier")]
    assert [(numbers["per_minute"], numbers["concurrent"]) for numbers in told] == [(1, 4), (2, 8), (1_200, 3)]
    assert budgets.ceiling == 42


def test_the_store_that_is_named_is_the_one_that_is_opened() -> None:
    assert isinstance(open_limits(parse_settings({}), ManualClock()).limiter.windows, MemoryWindows)
    assert isinstance(open_limits(parse_settings(SHARED), ManualClock()).limiter.windows, SharedWindows)


def test_a_key_file_that_is_not_there_stops_the_start() -> None:
    with pytest.raises(OperatorError, match="The key file /no/keys cannot be read"):
        open_limits(parse_settings({"PAPERDESK_KEYS_FILE": "/no/keys"}), ManualClock())


def test_trust_is_as_set() -> None:
    settings = parse_settings({"PAPERDESK_TRUST_LOOPBACK": "false", "PAPERDESK_TRUSTED_PROXY_CIDRS": "10.0.0.0/8"})
    peers = open_limits(settings, ManualClock()).peers
    assert [peers.is_trusted(host) for host in ("127.0.0.1", "10.1.2.3")] == [False, True]
