"""What an operator may put in place of a source's own address, and who may be named as the contact (5.3, 11)."""

import ipaddress
import re
from dataclasses import dataclass

import httpx

from core.http.addresses import is_loopback
from core.http.hosts import HostPatterns, Reach, ascii_host, host_of, origin_of

_MAILBOX = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([A-Za-z0-9.-]{1,253})", re.ASCII)
_KEY = re.compile(r"[!-~]{1,256}", re.ASCII)


class BadChoice(ValueError):
    """A value that an operator may not choose; its text says what is wanted and repeats nothing."""


@dataclass(frozen=True, slots=True)
class Base:
    """An address in place of a source's own, and where requests may go then."""

    url: str
    reach: Reach

    @property
    def is_loopback(self) -> bool:
        """Whether it lies on this machine."""
        return bool(self.reach.loopback_origins)


def parsed_base(text: str, *, allows_loopback: bool) -> Base:
    """A base: https anywhere, or any scheme and port on loopback where that is allowed; raises `BadChoice`."""
    url = _address(text)
    if is_own_machine(url):
        return Base(text.rstrip("/"), Reach(HostPatterns(), (loopback_origin(text, allows_loopback=allows_loopback),)))
    if url.scheme != "https" or url.port is not None:
        raise BadChoice("write an https address without a port, or one on loopback such as http://127.0.0.1:8080")
    try:
        return Base(text.rstrip("/"), Reach(HostPatterns((ascii_host(host_of(url)),))))
    except ValueError as error:
        raise BadChoice("write an address with a host name, such as https://mirror.example.org/crossref") from error


def loopback_origin(text: str, *, allows_loopback: bool) -> str:
    """The origin of an address on this machine; raises `BadChoice`."""
    url = _address(text)
    if not is_own_machine(url):
        raise BadChoice("write an address on loopback, such as http://127.0.0.1:8080")
    if not allows_loopback:
        raise BadChoice("a loopback address is for tests: a hosted service takes it with --allow-loopback-sources only")
    return origin_of(url)


def is_own_machine(url: httpx.URL) -> bool:
    """Whether an address names this machine."""
    host = host_of(url)
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost"
    return is_loopback(host)


def parsed_contact(text: str) -> str:
    """A mailbox that somebody reads; raises `BadChoice` for what is none, or a placeholder."""
    found = _MAILBOX.fullmatch(text)
    labels = found[1].lower().split(".") if found else []
    if len(labels) < 2 or "example" in labels or not all(labels) or labels[-1] == "localhost":
        raise BadChoice("write the address of a mailbox that somebody reads; sources are told it")
    return text


def parsed_key(text: str) -> str:
    """A key as it can be sent; raises `BadChoice`."""
    if _KEY.fullmatch(text) is None:
        raise BadChoice("write the key as the source gave it, without blanks")
    return text


def _address(text: str) -> httpx.URL:
    try:
        url = httpx.URL(text)
        is_whole = url.scheme in ("http", "https") and bool(url.host)
    except (httpx.InvalidURL, ValueError) as error:
        raise BadChoice("write an https address") from error
    if not is_whole or url.userinfo or url.query or url.fragment:
        raise BadChoice("write an https address without user, query and fragment")
    return url
