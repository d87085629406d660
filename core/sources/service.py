"""What every reader of a source has: the client, the source's rules, and how a changed answer is reported."""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from core.errors import SourceMalformed
from core.http.judging import schema_drift
from core.http.polite import PoliteClient
from core.http.remembering import Fetched
from core.http.rules import SourceRules
from core.sources.fields import MissingField, Row, as_row

T = TypeVar("T")


class Service:
    """One source. Every call takes the token of whom it is for, and raises what the polite client raises."""

    def __init__(self, client: PoliteClient, rules: SourceRules) -> None:
        self._client = client
        self._rules = rules

    @property
    def key(self) -> str:
        """The source's name on the wire."""
        return self._rules.key

    @property
    def has_key(self) -> bool:
        """Whether it is asked with a key of its own; a contact address is none."""
        return any("key" in each.name for each in self._rules.credentials)

    async def _get(self, path: Any, params: Any = None, *, caller: str, **how: Any) -> Fetched:
        return await self._client.get(self._rules, path, params, caller=caller, **how)

    async def _row(self, path: Any, params: Any = None, *, caller: str, **how: Any) -> tuple[Row, bool]:
        """An answer that is an object, and whether it is stale."""
        found = await self._get(path, params, caller=caller, **how)
        return as_row(found.json()), found.stale

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Turns a missing member into a failure of the source."""
        try:
            yield
        except MissingField as missing:
            raise self._drift(missing.field) from missing

    def _readable(self, rows: Iterable[Row], read: Callable[[Row], T]) -> tuple[T, ...]:
        """What can be read of the rows of a list; one that lacks what it needs takes nothing from the others."""
        found: list[T] = []
        for row in rows:
            with contextlib.suppress(MissingField):
                found.append(read(row))
        return tuple(found)

    def _drift(self, field: str) -> SourceMalformed:
        return schema_drift(self._rules, field)
