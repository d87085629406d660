"""README's commands for a server, run in a root directory of their own: everything lies where its reader looks for it.

Only what belongs to the server and not to us is stood in for, by programs that write down how they were called: the
service manager, the proxy, the certificate's and the containers' programs, and the two steps that fetch something.
"""

import json
import os
import re
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from server.settings import parse_settings
from tests.gates.rooted import Rooted
from tests.gates.test_units import compose_program
from tests.gates.tools import ROOT, completed

pytestmark = [
    pytest.mark.gate,
    pytest.mark.timeout(180),
    pytest.mark.skipif(os.geteuid() != 0, reason="another root directory needs root"),
]

README = (ROOT / "README.md").read_text(encoding="utf-8")
ON_A_SERVER, UPGRADE, IN_CONTAINERS = re.findall(r"```bash on-the-server\n(.*?)```", README, flags=re.DOTALL)
NAME, OLD, NEW = "desk.example.org", "1.2.3", "1.3.0"

NOTES = "/notes"
NOTE_IT = 'echo "$(basename "$0") $*" >> /notes\n'
STANDING_IN = {
    **dict.fromkeys(("systemctl", "nginx", "certbot", "docker"), NOTE_IT),
    # git clone --branch TAG SOURCE FOLDER
    "git": f'{NOTE_IT}mkdir -p "$(dirname "$5")" && cp -r /source "$5"\n',
    # make install, or make --directory FOLDER install
    "make": f'{NOTE_IT}[ $# -eq 1 ] || cd "$2"\nmkdir -p .venv/bin && cp /standing-in/paperdesk .venv/bin/\n',
    "paperdesk": NOTE_IT,
}


@dataclass(frozen=True, slots=True)
class Machine:
    """A server before anything of ours is on it."""

    rooted: Rooted

    def __truediv__(self, path: str) -> Path:
        return self.rooted.folder / path

    def follow(self, block: str, release: str, *, workdir: str = "/") -> list[str]:
        """Runs a block of README with its first line filled in; answers how other programs were called."""
        assert block.startswith("name=YOUR.NAME release=X.Y.Z")
        filled = (
            block.replace("YOUR.NAME", NAME).replace("X.Y.Z", release).replace("source=REPOSITORY", "source=/source")
        )
        (self / "notes").write_text("")
        path = "/standing-in:/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin"
        done = self.rooted.run(["bash", "-e", "-c", filled], {"PATH": path}, workdir=workdir)
        assert done.returncode == 0, done.stdout + done.stderr
        return (self / "notes").read_text().splitlines()


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    source = tmp_path_factory.mktemp("release") / "source"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(source)], check=True)
    rooted = Rooted.empty(tmp_path_factory.mktemp("server"), {"/source": source})
    for place in ("etc/nginx", "etc/systemd/system", f"etc/letsencrypt/live/{NAME}", "standing-in"):
        (rooted.folder / place).mkdir(parents=True)
    for name in ("fullchain.pem", "privkey.pem"):
        (rooted.folder / "etc/letsencrypt/live" / NAME / name).write_text(name)
    for name, does in STANDING_IN.items():
        program = rooted.folder / "standing-in" / name
        program.write_text(f"#!/bin/sh\n{does}")
        program.chmod(0o755)
    return Machine(rooted)


@pytest.fixture(scope="module")
def set_up(machine: Machine) -> list[str]:
    return machine.follow(ON_A_SERVER, OLD)


def test_the_commands_call_other_programs_in_this_order(set_up: list[str]) -> None:
    assert set_up == [
        f"git clone --branch paperdesk-{OLD} /source /opt/paperdesk/{OLD}",
        "make install",
        "systemctl daemon-reload",
        "systemctl enable --now paperdesk@7860",
        f"paperdesk smoke --url http://127.0.0.1:7860 --expect-version {OLD}",
        f"certbot certonly --standalone --domain {NAME}"
        " --pre-hook systemctl stop nginx --post-hook systemctl start nginx",
        "nginx -t",
        "systemctl restart nginx",
        f"paperdesk smoke --url https://{NAME} --public",
    ]


@pytest.mark.usefixtures("set_up")
def test_the_settings_are_good_and_for_root_alone(machine: Machine) -> None:
    # hosting 5.8, A82
    file = machine / "etc/paperdesk/env"
    assert (stat.S_IMODE(file.stat().st_mode), file.stat().st_uid) == (0o600, 0)
    lines = [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
    settings = parse_settings(dict(line.split("=", 1) for line in lines))
    assert settings.public_url == f"https://{NAME}"
    assert [len(key) for key in settings.cursor_keys] == [64]


@pytest.mark.usefixtures("set_up")
def test_the_unit_finds_its_program(machine: Machine) -> None:
    # hosting 5.8
    unit = (machine / "etc/systemd/system/paperdesk@.service").read_text()
    assert unit == (ROOT / "deploy" / "paperdesk@.service").read_text()
    [program] = re.findall(r"^ExecStart=(\S+)", unit, flags=re.MULTILINE)
    assert os.access(machine / program.replace("%i", "7860").lstrip("/"), os.X_OK)


@pytest.mark.usefixtures("set_up")
def test_nginx_finds_its_name_certificate_and_upstream(machine: Machine) -> None:
    # hosting 5.7
    site = machine / "etc/nginx/site"
    assert (site / "name.conf").read_text() == f"server_name {NAME};\n"
    assert (site / "upstream.conf").read_text() == "server 127.0.0.1:7860;\n"
    for path in re.findall(r"ssl_certificate\w* (\S+);", (site / "https.conf").read_text()):
        assert (machine / path.lstrip("/")).exists()
    included = {
        name
        for file in (machine / "etc/nginx").rglob("*.conf")
        for name in re.findall(r"^\s*include (\S+);", file.read_text(), flags=re.MULTILINE)
    }
    assert included and all((machine / "etc/nginx" / name).is_file() for name in included)


@pytest.mark.usefixtures("set_up")
def test_an_upgrade_takes_the_free_port_and_leaves_the_old_release_for_a_rollback(machine: Machine) -> None:
    # hosting 5.10
    assert machine.follow(UPGRADE, NEW) == [
        f"git clone --branch paperdesk-{NEW} /source /opt/paperdesk/{NEW}",
        f"make --directory /opt/paperdesk/{NEW} install",
        "systemctl enable --now paperdesk@7861",
        f"paperdesk smoke --url http://127.0.0.1:7861 --expect-version {NEW}",
        "nginx -t",
        "systemctl reload nginx",
        f"paperdesk smoke --url https://{NAME} --public --expect-version {NEW}",
        "systemctl disable --now paperdesk@7860",
    ]
    assert (machine / "etc/nginx/site/upstream.conf").read_text() == "server 127.0.0.1:7861;\n"
    links = {port: os.readlink(machine / f"opt/paperdesk/{port}") for port in ("7860", "7861")}
    assert links == {"7860": OLD, "7861": NEW}


@pytest.mark.usefixtures("set_up")
def test_the_compose_file_finds_its_secrets_each_for_its_reader(machine: Machine) -> None:
    # hosting 3.6, 5.8
    folder = f"opt/paperdesk/{OLD}/deploy"
    said = machine.follow(IN_CONTAINERS, OLD, workdir=f"/opt/paperdesk/{OLD}")
    assert said == [
        "docker compose up --detach --build --wait",
        f"docker compose exec paperdesk paperdesk smoke --url http://127.0.0.1:7860 --expect-version {OLD}",
        f"docker compose exec paperdesk paperdesk smoke --url https://{NAME} --public",
    ]
    done = completed(
        [compose_program(), "--project-directory", str(machine / folder), "config", "--format", "json"], {}
    )
    assert (done.returncode, done.stderr) == (0, "")
    config = json.loads(done.stdout)
    assert config["services"]["paperdesk"]["environment"]["PAPERDESK_PUBLIC_URL"] == f"https://{NAME}"
    owners = {}
    for secret in config["secrets"].values():
        file = Path(secret["file"]).stat()
        assert stat.S_IMODE(file.st_mode) == 0o400
        owners[Path(secret["file"]).name] = file.st_uid
    assert owners == {"cursor_keys": 10001, "identity_key": 10001, "certificate.pem": 101, "certificate.key": 101}
    assert Path(config["services"]["paperdesk"]["volumes"][0]["source"]).is_dir()
    left = ["git", "-C", str(machine / f"opt/paperdesk/{OLD}"), "status", "--porcelain"]
    assert subprocess.run(left, capture_output=True, text=True, check=True).stdout == ""
