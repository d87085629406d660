"""What acceptance tests of the catalog tools share: a desk over one backend, a counting backend, a small embedder."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.catalog.embedded.embedding import Embedder
from core.catalog.embedded.store import EmbeddedCatalog
from core.catalog.service import Catalog
from core.clock import Clock, ManualClock, SystemClock
from core.errors import SourceUnreachable
from core.folds import key_fold
from core.ingest.build import BuildOptions, build_catalog
from core.ingest.sources import parse_source
from server.registry import BoundToolset, ToolOutcome
from server.toolsets.catalog import TOOLSET

Json = dict[str, Any]

KEYS = ("an-old-key-of-the-tests", "a-new-key-of-the-tests")
SITE_URL = "https://paperswithcode.co"
CODES = {
    "invalid_argument": False,
    "not_found": False,
    "ambiguous": False,
    "no_markdown": False,
    "cursor_invalid": False,
    "cursor_expired": False,
    "cursor_mismatch": False,
    "content_changed": False,
    "unavailable": False,
    "result_too_large": False,
}


class CountingBackend:
    """Passes every call on to a backend and counts those that ask for data."""

    def __init__(self, inner: EmbeddedCatalog) -> None:
        self.inner = inner
        self.calls: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        operation: Callable[..., Any] = getattr(self.inner, name)
        if name == "capabilities":
            return operation

        def counted(*arguments: Any, **named: Any) -> Any:
            self.calls[name] += 1
            return operation(*arguments, **named)

        return counted


class BagOfWords:
    """A real embedder without a model: each word adds one to one of many places, the same in every process."""

    model = "bag-of-words@tests"
    dimensions = 256

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in key_fold(text).split():
                row[int.from_bytes(hashlib.sha256(word.encode()).digest()[:4]) % self.dimensions] += 1
            row /= np.linalg.norm(row) or 1
        return rows


class FailingEmbedder(BagOfWords):
    """Of the same space, but out of order."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise SourceUnreachable("The embedder failed. Try again later.", source="embedder")


class OtherEmbedder(BagOfWords):
    """Of another space."""

    model = "another@tests"


class Desk:
    """The catalog toolset over one backend, as an endpoint calls it."""

    def __init__(
        self,
        backend: Any,
        *,
        keys: tuple[str, ...] = KEYS,
        clock: Clock | None = None,
        chunk_bytes: int = 32_768,
    ) -> None:
        clock = clock or ManualClock()
        services = Catalog(backend, cursor_keys=keys, clock=clock, chunk_bytes=chunk_bytes, site_url=SITE_URL)
        self.tools = BoundToolset(TOOLSET, services, clock=clock)

    async def call(self, name: str, **arguments: Any) -> ToolOutcome:
        return await self.tools.call(name, arguments)

    async def result(self, name: str, **arguments: Any) -> Json:
        """The structured content of a call that must succeed."""
        outcome = await self.call(name, **arguments)
        assert not outcome.is_error, outcome.texts
        assert outcome.structured is not None
        return outcome.structured

    async def text(self, name: str, **arguments: Any) -> str:
        """The one text block of a call that must succeed."""
        outcome = await self.call(name, **arguments)
        assert not outcome.is_error, outcome.texts
        (text,) = outcome.texts
        return text

    async def failure(self, name: str, **arguments: Any) -> Json:
        """What an error result says: `{code, message, ...}`, after its form was checked (catalog A16)."""
        outcome = await self.call(name, **arguments)
        assert outcome.is_error and outcome.structured is None and outcome.meta is not None, outcome.texts
        (text,) = outcome.texts
        assert list(outcome.meta) == ["org.paperdesk/error"]
        said: Json = outcome.meta["org.paperdesk/error"]
        code, _, message = text.partition(": ")
        assert (code, said["retryable"]) == (said["code"], CODES[code])
        return {**said, "message": message}

    async def pages(self, name: str, **arguments: Any) -> list[Json]:
        """All pages of a listing, following `next_page`."""
        found = [await self.result(name, **arguments)]
        while "next_page" in found[-1]:
            found.append(await self.result(name, **{**arguments, "page": found[-1]["next_page"]}))
        return found


def ids(result: Mapping[str, Any]) -> list[str]:
    """What to pass on, row by row."""
    return [row.get("arxiv_id", row["id"]) for row in result["items"]]


def models(result: Mapping[str, Any]) -> list[str]:
    """The models of a leaderboard page, in order."""
    return [row["model_name"] for row in result["evaluations"]]


def build(
    home: Path,
    records: Mapping[str, Sequence[Json]],
    texts: Mapping[str, str] | None = None,
    *,
    as_of: str | None = None,
    embedder: Embedder | None = None,
) -> Path:
    """A small catalog built from records in paperdesk's own format and full texts by file name."""
    source = home / "input"
    (source / "fulltext").mkdir(parents=True)
    for name, rows in records.items():
        (source / f"{name}.jsonl").write_text(
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8"
        )
    for name, text in (texts or {}).items():
        (source / "fulltext" / name).write_bytes(text.encode())
    sources = [parse_source(f"paperdesk:{source}")]
    sources += [parse_source(f"markdown:{source / 'fulltext'}")] if texts else []
    build_catalog(
        sources,
        home / "catalog",
        options=BuildOptions(clock=SystemClock(), as_of=as_of, embedder=embedder),
        progress=None,
    )
    return home / "catalog"
