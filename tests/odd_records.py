"""The input records of the test catalog as parsed lines, with the keys that orders are worked out from."""

import json
import tempfile
import unicodedata
from datetime import date
from pathlib import Path

from tests.odd_catalog import write_odd_catalog
from tests.odd_papers import AS_OF, Record

LAST = float("inf")
AS_OF_DAY = date.fromisoformat(AS_OF).toordinal()


def _read() -> dict[str, list[Record]]:
    with tempfile.TemporaryDirectory() as name:
        write_odd_catalog(Path(name))
        files = sorted(Path(name).glob("*.jsonl"))
        return {file.stem: [json.loads(line) for line in file.read_bytes().splitlines()] for file in files}


RECORDS = _read()


def title(record: Record) -> str:
    """The title as a catalog holds it."""
    return " ".join(unicodedata.normalize("NFC", record["title"]).split())


def day(record: Record) -> int | None:
    """First day of a paper's period; a new-style arXiv id tells the month where no date is stated."""
    published, arxiv_id = record.get("published"), record.get("arxiv_id", "")
    if published is None and arxiv_id[:4].isdigit():
        published = f"20{arxiv_id[:2]}-{arxiv_id[2:4]}"
    return None if published is None else date.fromisoformat((published + "-01-01")[:10]).toordinal()


def trend(record: Record) -> float:
    """Velocity, else citations for the age, else 0 (contract 11.3)."""
    if "velocity" in record:
        return float(record["velocity"])
    if "citation_count" not in record or day(record) is None:
        return 0.0
    return float(record["citation_count"] / max(30, AS_OF_DAY - (day(record) or 0)))


def newest(record: Record) -> float:
    """Sorts by published desc, missing last."""
    return LAST if day(record) is None else -(day(record) or 0)


def most_cited(record: Record) -> float:
    """Sorts by citations desc, missing last."""
    return -float(record.get("citation_count", -LAST))
