"""All settings of the service: one table as data, one pure parser over a mapping, one frozen value.

Every problem is reported at once. A variable with our prefix that is no setting stops the start.
"""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from core.errors import SettingsError
from server.allowlists import HostList, OriginList, parse_hosts, parse_origins
from server.setting_values import (
    BadValue,
    boolean,
    catalog_url,
    embedder,
    host,
    integer,
    is_loopback_host,
    key_list,
    log_level,
    number,
    one_of,
    public_url,
    text,
    toolsets,
    web_url,
)

PREFIX = "PAPERDESK_"
DEFAULT_PORT = 7860
PORT_MAX = 65_535

TOOLSET_IDS = ("catalog",)


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table. `aliases` hold the same value under another name, or its parts where `joins_aliases`."""

    field: str
    default: str
    meaning: str
    parse: Callable[[str], Any]
    aliases: tuple[str, ...] = ()
    flag: str = ""
    """The option of commands that gives it."""
    joins_aliases: bool = False
    secret: bool = False

    @property
    def name(self) -> str:
        """The variable's name."""
        return PREFIX + self.field.upper()


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "host",
        "127.0.0.1",
        "bind address; any other than loopback needs a public URL",
        host,
        ("PWC_MCP_HOST",),
        "--host",
    ),
    Setting("port", str(DEFAULT_PORT), "port to listen on", integer(1, PORT_MAX), ("PORT",), "--port"),
    Setting(
        "public_url", "", "base of all links; https unless loopback; default `http://127.0.0.1:<port>`", public_url
    ),
    Setting(
        "allowed_hosts",
        "",
        "further `Host` values, comma-separated: `name`, `name:port` or `name:*`; loopback and public host are on it",
        text,
        ("PWC_MCP_ALLOWED_HOSTS",),
    ),
    Setting(
        "allowed_origins",
        "default",
        "browser origins, comma-separated; the word `default` stands for the shipped list",
        text,
        ("PWC_MCP_ALLOWED_ORIGINS",),
    ),
    Setting("log_level", "INFO", "how much is logged; never what", log_level, ("LOG_LEVEL",)),
    Setting("toolsets", "catalog", "the toolsets to serve, comma-separated", toolsets(TOOLSET_IDS), flag="--toolset"),
    Setting(
        "catalog_url",
        "sample:",
        "where the catalog is: `sample:`, `file:DIRECTORY`, or the https address of an `/api/v1` (http on loopback)",
        catalog_url,
        ("PWC_API_URL",),
        "--catalog",
    ),
    Setting(
        "cursor_keys",
        "",
        "keys that sign reading cursors, comma-separated, oldest to newest, each at least 16 characters; random for"
        " each process on loopback and stdio, required elsewhere",
        key_list,
        ("PWC_MCP_CURSOR_KEY_PREVIOUS", "PWC_MCP_CURSOR_KEY_CURRENT"),
        joins_aliases=True,
        secret=True,
    ),
    Setting("read_chunk_bytes", "32768", "largest chunk of a full text, 1024 to 65536", integer(1024, 65_536)),
    Setting("catalog_timeout_s", "25", "deadline of one catalog call, 1 to 25 seconds", number(1, 25)),
    Setting(
        "public_metadata",
        "auto",
        "`auto`: the API that a catalog lies behind is asked for metadata of papers that it lacks; `off`: it is not",
        one_of("auto", "off"),
    ),
    Setting(
        "embedder",
        "auto",
        "`auto`: the packaged model where it is installed; `none`; or a folder with model.onnx and tokenizer.json",
        embedder,
    ),
    Setting(
        "dispatcher",
        "sdk",
        "who speaks the protocol over HTTP: `sdk`, or `lean`, which is faster",
        one_of("sdk", "lean"),
    ),
    Setting("serve_api", "false", "`true` serves a catalog that lies here as `/api/v1` too", boolean),
    Setting("site_url", "https://paperswithcode.co", "base of catalog page links", web_url),
)


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
    catalog_url: str
    read_chunk_bytes: int
    catalog_timeout_s: float
    public_metadata: str
    embedder: str
    dispatcher: str
    serve_api: bool
    site_url: str
    cursor_keys: tuple[str, ...] = field(repr=False)

    @property
    def prefix(self) -> str:
        """The path of the public URL, below which all routes live; empty for most."""
        return urlsplit(self.public_url).path.rstrip("/")


def parse_settings(
    environment: Mapping[str, str],
    *,
    overrides: Mapping[str, str] | None = None,
    serving: bool = True,
    read_file: Callable[[str], str] = lambda path: Path(path).read_text(encoding="utf-8"),
) -> Settings:
    """The settings of an environment; `overrides` (by field) come from the command line and win.

    `serving` says that an address will be bound, which some settings depend on. Raises `SettingsError`.
    """
    parser = _Parser(environment, overrides or {}, read_file)
    values = {setting.field: parser.value(setting) for setting in SETTINGS}
    parser.refuse_unknown()
    host_name = "--host" if "host" in (overrides or {}) else f"{PREFIX}HOST"
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
            if own and own != value:
                self.problems.append(f"{setting.name} and {alias} are both set, to different values; keep one.")
        return own or next(iter(others.values()), None)

    def _read(self, name: str, setting: Setting) -> str | None:
        value = self._environment.get(name, "").strip() or None
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
    exposed = serving and not is_loopback_host(values["host"])
    if exposed and not values["public_url"]:
        problems.append(
            f"{PREFIX}PUBLIC_URL is needed when {host_name} is not a loopback address: set it to the https address"
            " at which clients reach this service."
        )
    if exposed and not values["cursor_keys"]:
        problems.append(
            f"{PREFIX}CURSOR_KEYS is needed when {host_name} is not a loopback address: set it, or"
            f" {PREFIX}CURSOR_KEYS_FILE, to a random text of at least 16 characters."
        )
    if values["serve_api"] and not values["catalog_url"].startswith(("sample:", "file:")):
        problems.append(
            f"{PREFIX}SERVE_API serves catalogs that lie here only; leave it out, or set {PREFIX}CATALOG_URL to sample:"
            " or file:DIRECTORY."
        )
    values["public_url"] = values["public_url"] or f"http://127.0.0.1:{values['port']}"
    for name, parse in (("allowed_hosts", parse_hosts), ("allowed_origins", parse_origins)):
        values[name], found = parse(values[name], values["public_url"])
        problems += [f"{PREFIX}{name.upper()}: {problem}." for problem in found]
