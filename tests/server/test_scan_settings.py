"""Settings of scans: what they come to, what stops a start, where scans lie, and a store that cannot be written to."""

import logging
from pathlib import Path
from typing import Any

import anyio
import platformdirs
import pytest

from core.clock import ManualClock
from core.errors import SettingsError, StoreUnavailable
from core.scan.engine.configuration import EngineSettings
from core.scan.engine.service import Scans
from core.scan.stores.memory import MemoryShelf
from core.scan.stores.redis import RedisShelf
from core.scan.stores.sqlite import SqliteShelf
from server.scan_desk import STORE_FILE, open_store
from server.settings import Settings, parse_settings
from tests.scan_service import OLD, ScanClient, fresh_id, serve_scans
from tests.scan_world import World, WorldLiterature

SECRET = "s" * 40
KEYS = ("k" * 40, "j" * 40)
SHARED = "redis://:planted@store.test:6379/0"
SOURCES = ("catalog", "openalex", "s2", "arxiv", "crossref")


def parsed(serving: bool = True, **values: str) -> Settings:
    return parse_settings({f"PAPERDESK_{name.upper()}": value for name, value in values.items()}, serving=serving)


def test_without_settings_scans_are_as_the_contract_says() -> None:
    settings = parsed()
    assert "scan" in settings.toolsets
    assert (settings.scan_store, settings.scan_sources, settings.scan_wait_s) == ("sqlite:", SOURCES, 25)
    assert (settings.scan_ttl_anonymous_s, settings.scan_ttl_key_s) == (259_200, 2_592_000)
    assert (settings.scan_max_open, settings.scan_max_jobs) == (5, 2)
    assert (settings.scan_secret, settings.scan_encryption_keys) == ("", ())


@pytest.mark.parametrize(
    ("name", "value", "meant"),
    [
        ("scan_store", "memory:", "memory:"),
        ("scan_store", "sqlite:/srv/scans.db", "sqlite:/srv/scans.db"),
        ("scan_store", "sqlite:scans.db", "sqlite:scans.db"),
        ("scan_sources", "catalog", ("catalog",)),
        ("scan_sources", "crossref, catalog,s2", ("catalog", "s2", "crossref")),
        ("scan_wait_s", "0", 0),
        ("scan_wait_s", "60", 60),
        ("scan_ttl_anonymous_s", "60", 60),
        ("scan_ttl_key_s", "31536000", 31_536_000),
        ("scan_max_open", "1", 1),
        ("scan_max_jobs", "8", 8),
        ("scan_secret", SECRET, SECRET),
        ("scan_encryption_keys", ",".join(KEYS), KEYS),
        ("scan_encryption_keys", "\n".join(KEYS), KEYS),
    ],
)
def test_a_good_value_is_taken(name: str, value: str, meant: Any) -> None:
    assert getattr(parsed(**{name: value}), name) == meant


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("scan_store", "postgres://store.test/scans"),
        ("scan_store", "scans.db"),
        ("scan_store", "redis://"),
        ("scan_store", "redis://:planted@store.test/scans"),
        ("scan_sources", "pubmed"),
        ("scan_sources", "catalog,semantic_scholar"),
        ("scan_wait_s", "61"),
        ("scan_wait_s", "-1"),
        ("scan_wait_s", "soon"),
        ("scan_ttl_anonymous_s", "59"),
        ("scan_ttl_key_s", "31536001"),
        ("scan_max_open", "0"),
        ("scan_max_jobs", "9"),
        ("scan_secret", "planted"),
        ("scan_encryption_keys", f"{KEYS[0]},planted"),
        ("scan_encryption_keys", f"{KEYS[0]},{KEYS[0]}"),
    ],
)
def test_a_bad_value_stops_the_start_and_is_not_repeated(name: str, value: str) -> None:
    with pytest.raises(SettingsError) as raised:
        parsed(**{name: value})
    [problem] = raised.value.problems
    assert problem.startswith(f"PAPERDESK_{name.upper()}: ") and problem.endswith(".")
    assert "planted" not in problem and KEYS[0] not in problem


def test_secrets_may_come_from_files_and_are_in_no_repr(tmp_path: Path) -> None:
    # scan A75
    given = {"scan_store": SHARED, "scan_secret": SECRET, "scan_encryption_keys": "\n".join(KEYS)}
    for name, value in given.items():
        (tmp_path / name).write_text(f"{value}\n")
    settings = parsed(**{f"{name}_file": str(tmp_path / name) for name in given})
    assert (settings.scan_store, settings.scan_secret, settings.scan_encryption_keys) == (SHARED, SECRET, KEYS)
    assert settings == parsed(**given)
    assert not any(secret in repr(settings) for secret in ("planted", SECRET, *KEYS))


def problems(**values: str) -> list[str]:
    with pytest.raises(SettingsError) as raised:
        parsed(**values)
    return list(raised.value.problems)


def test_a_shared_store_needs_a_secret_that_all_have() -> None:
    [problem] = problems(scan_store=SHARED)
    assert problem.startswith("PAPERDESK_SCAN_SECRET is needed when PAPERDESK_SCAN_STORE names a shared store")
    assert "planted" not in problem
    assert parsed(scan_store=SHARED, scan_secret=SECRET).scan_store == SHARED
    assert parsed(scan_store=SHARED, toolsets="catalog").scan_store == SHARED


def test_several_workers_need_a_store_that_all_see() -> None:
    shared = {"limits_url": SHARED, "identity_key": SECRET, "cursor_keys": SECRET, "workers": "2"}
    [problem] = problems(scan_store="memory:", **shared)
    assert problem.startswith("PAPERDESK_WORKERS above 1 needs a store of scans that all of them share")
    assert parsed(scan_store="sqlite:/srv/scans.db", **shared).workers == 2
    assert parsed(scan_store="memory:", toolsets="catalog", **shared).workers == 2


@pytest.mark.anyio
async def test_scans_lie_where_the_setting_says_and_by_default_in_the_state_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platformdirs, "user_state_path", lambda name: tmp_path / name)
    store = open_store(parsed(), ManualClock())
    assert not (tmp_path / "paperdesk").is_dir()
    await store.secret()
    assert (tmp_path / "paperdesk" / STORE_FILE).is_file()
    await store.aclose()
    kinds = {
        "memory:": MemoryShelf,
        f"sqlite:{tmp_path / 'deep' / 'scans.db'}": SqliteShelf,
        SHARED: RedisShelf,
    }
    for address, kind in kinds.items():
        opened: Any = open_store(parsed(scan_store=address, scan_secret=SECRET), ManualClock())
        assert (isinstance(opened._shelf, kind), opened.is_encrypted) == (True, False)
        await opened.aclose()
    assert open_store(parsed(scan_encryption_keys=KEYS[0]), ManualClock()).is_encrypted


@pytest.fixture
def unwritable(tmp_path: Path) -> str:
    """A store where no file can be made, whoever the tests run as."""
    (tmp_path / "file").write_text("in the way")
    return f"sqlite:{tmp_path / 'file' / 'state' / 'scans.db'}"


def test_a_store_that_cannot_be_written_to_stops_no_start(sample_directory: Path, unwritable: str) -> None:
    with serve_scans(sample_directory, scan_store=unwritable, toolsets="catalog,scan") as http:
        assert http.get("/health").json()["status"] == "ok"
        client = ScanClient(http)
        scan_id = fresh_id()
        for told in (client.start(scan_id), client.call("scan_result", scan_id=scan_id)):
            assert (told["status"], told["payload"]["code"]) == ("failed", "store_unavailable")
            assert (told["payload"]["recovery"], told["payload"]["retry_after_ms"] > 0) == ("retry_same_call", True)
        gone = client.delete(scan_id)
        assert (gone.status_code, gone.json()["error"], gone.headers["retry-after"]) == (503, "store_unavailable", "1")
        read = client.read(f"scan-run://{scan_id}/evidence.json")["error"]
        assert "store of scans does not answer" in read["message"]
        papers = ScanClient(http, OLD, path="/mcp").raw("search_papers", {"query": "attention"})
        assert papers["result"]["isError"] is False


@pytest.mark.anyio
async def test_trouble_with_the_store_is_logged_once_for_each_change(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "paperdesk.scan")
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    settings = parsed(scan_store=f"sqlite:{blocked / 'scans.db'}")
    clock = ManualClock()
    store = open_store(settings, clock)
    with pytest.raises(StoreUnavailable):
        await store.secret()
    looks = 0

    async def sleep(_: float) -> None:
        nonlocal looks
        looks += 1
        if looks == 5:
            blocked.unlink()
        if looks == 10:
            raise anyio.get_cancelled_exc_class()

    scans = Scans(store, WorldLiterature(World()), clock, EngineSettings(), version="1", sleep=sleep)
    with pytest.raises(anyio.get_cancelled_exc_class()):
        await scans.run()
    await scans.close()
    lines = [record.getMessage() for record in caplog.records]
    assert [line.partition(" at=")[0] for line in lines] == ["scan_look error=StoreUnavailable", "scan_look well"]
