"""From settings to what an operator chose about sources, and what is wrong with that (references contract, 11)."""

from collections.abc import Iterator, Mapping
from typing import Any

from core.errors import SettingsError
from core.sources.configuration import SourceChoices, build_sources

_KEYS = {"openalex": "openalex_api_key", "ncbi": "ncbi_api_key", "semantic_scholar": "s2_api_key"}


def source_choices(values: Mapping[str, Any]) -> SourceChoices:
    """The choices, by the fields of the settings."""
    return SourceChoices(
        is_hosted=not values["local"],
        contact=values["contact_email"] or None,
        keys={source: key for source, field in _KEYS.items() if (key := values[field])},
        off=values["sources_off"],
        on=values["sources_on"],
        bases=values["source_urls"],
        min_gaps_ms=values["source_min_gaps_ms"],
        allows_loopback=values["allow_loopback_sources"],
        oa_loopback_origins=values["oa_loopback_origins"],
        oa_extra_hosts=values["oa_extra_hosts"],
        oa_host_classes=values["oa_host_classes"],
        blocked_hosts=values["blocked_hosts"],
        is_offline=values["offline"],
    )


def problems_of_sources(values: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the choices, each as a sentence."""
    try:
        build_sources(source_choices(values))
    except SettingsError as error:
        yield from (f"{problem.rstrip('.')}." for problem in error.problems)
