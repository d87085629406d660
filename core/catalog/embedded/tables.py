"""What a catalog holds in memory of its taxonomy: each table is read when it is first asked for, then kept."""

import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from core.catalog.embedded.benchmarks import BenchmarkTable
from core.catalog.embedded.communities import ConferenceTable, FrameworkTable, OrganizationTable
from core.catalog.embedded.completion import Completion
from core.catalog.embedded.connection import Connection
from core.catalog.embedded.methods import MethodTable
from core.catalog.embedded.names import EntityNames
from core.catalog.embedded.tasks import TaskTable
from core.catalog.models import EntityKind

T = TypeVar("T")


class Tables:
    """The tables of one opened catalog; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[Hashable, Any] = {}

    def benchmarks(self, connection: Connection) -> BenchmarkTable:
        """All benchmarks."""
        return self._once("benchmarks", lambda: BenchmarkTable(connection))

    def tasks(self, connection: Connection) -> TaskTable:
        """All tasks."""
        return self._once("tasks", lambda: TaskTable(connection))

    def methods(self, connection: Connection) -> MethodTable:
        """All methods."""
        return self._once("methods", lambda: MethodTable(connection))

    def conferences(self, connection: Connection) -> ConferenceTable:
        """All conferences."""
        return self._once("conferences", lambda: ConferenceTable(connection))

    def organizations(self, connection: Connection) -> OrganizationTable:
        """All organizations."""
        return self._once("organizations", lambda: OrganizationTable(connection))

    def frameworks(self, connection: Connection) -> FrameworkTable:
        """All frameworks."""
        return self._once("frameworks", lambda: FrameworkTable(connection))

    def names(self, connection: Connection, kind: EntityKind) -> EntityNames:
        """All names of a kind, for nearness."""
        return self._once(("names", kind), lambda: EntityNames.load(connection, kind))

    def completion(self, connection: Connection, kind: EntityKind) -> Completion:
        """All names of a kind, for completing them."""
        return self._once(("completion", kind), lambda: Completion.load(connection, kind))

    def _once(self, key: Hashable, load: Callable[[], T]) -> T:
        with self._lock:
            if key not in self._kept:
                self._kept[key] = load()
            kept: T = self._kept[key]
            return kept
