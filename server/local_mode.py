"""What local mode asks of the other settings: one user's own files are served to that user's machine only (1.1)."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from server.setting_table import PREFIX
from server.setting_values import is_loopback_host

TOOLSET_ID = "references"

_PUBLISHING = ("allowed_hosts", "trusted_proxy_cidrs")
"""Settings that are of use only to a service that others reach through something in front of it."""


def problems_of_local_mode(values: Mapping[str, Any], *, host_name: str, serving: bool) -> Iterator[str]:
    """What stands against it, each as a sentence; called before the settings are completed."""
    if TOOLSET_ID not in values["toolsets"]:
        yield f"--local is a mode of the toolset {TOOLSET_ID}, which is not among those to serve; name it."
    if not serving:
        return
    if not is_loopback_host(values["host"]):
        yield (
            f"--local serves this machine only, and {host_name} is not a loopback address: leave it out, or serve"
            " without --local."
        )
    public = values["public_url"]
    if public and not is_loopback_host((urlsplit(public).hostname or "").strip("[]")):
        yield f"--local serves this machine only: leave {PREFIX}PUBLIC_URL out, or serve without --local."
    for name in _PUBLISHING:
        if values[name]:
            yield f"--local serves this machine only: leave {PREFIX}{name.upper()} out, or serve without --local."
    if values["workers"] > 1:
        yield (
            f"--local is one process with one log: leave {PREFIX}WORKERS out, or set it to 1, or serve without --local."
        )
