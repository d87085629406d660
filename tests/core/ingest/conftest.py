import gzip
import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.clock import ManualClock
from core.ingest.build import BuildOptions, build_catalog, parse_source
from core.ingest.report import BuildReport

NOW_S = 1_790_000_000.0


@dataclass(frozen=True)
class Built:
    """A built catalog, opened for looking."""

    path: Path
    report: BuildReport

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(f"file:{self.path / 'catalog.sqlite'}?mode=ro", uri=True)
        try:
            return connection.execute(statement, values).fetchall()
        finally:
            connection.close()

    def one(self, statement: str, *values: object) -> tuple[Any, ...]:
        (row,) = self.rows(statement, *values)
        return row


Build = Callable[..., Built]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Builds from sources written `KIND:PATH`, each time into a folder of its own."""
    count = iter(range(1000))

    def run(*sources: str, **options: Any) -> Built:
        out = tmp_path / f"catalog-{next(count)}"
        options.setdefault("clock", ManualClock(NOW_S))
        report = build_catalog([parse_source(source) for source in sources], out, options=BuildOptions(**options))
        return Built(out, report)

    return run


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes rows as JSON lines (or a JSON list with `as_list`), gzipped when the name ends so."""

    def run(name: str, rows: list[Any], *, as_list: bool = False, bom: bool = False) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(rows, indent=1) if as_list else "".join(json.dumps(row) + "\n" for row in rows)
        data = (b"\xef\xbb\xbf" if bom else b"") + text.encode()
        path.write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)
        return path

    return run
