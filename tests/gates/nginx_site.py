"""A real nginx on loopback, unprivileged, with the shipped configuration: only the files of `nginx/site` are its own.

Those are the ones that differ between machines: ports, names, certificate, upstream, where logs and temporary files
lie. Everything else runs as it is in the repository.
"""

import contextlib
import os
import shutil
import signal
import ssl
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.gates.running import free_port
from tests.gates.tools import ROOT

NGINX = "/usr/sbin/nginx"
NOBODY = 65534
NAME = "desk.example.org"
CLIENT_HEADER = "X-Test-Client"
"""Stands for the address of the TCP connection, which on loopback is always the same: the seam for a proxy in front."""

_TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


@dataclass(frozen=True, slots=True)
class Site:
    """A running nginx; `folder` holds all that it reads and writes."""

    url: str
    plain_url: str
    folder: Path
    process: "subprocess.Popen[bytes]"

    @property
    def access_log(self) -> Path:
        """Where its requests are logged."""
        return self.folder / "access.log"

    @property
    def errors(self) -> str:
        """What it said on standard error."""
        return (self.folder / "stderr").read_text()

    def client(self, address: str = "203.0.113.7") -> httpx.Client:
        """A client that trusts the test's certificate and whose connections seem to come from an address."""
        context = ssl.create_default_context(cafile=self.folder / "certificate.pem")
        return httpx.Client(
            base_url=self.url,
            verify=context,
            headers={"Host": NAME, CLIENT_HEADER: address, "Content-Type": "application/json"},
            trust_env=False,
            timeout=30,
        )

    def switch_to(self, port: int) -> None:
        """Another instance becomes the one that is served: the one line is written anew and nginx reloads."""
        before = self.workers()
        (self.folder / "conf" / "site" / "upstream.conf").write_text(f"server 127.0.0.1:{port};\n")
        self.process.send_signal(signal.SIGHUP)
        while self.workers() & before:
            time.sleep(0.01)

    def workers(self) -> set[str]:
        """The processes that answer requests."""
        return set(Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split())


def configuration(folder: Path, port: int) -> tuple[int, int]:
    """Lays the shipped files and this machine's own into `folder`; answers the ports for https and http."""
    shutil.copytree(ROOT / "nginx", folder / "conf")
    https, plain = free_port(), free_port()
    places = "".join(f"{name}_temp_path {folder}/{name};\n" for name in _TEMPORARY)
    own: Mapping[str, str] = {
        "process.conf": "error_log stderr crit;",
        "http.conf": f"access_log {folder}/access.log paperdesk;\n{places}"
        f"set_real_ip_from 127.0.0.1;\nreal_ip_header {CLIENT_HEADER};",
        "upstream.conf": f"server 127.0.0.1:{port};",
        "name.conf": f"server_name {NAME};",
        "plain.conf": f"listen 127.0.0.1:{plain} default_server;",
        "https.conf": f"listen 127.0.0.1:{https} ssl http2 default_server;\n"
        f"ssl_certificate {folder}/certificate.pem;\nssl_certificate_key {folder}/certificate.key;",
    }
    assert set(own) == {path.name for path in (ROOT / "nginx" / "site").iterdir()}
    for name, text in own.items():
        (folder / "conf" / "site" / name).write_text(f"{text}\n")
    _make_certificate(folder)
    return https, plain


def _make_certificate(folder: Path) -> None:
    names = f"subjectAltName=DNS:{NAME},IP:127.0.0.1"
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    files = ("-keyout", folder / "certificate.key", "-out", folder / "certificate.pem")
    subprocess.run(
        ["openssl", "req", "-x509", *key, "-days", "2", "-subj", f"/CN={NAME}", "-addext", names, *files],
        check=True,
        capture_output=True,
    )


def nginx(folder: Path, *arguments: str) -> list[str | Path]:
    """The command line over a laid-out folder."""
    globals_ = f"daemon off; pid {folder}/pid;"
    return [NGINX, "-e", "stderr", "-p", folder, "-c", folder / "conf" / "nginx.conf", "-g", globals_, *arguments]


def unprivileged() -> dict[str, int | list[int]]:
    """How a process is started as nobody; as ourselves where we are not root."""
    return {} if os.geteuid() else {"user": NOBODY, "group": NOBODY, "extra_groups": []}


@contextlib.contextmanager
def laid_out(port: int) -> Iterator[tuple[Path, int, int]]:
    """A folder that nobody may use, with the configuration in it, and the ports for https and http."""
    folder = Path(tempfile.mkdtemp(prefix="paperdesk-nginx-"))
    try:
        https, plain = configuration(folder, port)
        if not os.geteuid():
            for path in (folder, *folder.rglob("*")):
                os.chown(path, NOBODY, NOBODY)
        yield folder, https, plain
    finally:
        shutil.rmtree(folder)


@contextlib.contextmanager
def nginx_before(port: int) -> Iterator[Site]:
    """nginx in front of a service on a loopback port, until the block ends."""
    with laid_out(port) as (folder, https, plain), (folder / "stderr").open("wb") as sink:
        process = subprocess.Popen(nginx(folder), stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, **unprivileged())  # type: ignore[call-overload]
        site = Site(f"https://127.0.0.1:{https}", f"http://127.0.0.1:{plain}", folder, process)
        try:
            transport = httpx.HTTPTransport(retries=8)
            with httpx.Client(transport=transport, trust_env=False) as client:
                client.post(site.plain_url)
            yield site
        finally:
            process.send_signal(signal.SIGQUIT)
            process.wait(30)
