"""Names of records for files and citation keys, and digests of what was asked (references contract, section 2.8)."""

import hashlib
import re

from core.identifiers import Identifier, IdentifierKind
from core.records import Work

_LONGEST = 192
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]|_")


def safekey(identifier: Identifier, work: Work | None = None) -> str:
    """The safekey of a DOI or arXiv id, at most 201 characters of `[A-Za-z0-9._-]`; equal for some ids that differ.

    Of a record that is known it uses the DOI as its agency spells it, so that one DOI in two cases has one safekey.
    """
    raw = _raw(identifier, work)
    safe = re.sub(r"_+", "_", _UNSAFE.sub("_", raw)).strip("_")
    if len(safe) <= _LONGEST:
        return safe
    return f"{safe[:_LONGEST]}_{_mark(raw)}"


def distinct_safekey(identifier: Identifier, work: Work | None = None) -> str:
    """The safekey with a mark of its own, for a record whose safekey names the files of another one (10.1)."""
    return f"{safekey(identifier, work)}_{_mark(_raw(identifier, work))}"


def spelling(identifier: Identifier, work: Work | None = None) -> str:
    """The id that a record is kept under: a DOI as its agency spells it, if known; an arXiv id with its version."""
    if identifier.kind not in (IdentifierKind.DOI, IdentifierKind.ARXIV):
        raise ValueError("only a DOI or an arXiv id has a safekey")
    id = identifier.id
    if work is not None and work.doi_registered and work.doi_registered.lower() == id.lower():
        id = work.doi_registered
    return f"{id}{identifier.version or ''}"


def canonical_digest(identifier: Identifier, resolver_profile: str) -> str:
    """SHA-256 over kind, id as in the key, resolver profile and version, separated by NUL."""
    parts = (identifier.kind, identifier.value, resolver_profile, identifier.version or "")
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _raw(identifier: Identifier, work: Work | None) -> str:
    return f"{identifier.kind}_{spelling(identifier, work)}"


def _mark(raw: str) -> str:
    return hashlib.sha256(raw.encode()).hexdigest()[:8]
