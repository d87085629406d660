"""Which addresses a source may be asked at: hosts, scheme, port and origin (references contract 5.2)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import httpx
import idna

from core.errors import Denial

_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_DEFAULT_PORTS = {"https": 443, "http": 80}


def ascii_host(text: str) -> str:
    """A host name as the network writes it: lower-case, IDNA in ASCII; raises `ValueError` for anything but a name."""
    name = text.strip().lower()
    try:
        name = name if name.isascii() else idna.encode(name, uts46=True).decode()
    except idna.IDNAError:
        name = ""
    labels = name.split(".")
    if len(labels) < 2 or len(name) > 253 or not all(map(_LABEL.fullmatch, labels)) or labels[-1].isdecimal():
        raise ValueError("write a host name such as example.org, or *.example.org for it and all below it")
    return name


@dataclass(frozen=True, slots=True)
class HostPatterns:
    """Names, and `*.x` for `x` itself and any depth below it; `of` writes them in one form."""

    texts: tuple[str, ...] = ()
    _exact: frozenset[str] = field(init=False, repr=False, compare=False)
    _suffixes: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        wide = [text.removeprefix("*.") for text in self.texts if text.startswith("*.")]
        # Frozen for everybody else.
        object.__setattr__(self, "_exact", frozenset((*self.texts, *wide)))
        object.__setattr__(self, "_suffixes", frozenset(wide))

    @classmethod
    def of(cls, texts: Iterable[str]) -> "HostPatterns":
        """Patterns as people write them, repeats dropped; raises `ValueError` for what is none."""
        return cls(tuple(dict.fromkeys(_pattern(text) for text in texts)))

    def match(self, host: str) -> bool:
        """Whether a host in ASCII and lower-case, as an `httpx.URL` has it, is one of these."""
        if host in self._exact:
            return True
        labels = host.split(".")
        return all(labels) and any(".".join(labels[start:]) in self._suffixes for start in range(1, len(labels)))

    def __add__(self, other: "HostPatterns") -> "HostPatterns":
        return HostPatterns(tuple(dict.fromkeys((*self.texts, *other.texts))))


NO_HOSTS = HostPatterns()


def _pattern(text: str) -> str:
    written = text.strip()
    if written.startswith("*."):
        return f"*.{ascii_host(written.removeprefix('*.'))}"
    return ascii_host(written)


def address_of(text: str) -> httpx.URL | None:
    """The address that a text is; None for one that cannot be read as any."""
    try:
        return httpx.URL(text)
    except httpx.InvalidURL:
        return None


def host_of(url: httpx.URL) -> str:
    """The host that would be asked: ASCII, lower-case."""
    return url.raw_host.decode("ascii")


def origin_of(url: httpx.URL) -> str:
    """Scheme, host and port, with the port always written."""
    host = host_of(url)
    written = f"[{host}]" if ":" in host else host
    return f"{url.scheme}://{written}:{url.port or _DEFAULT_PORTS.get(url.scheme, 0)}"


@dataclass(frozen=True, slots=True)
class Reach:
    """Where one source may be asked: at hosts over https, and at loopback origins that the operator gave for it."""

    hosts: HostPatterns
    loopback_origins: tuple[str, ...] = ()

    @property
    def expected(self) -> tuple[str, ...]:
        """What is allowed, in words for a refusal."""
        return (*self.loopback_origins, *self.hosts.texts)

    def is_loopback(self, url: httpx.URL) -> bool:
        """Whether an address lies at one of the loopback origins."""
        return origin_of(url) in self.loopback_origins

    def holds(self, url: httpx.URL) -> bool:
        """Whether the address is on the list, whatever else may be wrong with it."""
        return self.is_loopback(url) or self.hosts.match(host_of(url))

    def refusal(self, url: httpx.URL, *, source: str, blocked: HostPatterns, hop_index: int) -> Denial | None:
        """Why an address may not be asked, or None; `blocked` wins over everything else."""
        host = host_of(url)
        is_loopback = self.is_loopback(url)
        if url.scheme != "https" and not is_loopback:
            return Denial(
                "insecure_scheme",
                source,
                attempted=f"{url.scheme}:…",
                expected=("https",),
                hop_index=hop_index,
            )
        has_odd_port = url.port is not None and not is_loopback
        if url.userinfo or has_odd_port or blocked.match(host):
            return Denial("host_in_block_list", source, attempted=host, hop_index=hop_index)
        if not self.holds(url):
            return Denial(
                "redirect_not_in_allowlist",
                source,
                attempted=host,
                expected=self.expected,
                hop_index=hop_index,
            )
        return None
