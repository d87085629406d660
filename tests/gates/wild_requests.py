"""Random requests: half-right messages, odd headers, broken framing. All of them follow from one seed."""

import json
import random
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from server.envelope import MODERN_VERSION, OLD_VERSIONS
from server.exchange import KNOWN_METHODS

MAX_BODY_BYTES = 64 * 1024 - 1
ENVELOPE = "io.modelcontextprotocol/"
Field = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Wild:
    """One request. `raw` holds its bytes where the framing itself is broken; `is_honest` promises an answer."""

    method: str
    target: str
    fields: tuple[Field, ...]
    body: bytes
    raw: bytes = b""
    is_honest: bool = True

    @property
    def bytes(self) -> bytes:
        """What goes over the wire."""
        return self.raw or written(self)


def written(request: Wild) -> bytes:
    """A request in the plainest framing."""
    lines = [f"{request.method} {request.target} HTTP/1.1".encode(), *(b"%b: %b" % each for each in request.fields)]
    return b"\r\n".join([*lines, b"", request.body])


class Wilderness:
    """Makes requests for a service whose tools and their arguments are known."""

    def __init__(self, seed: int, paths: Sequence[str], tools: Sequence[tuple[str, Sequence[str]]]) -> None:
        self._random = random.Random(seed)
        self._paths = paths
        self._tools = tools

    def requests(self, count: int) -> Iterator[Wild]:
        """Requests in good framing."""
        for _ in range(count):
            yield self._request()

    def broken(self, count: int) -> Iterator[Wild]:
        """Requests whose bytes were spoiled on the way."""
        for _ in range(count):
            yield self._spoiled(self._request())

    def _request(self) -> Wild:
        pick = self._random
        method = pick.choices(("POST", "GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"), (90, 2, 2, 1, 1, 1, 3))[0]
        message = self._message()
        body = self._body(message) if method in ("POST", "PUT", "PATCH") or pick.random() < 0.1 else b""
        fields = [(b"Host", self._host()), *self._content(body), *self._routing(message), *self._others()]
        pick.shuffle(fields)
        return Wild(method, self._target(), tuple(fields), body)

    def _target(self) -> str:
        pick = self._random
        elsewhere = pick.choice(("/health", "/.well-known/mcp", "/docs", "/", "/x"))
        path = elsewhere if pick.random() < 0.05 else pick.choice(self._paths)
        path += pick.choices(("", "/", "//", "/" + self._word(), "%2f", "%00"), (90, 6, 1, 1, 1, 1))[0]
        return path + pick.choices(("", "?", "?" + self._word(), "?a=%ff&b[]=1"), (85, 5, 5, 5))[0]

    def _host(self) -> bytes:
        hosts = (b"localhost", b"127.0.0.1:1", b"[::1]", b"evil.example", b"", self._token())
        return self._random.choices(hosts, (90, 4, 3, 1, 1, 1))[0]

    def _content(self, body: bytes) -> list[Field]:
        pick = self._random
        kinds = (
            b"application/json",
            b"application/json; charset=utf-8",
            b' Application/JSON ;charset="UTF-8"',
            b"text/plain",
            b"application/json;charset=latin-1",
            self._token(),
        )
        fields = [(b"Content-Type", pick.choices(kinds, (88, 4, 4, 2, 1, 1))[0])]
        if pick.random() < 0.02:
            fields = []
        return [*fields, (b"Content-Length", b"%d" % len(body))]

    def _routing(self, message: Any) -> list[Field]:
        pick = self._random
        given = message if isinstance(message, dict) else {}
        params = given.get("params") if isinstance(given.get("params"), dict) else {}
        fields = []
        version = pick.choice((*OLD_VERSIONS, *[MODERN_VERSION] * 4, "", "1999-01-01", self._word()))
        if pick.random() < 0.8:
            fields.append((b"MCP-Protocol-Version", self._padded(version)))
        for name, value in (
            (b"Mcp-Method", given.get("method")),
            (b"Mcp-Name", params.get("name") or params.get("uri")),
        ):
            if pick.random() < 0.9:
                fields.append((name, self._padded(value if isinstance(value, str) else self._word())))
        if fields and pick.random() < 0.02:
            fields.append(pick.choice(fields))
        return fields

    def _padded(self, value: str) -> bytes:
        text = "".join(each for each in value if each.isprintable()).encode("latin-1", "replace")[:2000]
        return self._random.choice((b"", b"", b"", b" ", b"\t ")) + text + self._random.choice((b"", b"", b" \t"))

    def _others(self) -> list[Field]:
        pick = self._random
        names = (
            b"Accept",
            b"Origin",
            b"Authorization",
            b"X-Forwarded-For",
            b"X-PwC-MCP-Client",
            b"X-Request-Id",
            b"Cookie",
            b"Mcp-Session-Id",
            b"Last-Event-ID",
            b"If-None-Match",
            b"Accept-Encoding",
            b"User-Agent",
            b"Forwarded",
            b"TE",
        )
        values = (
            b"*/*",
            b"text/event-stream",
            b"https://claude.ai",
            b"http://localhost:1",
            b"Bearer pdk_" + b"x" * 43,
            b"203.0.113.9, 10.0.0.1",
            b'W/"x", *',
            b"",
        )
        fields = [(pick.choice(names), pick.choice((*values, self._token()))) for _ in range(pick.randrange(4))]
        if pick.random() < 0.03:
            fields += [(b"X-%d" % number, self._token()) for number in range(pick.choice((20, 90, 120)))]
        if pick.random() < 0.02:
            fields.append((b"X-Large", b"x" * pick.choice((5_000, 16_000, 40_000))))
        return fields

    def _token(self) -> bytes:
        """Any bytes that a header value may hold."""
        allowed = bytes((*range(0x20, 0x7F), *range(0x80, 0x100)))
        return bytes(self._random.choices(allowed, k=self._random.randrange(24))).strip()

    def _word(self) -> str:
        return "".join(
            self._random.choices(string.ascii_letters + string.digits + "._-~", k=self._random.randrange(1, 16))
        )

    def _message(self) -> Any:
        pick = self._random
        if pick.random() < 0.1:
            return self._value()
        message: dict[str, Any] = {"jsonrpc": pick.choices(("2.0", self._value()), (95, 5))[0]}
        if pick.random() < 0.9:
            message["id"] = pick.choices((pick.randrange(10**9), self._word(), self._value()), (70, 20, 10))[0]
        method = pick.choices((pick.choice(sorted(KNOWN_METHODS)), "tools/call", self._value()), (45, 50, 5))[0]
        message["method"] = method
        if pick.random() < 0.95:
            message["params"] = self._params(method) if pick.random() < 0.95 else self._value()
        return message

    def _params(self, method: Any) -> dict[str, Any]:
        pick = self._random
        params: dict[str, Any] = {}
        if method == "tools/call":
            name, arguments = pick.choice(self._tools)
            params["name"] = pick.choices((name, self._word(), self._value()), (90, 5, 5))[0]
            chosen = pick.sample(list(arguments), k=min(len(arguments), pick.randrange(4)))
            params["arguments"] = {each: self._argument() for each in chosen} if pick.random() < 0.9 else self._value()
        elif method == "resources/read":
            params["uri"] = pick.choice(("pwc://papers/", "pwc://tasks/", "pwc://", "")) + self._word()
        elif method in ("prompts/get", "completion/complete"):
            params["name"] = pick.choice(("find_papers", "survey_task", self._word()))
            params["ref"] = {
                "type": pick.choice(("ref/prompt", "ref/resource", self._value())),
                "name": "survey_task",
                "uri": self._word(),
            }
            params["argument"] = {"name": pick.choice(("task", self._value())), "value": self._value()}
        elif pick.random() < 0.3:
            params[pick.choice(("cursor", "protocolVersion", "capabilities", self._word()))] = self._value()
        if pick.random() < 0.7:
            params["_meta"] = (
                {f"{ENVELOPE}protocolVersion": MODERN_VERSION, f"{ENVELOPE}clientCapabilities": {}}
                if pick.random() < 0.9
                else self._value()
            )
        return params

    def _argument(self) -> Any:
        return self._random.choice(
            (
                self._word(),
                self._random.randrange(-5, 200),
                "attention",
                "1706.03762",
                "keyword",
                None,
                True,
                self._value(),
            )
        )

    def _value(self, depth: int = 0) -> Any:
        pick = self._random
        plain = (
            None,
            True,
            0,
            -1,
            2**53,
            2**64,
            10**30,
            1.5,
            -0.0,
            1e308,
            "",
            self._word(),
            "é\U0001f600\u202e\u2028",
            "\x00\x1f",
            "a\ud800",
            "x" * pick.choice((100, 5_000)),
        )
        if depth > 3 or pick.random() < 0.6:
            return pick.choice(plain)
        if pick.random() < 0.5:
            return [self._value(depth + 1) for _ in range(pick.randrange(5))]
        return {self._word(): self._value(depth + 1) for _ in range(pick.randrange(5))}

    def _body(self, message: Any) -> bytes:
        pick = self._random
        text = json.dumps(message, ensure_ascii=pick.random() < 0.5).encode("utf-8", "surrogatepass")
        kind = pick.random()
        if kind < 0.75:
            body = text
        elif kind < 0.85:
            body = self._mutated(text)
        elif kind < 0.9:
            body = pick.randbytes(pick.choice((0, 1, 40, 4_000, MAX_BODY_BYTES)))
        elif kind < 0.95:
            depth = pick.choice((10, 127, 129, 5_000, 30_000))
            opening, closing = pick.choice(((b"[", b"]"), (b'{"a":', b"}")))
            inner = opening * depth + b"1" + closing * depth
            body = pick.choice((inner, b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":%b}}' % inner))
        else:
            body = self._long(message)
        return body[:MAX_BODY_BYTES]

    def _long(self, message: Any) -> bytes:
        pick = self._random
        kinds = (
            ["x"] * 15_000,
            {str(number): number for number in range(5_000)},
            "\U0001f600" * 5_000,
            "\\" * 25_000,
            [[]] * 15_000,
            [1e-300] * 8_000,
        )
        base = message if isinstance(message, dict) else {}
        params = base.get("params") if isinstance(base.get("params"), dict) else {}
        place = pick.choice(("arguments", "_meta", "name", self._word()))
        long = {**base, "params": {**params, place: pick.choice(kinds)}}
        return json.dumps(long).encode()

    def _mutated(self, text: bytes) -> bytes:
        pick = self._random
        body = bytearray(text)
        for _ in range(pick.randrange(1, 6)):
            place = pick.randrange(len(body) + 1)
            change = pick.randrange(4)
            if change == 0 and body:
                body[place - 1] = pick.randrange(256)
            elif change == 1:
                del body[place : place + pick.randrange(1, 20)]
            elif change == 2:
                body[place:place] = pick.choice(
                    (b"\x00", b"\xff", b"NaN", b"{", b"]", b'"', b"\\u", b"\xef\xbb\xbf", b"/**/", b"1e999")
                )
            else:
                body[place:place] = body[: pick.randrange(1, 40)]
        return bytes(body)

    def _spoiled(self, request: Wild) -> Wild:
        pick = self._random
        head, _, body = written(request).partition(b"\r\n\r\n")
        spoil = pick.choice(
            (self._chunked, self._flipped, self._other_length, self._doubled_line, self._bare_lines, self._garbage)
        )
        return spoil(request, head, body)

    def _chunked(self, request: Wild, head: bytes, body: bytes) -> Wild:
        pick = self._random
        lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"content-length")]
        parts, left = [], body
        while left:
            size = pick.randrange(1, max(2, len(body)))
            part, left = left[:size], left[size:]
            parts.append(b"%x%b\r\n%b\r\n" % (len(part), pick.choice((b"", b"", b";x=1")), part))
        trailer = pick.choice((b"", b"X-Late: 1\r\nOrigin: https://evil.example\r\n"))
        whole = b"\r\n".join(
            [*lines, b"Transfer-Encoding: chunked", b"", b"".join(parts) + b"0\r\n" + trailer + b"\r\n"]
        )
        return replace(request, raw=whole)

    def _flipped(self, request: Wild, head: bytes, body: bytes) -> Wild:
        return replace(request, raw=self._mutated(head) + b"\r\n\r\n" + body, is_honest=False)

    def _other_length(self, request: Wild, head: bytes, body: bytes) -> Wild:
        pick = self._random
        length = pick.choice(
            (b"-1", b"+1", b"0x10", b"1_0", b"9" * 20, b"%d" % (len(body) + 5), b"%d" % max(0, len(body) - 5), b"")
        )
        lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"content-length")]
        return replace(request, raw=b"\r\n".join([*lines, b"Content-Length: " + length, b"", body]), is_honest=False)

    def _doubled_line(self, request: Wild, head: bytes, body: bytes) -> Wild:
        lines = head.split(b"\r\n")
        return replace(request, raw=b"\r\n".join([*lines, self._random.choice(lines), b"", body]), is_honest=False)

    def _bare_lines(self, request: Wild, head: bytes, body: bytes) -> Wild:
        pick = self._random
        ending = pick.choice((b"\n", b"\r", b"\r\n ", b"\r\r\n"))
        return replace(request, raw=head.replace(b"\r\n", ending) + ending * 2 + body, is_honest=False)

    def _garbage(self, request: Wild, head: bytes, body: bytes) -> Wild:
        return replace(request, raw=self._random.randbytes(self._random.randrange(1, 3_000)), is_honest=False)
