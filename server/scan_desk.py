"""Opens the scan room: its store, its quotas, and whom a call is made for (scan contract 10.1, 10.6)."""

import hashlib
from collections.abc import Callable

import platformdirs

from core.clock import Clock
from core.scan.engine.configuration import EngineSettings
from core.scan.engine.desk import ScanDesk
from core.scan.engine.service import Scans
from core.scan.engine.who import Who
from core.scan.searching.port import Literature
from core.scan.stores.opening import open_scan_store
from core.scan.stores.port import ScanStore
from server import __version__
from server.exchange import current_exchange
from server.settings import Settings

ANONYMOUS = "anonymous"
"""The scope of all who have no key: there the scan's id is itself the secret."""

PROCESS = "process"
WAIT_MAX_S = 35.0
"""A call that waited for longer could not answer before its deadline."""
KEY_OPEN, KEY_JOBS = 20, 4
TIER_OPEN = 100
STORE_FILE = "scans.db"


def open_scans(settings: Settings, literature: Literature, clock: Clock) -> ScanDesk:
    """The room over its store; nothing is asked and no file is made yet. Raises `OperatorError`."""
    engine = EngineSettings(
        wait_s=min(settings.scan_wait_s, WAIT_MAX_S),
        ttl_anonymous_s=settings.scan_ttl_anonymous_s,
        ttl_key_s=settings.scan_ttl_key_s,
        jobs_anonymous=settings.scan_max_jobs,
        jobs_key=max(KEY_JOBS, settings.scan_max_jobs),
        secret=settings.scan_secret.encode() or None,
        seals=bool(settings.scan_encryption_keys),
    )
    scans = Scans(open_store(settings, clock), literature, clock, engine, version=__version__)
    return ScanDesk(scans, present_who(settings.scan_max_open, settings.scan_max_jobs))


def open_store(settings: Settings, clock: Clock) -> ScanStore:
    """The store that the settings name: by default a file in the user's state directory. Raises `OperatorError`."""
    address = settings.scan_store
    if address == "sqlite:":
        address += str(platformdirs.user_state_path("paperdesk") / STORE_FILE)
    # A key of any length gives one of the size that the cipher takes.
    keys = [hashlib.sha256(key.encode()).digest() for key in settings.scan_encryption_keys]
    return open_scan_store(address, clock, keys)


def present_who(open_max: int, jobs_max: int) -> Callable[[], Who]:
    """Tells for whom the present request is made; the quotas given are those of callers without a key."""

    def who() -> Who:
        exchange = current_exchange.get()
        caller = None if exchange is None else exchange.caller
        if caller is None:
            return Who(ANONYMOUS, PROCESS, is_key=False, open_max=open_max, jobs_max=jobs_max)
        owner = caller.digest.hex()
        if caller.kind == "key":
            key_open, key_jobs = max(KEY_OPEN, open_max), max(KEY_JOBS, jobs_max)
            return Who(f"key:{caller.name}", owner, is_key=True, open_max=key_open, jobs_max=key_jobs)
        most = max(TIER_OPEN, open_max) if caller.kind == "tier" else open_max
        return Who(ANONYMOUS, owner, is_key=False, open_max=most, jobs_max=jobs_max)

    return who
