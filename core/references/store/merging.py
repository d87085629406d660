"""What a re-fetch changes of a stored entry (references contract, section 10.3)."""

from collections.abc import Mapping
from typing import Any

from core.errors import SchemaTooNew, StoreFailed
from core.references.store.documents import FIRST, Document
from core.references.store.shape import SCHEMA_VERSION, UNKNOWN_LICENSE
from core.texts import clean_text, restored

_ID_KEYS = ("doi", "arxiv_id")
_OF_THE_FILE = ("size_bytes", "origin", "preprint_doi")
# What users say of an entry, their tags, collections and annotation, is not among them.
_OF_A_FETCH = ("fetched_at", "source", "license", "oa_status", "mcp_call_id", "repaired_fields", *_OF_THE_FILE)


def is_too_new(values: Mapping[str, Any]) -> bool:
    """Whether a newer release wrote it; raises `StoreFailed` where the version is none."""
    written = values.get(FIRST, SCHEMA_VERSION)
    try:
        return _version(written) > _version(SCHEMA_VERSION)
    except (ValueError, AttributeError) as error:
        raise StoreFailed(
            'An entry of the store has a schema version that is none; write it as in "1.0", or move the entry away.'
        ) from error


def check_writable(values: Mapping[str, Any]) -> None:
    """Raises `SchemaTooNew`."""
    if is_too_new(values):
        raise SchemaTooNew("That entry of the store was written by a newer release of paperdesk; update this one.")


def merge(document: Document, top: Mapping[str, Any], own: Mapping[str, Any], *, keeps_file: bool) -> None:
    """Takes in what was fetched; `keeps_file`: the PDF that the entry has stays, and so what is known of it."""
    stored = dict(document.values)
    for key, value in top.items():
        if _is_better(key, stored.get(key), value, stored):
            document.put(key, value)
    held = dict(document.own or {})
    for key in _OF_A_FETCH:
        value = own.get(key)
        if keeps_file and key in _OF_THE_FILE:
            continue
        if key == "oa_status" and value is None:
            continue
        if key == "license" and value == UNKNOWN_LICENSE and held.get("license"):
            continue
        document.put_own(key, value)


def _is_better(key: str, held: object, new: object, stored: Mapping[str, Any]) -> bool:
    if held in (None, "", []):
        return True
    if key == FIRST or held == new:
        return False
    # A title that only stands in for one.
    if key == "title" and held in [stored.get(name) for name in _ID_KEYS]:
        return True
    return _is_same_made_whole(held, new)


def _is_same_made_whole(held: object, new: object) -> bool:
    """Whether the new value is the stored one with markup or damage removed."""
    if isinstance(held, list) and isinstance(new, list):
        pairs = list(zip(held, new, strict=False))
        return len(held) == len(new) and all(one == other or _is_same_made_whole(one, other) for one, other in pairs)
    if not isinstance(held, str) or not isinstance(new, str):
        return False
    clean = clean_text(held) or ""
    return clean == new or restored(clean, new) is not None


def _version(text: Any) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))
