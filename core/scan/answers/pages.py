"""The page of shortlisted records that is handed out for ranking, cut to the size of an answer (scan contract 6.3)."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from core.scan.answers.progress import current_page
from core.scan.documents import candidate_json
from core.scan.models import Shortlist, Shortlisted
from core.scan.profiles import RANK_PAGE

PAGE_BYTES = 34_000
ABSTRACT_BYTES = 2_400


@dataclass(frozen=True, slots=True)
class _Cut:
    """How much of a record is shown beside its abstract; `text_bytes` None leaves texts whole."""

    authors: int
    origins: int
    text_bytes: int | None = None


# The first is the rule; the others serve records that no abstract's cut could make small enough.
_CUTS = (_Cut(8, 10), _Cut(8, 10, 200), _Cut(3, 3, 100), _Cut(1, 1, 50))


def page_records(shortlist: Shortlist, ranked: Container[str]) -> list[dict[str, Any]]:
    """The records of the first page with an unranked one, whole, in shortlist order, in at most 34,000 bytes."""
    records = shortlist.records
    page, _ = current_page([each.candidate.cid for each in records], ranked)
    chosen = records[(page - 1) * RANK_PAGE : page * RANK_PAGE]
    for cut in _CUTS:
        fitting = shortened([_record(each, cut) for each in chosen], PAGE_BYTES)
        if size_of(fitting) <= PAGE_BYTES:
            break
    return fitting


def shortened(records: Sequence[Mapping[str, Any]], most_bytes: int) -> list[dict[str, Any]]:
    """The records with their abstracts cut to one length, the longest that keeps them within so many bytes.

    Where no length does, they have empty abstracts.
    """

    def cut(limit: int) -> list[dict[str, Any]]:
        return [{**each, "abstract": cut_bytes(each["abstract"], limit)} for each in records]

    limit = longest(ABSTRACT_BYTES, lambda limit: size_of(cut(limit)) <= most_bytes)
    return cut(limit)


def longest(most: int, fits: Callable[[int], bool]) -> int:
    """The largest length up to `most` that fits, where each shorter one fits too; 0 where none does."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def cut_bytes(text: str | None, most_bytes: int) -> str | None:
    """The text's longest beginning of so many UTF-8 bytes."""
    return None if text is None else text.encode("utf-8", "replace")[:most_bytes].decode("utf-8", "ignore")


def size_of(value: Any) -> int:
    """The bytes of the value as compact JSON."""
    return len(orjson.dumps(value))


def _record(shortlisted: Shortlisted, cut: _Cut) -> dict[str, Any]:
    told = {**candidate_json(shortlisted.candidate), "score": shortlisted.score}
    record: dict[str, Any] = {}
    for key, value in told.items():
        if key == "authors":
            record["authors"] = [_cut_texts(each, cut.text_bytes) for each in value[: cut.authors]]
            record["author_count"] = len(value)
        elif key == "origins":
            record["origins"] = value[: cut.origins]
            record["origin_count"] = len(value)
        else:
            record[key] = value
    texts = {key: record.get(key) for key in ("title", "tldr", "venue", "raw_type", "oa_url")}
    return {**record, **_cut_texts(texts, cut.text_bytes)}


def _cut_texts(row: Mapping[str, Any], most_bytes: int | None) -> dict[str, Any]:
    if most_bytes is None:
        return dict(row)
    return {key: cut_bytes(value, most_bytes) if isinstance(value, str) else value for key, value in row.items()}
