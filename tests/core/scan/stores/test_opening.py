"""The store of scans that a setting names."""

from pathlib import Path

import pytest

from core.clock import ManualClock
from core.errors import OperatorError, StoreUnavailable
from core.scan.stores.opening import open_scan_store
from core.scan.stores.port import Stored, scan_key
from tests.stores import free_port

pytestmark = pytest.mark.anyio

KEY = scan_key("anonymous", "one")
STORED = Stored(b"{}", "retrieve", is_owed=True, is_open=True, owner="ann", expires_at_s=2e9)


def test_the_same_id_in_two_scopes_is_two_scans() -> None:
    # scan A72
    keys = {scan_key(scope, name) for scope in ("", "key-a", "key-b") for name in ("one", "other")}
    assert len(keys) == 6
    assert {len(key) for key in keys} == {64}


@pytest.mark.parametrize("form", ["memory:", "sqlite:{}/scans.db"])
async def test_a_scan_is_kept_where_the_setting_says(form: str, tmp_path: Path) -> None:
    store = open_scan_store(form.format(tmp_path), ManualClock(), [b"k" * 32])
    assert await store.create(KEY, STORED, {"a.json": b"a"})
    assert await store.read(KEY, "a.json", 1) == b"a"
    assert (tmp_path / "scans.db").is_file() == form.startswith("sqlite")
    await store.aclose()


@pytest.mark.parametrize("scheme", ["redis", "valkey"])
async def test_a_server_that_is_not_there_is_unavailable(scheme: str) -> None:
    store = open_scan_store(f"{scheme}://:planted@127.0.0.1:{free_port()}/0", ManualClock())
    with pytest.raises(StoreUnavailable) as caught:
        await store.load(KEY)
    assert caught.value.message == "The store of scans does not answer. Repeat the call later."
    await store.aclose()


@pytest.mark.parametrize("address", ["", "memory", "sqlite:", "scans.db", "http://localhost"])
def test_another_address_is_refused_with_the_forms_there_are(address: str) -> None:
    with pytest.raises(OperatorError, match=r"sqlite:PATH, redis://host:6379/0 or memory:"):
        open_scan_store(address, ManualClock())


def test_an_address_that_cannot_be_read_names_the_store() -> None:
    with pytest.raises(OperatorError, match="The store of scans has an address that cannot be read"):
        open_scan_store("redis://127.0.0.1:port/0", ManualClock())
