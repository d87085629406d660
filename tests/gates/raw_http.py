"""Bytes sent as they are, and the answers that come back: what no well-behaved client would let through."""

import contextlib
import socket
from dataclasses import dataclass
from types import TracebackType

WHOLE_LIMIT_S = 30.0


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """One answer as it came; `fields` in their order, names in lower case."""

    status: int
    fields: tuple[tuple[str, str], ...]
    body: bytes

    def field(self, name: str) -> str:
        """The first field of that name, or nothing."""
        return next((value for given, value in self.fields if given == name), "")


class NoAnswer(Exception):
    """The connection ended, or nothing came in time."""


class RawConnection:
    """One connection to a loopback port."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=WHOLE_LIMIT_S)
        self._stream = self._socket.makefile("rb")

    def __enter__(self) -> "RawConnection":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leaves."""
        with contextlib.suppress(OSError):
            self._stream.close()
        self._socket.close()

    def send(self, data: bytes) -> None:
        """Sends all of it, or as much as the other side takes before it ends the connection."""
        with contextlib.suppress(ConnectionError):
            self._socket.sendall(data)

    def answer(self, *, to: str = "POST", limit_s: float = WHOLE_LIMIT_S) -> RawAnswer:
        """The next whole answer to a method. Raises `NoAnswer`."""
        self._socket.settimeout(limit_s)
        try:
            while True:
                line = self._stream.readline()
                if not line:
                    raise NoAnswer("the connection ended")
                self._socket.settimeout(WHOLE_LIMIT_S)
                status = int(line.split()[1])
                fields = self._fields()
                if status != 100:
                    break
            length = int(dict(fields).get("content-length", "0"))
            body = b"" if to == "HEAD" or status == 304 else self._stream.read(length)
        except (ConnectionError, TimeoutError) as error:
            raise NoAnswer(str(error)) from error
        return RawAnswer(status, fields, body)

    def rest(self, limit_s: float) -> bytes:
        """What still comes until the other side ends the connection. Raises `NoAnswer` when it does not."""
        self._socket.settimeout(limit_s)
        try:
            return self._stream.read()
        except (ConnectionError, TimeoutError) as error:
            raise NoAnswer(str(error)) from error

    def _fields(self) -> tuple[tuple[str, str], ...]:
        fields = []
        while line := self._stream.readline().strip(b"\r\n"):
            name, _, value = line.decode("latin-1").partition(":")
            fields.append((name.lower(), value.strip()))
        return tuple(fields)
