"""Real stores on loopback ports, started and ended by the tests that use them."""

import os
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

TOOLS = Path(os.environ.get("TOOLS", Path.home() / ".cache" / "paperdesk-tools"))
START_LIMIT_S = 10
PASSWORD = "planted-store-password"


def program(scheme: str) -> str:
    """The server of a scheme; `tests/gates/install.sh` installs it."""
    name = f"{scheme}-server"
    found = shutil.which(name) or shutil.which(name, path=str(TOOLS / scheme))
    assert found is not None, f"{name} is not installed; run tests/gates/install.sh"
    return found


def free_port() -> int:
    """A loopback port that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@dataclass
class Store:
    """One server that keeps nothing on disk; it can be stopped and started again on the same port."""

    scheme: str
    folder: Path
    port: int = field(default_factory=free_port)
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        return f"{self.scheme}://:{PASSWORD}@127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Returns when it takes connections."""
        options = {"port": self.port, "bind": "127.0.0.1", "save": "", "appendonly": "no", "requirepass": PASSWORD}
        arguments = [
            text for name, value in {**options, "dir": self.folder}.items() for text in (f"--{name}", str(value))
        ]
        self.process = subprocess.Popen([program(self.scheme), *arguments], stdout=subprocess.DEVNULL)
        until_s = time.monotonic() + START_LIMIT_S
        while time.monotonic() < until_s:
            assert self.process.poll() is None, f"{self.scheme} ended at once"
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.02)
        raise AssertionError(f"{self.scheme} did not start")

    def stop(self) -> None:
        """Ends the process, by its id."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(10)
            self.process = None

    def ask(self, *words: str) -> str:
        """The answer to a command, where it is one text."""
        with (
            socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection,
            connection.makefile("rb") as read,
        ):
            connection.sendall(_request("AUTH", PASSWORD) + _request(*words))
            assert read.readline() == b"+OK\r\n"
            return read.read(int(read.readline()[1:])).decode()

    def contents(self) -> str:
        """Every key with its value and its time to live in milliseconds."""
        script = (
            "local all = {} for _, key in ipairs(redis.call('KEYS', '*')) do"
            " local value = redis.call('TYPE', key).ok == 'list' and redis.call('LRANGE', key, 0, -1)"
            " or {redis.call('GET', key)}"
            " all[#all + 1] = key .. ' ' .. redis.call('PTTL', key) .. ' ' .. table.concat(value, ' ') end"
            " return table.concat(all, '\\n')"
        )
        return self.ask("EVAL", script, "0")


def _request(*words: str) -> bytes:
    parts = [b"*%d\r\n" % len(words)]
    parts += [b"$%d\r\n%s\r\n" % (len(word.encode()), word.encode()) for word in words]
    return b"".join(parts)
