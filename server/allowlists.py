"""The two lists that keep a browser on another site, or a rebound name, away from the service: hosts and origins."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")

SHIPPED_ORIGINS = (
    "https://claude.ai",
    "https://claude.com",
    "https://chatgpt.com",
    "https://vscode.dev",
    "https://github.dev",
    *(f"http://{name}:*" for name in LOOPBACK_NAMES),
)

_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(:(?P<port>[0-9]{1,5}|\*))?")
_ORIGIN = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<name>\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(:(?P<port>[0-9]{1,5}|\*))?"
)
_PORT = re.compile(r":[0-9]+$")
_WITH_IMPLIED_PORT = re.compile(r"(https://.+):443|(http://.+):80")
_DEFAULT_PORTS = frozenset({"80", "443"})


@dataclass(frozen=True, slots=True)
class HostList:
    """Which `Host` values are served: `name`, `name:port` or `name:*` (hosting contract 3.2)."""

    entries: frozenset[str]

    def allows(self, host: str) -> bool:
        """Compares in lower case, without a final dot; a bare entry also matches the default ports."""
        match = _HOST.fullmatch(host.lower())
        if match is None or match["port"] == "*":
            return False
        name, port = match["name"].rstrip("."), match["port"]
        if f"{name}:*" in self.entries:
            return True
        if port is None or port in _DEFAULT_PORTS:
            return name in self.entries or (port is not None and f"{name}:{port}" in self.entries)
        return f"{name}:{port}" in self.entries

    @property
    def summary(self) -> str:
        """The list for a log line: the word `loopback`, then what goes beyond it."""
        further = (entry for entry in self.entries if _PORT.sub("", entry.removesuffix(":*")) not in LOOPBACK_NAMES)
        return ",".join(["loopback", *sorted(further)])


@dataclass(frozen=True, slots=True)
class OriginList:
    """Which `Origin` values are served: exact origins, and any port for loopback names (hosting contract 3.3)."""

    entries: frozenset[str]

    def allows(self, origin: str) -> bool:
        """No suffix, prefix or pattern: an origin is on the list or it is not."""
        if origin in self.entries:
            return "*" not in origin
        match = _ORIGIN.fullmatch(origin)
        return match is not None and match["port"] != "*" and f"{match['scheme']}://{match['name']}:*" in self.entries

    @property
    def summary(self) -> str:
        """The list for a log line: the word `default` for the shipped list, then what goes beyond it."""
        shipped = OriginList(frozenset(SHIPPED_ORIGINS))
        if not shipped.entries <= self.entries:
            return ",".join(sorted(self.entries))
        further = (entry for entry in self.entries - shipped.entries if not shipped.allows(entry))
        return ",".join(["default", *sorted(further)])


def parse_hosts(text: str, public_url: str) -> tuple[HostList, list[str]]:
    """The list from its setting, and what is wrong with it; loopback names and the public host are always on it."""
    problems: list[str] = []
    public = urlsplit(public_url).netloc.lower()
    entries = {f"{name}:*" for name in LOOPBACK_NAMES} | {public, _PORT.sub("", public)}
    for entry in _entries(text):
        match = _HOST.fullmatch(entry.lower())
        if match is None:
            problems.append(f"'{entry}' is no host; write name, name:port or name:*")
        else:
            name = match["name"].rstrip(".")
            entries.add(name if match["port"] is None else f"{name}:{match['port']}")
    return HostList(frozenset(entries - {""})), problems


def parse_origins(text: str, public_url: str) -> tuple[OriginList, list[str]]:
    """The list from its setting, and what is wrong with it; the word `default` stands for the shipped list."""
    problems: list[str] = []
    public = urlsplit(public_url)
    entries = {_as_sent(f"{public.scheme}://{public.netloc}".lower())}
    for entry in _entries(text):
        match = _ORIGIN.fullmatch(entry)
        if entry == "default":
            entries.update(SHIPPED_ORIGINS)
        elif match is None or (match["port"] == "*" and match["name"] not in LOOPBACK_NAMES):
            problems.append(f"'{entry}' is no origin; write scheme://host or scheme://host:port, or the word default")
        else:
            entries.add(_as_sent(entry))
    return OriginList(frozenset(entries)), problems


def _as_sent(origin: str) -> str:
    """A browser leaves out the port that its scheme implies."""
    match = _WITH_IMPLIED_PORT.fullmatch(origin)
    return origin if match is None else match[1] or match[2]


def _entries(text: str) -> Iterable[str]:
    return [entry.strip() for entry in text.split(",")] if text.strip() else []
