"""What is asked of a source: an address that keys and contact are kept out of, and put into where it is sent (5.1)."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import unquote_plus

import httpx

from core.http.client import Bounds
from core.http.content import Want
from core.http.rules import Pace, SourceRules
from core.http.urls import Params, path_part, query

Path = Sequence[str] | str
"""Parts that are encoded one by one; or a path as it is to be sent, with its first slash; or a whole address."""


@dataclass(frozen=True, slots=True)
class Ask:
    """An address without credentials, and how its answer is to be taken; `takes` are statuses that are answers too."""

    rules: SourceRules
    url: httpx.URL = field(repr=False)
    pace: Pace
    want: Want
    accept: str
    bounds: Bounds
    caller: str = field(repr=False)
    takes: frozenset[int]

    def headers(self, at: httpx.URL) -> dict[str, str]:
        """The fields of a request there."""
        own = self.rules.credentials if self.rules.is_home(at) else ()
        return {"Accept": self.accept, **{each.name: each.value for each in own if each.place == "header"}}

    def addressed(self, target: httpx.URL) -> httpx.URL:
        """An address with the credentials that belong there."""
        own = {each.name: each.value for each in self.rules.credentials if each.place == "parameter"}
        return _with_query(target, [*_pairs(target), query(own)]) if own and self.rules.is_home(target) else target

    def bare(self, target: httpx.URL) -> httpx.URL:
        """An address without credentials and fragment, whoever put them in."""
        return bare(self.rules, target)


def address(rules: SourceRules, path: Path, params: Params | None) -> httpx.URL:
    """The address of a request, without credentials; raises `httpx.InvalidURL`."""
    if not isinstance(path, str):
        target = "/".join([rules.base_url, *map(path_part, path)])
    else:
        target = rules.base_url + path if path.startswith("/") else path
    asked = query({**(params or {}), **dict(rules.always)})
    if asked:
        target += f"{'&' if '?' in target else '?'}{asked}"
    return bare(rules, httpx.URL(target))


def bare(rules: SourceRules, target: httpx.URL) -> httpx.URL:
    """An address without the source's credentials and without a fragment."""
    names = {each.name for each in rules.credentials if each.place == "parameter"}
    pairs = _pairs(target)
    kept = [pair for pair in pairs if unquote_plus(pair.partition("=")[0]) not in names]
    whole = target if len(kept) == len(pairs) else _with_query(target, kept)
    return whole.copy_with(fragment=None) if whole.fragment else whole


def tightened(bounds: Bounds, max_body_bytes: int | None) -> Bounds:
    """The source's bounds, or less where a caller wants less."""
    if max_body_bytes is None or max_body_bytes >= bounds.max_bytes:
        return bounds
    return replace(bounds, max_bytes=max_body_bytes)


def _pairs(url: httpx.URL) -> list[str]:
    """The parameters of an address as they are written: what is right is not written anew."""
    return [pair for pair in url.query.decode("ascii").split("&") if pair]


def _with_query(url: httpx.URL, pairs: Sequence[str]) -> httpx.URL:
    return url.copy_with(query="&".join(pairs).encode("ascii") or None)
