"""All settings of the service: one pure parser over a mapping, one frozen value.

Every problem is reported at once. A variable with our prefix that is no setting stops the start.
"""

import difflib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from core.errors import SettingsError
from server.allowlists import HostList, OriginList, parse_hosts, parse_origins
from server.limits.egress import EgressTiers
from server.local_mode import problems_of_local_mode
from server.peers import Network
from server.setting_table import LIMIT_NAMES, PREFIX, SETTINGS, Setting
from server.setting_values import (
    MEMORY,
    MIN_IDENTITY_KEY_CHARACTERS,
    MIN_KEY_CHARACTERS,
    STORE_SCHEMES,
    BadValue,
    is_loopback_host,
)
from server.source_choices import problems_of_sources


@dataclass(frozen=True, slots=True)
class Settings:
    """The service's settings, checked. Secrets are left out of the repr; an empty `cursor_keys` means random ones."""

    host: str
    port: int
    public_url: str
    allowed_hosts: HostList
    allowed_origins: OriginList
    log_level: str
    toolsets: tuple[str, ...]
    namespace: str
    repository_url: str
    catalog_url: str
    read_chunk_bytes: int
    catalog_timeout_s: float
    public_metadata: str
    embedder: str
    evidence: str
    semantic_floor: float
    dispatcher: str
    serve_api: bool
    site_url: str
    trusted_proxy_cidrs: tuple[Network, ...]
    trust_loopback: bool
    shared_egress: EgressTiers
    limit_per_minute: int
    limit_catalog_semantic_per_minute: int
    limit_semantic_per_minute: int
    limit_semantic_daily: int
    limit_concurrent: int
    limit_api_per_minute: int
    key_limit_per_minute: int
    key_limit_catalog_semantic_per_minute: int
    key_limit_semantic_per_minute: int
    key_limit_semantic_daily: int
    key_limit_concurrent: int
    key_limit_api_per_minute: int
    shared_limit_per_minute: int
    shared_limit_catalog_semantic_per_minute: int
    shared_limit_semantic_per_minute: int
    shared_limit_semantic_daily: int
    shared_limit_concurrent: int
    shared_limit_api_per_minute: int
    limit_global_concurrent: int
    keys_file: str
    anonymous: bool
    workers: int
    sources_off: tuple[str, ...]
    sources_on: tuple[str, ...]
    source_urls: Mapping[str, str]
    source_min_gaps_ms: Mapping[str, int]
    allow_loopback_sources: bool
    oa_loopback_origins: tuple[str, ...]
    oa_extra_hosts: tuple[str, ...]
    oa_host_classes: tuple[str, ...]
    blocked_hosts: tuple[str, ...]
    offline: bool
    store: str
    local: bool
    scan_sources: tuple[str, ...]
    scan_wait_s: float
    scan_ttl_anonymous_s: int
    scan_ttl_key_s: int
    scan_max_open: int
    scan_max_jobs: int
    scan_store: str = field(repr=False)
    scan_secret: str = field(repr=False)
    scan_encryption_keys: tuple[str, ...] = field(repr=False)
    contact_email: str = field(repr=False)
    openalex_api_key: str = field(repr=False)
    ncbi_api_key: str = field(repr=False)
    s2_api_key: str = field(repr=False)
    embedder_key: str = field(repr=False)
    limits_url: str = field(repr=False)
    identity_key: str = field(repr=False)
    cursor_keys: tuple[str, ...] = field(repr=False)

    @property
    def has_shared_store(self) -> bool:
        """Whether budgets are counted outside this process."""
        return self.limits_url != MEMORY

    @property
    def prefix(self) -> str:
        """The path of the public URL, below which all routes live; empty for most."""
        return urlsplit(self.public_url).path.rstrip("/")


def limits_of(settings: Settings, prefix: str) -> dict[str, int]:
    """The limits whose settings start alike, by budget: `limit`, `key_limit` or `shared_limit`."""
    return {name: getattr(settings, f"{prefix}_{name}") for name in LIMIT_NAMES}


def parse_settings(
    environment: Mapping[str, str],
    *,
    overrides: Mapping[str, str] | None = None,
    serving: bool = True,
    local: bool = False,
    read_file: Callable[[str], str] = lambda path: Path(path).read_text(encoding="utf-8"),
) -> Settings:
    """The settings of an environment; `overrides` (by field) come from the command line and win.

    `serving` says that an address will be bound, which some settings depend on; `local`, that one user's own store is
    served. Raises `SettingsError`.
    """
    parser = _Parser(environment, overrides or {}, read_file)
    values: dict[str, Any] = {setting.field: parser.value(setting) for setting in SETTINGS}
    for setting in SETTINGS:
        if setting.group:
            group = values.setdefault(setting.group, {})
            if (value := values.pop(setting.field)) not in (None, ""):
                group[setting.member] = value
    values["local"] = local
    parser.refuse_unknown()
    host_name = "--host" if "host" in (overrides or {}) else f"{PREFIX}HOST"
    if "store" in (overrides or {}) and not local:
        parser.problems.append("--store names the store of local mode; add --local, or leave it out.")
    _complete(values, parser.problems, host_name=host_name, serving=serving)
    if parser.problems:
        raise SettingsError(parser.problems)
    return Settings(**{each.name: values[each.name] for each in fields(Settings)})


class _Parser:
    def __init__(
        self, environment: Mapping[str, str], overrides: Mapping[str, str], read_file: Callable[[str], str]
    ) -> None:
        self.problems: list[str] = []
        self._environment = environment
        self._overrides = overrides
        self._read_file = read_file

    def value(self, setting: Setting) -> Any:
        """The parsed value of one setting; its default when it is not given or not good."""
        given = self._given(setting)
        try:
            return setting.parse(setting.default if given is None else given)
        except BadValue as bad:
            written = setting.flag if setting.field in self._overrides and setting.flag else setting.name
            self.problems.append(f"{written}: {bad}.")
            return setting.parse(setting.default)

    def refuse_unknown(self) -> None:
        """A misspelt variable must not be a setting that silently does nothing."""
        known = {name.removeprefix(PREFIX) for setting in SETTINGS for name in _own_names(setting)}
        given = {name.removeprefix(PREFIX) for name in self._environment if name.startswith(PREFIX)}
        for name in sorted(given - known):
            close = difflib.get_close_matches(name, known, n=1)
            meant = f" Did you mean {PREFIX}{close[0]}?" if close else ""
            self.problems.append(f"{PREFIX}{name} is no setting.{meant}")

    def _given(self, setting: Setting) -> str | None:
        if setting.field in self._overrides:
            return self._overrides[setting.field]
        own = self._read(setting.name, setting)
        if setting.joins_aliases:
            parts = [part for part in (self._read(alias, setting) for alias in setting.aliases) if part]
            others = {", ".join(setting.aliases): ",".join(parts)} if parts else {}
        else:
            others = {alias: value for alias in setting.aliases if (value := self._read(alias, setting))}
        for alias, value in others.items():
            if own is not None and own != value:
                self.problems.append(f"{setting.name} and {alias} are both set, to different values; keep one.")
        return next(iter(others.values()), None) if own is None else own

    def _read(self, name: str, setting: Setting) -> str | None:
        given = self._environment.get(name)
        value = None if given is None else given.strip()
        if not value and not setting.empty_is_a_value:
            value = None
        path = self._environment.get(f"{name}_FILE", "").strip() if setting.secret else ""
        if not path:
            return value
        if value is not None:
            self.problems.append(f"{name} and {name}_FILE are both set; keep one.")
        try:
            return self._read_file(path).strip() or None
        except (OSError, UnicodeDecodeError):
            self.problems.append(f"{name}_FILE names a file that cannot be read: {path}.")
            return None


def _own_names(setting: Setting) -> tuple[str, ...]:
    return (setting.name, f"{setting.name}_FILE") if setting.secret else (setting.name,)


def _complete(values: dict[str, Any], problems: list[str], *, host_name: str, serving: bool) -> None:
    """What one setting says about another."""
    found = list(problems_of_local_mode(values, host_name=host_name, serving=serving)) if values["local"] else []
    problems += found
    # What a service for others needs is of no use to one that may not be one.
    if "scan" in values["toolsets"]:
        problems += _of_scans(values)
    if serving and not found:
        problems += [*_of_exposure(values, host_name), *_of_processes(values)]
    for tier in values["shared_egress"].overlapping(values["trusted_proxy_cidrs"]):
        problems.append(
            f"{PREFIX}SHARED_EGRESS and {PREFIX}TRUSTED_PROXY_CIDRS share addresses of {tier}; an address is either a"
            " proxy's or a caller's."
        )
    if values["serve_api"] and not values["catalog_url"].startswith(("sample:", "file:")):
        problems.append(
            f"{PREFIX}SERVE_API serves catalogs that lie here only; leave it out, or set {PREFIX}CATALOG_URL to sample:"
            " or file:DIRECTORY."
        )
    problems += problems_of_sources(values)
    values["public_url"] = values["public_url"] or f"http://127.0.0.1:{values['port']}"
    for name, parse in (("allowed_hosts", parse_hosts), ("allowed_origins", parse_origins)):
        values[name], found = parse(values[name], values["public_url"])
        problems += [f"{PREFIX}{name.upper()}: {problem}." for problem in found]


def _of_exposure(values: Mapping[str, Any], host_name: str) -> Iterator[str]:
    """What others than this machine need to be served."""
    exposed = not is_loopback_host(values["host"])
    if exposed and not values["public_url"]:
        yield (
            f"{PREFIX}PUBLIC_URL is needed when {host_name} is not a loopback address: set it to the https address"
            " at which clients reach this service."
        )
    if exposed and not values["cursor_keys"]:
        yield _cursor_keys_wanted(f"{host_name} is not a loopback address")
    if not values["anonymous"] and not values["keys_file"]:
        yield (
            f"{PREFIX}ANONYMOUS is false, so that nobody could call: set {PREFIX}KEYS_FILE to a file that"
            " `paperdesk keys new` has made."
        )


def _of_processes(values: Mapping[str, Any]) -> Iterator[str]:
    """What several processes must have in common."""
    shared, several = values["limits_url"] != MEMORY, values["workers"] > 1
    if several and not shared:
        yield (
            f"{PREFIX}WORKERS above 1 needs budgets that all of them share: set {PREFIX}LIMITS_URL to a redis:// or"
            " valkey:// address, or serve with one worker."
        )
    if not (shared or several):
        return
    reason = f"{PREFIX}WORKERS is above 1" if several else f"{PREFIX}LIMITS_URL names a shared store"
    if not values["cursor_keys"] and is_loopback_host(values["host"]):
        yield _cursor_keys_wanted(reason)
    if not values["identity_key"]:
        yield (
            f"{PREFIX}IDENTITY_KEY is needed when {reason}, so that all processes know a caller alike: set it, or"
            f" {PREFIX}IDENTITY_KEY_FILE, to a random text of at least {MIN_IDENTITY_KEY_CHARACTERS} characters."
        )


def _of_scans(values: Mapping[str, Any]) -> Iterator[str]:
    """What a store of scans must have in common with others that use it."""
    if values["scan_store"].startswith(STORE_SCHEMES) and not values["scan_secret"]:
        yield (
            f"{PREFIX}SCAN_SECRET is needed when {PREFIX}SCAN_STORE names a shared store: set it, or"
            f" {PREFIX}SCAN_SECRET_FILE, to a random text of at least {MIN_IDENTITY_KEY_CHARACTERS} characters."
        )
    if values["scan_store"] == MEMORY and values["workers"] > 1:
        yield (
            f"{PREFIX}WORKERS above 1 needs a store of scans that all of them share: set {PREFIX}SCAN_STORE to"
            " sqlite:PATH, or to a redis:// or valkey:// address."
        )


def _cursor_keys_wanted(reason: str) -> str:
    return (
        f"{PREFIX}CURSOR_KEYS is needed when {reason}: set it, or {PREFIX}CURSOR_KEYS_FILE, to a random text of at"
        f" least {MIN_KEY_CHARACTERS} characters."
    )
