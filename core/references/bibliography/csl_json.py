"""Reads CSL-JSON: an array of items, each with its identifiers in members of their own."""

from collections.abc import Iterator
from typing import Any

import orjson

from core.errors import InvalidInput
from core.references.bibliography.entries import BadEntry, Entry, EntryKey
from core.references.bibliography.identifying import (
    Reader,
    identify,
    read_address,
    read_arxiv,
    read_doi,
    read_note,
    read_pmcid,
    read_pmid,
)


def read_csl_json(text: str) -> Iterator[Entry | BadEntry]:
    """The items in order; raises `InvalidInput` when the whole is no array of JSON."""
    try:
        items = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InvalidInput("The bibliography is not valid JSON. Export it again as CSL-JSON.") from error
    if not isinstance(items, list):
        raise InvalidInput("A CSL-JSON bibliography is an array of items. Put the item in brackets.")
    return map(_read_item, items)


def count_csl_json(text: str) -> int:
    """How many items a text has, 0 where it cannot be read."""
    try:
        items = orjson.loads(text)
    except orjson.JSONDecodeError:
        return 0
    return len(items) if isinstance(items, list) else 0


def _read_item(item: Any) -> Entry | BadEntry:
    if not isinstance(item, dict):
        return BadEntry(None, None, InvalidInput("An item of a CSL-JSON bibliography is an object with its members."))
    return identify(_key(item.get("id")), _fields(item))


def _fields(item: dict[str, Any]) -> Iterator[tuple[str, Reader]]:
    readers: list[tuple[tuple[str, ...], Reader]] = [(("DOI", "doi"), read_doi)]
    if _text(item, "archivePrefix", "archive").casefold().startswith("arxiv"):
        readers.append((("eprint", "number"), read_arxiv))
    readers += [
        (("note",), read_note),
        (("PMID",), read_pmid),
        (("PMCID",), read_pmcid),
        (("URL",), read_address),
    ]
    for names, read in readers:
        if value := _text(item, *names):
            yield value, read


def _text(item: dict[str, Any], *names: str) -> str:
    """The first of these members that holds something, as text; numbers are identifiers too."""
    for name in names:
        value = item.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _key(id: Any) -> EntryKey:
    return id if isinstance(id, str | int) and not isinstance(id, bool) else None
