"""API keys: what is a valid one, and the file that holds them while the service runs."""

import logging
import os
import stat
from pathlib import Path

import pytest

from core.clock import ManualClock
from core.errors import OperatorError
from server.limits.callers import Callers, CredentialRefused
from server.limits.egress import EgressTiers
from server.limits.identity import Identities
from server.limits.key_file import FollowedKeys, read_keys, write_keys
from server.limits.keys import ApiKey, BadKeyRecord, KeyRing, key_line, new_key, parse_keys, parse_time
from server.peers import PeerTrust

pytestmark = pytest.mark.anyio

IDENTITIES = Identities(peers=PeerTrust(), tiers=EgressTiers({}), secret=b"s" * 32)
LIMITS = {"per_minute": 7, "concurrent": 2, "semantic_daily": 9}


def made(label: str = "desk", *, expires_s: float | None = None, **limits: int) -> tuple[str, ApiKey]:
    return new_key(label, 1_000.0, expires_s=expires_s, limits=limits)


def bearer(clear: str) -> list[bytes]:
    return [f"Bearer {clear}".encode()]


def test_a_key_is_found_by_what_its_holder_sends() -> None:
    clear, key = made()
    ring = KeyRing([key, made()[1]])
    assert ring.holder(bearer(clear), 2_000) is key
    assert ring.holder([f"bEARER   {clear}".encode()], 2_000) is key
    assert len(ring) == 2


def test_no_other_credential_is_a_key() -> None:
    # hosting A68 (part)
    clear, key = made()
    ring = KeyRing([key])
    wrong = [
        made()[0],
        clear[:-1],
        clear + "A",
        clear.replace("pdk_", "pdx_"),
        "",
        "pdk_" + "é" * 43,
    ]
    lines = [*map(bearer, wrong), [clear.encode()], [f"Basic {clear}".encode()], [*bearer(clear), *bearer(clear)], []]
    assert [ring.holder(line, 2_000) for line in lines] == [None] * len(lines)


def test_an_expired_and_a_revoked_key_are_valid_no_more() -> None:
    # hosting A68 (part)
    clear, key = made(expires_s=2_000.0)
    assert KeyRing([key]).holder(bearer(clear), 1_999.9) is key
    assert KeyRing([key]).holder(bearer(clear), 2_000.0) is None
    revoked = ApiKey(key.key_id, key.sha256, key.label, key.created_s, None, 1_500.0)
    assert KeyRing([revoked]).holder(bearer(clear), 1_600.0) is None


def test_a_record_is_written_as_it_is_read_and_holds_no_clear_key() -> None:
    # hosting A72 (part)
    clear, key = made("für jemanden", expires_s=1_800_000_000.0, **LIMITS)
    line = key_line(key)
    assert parse_keys(f"\n{line}\n") == (key,)
    assert clear not in line and clear[4:] not in line
    assert (len(clear), clear[:4], len(key.key_id)) == (47, "pdk_", 8)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:00:10Z", 10),
        ("1970-01-01T01:00:10+01:00", 10),
        ("1970-01-02", 86_400),
        ("1970-01-01T00:00:10", 10),
    ],
)
def test_times_are_utc_unless_they_say_otherwise(text: str, seconds: float) -> None:
    assert parse_time(text) == seconds


GOOD = '{"key_id":"abcd1234","sha256":"' + "a" * 64 + '","label":"x","created":"2026-01-01"'


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "line 1: it is no JSON"),
        ("[]", "line 1: it is no object with members from created, expires, key_id, label, limits, revoked, sha256"),
        (
            f'{GOOD},"expries":"2026-01-01"}}',
            "line 1: it is no object with members from created, expires, key_id, label, limits, revoked, sha256",
        ),
        (GOOD.replace("abcd1234", "abcd") + "}", "line 1: key_id has 8 letters and digits"),
        (GOOD.replace("aaaa", "AAAA") + "}", "line 1: sha256 has 64 hex digits in lower case"),
        (GOOD.replace('"x"', '""') + "}", "line 1: a label has 1 to 100 printable characters"),
        (GOOD.replace('"2026-01-01"', "5") + "}", "line 1: write a time such as 2026-01-31T00:00:00Z"),
        (f'{GOOD},"revoked":true}}', "line 1: write a time such as 2026-01-31T00:00:00Z"),
        (f'{GOOD},"limits":[]}}', "line 1: limits is an object of budgets and numbers"),
        (f'{GOOD},"limits":{{"per_minute":0}}}}', "line 1: per_minute is a whole number from 1 to 10000"),
        (f'{GOOD},"limits":{{"per_minute":true}}}}', "line 1: per_minute is a whole number from 1 to 10000"),
        (f'{GOOD},"limits":{{"per_minute":10001}}}}', "line 1: per_minute is a whole number from 1 to 10000"),
        (
            f'{GOOD},"limits":{{"global":9}}}}',
            "line 1: there is no such budget; the budgets are per_minute, catalog_semantic_per_minute,"
            " semantic_per_minute, semantic_daily, concurrent, api_per_minute",
        ),
        (f"{GOOD}}}\n{GOOD}}}", "two lines have the same key_id"),
        (f"{GOOD}}}\n{GOOD.replace('abcd1234', 'abcd9999')}}}", "two lines have the same sha256"),
        (f"{GOOD}}}\n\nnonsense", "line 3: it is no JSON"),
    ],
)
def test_a_line_that_is_no_record_is_named(line: str, problem: str) -> None:
    with pytest.raises(BadKeyRecord) as caught:
        parse_keys(line)
    assert str(caught.value) == problem


def test_a_file_is_replaced_whole_for_its_owner_and_keeps_its_group(tmp_path: Path) -> None:
    path = tmp_path / "keys.jsonl"
    first, second = made("first")[1], made("second")[1]
    write_keys(path, [first])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o664)
    write_keys(path, [first, second])
    assert (stat.S_IMODE(path.stat().st_mode), read_keys(path)) == (0o640, (first, second))
    assert os.listdir(tmp_path) == ["keys.jsonl"]


def test_a_file_that_cannot_be_read_or_written_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="paperdesk keys new"):
        read_keys(tmp_path / "none")
    with pytest.raises(OperatorError, match="cannot be written"):
        write_keys(tmp_path / "no" / "folder", [])
    (tmp_path / "broken").write_text("{")
    with pytest.raises(OperatorError, match="is broken: line 1: it is no JSON"):
        FollowedKeys(tmp_path / "broken", ManualClock())


async def test_a_changed_file_is_in_force_within_ten_seconds(tmp_path: Path) -> None:
    # hosting A68 (part)
    path, clock = tmp_path / "keys.jsonl", ManualClock()
    clear, key = made()
    write_keys(path, [key])
    keys = FollowedKeys(path, clock)
    callers = Callers(IDENTITIES, clock, keys=keys, anonymous=True)
    clock.advance(4)
    caller = await callers.find("203.0.113.9", (), None, bearer(clear))
    assert (caller.kind, caller.name) == ("key", key.key_id)
    write_keys(path, [ApiKey(key.key_id, key.sha256, key.label, key.created_s, revoked_s=clock.now_s())])
    clock.advance(9.9)
    with pytest.raises(CredentialRefused) as caught:
        await callers.find("203.0.113.9", (), None, bearer(clear))
    assert caught.value.caller == IDENTITIES.of_peer("203.0.113.9")


@pytest.mark.parametrize("damage", ["{", None])
async def test_a_broken_or_missing_file_keeps_the_old_keys_and_is_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: str | None
) -> None:
    path, clock = tmp_path / "keys.jsonl", ManualClock()
    clear, key = made()
    write_keys(path, [key])
    caplog.set_level(logging.INFO)
    keys = FollowedKeys(path, clock)
    path.unlink()
    if damage is not None:
        path.write_text(damage)
        path.chmod(0o600)
    for _ in range(5):
        clock.advance(10)
        assert (await keys.current()).holder(bearer(clear), clock.now_s()) == key
    assert [record.getMessage() for record in caplog.records] == ["key_file=broken: the keys read before stay in force"]
    other_clear, other = made()
    write_keys(path, [key, other])
    clock.advance(10)
    assert (await keys.current()).holder(bearer(other_clear), clock.now_s()) == other
    assert caplog.records[-1].getMessage() == "key_file=read keys=2"
    assert str(path) not in caplog.text


async def test_a_file_that_could_not_be_read_is_read_once_it_can_be(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, clock = tmp_path / "keys.jsonl", ManualClock()
    clear, key = made()
    write_keys(path, [key])
    caplog.set_level(logging.INFO)
    keys = FollowedKeys(path, clock)
    write_keys(path, [ApiKey(key.key_id, key.sha256, key.label, key.created_s, revoked_s=clock.now_s())])

    def forbidden(*_: object, **__: object) -> str:
        raise PermissionError

    with monkeypatch.context() as without_rights:
        without_rights.setattr(Path, "read_text", forbidden)
        for _ in range(3):
            clock.advance(10)
            assert (await keys.current()).holder(bearer(clear), clock.now_s()) == key
    # Its rights come back, and nothing else of the file changes.
    clock.advance(10)
    assert (await keys.current()).holder(bearer(clear), clock.now_s()) is None
    assert [record.getMessage() for record in caplog.records] == [
        "key_file=broken: the keys read before stay in force",
        "key_file=read keys=1",
    ]


def test_a_file_that_everybody_can_read_is_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "keys.jsonl"
    write_keys(path, [made()[1]])
    FollowedKeys(path, ManualClock())
    assert caplog.records == []
    path.chmod(0o644)
    FollowedKeys(path, ManualClock())
    [record] = caplog.records
    assert (record.levelname, record.getMessage()) == (
        "WARNING",
        "key_file=public: everybody on this machine can read it; take that right away with chmod o-r",
    )


async def test_without_any_key_a_credential_is_ignored(tmp_path: Path) -> None:
    # hosting A68 (part)
    path, clock = tmp_path / "keys.jsonl", ManualClock()
    write_keys(path, [])
    for keys in (None, FollowedKeys(path, clock)):
        callers = Callers(IDENTITIES, clock, keys=keys, anonymous=True)
        assert await callers.find("203.0.113.9", (), None, [b"Basic x"]) == IDENTITIES.of_peer("203.0.113.9")


async def test_where_a_key_is_demanded_nobody_else_is_served(tmp_path: Path) -> None:
    path, clock = tmp_path / "keys.jsonl", ManualClock()
    clear, key = made(**LIMITS)
    write_keys(path, [key])
    callers = Callers(IDENTITIES, clock, keys=FollowedKeys(path, clock), anonymous=False)
    with pytest.raises(CredentialRefused):
        await callers.find("203.0.113.9", (), None, [])
    assert await callers.find("203.0.113.9", (), None, bearer(clear)) == IDENTITIES.of_key(key.key_id, LIMITS)
