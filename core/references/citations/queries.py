"""What is asked for: citation texts, how many candidates, and each text once (references contract, 3.20, 3.21)."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import InvalidInput
from core.identifiers import Identifier
from core.identifiers.clean import clean_running_text
from core.identifiers.running_text import occurrences

QUERY_CHARS_MAX = 2000
QUERIES_MAX = 50
LIMIT_MAX = 255
_SHOWN_MAX = 50
_SHOWN_IN_BATCH = 250
_LEAST_ROWS = 20


@dataclass(frozen=True, slots=True)
class Batch:
    """Citation texts to search for, each once, and for every text as asked its place among them; None: no search."""

    texts: tuple[str, ...]
    places: tuple[int | None, ...]
    limit: int
    """Candidates to show for each."""

    @property
    def rows(self) -> int:
        """Candidates to ask the source for, so that the ranking has something to choose from."""
        return max(self.limit, _LEAST_ROWS)


@dataclass(frozen=True, slots=True)
class Named:
    """An identifier in a citation text, and the piece of the text that it was read from."""

    identifier: Identifier
    text: str


def read_query(query: str, limit: int) -> Batch:
    """One citation text; raises `InvalidInput` on a text or limit out of bounds."""
    _check_limit(limit)
    return _batch([query], limit, _SHOWN_MAX)


def read_queries(queries: Sequence[str], limit: int) -> Batch:
    """Several citation texts, whose candidates together stay within an answer."""
    _check_limit(limit)
    if len(queries) > QUERIES_MAX:
        raise InvalidInput(f"A batch takes at most {QUERIES_MAX} queries, not {len(queries)}. Send them in parts.")
    return _batch(queries, limit, _SHOWN_IN_BATCH // max(len(queries), 1))


def named_in(query: str) -> Named | None:
    """The identifier in a citation text, when there is exactly one; an id that cannot exist names nothing."""
    text = clean_running_text(query)
    found = list(occurrences(text))
    if len({one.identifier.key for one in found}) != 1 or not found[0].identifier.plausible:
        return None
    return Named(found[0].identifier, " ".join(text[one.start : one.end] for one in found))


def _batch(queries: Sequence[str], limit: int, shown_max: int) -> Batch:
    limit = min(limit, shown_max, _SHOWN_MAX)
    texts: dict[str, int] = {}
    places = []
    for query in queries:
        if len(query) > QUERY_CHARS_MAX:
            raise InvalidInput(f"A query has at most {QUERY_CHARS_MAX} characters. Send one citation.")
        text = " ".join(query.split())
        is_searched = limit > 0 and any(character.isalnum() for character in text)
        places.append(texts.setdefault(text, len(texts)) if is_searched else None)
    return Batch(tuple(texts), tuple(places), limit)


def _check_limit(limit: int) -> None:
    if not 0 <= limit <= LIMIT_MAX:
        raise InvalidInput(f"The limit is a whole number from 0 to {LIMIT_MAX}.")
