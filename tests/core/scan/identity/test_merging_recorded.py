"""The candidates of a recorded run, merged (scan contract 7.5, 12)."""

import json
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest

from core.scan.days import ScanWindow
from core.scan.identity.keys import ids_of
from core.scan.identity.merging import merge
from core.scan.models import FoundWork, Origin, Pool, ScanAuthor

pytestmark = pytest.mark.shared_data

_PLAIN = (
    "title",
    "abstract",
    "tldr",
    "year",
    "publication_date",
    "venue",
    "type",
    "raw_type",
    "citation_count",
    "influential_citation_count",
    "is_retracted",
    "oa_url",
)


def work_of(row: dict[str, Any]) -> FoundWork:
    return FoundWork(
        **{name: row[name] for name in _PLAIN},
        authors=tuple(ScanAuthor(**author) for author in row["authors"]),
        ids=ids_of(**row["ids"]),
        origins=tuple(Origin(**origin) for origin in row["origins"]),
    )


def test_recorded_rows_become_distinct_works_in_any_order(shared_data: Path) -> None:
    rows = json.loads((shared_data / "scan-run" / "candidates.json").read_bytes())["candidates"]
    works = [work_of(row) for row in rows]
    window = ScanWindow(date(2024, 1, 1), date(2026, 8, 20))
    merged = merge(Pool(), works, window)
    # 362 rows with 360 cids; two of these are one arXiv id, once as id and once as DOI.
    assert (len(rows), len({row["cid"] for row in rows}), len(merged.new)) == (362, 360, 359)
    of_origin = {origin: each.cid for each in merged.new for origin in each.work.origins}
    assert len(of_origin) == len({origin for work in works for origin in work.origins})
    recorded: dict[str, set[str]] = {}
    for row, work in zip(rows, works, strict=True):
        recorded.setdefault(of_origin[work.origins[0]], set()).add(row["cid"])
    assert [cids for cids in recorded.values() if len(cids) > 1] == [{"0277c70bd903", "9a6dffd27191"}]
    shuffled = list(works)
    Random(1).shuffle(shuffled)
    assert merge(Pool(), shuffled, window) == merged
    again = merge(Pool(merged.new), shuffled, window)
    assert (again.new, again.joined) == ((), ())
