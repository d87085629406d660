"""An `/api/v1` on a loopback port whose every answer holds a secret: in bodies, headers and places to go to."""

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WAYS = ("text", "json", "page", "error", "moved", "broken", "refused", "busy")
"""How the paper of that name is answered."""


@contextlib.contextmanager
def leaking(secret: str) -> Iterator[str]:
    """The address of the API while the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            way = next((way for way in WAYS if f"papers/{way}" in self.path), "text")
            body, status = _body(way, secret)
            self.send_response(status, secret)
            self.send_header("Content-Type", "text/html" if way == "text" else "application/json")
            self.send_header("Content-Length", str(len(body) + (50 if way == "broken" else 0)))
            self.send_header("X-Leak", secret)
            self.send_header("Set-Cookie", f"leak={secret}")
            if way == "moved":
                self.send_header("Location", f"https://{secret}.example.org/{secret}")
            if way == "busy":
                self.send_header("Retry-After", secret)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Says nothing: the test reads what the service says."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/api/v1"
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()


def _body(way: str, secret: str) -> tuple[bytes, int]:
    if way == "json":
        return json.dumps({"id": secret, "title": [secret], secret: secret}).encode(), 200
    if way == "page":
        return json.dumps({"results": [{"title": secret}], "count": secret}).encode(), 200
    if way in ("error", "busy", "refused"):
        status = {"error": 500, "busy": 429, "refused": 422}[way]
        return json.dumps({"detail": {"code": secret, "message": secret}}).encode(), status
    if way == "moved":
        return secret.encode(), 302
    return b'{"title": "' + secret.encode(), 200
