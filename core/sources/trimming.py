"""Keeps a source's own object under 32 KiB, and says what was cut (references contract, section 3.1)."""

from collections.abc import Collection, Mapping
from typing import Any

import orjson

from core.sources.fields import items

METADATA_BYTES = 32 * 1024
AUTHORS_MAX = 100


def trimmed(
    metadata: Mapping[str, Any], *, people: str, affiliation: str, kept: Collection[str]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The object, and names of what was cut: affiliations, then authors after the 100th, then its largest members.

    `people` is the member that lists authors, `affiliation` the one of each with the affiliations; of the members in
    `kept` none goes before all others.
    """
    whole, cut = dict(metadata), []
    if _size(whole) > METADATA_BYTES and any(affiliation in each for each in _people(whole, people)):
        whole[people] = [_without(each, affiliation) for each in items(whole, people)]
        cut.append(f"{people}.{affiliation}")
    if _size(whole) > METADATA_BYTES and len(items(whole, people)) > AUTHORS_MAX:
        whole[people] = whole[people][:AUTHORS_MAX]
        cut.append(people)
    for name in sorted(whole, key=lambda name: (name in kept, -_size(whole[name]))):
        if _size(whole) <= METADATA_BYTES:
            break
        del whole[name]
        cut.append(name)
    return whole, tuple(dict.fromkeys(cut))


def _people(whole: Mapping[str, Any], people: str) -> list[dict[str, Any]]:
    return [each for each in items(whole, people) if isinstance(each, dict)]


def _without(author: Any, member: str) -> Any:
    return {key: value for key, value in author.items() if key != member} if isinstance(author, dict) else author


def _size(value: Any) -> int:
    return len(orjson.dumps(value))
