"""A recorded scan's plan, scores and entries are accepted as they were sent (scan contract 12, R1)."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from core.scan.checking import all_ranked, entries, proceed, scores, start, verify
from core.scan.models import Batch, Candidate, FoundWork, Pool, ScreenScore, Shortlist, Shortlisted
from tests.core.scan.sent import SCAN_ID, sent_start

pytestmark = pytest.mark.shared_data


def read(shared_data: Path, name: str) -> Any:
    return orjson.loads((shared_data / "scan-run" / name).read_bytes())


def listed(rows: list[dict[str, Any]]) -> tuple[Shortlisted, ...]:
    return tuple(Shortlisted(Candidate(each["cid"], FoundWork("")), each["score"]) for each in rows)


def test_a_recorded_scan_passes_all_checks_batch_by_batch(shared_data: Path) -> None:
    # scan A80
    plan = start(sent_start(queries=read(shared_data, "queries.json"))).plan
    rows = read(shared_data, "candidates.json")["candidates"]
    pool = Pool(tuple(Candidate(cid, FoundWork("")) for cid in dict.fromkeys(each["cid"] for each in rows)))
    names = [path.stem for path in sorted((shared_data / "scan-run" / "screen-batches").iterdir())]
    documents = [read(shared_data, f"screen-batches/{name}.json") for name in names]
    batches = [Batch(each["batch"], tuple(item["cid"] for item in each["items"])) for each in documents]
    recorded = {each["cid"]: each for each in read(shared_data, "screen.json")["scores"]}
    merged: dict[str, ScreenScore] = {}
    for batch in batches:
        sent = {"scan_id": SCAN_ID, "screen_scores": [recorded[cid] for cid in batch.cids]}
        merged = dict(scores(proceed(sent).screen_scores or (), pool, batches, merged, plan))
    assert (len(batches), set(merged)) == (15, set(recorded))

    sides = read(shared_data, "shortlist.json")
    shortlist = Shortlist(listed(sides["in_window"]), listed(sides["outside_window"]))
    request = verify({"scan_id": SCAN_ID, "ranked_entries": read(shared_data, "ranked.json")})
    ranked = entries(request.ranked_entries or (), shortlist, pool, plan, {})
    all_ranked(shortlist, ranked)
    assert len(ranked) == 47
