"""Everything in the records that is computed from other records (catalog contract 11.3, 16.4 and 17.2)."""

import sqlite3
from datetime import date

RECENT_DAYS = 90
SUPPORT_PRIOR_PAPERS = 10
"""Added to all-time papers when recent papers are weighed against them (catalog contract 16.4)."""

_COUNTED = (
    ("task", "paper_task", "task_id"),
    ("method", "paper_method", "method_id"),
    ("organization", "paper_organization", "organization_id"),
    ("framework", "paper_framework", "framework_id"),
)
_EVALUATIONS_BY_TASK = """
UPDATE task SET evaluation_count = c.n FROM (SELECT task_id, count(*) AS n FROM evaluation GROUP BY 1) AS c
WHERE c.task_id = task.id
"""
_BENCHMARKS_BY_TASK = """
UPDATE task SET benchmark_count = c.n FROM (SELECT task_id, count(*) AS n FROM benchmark_task GROUP BY 1) AS c
WHERE c.task_id = task.id
"""
_PAPERS_BY_CONFERENCE = """
UPDATE conference SET paper_count = c.n FROM
  (SELECT conference_id, count(*) AS n FROM paper WHERE conference_id IS NOT NULL GROUP BY 1) AS c
WHERE c.conference_id = conference.id
"""
_YEARS_OF_ORGANIZATIONS = """
UPDATE organization SET first_paper_year = c.first, latest_paper_year = c.latest FROM
  (SELECT organization_id, min(CAST(substr(published, 1, 4) AS INTEGER)) AS first,
     max(CAST(substr(published, 1, 4) AS INTEGER)) AS latest
   FROM paper_organization JOIN paper USING (pid) WHERE published IS NOT NULL GROUP BY 1) AS c
WHERE c.organization_id = organization.id
"""
_BENCHMARKS = """
UPDATE benchmark SET evaluation_count = c.n, open_count = c.open, closed_count = c.closed, paper_count = c.papers,
  recent_paper_count = c.recent
FROM (
  SELECT benchmark_id, count(*) AS n, coalesce(sum(is_open = 1), 0) AS open, coalesce(sum(is_open = 0), 0) AS closed,
    count(DISTINCT evaluation.pid) AS papers,
    count(DISTINCT CASE WHEN published_day BETWEEN ?1 - ?2 AND ?1 THEN evaluation.pid END) AS recent
  FROM evaluation LEFT JOIN paper USING (pid) GROUP BY 1
) AS c
WHERE c.benchmark_id = benchmark.id
"""
_TREND = """
SELECT id, name FROM benchmark
ORDER BY recent_paper_count DESC, CAST(recent_paper_count AS REAL) / (paper_count + ?) DESC, paper_count DESC,
  fold(name), name, id
"""
TOTALS = {
    "papers": "paper",
    "authors": "author",
    "areas": "area",
    "tasks": "task",
    "methods": "method",
    "conferences": "conference",
    "organizations": "organization",
    "frameworks": "framework",
    "benchmarks": "benchmark",
    "evaluations": "evaluation",
    "lineage": "lineage",
    "fulltexts": "fulltext",
}


def compute(connection: sqlite3.Connection, as_of: str | None) -> None:
    """Fills all count columns (authors have theirs already) and the trend places of benchmarks.

    Papers of the last 90 days are counted back from the as-of date.
    """
    for table, links, column in _COUNTED:
        connection.execute(
            f"UPDATE {table} SET paper_count = c.n FROM"  # noqa: S608
            f" (SELECT {column} AS id, count(DISTINCT pid) AS n FROM {links} GROUP BY 1) AS c WHERE c.id = {table}.id"
        )
    for statement in (_EVALUATIONS_BY_TASK, _BENCHMARKS_BY_TASK, _PAPERS_BY_CONFERENCE, _YEARS_OF_ORGANIZATIONS):
        connection.execute(statement)
    day = -1 if as_of is None else date.fromisoformat(as_of).toordinal()
    connection.execute(_BENCHMARKS, (day, RECENT_DAYS))
    ordered = connection.execute(_TREND, (SUPPORT_PRIOR_PAPERS,)).fetchall()
    connection.executemany(
        "UPDATE benchmark SET trending_rank = ? WHERE id = ?", [(rank, row[0]) for rank, row in enumerate(ordered)]
    )


def totals(connection: sqlite3.Connection) -> dict[str, int]:
    """How many records there are, by entity."""
    return {
        name: int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608
        for name, table in TOTALS.items()
    }
