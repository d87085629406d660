"""Programs in a root directory of their own, without a container engine: namespaces and chroot, as root.

The machine's own system and Python stand in for the base image, read-only; everything else in the root directory is
what was put there.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

USER = 10001
NAMES = ("resolv.conf", "hosts", "nsswitch.conf")
DEVICES = ("null", "zero", "random", "urandom")
# How this machine reaches its package registry is its own matter, and no part of the image.
INSTALLERS_OWN = ("PIP_", "SSL_CERT_")


@dataclass(frozen=True, slots=True)
class Rooted:
    """A root directory that a program sees as all there is."""

    folder: Path
    mounts: dict[str, Path] = field(default_factory=dict)
    """What else it sees, writable, by where."""

    @classmethod
    def empty(cls, folder: Path, mounts: Mapping[str, Path] | None = None) -> "Rooted":
        """Only places for what is mounted, and how names are looked up."""
        for place in ("usr", "proc", "dev", "tmp", "etc/ssl", "usr-local-bin", _base().lstrip("/")):
            (folder / place).mkdir(parents=True)
        for link in ("bin", "sbin", "lib", "lib64"):
            if (Path("/") / link).is_symlink():
                (folder / link).symlink_to(f"usr/{link}")
        for name in NAMES:
            shutil.copy(Path("/etc") / name, folder / "etc" / name)
        _python_by_its_short_name(folder / "usr-local-bin")
        for place in mounts or {}:
            (folder / place.lstrip("/")).mkdir(parents=True)
        folder.chmod(0o755)
        return cls(folder, dict(mounts or {}))

    def run(
        self, command: Sequence[str], environment: Mapping[str, str], *, workdir: str, limit_s: float = 300
    ) -> "subprocess.CompletedProcess[str]":
        """A step of a build: as root, with the network, the directory writable."""
        kept = {name: value for name, value in os.environ.items() if name.startswith(INSTALLERS_OWN)}
        inner = _chrooted(self.folder, command, {**kept, **environment}, workdir, user=None)
        return subprocess.run(
            ["unshare", "--mount", "--propagation", "private", "sh", "-ec", self._script(inner, read_only=False)],
            capture_output=True,
            text=True,
            timeout=limit_s,
            check=False,
        )

    def start(self, command: Sequence[str], environment: Mapping[str, str], *, workdir: str) -> "Running":
        """A container: read-only, as a user who owns nothing, without capabilities, with a network of its own."""
        inner = _chrooted(self.folder, command, environment, workdir, user=USER)
        script = f"ip link set lo up\n{self._script(inner, read_only=True)}"
        process = subprocess.Popen(
            [*("unshare", "--mount", "--net", "--pid", "--fork", "--kill-child"), "sh", "-ec", script],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return Running(self.folder, process, dict(environment), workdir)

    def _script(self, inner: Sequence[str], *, read_only: bool) -> str:
        root = self.folder
        lines = [f"mount --bind {root} {root}"]
        for source in ("/usr", "/etc/ssl", *([] if _base() == "/usr" else [_base()])):
            lines += [f"mount --bind {source} {root}{source}", f"mount -o remount,bind,ro {root}{source}"]
        if _base() == "/usr":
            lines.append(f"mount --bind {root}/usr-local-bin {root}/usr/local/bin")
        else:
            # Where the base image has it; at its own place too, since it may find its library there.
            lines += [f"mount --bind {_base()} {root}/usr/local", f"mount -o remount,bind,ro {root}/usr/local"]
        for place, source in self.mounts.items():
            lines.append(f"mount --bind {source} {root}{place}")
        lines += [f"mount -t proc proc {root}/proc", f"mount -t tmpfs -o mode=1777 none {root}/tmp"]
        lines.append(f"mount -t tmpfs none {root}/dev")
        for device in DEVICES:
            lines += [f"touch {root}/dev/{device}", f"mount --bind /dev/{device} {root}/dev/{device}"]
        if read_only:
            lines += [f"mount -o remount,ro {root}/dev", f"mount -o remount,bind,ro {root}"]
        return "\n".join([*lines, f"exec {_quoted(inner)}"])


@dataclass(slots=True)
class Running:
    """A started container."""

    folder: Path
    process: "subprocess.Popen[str]"
    environment: dict[str, str]
    workdir: str

    def first_line(self) -> str:
        """Waits for what it says first on either output, and answers it."""
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def say_ready(self) -> str:
        """Reads what it says until it serves; answers all of it."""
        said = ""
        while not (line := self.first_line()).startswith("Ready: "):
            assert line, f"it ended: {said}"
            said += line
        return said + line

    @property
    def pid(self) -> int:
        """The first process inside, as it is known outside."""
        while True:
            children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
            if children:
                return int(children[0])
            assert self.process.poll() is None
            time.sleep(0.01)

    def execute(self, command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
        """A further program inside, as the same user."""
        enter = ("nsenter", "--target", str(self.pid), "--mount", "--net", "--pid")
        inner = _chrooted(self.folder, command, self.environment, self.workdir, user=USER)
        return subprocess.run([*enter, *inner], capture_output=True, text=True, timeout=90, check=False)

    def end(self) -> None:
        """Ends what still runs: the first process inside has changed its user, so it would outlive its parent."""
        if self.process.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
        self.process.wait(10)

    def stop(self, sign: int) -> int:
        """Sends the first process a signal and answers how it ended."""
        os.kill(self.pid, sign)
        return self.process.wait(70)


def _base() -> str:
    """Where the Python of these tests lies, which stands in for the base image's."""
    return sys.base_prefix


def _python_by_its_short_name(place: Path) -> None:
    """The base image calls it `python`; a system may know it by another name only."""
    program = place / "python"
    program.write_text(f'#!/bin/sh\nexec {_base()}/bin/python3 "$@"\n')
    program.chmod(0o755)


def _chrooted(
    root: Path, command: Sequence[str], environment: Mapping[str, str], workdir: str, *, user: int | None
) -> list[str]:
    ids = (f"--reuid={user}", f"--regid={user}", "--clear-groups", "--bounding-set=-all", "--no-new-privs")
    dropped = [] if user is None else ["setpriv", *ids]
    named = [f"{name}={value}" for name, value in environment.items()]
    there = ["sh", "-c", 'cd "$0" && exec "$@"', workdir, *command]
    return ["chroot", str(root), *dropped, "env", "-i", *named, *there]


def _quoted(words: Sequence[str]) -> str:
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
