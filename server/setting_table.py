"""The table of all settings, as data: names, aliases, defaults, meanings, and how each is read."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.sources.table import TABLE
from server.limits.budgets import DEFAULT_GLOBAL, DEFAULTS, LIMIT_MAX
from server.served import TOOLSET_IDS
from server.setting_values import (
    MIN_IDENTITY_KEY_CHARACTERS,
    SCAN_SOURCES,
    boolean,
    catalog_url,
    cidrs,
    embedder,
    host,
    identity_key,
    integer,
    key_list,
    limits_url,
    log_level,
    names,
    namespace,
    number,
    one_of,
    optional_integer,
    public_url,
    scan_sources,
    scan_store,
    sealing_keys,
    shared_egress,
    text,
    toolsets,
    web_url,
)

PREFIX = "PAPERDESK_"
DEFAULT_PORT = 7860
PORT_MAX = 65_535
WORKERS_MAX = 64
MIN_GAP_MS_MAX = 600_000


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
    group: str = ""
    """The field of the settings that holds this value among others, under `member`."""
    member: str = ""
    empty_is_a_value: bool = False
    """Whether the variable set to nothing says something else than the variable not set."""

    @property
    def name(self) -> str:
        """The variable's name."""
        return PREFIX + self.field.upper()


_ANONYMOUS, _KEY, _SHARED = range(3)
_LIMITS = {
    "per_minute": ("requests a minute", ("PWC_MCP_REQUEST_LIMIT",)),
    "catalog_semantic_per_minute": ("searches by meaning a minute", ("PWC_MCP_SEMANTIC_LIMIT",)),
    "semantic_per_minute": ("evidence searches by meaning a minute", ()),
    "semantic_daily": ("evidence searches by meaning a day", ()),
    "concurrent": ("requests in progress", ("PWC_MCP_CONCURRENCY_LIMIT",)),
    "api_per_minute": ("requests to `/api/v1` a minute", ()),
}


LIMIT_NAMES = tuple(_LIMITS)
"""The budgets that settings set, for each kind of caller."""


def _limits(prefix: str, whose: int, words: str) -> tuple[Setting, ...]:
    """One row for each budget; only the anonymous ones have older names."""
    return tuple(
        Setting(
            f"{prefix}_{name}",
            str(DEFAULTS[name][whose]),
            f"{meaning} {words}, 1 to {LIMIT_MAX}",
            integer(1, LIMIT_MAX),
            aliases if whose == _ANONYMOUS else (),
        )
        for name, (meaning, aliases) in _LIMITS.items()
    )


def _for_each_source() -> tuple[Setting, ...]:
    """Two rows for each source that an operator may put something else in the place of."""
    named = [(row.setting, row.label) for row in TABLE if row.setting]
    return (
        *(
            Setting(
                f"source_{key.lower()}_url",
                "",
                f"base address in place of {label}'s own; http on loopback only",
                text,
                group="source_urls",
                member=key,
            )
            for key, label in named
        ),
        *(
            Setting(
                f"source_{key.lower()}_min_gap_ms",
                "",
                f"milliseconds between requests to {label}; shorter than its own on loopback only",
                optional_integer(0, MIN_GAP_MS_MAX),
                group="source_min_gaps_ms",
                member=key,
            )
            for key, label in named
        ),
    )


_SOURCES: tuple[Setting, ...] = (
    Setting(
        "contact_email",
        "",
        "mailbox that somebody reads, told to sources; without one no source is asked and the catalog answers alone,"
        " but in local mode all sources but Unpaywall are asked",
        text,
        secret=True,
    ),
    Setting("sources_off", "", "sources that are not asked, comma-separated", names),
    Setting("sources_on", "", "opt-in sources to ask: `semantic_scholar`, `europe-pmc`, `doaj`", names),
    Setting("openalex_api_key", "", "key of OpenAlex", text, secret=True),
    Setting("ncbi_api_key", "", "key of NCBI", text, secret=True),
    Setting("s2_api_key", "", "key of Semantic Scholar", text, secret=True),
    *_for_each_source(),
    Setting(
        "allow_loopback_sources",
        "false",
        "`true` takes loopback addresses for sources; meant for tests",
        boolean,
        flag="--allow-loopback-sources",
    ),
    Setting("oa_loopback_origins", "", "loopback origins of open copies, comma-separated; for tests", names),
    Setting("oa_extra_hosts", "", "further hosts of open copies, comma-separated: `name` or `*.name`", names),
    Setting("oa_host_classes", "", "further classes of hosts of open copies: `academic`, `registries`", names),
    Setting("blocked_hosts", "", "hosts that are never asked or passed on, comma-separated; wins over all else", names),
    Setting("offline", "false", "`true` asks no source at all", boolean),
    Setting(
        "store",
        "./papers",
        "directory of the papers that local mode keeps; made by the first write; a value with `${` is ignored",
        text,
        flag="--store",
    ),
)


_SCANS: tuple[Setting, ...] = (
    Setting(
        "scan_store",
        "sqlite:",
        "where scans are kept: `sqlite:PATH`, by default in the state directory; `redis://`, `rediss://`, `valkey://`"
        " or `valkeys://` for several machines, with the extra `shared` and append-only persistence; `memory:`",
        scan_store,
        secret=True,
    ),
    Setting(
        "scan_sources",
        ",".join(SCAN_SOURCES),
        "what scans ask, comma-separated; `catalog` alone asks nobody outside",
        scan_sources,
    ),
    Setting(
        "scan_wait_s",
        "25",
        "how long a call waits for a scan's work, 0 to 60 seconds; more than 35 is as 35, since a call ends after 40",
        number(0, 60),
    ),
    Setting(
        "scan_ttl_anonymous_s",
        "259200",
        "seconds that a scan is kept after its last call, 60 to 31536000",
        integer(60, 31_536_000),
    ),
    Setting(
        "scan_ttl_key_s",
        "2592000",
        "the same for a scan of an API key's holder",
        integer(60, 31_536_000),
    ),
    Setting(
        "scan_max_open", "5", "unfinished scans of one caller, 1 to 1000; holders of a key have 20", integer(1, 1000)
    ),
    Setting(
        "scan_max_jobs", "2", "scans of one caller that work at once, 1 to 8; holders of a key have 4", integer(1, 8)
    ),
    Setting(
        "scan_secret",
        "",
        f"at least {MIN_IDENTITY_KEY_CHARACTERS} random characters that scans' arguments are hashed with; made once for"
        " a store on this machine, required with a shared one",
        identity_key,
        secret=True,
    ),
    Setting(
        "scan_encryption_keys",
        "",
        "keys that scans are encrypted with, newest first, comma-separated, each at least"
        f" {MIN_IDENTITY_KEY_CHARACTERS} characters; without one they are not",
        sealing_keys,
        secret=True,
    ),
)


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
    Setting(
        "toolsets",
        ",".join(TOOLSET_IDS),
        "the toolsets to serve, comma-separated",
        toolsets(TOOLSET_IDS),
        flag="--toolset",
    ),
    Setting("namespace", "org.paperdesk", "reverse domain name before the slash in card and registry names", namespace),
    Setting(
        "repository_url",
        "",
        "where the source lies, for server cards and the page; left out of both when empty",
        public_url,
    ),
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
        "`auto`: the packaged model where it is installed; `none`; a folder with model.onnx and tokenizer.json; or an"
        " OpenAI-compatible service as `https://HOST/v1/embeddings#MODEL@DIMENSIONS`",
        embedder,
    ),
    Setting("embedder_key", "", "key of the embeddings service", text, secret=True),
    Setting(
        "evidence", "", "directory of a built evidence set, where the catalog holds none; default: the catalog's", text
    ),
    Setting("semantic_floor", "0.20", "least similarity of evidence found by meaning, 0 to 1", number(0, 1)),
    Setting(
        "dispatcher",
        "lean",
        "what speaks the protocol over HTTP: `lean`, or the protocol's own `sdk`, which answers the same later",
        one_of("lean", "sdk"),
    ),
    Setting("serve_api", "false", "`true` serves a catalog that lies here as `/api/v1` too", boolean),
    Setting("site_url", "https://paperswithcode.co", "base of catalog page links", web_url),
    Setting(
        "trusted_proxy_cidrs",
        "",
        "proxies whose `X-Forwarded-For` counts, address ranges, comma-separated; loopback is trusted without",
        cidrs,
        ("PWC_MCP_TRUSTED_PROXY_CIDRS",),
    ),
    Setting("trust_loopback", "true", "`false` trusts proxies on this machine no more than others", boolean),
    Setting(
        "shared_egress",
        "anthropic=160.79.104.0/21,2607:6bc0::/48",
        "address ranges of hosted assistants, `name=range,range;name=range`: each name has one larger budget; set empty"
        " for none",
        shared_egress,
        empty_is_a_value=True,
    ),
    *_limits("limit", _ANONYMOUS, "of one caller"),
    *_limits("key_limit", _KEY, "with an API key"),
    *_limits("shared_limit", _SHARED, "of a shared egress"),
    Setting(
        "limit_global_concurrent",
        str(DEFAULT_GLOBAL),
        f"requests in progress of all callers together, 1 to {LIMIT_MAX}",
        integer(1, LIMIT_MAX),
        ("PWC_MCP_GLOBAL_CONCURRENCY_LIMIT",),
    ),
    Setting(
        "limits_url",
        "memory:",
        "where budgets are counted: `memory:` for one process; `redis://`, `rediss://`, `valkey://` or `valkeys://` for"
        " several, with the extra `shared`",
        limits_url,
        secret=True,
    ),
    Setting(
        "identity_key",
        "",
        f"at least {MIN_IDENTITY_KEY_CHARACTERS} random characters that callers' addresses are hashed with; made anew"
        " by each process, required with a shared store",
        identity_key,
        secret=True,
    ),
    Setting("keys_file", "", "file of API keys, managed by `paperdesk keys`", text),
    Setting("anonymous", "true", "`false` serves holders of an API key only", boolean),
    Setting(
        "workers", "1", f"processes, 1 to {WORKERS_MAX}; more than one need a shared store", integer(1, WORKERS_MAX)
    ),
    *_SOURCES,
    *_SCANS,
)
