"""Numeric ids and slugs that depend on natural keys alone (catalog contract 17.2)."""

import hashlib
from collections.abc import Container, Sequence

ID_BITS = 52
MAX_ID = (1 << ID_BITS) - 1
_DIGEST_BITS = 256
_MASK = MAX_ID


def derived_id(kind: str, natural: str, attempt: int = 0) -> int:
    """The `attempt`-th 52 bits of SHA-256 of `kind:natural key`; past the digest's end a counter is hashed along."""
    pieces = _DIGEST_BITS // ID_BITS
    round_, piece = divmod(attempt, pieces)
    text = f"{kind}:{natural}" if round_ == 0 else f"{kind}:{natural}:{round_}"
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).digest()
    if piece == 0:
        return int.from_bytes(digest[:7], "big") >> 4
    return (int.from_bytes(digest, "big") >> (_DIGEST_BITS - ID_BITS * (piece + 1))) & _MASK


def free_id(kind: str, natural: str, taken: Container[int]) -> int:
    """The first of a natural key's ids that is not taken; 0 is never an id."""
    attempt = 0
    while (candidate := derived_id(kind, natural, attempt)) in taken or candidate == 0:
        attempt += 1
    return candidate


def assign_ids(kind: str, given: Sequence[tuple[str, int | None]]) -> dict[str, int]:
    """Ids by natural key: given ones are kept, the others derived; clashes are settled in natural-key order."""
    ids: dict[str, int] = {}
    taken: set[int] = set()
    for natural, number in sorted(given, key=lambda each: (each[1] is None, each[0])):
        ids[natural] = free_id(kind, natural, taken) if number is None or number in taken else number
        taken.add(ids[natural])
    return ids


def assign_slugs(wanted: Sequence[tuple[str, str, bool]]) -> dict[str, str]:
    """Slugs by natural key from (natural key, wished slug, given by a source).

    Given slugs come first; clashes get `-1`, `-2` in natural-key order.
    """
    slugs: dict[str, str] = {}
    taken: set[str] = set()
    for natural, wish, _ in sorted(wanted, key=lambda each: (not each[2], each[0])):
        slug, number = wish, 0
        while slug in taken:
            number += 1
            slug = f"{wish}-{number}"
        taken.add(slug)
        slugs[natural] = slug
    return slugs
