"""Answers of `/api/v1` as checked JSON, and its refusals in our words (catalog contract 3 and 16.1)."""

from collections.abc import Sequence

import orjson

from core.catalog.notices import notice
from core.catalog.upstream.pages import WirePage, wire_page
from core.catalog.upstream.values import Json
from core.errors import ContentChanged, InvalidInput, NotFound, SourceMalformed
from core.http.client import Exchange
from core.http.upstream import BAD_REQUEST, CONFLICT, NOT_FOUND, UNPROCESSABLE, Upstream
from core.http.urls import Params

Path = Sequence[str]
"""Parts of a path; a collection ends with an empty one."""


def item(*path: str) -> Path:
    """A path to one thing; a blank id in it names nothing, and must not turn into the path of a collection."""
    if not all(part.strip() for part in path):
        raise NotFound("The catalog's service holds no such thing.")
    return path


class Api:
    """One catalog API. Every method raises the source failures beside what it names."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream

    @property
    def source(self) -> str:
        """The API's name in failures."""
        return self._upstream.source

    async def exchange(
        self,
        path: Path,
        params: Params | None = None,
        *,
        max_s: float | None = None,
        takes: frozenset[int] = frozenset(),
    ) -> Exchange:
        """The bare answer: 2xx, a refusal, or a status of `takes`."""
        return await self._upstream.get(path, params, max_s=max_s, takes=takes)

    async def answer(self, path: Path, params: Params | None = None, *, max_s: float | None = None) -> Json:
        """A JSON object; raises `NotFound`, `InvalidInput` and `ContentChanged` for refusals."""
        found = self.parsed(self.accepted(await self.exchange(path, params, max_s=max_s)))
        if not isinstance(found, dict):
            raise self.malformed()
        return found

    async def rows(self, path: Path, params: Params | None = None) -> list[Json]:
        """The objects of a bare array, or of an envelope in its place."""
        found = self.parsed(self.accepted(await self.exchange(path, params)))
        return self._page({"results": found} if isinstance(found, list) else found, 1).rows

    async def page(self, path: Path, params: Params, page: int) -> WirePage:
        """One page of a collection; a missing page after the first is one past the end."""
        exchange = await self.exchange(path, {**params, "page": page})
        if exchange.status == NOT_FOUND and page > 1:
            return WirePage(is_past_end=True)
        return self.read_page(exchange, page)

    async def whole(self, path: Path, params: Params | None = None) -> WirePage:
        """A collection that comes in one answer."""
        return self.read_page(await self.exchange(path, params), 1)

    def read_page(self, exchange: Exchange, page: int) -> WirePage:
        """The page in an answer."""
        return self._page(self.parsed(self.accepted(exchange)), page)

    def _page(self, answer: object, page: int) -> WirePage:
        found = wire_page(answer, page)
        if found is None:
            raise self.malformed()
        if found.skipped:
            notice(f"{found.skipped} rows of the catalog's service were unreadable and are left out.")
        return found

    def accepted(self, exchange: Exchange) -> Exchange:
        """The answer itself, unless it is a refusal; raises what the refusal means."""
        match exchange.status:
            case status if status == NOT_FOUND:
                raise NotFound("The catalog's service holds no such thing.")
            case status if status == CONFLICT:
                raise ContentChanged("What the catalog's service holds has changed. Start again without a cursor.")
            case status if status in (BAD_REQUEST, UNPROCESSABLE):
                raise InvalidInput("The catalog's service refuses these values; check them or leave some out.")
            case _:
                return exchange

    def parsed(self, exchange: Exchange) -> object:
        """The JSON of an answer."""
        try:
            found: object = orjson.loads(exchange.body)
        except orjson.JSONDecodeError as error:
            raise self.malformed() from error
        return found

    def malformed(self) -> SourceMalformed:
        """An answer that breaks the contract of the API."""
        return SourceMalformed("The catalog's service gave an answer of the wrong shape.", source=self.source)

    def unconfirmed(self, name: str) -> SourceMalformed:
        """Rows that may not have been filtered."""
        return SourceMalformed(
            f"The catalog's service did not confirm the filter {name}; leave it out.", source=self.source
        )
