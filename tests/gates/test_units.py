"""The compose file and the systemd unit, read by the programs that will run them, and what they keep from a process."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from server.serving import GRACEFUL_S
from server.settings import PREFIX, SETTINGS
from tests.gates.dockerfile import parse_dockerfile
from tests.gates.tools import MISSING, ROOT, TOOLS, completed

pytestmark = [pytest.mark.gate, pytest.mark.timeout(120)]

UNIT = "paperdesk@.service"
EXPOSURE_MAX = 2.0
"""Of 10, as systemd counts; what is left is mostly the network, which a server needs."""

OWN_NAMES = {setting.name for setting in SETTINGS} | {f"{setting.name}_FILE" for setting in SETTINGS if setting.secret}


def compose_program() -> str:
    """The program itself: the package's own command hides how it ended."""
    programs = list((TOOLS / "compose").glob("lib/python*/site-packages/compose/docker-compose"))
    assert programs, MISSING.format("Docker Compose")
    return str(programs[0])


def compose(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return completed([compose_program(), "--file", str(ROOT / "deploy" / "compose.yaml"), *arguments], environment)


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    """All of the file, profiles included, as compose understands it."""
    return dict(config()["services"])


def config() -> Any:
    done = compose("--profile", "shared", "config", "--format", "json", SITE_NAME="desk.example.org")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_compose_finds_its_file_sound() -> None:
    # hosting A79
    assert compose("config", "--quiet", SITE_NAME="desk.example.org").returncode == 0
    lacking = compose("config", "--quiet")
    assert lacking.returncode != 0 and "set SITE_NAME in deploy/.env" in lacking.stderr


def test_nothing_in_it_runs_as_root_or_may_write_or_gain_rights(services: dict[str, Any]) -> None:
    # hosting A79, 5.8
    assert set(services) == {"nginx", "paperdesk", "valkey"}
    for name, service in services.items():
        user, group = map(int, service["user"].split(":"))
        assert user > 0 and group > 0, name
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert int(service["mem_limit"]) > 0 and service["pids_limit"] > 0
        assert service["logging"]["options"] == {"max-size": "10m", "max-file": "5"}
        assert service["tmpfs"] and all("noexec,nosuid,nodev" in place for place in service["tmpfs"])
        assert not service.get("privileged") and "cap_add" not in service
        written = [volume["target"] for volume in service.get("volumes", ()) if not volume.get("read_only")]
        assert written == (["/state"] if name == "paperdesk" else [])


def test_the_image_and_the_compose_file_agree_on_the_user(services: dict[str, Any]) -> None:
    # hosting A79
    final = parse_dockerfile(ROOT / "Dockerfile")[-1]
    assert services["paperdesk"]["user"] == final.last("USER").value == "10001:10001"
    assert "/state" in [volume["target"] for volume in services["paperdesk"]["volumes"]]
    assert final.last("VOLUME").value == "/state"


def test_only_nginx_is_reachable_and_only_the_inner_network_is_trusted(services: dict[str, Any]) -> None:
    # hosting 5.8
    assert [name for name, service in services.items() if service.get("ports")] == ["nginx"]
    assert sorted(port["published"] for port in services["nginx"]["ports"]) == ["443", "80"]
    networks = config()["networks"]
    [inner] = networks["inner"]["ipam"]["config"]
    trusted = services["paperdesk"]["environment"]["PAPERDESK_TRUSTED_PROXY_CIDRS"]
    assert (trusted, networks["inner"]["internal"]) == (inner["subnet"], True)
    assert all("inner" in service["networks"] for service in services.values())


def test_what_waits_for_what_goes_by_health(services: dict[str, Any]) -> None:
    # hosting 5.8
    assert services["nginx"]["depends_on"]["paperdesk"]["condition"] == "service_healthy"
    assert services["paperdesk"]["depends_on"]["valkey"] == {"condition": "service_healthy", "required": False}
    assert services["valkey"]["profiles"] == ["shared"]
    # The image says how paperdesk's own health is asked for.
    assert "healthcheck" in services["valkey"] and "healthcheck" in services["nginx"]


def test_secrets_are_files(services: dict[str, Any]) -> None:
    # hosting 3.6, 5.8
    secret = {setting.name for setting in SETTINGS if setting.secret}
    given = services["paperdesk"]["environment"]
    assert secret.isdisjoint(given)
    files = {name: path for name, path in given.items() if name.removesuffix("_FILE") in secret}
    mounted = {one["target"] for one in services["paperdesk"]["secrets"]}
    assert files and set(files.values()) <= mounted


def test_every_setting_in_it_is_one(services: dict[str, Any]) -> None:
    named = {name for name in services["paperdesk"]["environment"] if name.startswith(PREFIX)}
    assert named and named <= OWN_NAMES


def test_every_image_from_outside_is_named_by_digest(services: dict[str, Any]) -> None:
    # hosting 3.6
    for name in ("nginx", "valkey"):
        assert re.search(r":[\w.-]+@sha256:[0-9a-f]{64}$", services[name]["image"])


def test_nginx_there_has_every_file_of_a_machine_of_its_own(services: dict[str, Any]) -> None:
    replaced = {Path(one["target"]).name for one in services["nginx"]["configs"]}
    assert replaced == {path.name for path in (ROOT / "nginx" / "site").iterdir()}


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A system of its own: the unit, what it starts, and what it waits for."""
    units = tmp_path / "etc" / "systemd" / "system"
    program = tmp_path / "opt" / "paperdesk" / "7860" / ".venv" / "bin" / "paperdesk"
    for folder in (units, program.parent, tmp_path / "etc" / "paperdesk"):
        folder.mkdir(parents=True)
    shutil.copy(ROOT / "deploy" / UNIT, units)
    for system in ("/usr/lib/systemd/system", "/lib/systemd/system"):
        if Path(system).is_dir():
            shutil.copytree(system, f"{tmp_path}{system}", dirs_exist_ok=True)
    shutil.copy("/bin/true", program)
    (tmp_path / "etc" / "paperdesk" / "env").touch(mode=0o600)
    return tmp_path


def analyze(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return completed(["systemd-analyze", *arguments], {"SYSTEMD_PAGER": ""})


def test_systemd_finds_the_unit_sound(installed: Path) -> None:
    # hosting A79
    done = analyze("verify", "--recursive-errors=no", f"--root={installed}", "paperdesk@7860.service")
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_systemd_finds_a_wrong_word_in_it(installed: Path) -> None:
    # That the test above can fail.
    unit = installed / "etc" / "systemd" / "system" / UNIT
    unit.write_text(unit.read_text().replace("ProtectHome=yes", "ProtectHome=perhaps"))
    done = analyze("verify", "--recursive-errors=no", f"--root={installed}", "paperdesk@7860.service")
    assert "Failed to parse" in done.stderr


def test_systemd_finds_it_little_exposed() -> None:
    # hosting 5.8
    done = analyze("security", "--offline=yes", f"--threshold={EXPOSURE_MAX * 10:.0f}", str(ROOT / "deploy" / UNIT))
    assert done.returncode == 0, done.stdout[-400:]
    exposure = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    assert exposure is not None and float(exposure[1]) <= EXPOSURE_MAX


def test_the_unit_says_what_the_contract_asks() -> None:
    # hosting 5.8, A79
    said: dict[str, list[str]] = {}
    for line in (ROOT / "deploy" / UNIT).read_text().splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            said.setdefault(name, []).append(value)
    asked = {
        "User": "10001",
        "Group": "10001",
        "EnvironmentFile": "/etc/paperdesk/env",
        "NoNewPrivileges": "yes",
        "ProtectSystem": "strict",
        "ProtectHome": "yes",
        "PrivateTmp": "yes",
        "PrivateDevices": "yes",
        "CapabilityBoundingSet": "",
        "AmbientCapabilities": "",
        "RestrictAddressFamilies": "AF_INET AF_INET6 AF_UNIX",
        "SystemCallFilter": "@system-service",
        "StateDirectory": "paperdesk",
        "LimitNOFILE": "65536",
        "Restart": "on-failure",
        "TimeoutStopSec": "70",
    }
    assert {name: said.get(name) for name in asked} == {name: [value] for name, value in asked.items()}
    assert "MemoryMax" in said
    assert int(said["TimeoutStopSec"][0]) > GRACEFUL_S
    assert said["ExecStart"] == ["/opt/paperdesk/%i/.venv/bin/paperdesk serve --host 127.0.0.1 --port %i"]
