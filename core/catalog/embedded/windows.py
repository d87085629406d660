"""Windows on the papers of a catalog: newest, trending and those of a task, latest records only."""

from datetime import date

from core.catalog.embedded.connection import Connection
from core.catalog.embedded.papers import numeric_id, rows
from core.catalog.embedded.text_search import DocumentFilters, TextIndex
from core.catalog.models import PaperRow

_FAST = (
    "SELECT pid FROM paper WHERE velocity IS NOT NULL AND velocity >= ? AND published_day BETWEEN ? AND ? "
    "AND is_latest ORDER BY trending_rank LIMIT ?"
)
_MEASURED = "SELECT EXISTS (SELECT 1 FROM paper WHERE velocity IS NOT NULL)"


class Windows:
    """The windows of one opened catalog; blocking, for worker threads. `as_of` is the day that ages count back from."""

    def __init__(self, text: TextIndex, as_of: str | None) -> None:
        self._text = text
        self._as_of_day = None if as_of is None else date.fromisoformat(as_of).toordinal()

    def recent(self, connection: Connection, limit: int) -> tuple[PaperRow, ...]:
        """The newest papers: published desc (missing last), id."""
        pids = self._text.first(DocumentFilters(latest_only=True), "order", limit)
        return rows(connection, pids)

    def trending(
        self, connection: Connection, limit: int, max_age_days: int, min_velocity: float | None
    ) -> tuple[PaperRow, ...]:
        """Papers of the days from `max_age_days` before the as-of day up to it; none where no day is known."""
        last_day = self._as_of_day
        if last_day is None:
            return ()
        first_day = last_day - max_age_days
        if min_velocity is None:
            chosen = DocumentFilters(first_day=first_day, last_day=last_day, latest_only=True)
            pids = self._text.first(chosen, "trending_rank", limit)
        else:
            pids = [pid for (pid,) in connection.execute(_FAST, (min_velocity, first_day, last_day, limit))]
        return rows(connection, pids)

    def of_task(self, connection: Connection, task_id: str, limit: int) -> tuple[PaperRow, ...]:
        """A task's own papers in trending order, with their methods and repositories."""
        number = numeric_id(task_id)
        if number is None:
            return ()
        chosen = DocumentFilters(latest_only=True, ids=(("task", number),))
        pids = self._text.first(chosen, "trending_rank", limit)
        return rows(connection, pids, with_resources=True)


def has_velocities(connection: Connection) -> bool:
    """Whether any paper carries a measured velocity."""
    (is_measured,) = connection.execute(_MEASURED).fetchone()
    return bool(is_measured)
