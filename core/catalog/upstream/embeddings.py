"""A service that turns texts into vectors: the OpenAI-compatible `/embeddings` call behind one address."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import httpx
import numpy as np
import orjson
from anyio.to_thread import run_sync
from numpy.typing import NDArray

from core.errors import SourceMalformed, SourceRateLimited, SourceTimeout, SourceUnreachable

SOURCE = "embedder"
TIME_LIMIT_S = 10.0
BATCH_TEXTS = 64
MAX_BODY_BYTES = 32 * 2**20
_OK = 200
_TOO_MANY = 429
_SENT = "http11.send_request_headers.complete"


class RemoteEmbedder:
    """An embedder at an address. The model and its dimensions are told, not asked for, so that starting needs no call.

    It gets the texts and nothing about who asked. Redirects are not followed, the environment's proxies not used.
    """

    def __init__(
        self, url: str, model: str, dimensions: int, *, key: str = "", timeout_s: float = TIME_LIMIT_S
    ) -> None:
        self._url = url
        self._name = model
        self._headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
        self._timeout_s = timeout_s
        # It speaks to the transport itself: httpx's own client would log the address.
        self._transport = httpx.HTTPTransport(trust_env=False)
        self.model = f"{model}@remote"
        self.dimensions = dimensions

    def embed(self, texts: Sequence[str], reached: Callable[[], None] = lambda: None) -> NDArray[np.float32]:
        """One unit row per text; blocking. `reached` is called when a request has left. Raises `SourceError`."""
        rows = np.empty((len(texts), self.dimensions), dtype=np.float32)
        for start in range(0, len(texts), BATCH_TEXTS):
            batch = texts[start : start + BATCH_TEXTS]
            rows[start : start + len(batch)] = self._vectors(self._asked(batch, reached), len(batch))
        return rows

    def _asked(self, texts: Sequence[str], reached: Callable[[], None]) -> bytes:
        def trace(event: str, info: Mapping[str, Any]) -> None:
            if event == _SENT:
                reached()

        readable = [text.encode("utf-8", "replace").decode() for text in texts]  # lone surrogates become `?`
        request = httpx.Request(
            "POST",
            self._url,
            headers=self._headers,
            content=orjson.dumps({"model": self._name, "input": readable, "encoding_format": "float"}),
            extensions={
                "timeout": dict.fromkeys(("connect", "read", "write", "pool"), self._timeout_s),
                "trace": trace,
            },
        )
        try:
            response = self._transport.handle_request(request)
            try:
                return _body(response)
            finally:
                response.close()
        except httpx.TimeoutException as error:
            raise SourceTimeout("The embedder took too long. Try again later.", source=SOURCE) from error
        except httpx.TransportError as error:
            raise SourceUnreachable("The embedder cannot be reached. Try again later.", source=SOURCE) from error

    def _vectors(self, body: bytes, count: int) -> NDArray[np.float32]:
        try:
            entries = sorted(orjson.loads(body)["data"], key=lambda entry: entry["index"])
            vectors = np.asarray([entry["embedding"] for entry in entries], dtype=np.float32)
        except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
            raise _malformed() from error
        if vectors.shape != (count, self.dimensions) or not np.isfinite(vectors).all():
            raise _malformed()
        unit: NDArray[np.float32] = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return unit


class RemoteQueries:
    """The same embedder for one query at a time, in a worker thread."""

    def __init__(self, embedder: RemoteEmbedder) -> None:
        self._embedder = embedder

    @property
    def model(self) -> str:
        """Name of the vector space."""
        return self._embedder.model

    @property
    def dimensions(self) -> int:
        """Length of every vector."""
        return self._embedder.dimensions

    async def embed(self, text: str, reached: Callable[[], None]) -> NDArray[np.float32]:
        """One unit vector; raises `SourceError`."""
        rows = await run_sync(self._embedder.embed, [text], reached, abandon_on_cancel=True)
        vector: NDArray[np.float32] = rows[0]
        return vector


def _body(response: httpx.Response) -> bytes:
    if response.status_code == _TOO_MANY:
        given = response.headers.get("retry-after", "")
        wait_s = float(given) if given.isascii() and given.isdecimal() else None
        raise SourceRateLimited("The embedder asked to slow down.", source=SOURCE, retry_after_s=wait_s)
    if response.status_code != _OK:
        raise SourceUnreachable("The embedder failed. Try again later.", source=SOURCE)
    body = b""
    for part in response.iter_bytes():
        body += part
        if len(body) > MAX_BODY_BYTES:
            raise _malformed()
    return body


def _malformed() -> SourceMalformed:
    return SourceMalformed("The embedder answered in a form that is not understood.", source=SOURCE)
