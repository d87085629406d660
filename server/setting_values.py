"""How the text of one setting becomes its value; a `BadValue` says what is wanted and never repeats a secret."""

import ipaddress
import math
import re
from collections.abc import Callable
from urllib.parse import SplitResult, urlsplit, urlunsplit

from server.limits.egress import EgressTiers
from server.peers import Network

MIN_KEY_CHARACTERS = 16
MAX_NAMESPACE = 150
MIN_IDENTITY_KEY_CHARACTERS = 32

MEMORY = "memory:"
SCAN_SOURCES = ("catalog", "openalex", "s2", "arxiv", "crossref")
"""What a scan may ask, in routing order."""
STORE_SCHEMES = ("redis", "rediss", "valkey", "valkeys")
STORE_PORT = 6379

_HOST_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")
_NAMESPACE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)+")
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_TIER_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_MAPPED = ipaddress.IPv6Network("::ffff:0:0/96")
_URL = re.compile(r"[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]*")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:")


class BadValue(ValueError):
    """A text that is no value of its setting."""


def text(value: str) -> str:
    """Any text; its form is checked where other settings are known."""
    return value


def host(value: str) -> str:
    """An address to bind: a name or an IP address."""
    try:
        return str(ipaddress.ip_address(value.strip("[]")))
    except ValueError:
        if _HOST_NAME.fullmatch(value) is None:
            raise BadValue("write a host name or an IP address, such as 127.0.0.1") from None
        return value


def is_loopback_host(value: str) -> bool:
    """Whether only this machine can reach the address."""
    try:
        return ipaddress.ip_address(value).is_loopback
    except ValueError:
        return value.lower() == "localhost"


def integer(low: int, high: int) -> Callable[[str], int]:
    """A whole number within bounds."""

    def parse(value: str) -> int:
        if re.fullmatch(r"[0-9]{1,9}", value, re.ASCII) is None or not low <= int(value) <= high:
            raise BadValue(f"write a whole number from {low} to {high}")
        return int(value)

    return parse


def optional_integer(low: int, high: int) -> Callable[[str], int | None]:
    """A whole number within bounds, or None for nothing."""
    given = integer(low, high)
    return lambda value: given(value) if value else None


def names(value: str) -> tuple[str, ...]:
    """A list separated by commas, each once; what may stand in it is known elsewhere."""
    return tuple(dict.fromkeys(name for each in value.split(",") if (name := each.strip())))


def number(low: float, high: float) -> Callable[[str], float]:
    """A number within bounds."""

    def parse(value: str) -> float:
        try:
            parsed = float(value)
        except ValueError:
            parsed = math.nan
        if not low <= parsed <= high:
            raise BadValue(f"write a number from {low:g} to {high:g}")
        return parsed

    return parse


def boolean(value: str) -> bool:
    """`true` or `false`, in any letter case."""
    if value.lower() not in ("true", "false"):
        raise BadValue("write true or false")
    return value.lower() == "true"


def log_level(value: str) -> str:
    """A level of the standard library's logging, in any letter case."""
    if value.upper() not in _LEVELS:
        raise BadValue("write one of " + ", ".join(_LEVELS))
    return value.upper()


def toolsets(known: tuple[str, ...]) -> Callable[[str], tuple[str, ...]]:
    """A list of toolset names, answered in the order of `known`."""

    def parse(value: str) -> tuple[str, ...]:
        names = {name.strip() for name in value.split(",")}
        if not names <= set(known):
            raise BadValue("name toolsets of this release only: " + ", ".join(known))
        return tuple(name for name in known if name in names)

    return parse


def catalog_url(value: str) -> str:
    """`sample:`, `file:DIRECTORY`, or a web address (plain http on loopback only) without its trailing slash."""
    if value == "sample:":
        return value
    if value.startswith("file:"):
        if not value.removeprefix("file:").strip("/"):
            raise BadValue("write the catalog's directory after file:")
        return value
    if value.startswith(("https://", "http://")):
        return web_url(value)
    if _SCHEME.match(value) is None:
        raise BadValue("write sample:, file:DIRECTORY or an https address; a directory by itself needs file: before it")
    raise BadValue("write sample:, file:DIRECTORY or an https address")


def public_url(value: str) -> str:
    """An absolute base URL, or nothing."""
    return web_url(value) if value else ""


def namespace(value: str) -> str:
    """A reverse-DNS name, such as a registry gives to the owner of a domain."""
    if len(value) > MAX_NAMESPACE or _NAMESPACE.fullmatch(value) is None:
        raise BadValue("write a reverse domain name, such as org.example")
    return value


def web_url(value: str) -> str:
    """An https URL (http for loopback names) without query, fragment, user or trailing slash."""
    if _URL.fullmatch(value) is None:
        # No client would send such a name as its Host.
        raise BadValue(
            "write it in ASCII as a client sends it: names in their xn-- form, other characters percent-encoded"
        )
    parts = _split(value)
    secure = parts.scheme == "https" or (parts.scheme == "http" and is_loopback_host(parts.hostname or ""))
    if not secure or not parts.hostname or parts.query or parts.fragment or parts.username is not None:
        raise BadValue("write an https address without user, query or fragment; plain http is for loopback only")
    return value.rstrip("/")


def embedder(value: str) -> str:
    """`auto`, `none`, a folder, or the address of an embeddings service with its model and dimensions."""
    if value.startswith(("http://", "https://")):
        remote_embedder(value)
    return value


def remote_embedder(value: str) -> tuple[str, str, int]:
    """Address, model and dimensions of `https://HOST/v1/embeddings#MODEL@DIMENSIONS`; plain http on loopback only."""
    address, _, space = value.partition("#")
    model, _, dimensions = space.rpartition("@")
    if not model or re.fullmatch(r"[1-9][0-9]{0,4}", dimensions, re.ASCII) is None:
        raise BadValue(
            "write the model and its dimensions after the address: https://HOST/v1/embeddings#MODEL@DIMENSIONS"
        )
    return web_url(address), model, int(dimensions)


def cidrs(value: str) -> tuple[Network, ...]:
    """Address ranges, comma-separated; the whole internet is none."""
    return tuple(_network(entry.strip()) for entry in value.split(",")) if value else ()


def shared_egress(value: str) -> EgressTiers:
    """`name=range,range;name=range`: tiers that share no address; nothing for none."""
    tiers: dict[str, tuple[Network, ...]] = {}
    for part in value.split(";") if value else ():
        name, equals, ranges = (piece.strip() for piece in part.partition("="))
        if not equals or _TIER_NAME.fullmatch(name) is None or name in tiers or not ranges:
            raise BadValue("write name=range,range;name=range, each name once, in small letters, digits and hyphens")
        tiers[name] = cidrs(ranges)
    found = EgressTiers(tiers)
    for name, other in found.overlaps():
        raise BadValue(f"{name} and {other} share addresses; each address belongs to one name")
    return found


def limits_url(value: str) -> str:
    """`memory:`, or a store's address with its port; nothing of it is repeated, since it may hold a password."""
    if value in (MEMORY, f"{MEMORY}//"):
        return MEMORY
    wanted = f"write {MEMORY}, or {', '.join(f'{scheme}://' for scheme in STORE_SCHEMES)} with host, port and database"
    try:
        parts = urlsplit(value)
        port = parts.port or STORE_PORT
    except ValueError:
        raise BadValue(wanted) from None
    has_database = re.fullmatch(r"/?|/[0-9]{1,4}", parts.path, re.ASCII) is not None
    if parts.scheme not in STORE_SCHEMES or not parts.hostname or not has_database or parts.fragment:
        raise BadValue(wanted)
    location = parts.netloc if parts.port else f"{parts.netloc.removesuffix(':')}:{port}"
    return urlunsplit((parts.scheme, location, parts.path, parts.query, ""))


def scan_store(value: str) -> str:
    """`sqlite:` (in the state directory), `sqlite:PATH`, `memory:`, or a store's address with its port."""
    if value.startswith("sqlite:"):
        return value
    try:
        return limits_url(value)
    except BadValue as bad:
        raise BadValue(str(bad).replace("write ", "write sqlite:, sqlite:PATH, ", 1)) from None


def scan_sources(value: str) -> tuple[str, ...]:
    """Names of sources that scans ask, each once."""
    given = names(value)
    if not given or not set(given) <= set(SCAN_SOURCES):
        raise BadValue("name sources of " + ", ".join(SCAN_SOURCES))
    return tuple(name for name in SCAN_SOURCES if name in given)


def sealing_keys(value: str) -> tuple[str, ...]:
    """Keys that documents are encrypted with, newest first, separated by commas or line ends."""
    keys = tuple(key.strip() for key in re.split(r"[,\n]", value) if key.strip())
    if any(len(key) < MIN_IDENTITY_KEY_CHARACTERS for key in keys):
        raise BadValue(f"each key needs at least {MIN_IDENTITY_KEY_CHARACTERS} characters")
    if len(set(keys)) != len(keys):
        raise BadValue("the same key is listed twice")
    return keys


def identity_key(value: str) -> str:
    """A secret text, or nothing."""
    if value and len(value) < MIN_IDENTITY_KEY_CHARACTERS:
        raise BadValue(f"write a random text of at least {MIN_IDENTITY_KEY_CHARACTERS} characters")
    return value


def one_of(*choices: str) -> Callable[[str], str]:
    """One of a few words, in any letter case."""

    def parse(value: str) -> str:
        if value.lower() not in choices:
            raise BadValue("write one of " + ", ".join(choices))
        return value.lower()

    return parse


def key_list(value: str) -> tuple[str, ...]:
    """Signing keys, oldest to newest, separated by commas or line ends."""
    keys = tuple(key.strip() for key in re.split(r"[,\n]", value) if key.strip())
    if any(len(key) < MIN_KEY_CHARACTERS for key in keys):
        raise BadValue(f"each key needs at least {MIN_KEY_CHARACTERS} characters")
    if len(set(keys)) != len(keys):
        raise BadValue("the same key is listed twice")
    return keys


def _split(value: str) -> SplitResult:
    try:
        parts = urlsplit(value)
        _ = parts.port
    except ValueError:
        raise BadValue("write a complete https address") from None
    return parts


def _network(entry: str) -> Network:
    try:
        network = ipaddress.ip_network(entry)
    except ValueError:
        raise BadValue(f"'{entry}' is no address range; write it such as 10.0.0.0/8 or 2001:db8::/48") from None
    if network.prefixlen == 0:
        raise BadValue(f"'{entry}' is every address there is; name the ranges that are meant")
    if isinstance(network, ipaddress.IPv6Network) and network.overlaps(_MAPPED):
        raise BadValue(f"'{entry}' holds IPv4 addresses; write those as IPv4")
    return network
