"""From an operator's choices to the rules of every source; all that is wrong is said at once (5, 11)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from core.errors import SettingsError
from core.http.bases import BadChoice, Base, loopback_origin, parsed_base, parsed_contact, parsed_key
from core.http.client import Bounds, Timeouts
from core.http.hosts import HostPatterns, Reach
from core.http.rules import Credential, Off, Pace, SourceRules
from core.sources.hosts import OA_HOST_CLASSES
from core.sources.table import ARXIV, SOURCE_KEYS, TABLE, Source

MIB = 1024 * 1024
ERROR_BYTES = 64 * 1024
"""How much is read of an answer that says no."""

_HOSTED_TIMEOUTS = Timeouts(connect_s=5.0, idle_s=15.0, whole_s=20.0)
_LOCAL_TIMEOUTS = Timeouts(connect_s=10.0, idle_s=60.0, whole_s=300.0)
_BOUNDS = {"data": Bounds(10 * MIB), "html": Bounds(20 * MIB), "pdf": Bounds(100_000_000)}
_HOSTED_EPRINT = Bounds(50_000_000, 200_000_000)
_LOCAL_EPRINT = Bounds(100_000_000, 500_000_000)
_HOSTED_RETRIES, _LOCAL_RETRIES = 2, 3
_HOSTED_REDIRECTS, _LOCAL_REDIRECTS = 5, 10

A = TypeVar("A")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SourceChoices:
    """What an operator chose. `keys`, `off` and `on` go by the source's name on the wire; bases and gaps by setting."""

    is_hosted: bool = True
    contact: str | None = field(default=None, repr=False)
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    off: tuple[str, ...] = ()
    on: tuple[str, ...] = ()
    bases: Mapping[str, str] = field(default_factory=dict)
    min_gaps_ms: Mapping[str, int] = field(default_factory=dict)
    allows_loopback: bool = False
    oa_loopback_origins: tuple[str, ...] = ()
    oa_extra_hosts: tuple[str, ...] = ()
    oa_host_classes: tuple[str, ...] = ()
    blocked_hosts: tuple[str, ...] = ()
    is_offline: bool = False


@dataclass(frozen=True, slots=True)
class Rulebook:
    """The rules of every source by its row's name, and the hosts that none may be asked at."""

    rules: Mapping[str, SourceRules]
    blocked: HostPatterns

    def __getitem__(self, name: str) -> SourceRules:
        return self.rules[name]


def build_sources(choices: SourceChoices) -> Rulebook:
    """The rules that follow from the choices; raises `SettingsError` with every problem."""
    builder = _Builder(choices)
    rules = {row.name: builder.rules_of(row) for row in TABLE}
    rules["oa-publisher"] = builder.with_publishers(rules["oa-publisher"])
    blocked = builder.hosts("PAPERDESK_BLOCKED_HOSTS", choices.blocked_hosts)
    builder.find_unknown()
    if builder.problems:
        raise SettingsError(builder.problems)
    return Rulebook(rules, blocked)


class _Builder:
    """Reads the choices row by row and notes what is wrong with them."""

    def __init__(self, choices: SourceChoices) -> None:
        self.problems: list[str] = []
        self._choices = choices
        self._allows_loopback = choices.allows_loopback or not choices.is_hosted
        self._contact = self._read("PAPERDESK_CONTACT_EMAIL", choices.contact, parsed_contact)

    def rules_of(self, row: Source) -> SourceRules:
        """The rules of one source."""
        choices, prefix = self._choices, f"PAPERDESK_SOURCE_{row.setting}"
        base = self._read(f"{prefix}_URL", choices.bases.get(row.setting), self._base)
        key = self._read(row.key_setting, choices.keys.get(row.wire_key), parsed_key)
        credentials = _credentials(row, self._contact, key)
        is_bare = (row.bare_without == "contact" and self._contact is None) or (row.bare_without == "key" and not key)
        paces = row.bare_paces if is_bare else row.paces
        gap_s = self._read(
            f"{prefix}_MIN_GAP_MS",
            choices.min_gaps_ms.get(row.setting),
            lambda given_ms: _gap_s(given_ms, paces, may_loosen=base is not None and base.is_loopback),
        )
        return SourceRules(
            key=row.wire_key,
            label=row.label,
            base_url=base.url if base else row.base_url,
            reach=base.reach if base else Reach(HostPatterns(row.hosts)),
            paces=paces if gap_s is None else tuple(replace(pace, gap_s=gap_s) for pace in paces),
            timeouts=_timeouts(row, is_hosted=choices.is_hosted),
            bounds=_bounds(row, is_hosted=choices.is_hosted),
            retries=_figure(row.retries, _HOSTED_RETRIES, _LOCAL_RETRIES, is_hosted=choices.is_hosted),
            max_redirects=_figure(row.max_redirects, _HOSTED_REDIRECTS, _LOCAL_REDIRECTS, is_hosted=choices.is_hosted),
            accept=row.accept,
            version=row.version,
            always=row.always,
            credentials=credentials,
            denied=row.denied,
            leaving_means_absent=row.leaving_means_absent,
            throttled=row.throttled,
            tightened=row.tightened,
            is_our_defect=row.is_our_defect,
            off=self._off(row),
        )

    def with_publishers(self, rules: SourceRules) -> SourceRules:
        """The rules for open copies, with the hosts that the operator added; arXiv's own are paced as arXiv."""
        choices = self._choices
        extra = self.hosts("PAPERDESK_OA_EXTRA_HOSTS", choices.oa_extra_hosts)
        classes = [host for each in choices.oa_host_classes for host in OA_HOST_CLASSES.get(each, ())]
        if not set(choices.oa_host_classes) <= set(OA_HOST_CLASSES):
            self.problems.append("PAPERDESK_OA_HOST_CLASSES: name classes of " + ", ".join(OA_HOST_CLASSES))
        origins = (
            self._read("PAPERDESK_OA_LOOPBACK_ORIGINS", each, self._origin) for each in choices.oa_loopback_origins
        )
        reach = Reach(rules.reach.hosts + HostPatterns(tuple(classes)) + extra, tuple(filter(None, origins)))
        return replace(rules, reach=reach, shared_hosts=((HostPatterns(("*.arxiv.org",)), ARXIV),))

    def hosts(self, setting: str, texts: tuple[str, ...]) -> HostPatterns:
        """A list of hosts."""
        return self._read(setting, texts, HostPatterns.of) or HostPatterns()

    def find_unknown(self) -> None:
        """Notes names of sources and settings that are none."""
        choices = self._choices
        for setting, names in (("PAPERDESK_SOURCES_OFF", choices.off), ("PAPERDESK_SOURCES_ON", choices.on)):
            if not set(names) <= set(SOURCE_KEYS):
                self.problems.append(f"{setting}: name sources of " + ", ".join(SOURCE_KEYS))
        known = [row.setting for row in TABLE if row.setting]
        if not {*choices.bases, *choices.min_gaps_ms} <= set(known):
            self.problems.append("PAPERDESK_SOURCE_<KEY>_URL and _MIN_GAP_MS: the keys are " + ", ".join(known))

    def _off(self, row: Source) -> Off | None:
        choices, key = self._choices, row.wire_key
        if choices.is_offline:
            return Off(
                "PAPERDESK_OFFLINE is set: no source is asked, and the catalog answers alone.", "PAPERDESK_OFFLINE"
            )
        if choices.is_hosted and row.is_local_only:
            return Off("A hosted service locates copies and never downloads them.")
        if self._contact is None and (choices.is_hosted or row.needs_contact):
            return Off(
                f"{row.label} is not asked without a contact address; PAPERDESK_CONTACT_EMAIL sets one.",
                "PAPERDESK_CONTACT_EMAIL",
            )
        if key in choices.off:
            return Off(
                f"{row.label} is switched off in this deployment; PAPERDESK_SOURCES_OFF names it.",
                "PAPERDESK_SOURCES_OFF",
            )
        if row.is_opt_in and key not in choices.on:
            return Off(
                f"{row.label} is not switched on in this deployment; PAPERDESK_SOURCES_ON switches it on.",
                "PAPERDESK_SOURCES_ON",
            )
        return None

    def _base(self, text: str) -> Base:
        return parsed_base(text, allows_loopback=self._allows_loopback)

    def _origin(self, text: str) -> str:
        return loopback_origin(text, allows_loopback=self._allows_loopback)

    def _read(self, setting: str, given: A | None, parse: Callable[[A], T]) -> T | None:
        """What a choice comes to; None where there is none, and where it is bad, which is noted."""
        try:
            return None if given is None else parse(given)
        except ValueError as error:
            self.problems.append(f"{setting}: {error}")
            return None


def _credentials(row: Source, contact: str | None, key: str | None) -> tuple[Credential, ...]:
    found = []
    if contact is not None and row.contact_parameter:
        found.append(Credential(row.contact_parameter, contact))
    if key is not None and row.key_name:
        found.append(Credential(row.key_name, key, row.key_place))
    return tuple(found)


def _gap_s(given_ms: int, paces: tuple[Pace, ...], *, may_loosen: bool) -> float:
    """A gap in place of the source's own; raises `BadChoice` where it is shorter and may not be."""
    own_ms = round(max(pace.gap_s for pace in paces) * 1000)
    if given_ms < own_ms and not may_loosen:
        raise BadChoice(f"write at least {own_ms}: a shorter gap is taken for a source on loopback only")
    return given_ms / 1000


def _timeouts(row: Source, *, is_hosted: bool) -> Timeouts:
    usual = _HOSTED_TIMEOUTS if is_hosted else _LOCAL_TIMEOUTS
    return usual if row.whole_s is None else replace(usual, whole_s=row.whole_s)


def _bounds(row: Source, *, is_hosted: bool) -> Bounds:
    eprint = _HOSTED_EPRINT if is_hosted else _LOCAL_EPRINT
    return replace({**_BOUNDS, "eprint": eprint}[row.body], error_bytes=ERROR_BYTES)


def _figure(own: int | None, hosted: int, local: int, *, is_hosted: bool) -> int:
    """A row's own figure, or the usual one."""
    return own if own is not None else hosted if is_hosted else local
