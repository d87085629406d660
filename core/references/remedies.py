"""What an operator may change so that a refused copy can be downloaded (references contract, section 1.6)."""

from collections.abc import Mapping

from core.errors import Denial
from core.http.hosts import HostPatterns, ascii_host
from core.sources.hosts import OA_HOST_CLASSES

_GENERAL = frozenset({"ac", "co", "com", "edu", "gob", "gov", "net", "or", "org"})
"""Second labels under which countries register names."""


def remedies(denial: Denial | None, *, source: str) -> tuple[Mapping[str, str], ...]:
    """Changes of settings, narrowest first; none where no host would be let in by one."""
    if denial is None or denial.reason != "redirect_not_in_allowlist" or denial.source != source:
        return ()
    try:
        host = ascii_host(denial.attempted or "")
    except ValueError:
        return ()
    found = [_remedy("additional_host", host, "Add it to PAPERDESK_OA_EXTRA_HOSTS to allow this host.")]
    parent = _parent(host)
    if parent is not None:
        note = "Add it to PAPERDESK_OA_EXTRA_HOSTS to allow all hosts of this name."
        found.append(_remedy("additional_host", f"*.{parent}", note))
    named = next((name for name, hosts in OA_HOST_CLASSES.items() if HostPatterns(hosts).match(host)), None)
    if named is not None:
        note = f"Write {named} there to allow the whole class of hosts that this one belongs to."
        found.append(_remedy("trust_flag", "PAPERDESK_OA_HOST_CLASSES", note))
    return tuple(found)


def _remedy(kind: str, value: str, note: str) -> Mapping[str, str]:
    return {"kind": kind, "value": value, "note": note}


def _parent(host: str) -> str | None:
    """The name above a host, if somebody owns it as a whole."""
    labels = host.split(".")[1:]
    if len(labels) < 2 or (len(labels) == 2 and len(labels[1]) == 2 and labels[0] in _GENERAL):
        return None
    return ".".join(labels)
