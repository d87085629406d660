"""A real embeddings service on a loopback port, of the same space as `BagOfWords`, that can be told to fail."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.catalog_desk import BagOfWords

MODEL = "bag-of-words"


@dataclass
class EmbeddingService:
    """What it was asked and what it answers: `status`, or nothing until `may_answer` is set."""

    port: int = 0
    status: int = 200
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)
    may_answer: threading.Event = field(default_factory=threading.Event)
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)

    @property
    def setting(self) -> str:
        """What `PAPERDESK_EMBEDDER` says."""
        return f"http://127.0.0.1:{self.port}/v1/embeddings#{MODEL}@{BagOfWords.dimensions}"

    def answer(self, asked: dict[str, Any]) -> bytes:
        rows = BagOfWords().embed(asked["input"])
        data = [{"index": place, "embedding": (row * 3).tolist()} for place, row in enumerate(rows)]
        return json.dumps({"data": data[::-1]}).encode()


@contextmanager
def embedding_service() -> Iterator[EmbeddingService]:
    service = EmbeddingService()
    service.may_answer.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            service.asked.append(asked)
            service.keys.append(self.headers["authorization"])
            service.may_answer.wait(30)
            body = service.answer(asked) if service.body is None else service.body
            try:
                self.send_response(service.status)
                for name, value in {**service.headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                return

        def log_message(self, format: str, *args: Any) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        service.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield service
        finally:
            service.may_answer.set()
            server.shutdown()
            thread.join()
