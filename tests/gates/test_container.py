"""The image without a container engine: the Dockerfile's own steps in an empty root directory, then what it runs."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from server import __version__
from tests.gates.dockerfile import Stage, health_check, parse_dockerfile, variables
from tests.gates.rooted import USER, Rooted, Running
from tests.gates.tools import MISSING, ROOT, TOOLS, completed

pytestmark = [
    pytest.mark.gate,
    pytest.mark.timeout(600),
    pytest.mark.skipif(os.geteuid() != 0, reason="another root directory and another user need root"),
]

HADOLINT = TOOLS / "hadolint" / "bin" / "hadolint"
DOCKER_SDK = TOOLS / "docker-sdk" / "bin" / "python"
BUILD, FINAL = parse_dockerfile(ROOT / "Dockerfile")
DEFAULT_PATH = "/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin"
DEPLOYMENT = {
    "PAPERDESK_PUBLIC_URL": "https://desk.example.org",
    "PAPERDESK_CURSOR_KEYS": "a-cursor-key-of-the-container-gate",
}

# What Docker's own client sends to the builder.
SENT = """
import sys
from docker.utils.build import exclude_paths
lines = open(f"{sys.argv[1]}/.dockerignore").read().splitlines()
patterns = [line for line in map(str.strip, lines) if line and not line.startswith("#")]
print("\\n".join(sorted(exclude_paths(sys.argv[1], patterns))))
"""


@dataclass(frozen=True, slots=True)
class Image:
    """What the Dockerfile makes, as a root directory, and what its last stage says of running it."""

    root: Rooted
    environment: dict[str, str]
    workdir: str
    sent: tuple[str, ...]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The committed state, with files beside it that must not be sent to a builder."""
    folder = tmp_path_factory.mktemp("context") / "paperdesk"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    for name in ("deploy/secrets/cursor_keys", "deploy/env", ".env", "my-catalog/manifest.json", ".venv/pyvenv.cfg"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("secret")
    return folder


@pytest.fixture(scope="module")
def image(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Image:
    """Both stages, step by step."""
    sent = files_sent(clone)
    built = Rooted.empty(tmp_path_factory.mktemp("build"), cache_mounts(BUILD))
    build_stage(BUILD, built, clone, sent)
    root = Rooted.empty(tmp_path_factory.mktemp("image"), {FINAL.last("VOLUME").value: volume(tmp_path_factory)})
    environment, workdir = {"PATH": DEFAULT_PATH}, "/"
    for step in FINAL.instructions:
        if step.name == "WORKDIR":
            workdir = step.value
        elif step.name == "ENV":
            environment |= variables(step)
        elif step.name == "COPY":
            assert step.flag("from") == BUILD.name
            source, target = step.words
            shutil.copytree(f"{built.folder}{source}", f"{root.folder}{target}", symlinks=True, dirs_exist_ok=True)
        else:
            assert step.name in ("USER", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD", "VOLUME")
    for place in (built.folder, root.folder):
        for above in (place, *place.parents[:2]):
            above.chmod(0o755)
    return Image(root, environment, workdir, sent)


def volume(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh volume, which takes over whose the place in the image is."""
    place = tmp_path_factory.mktemp("volume")
    (copied,) = [step for step in FINAL.all("COPY") if step.words[1] == FINAL.last("VOLUME").value]
    user, group = map(int, str(copied.flag("chown")).split(":"))
    os.chown(place, user, group)
    place.chmod(0o700)
    return place


def files_sent(clone: Path) -> tuple[str, ...]:
    assert DOCKER_SDK.exists(), MISSING.format("Docker's Python client")
    done = subprocess.run([DOCKER_SDK, "-c", SENT, str(clone)], capture_output=True, text=True, check=True)
    return tuple(path for path in done.stdout.splitlines() if (clone / path).is_file())


def cache_mounts(stage: Stage) -> dict[str, Path]:
    """Where the build keeps what it downloads between builds: this machine's own cache of the same."""
    cache = subprocess.run([sys.executable, "-m", "pip", "cache", "dir"], capture_output=True, text=True, check=True)
    targets = re.findall(r"type=cache,target=([^,\s]+)", " ".join(str(one.flags) for one in stage.all("RUN")))
    place = Path(cache.stdout.strip())
    place.mkdir(parents=True, exist_ok=True)
    return dict.fromkeys((target.rstrip("'),") for target in targets), place)


def build_stage(stage: Stage, root: Rooted, clone: Path, sent: tuple[str, ...]) -> None:
    environment, workdir = {"PATH": DEFAULT_PATH, "HOME": "/root"}, "/"
    for step in stage.instructions:
        if step.name == "WORKDIR":
            workdir = step.value
            Path(f"{root.folder}{workdir}").mkdir(parents=True, exist_ok=True)
        elif step.name == "ENV":
            environment |= variables(step)
        elif step.name == "COPY":
            *sources, target = step.words
            for source in sources:
                copy(clone, source, Path(f"{root.folder}{workdir}") / target, sent)
        else:
            assert step.name == "RUN"
            done = root.run(["sh", "-c", step.value], environment, workdir=workdir)
            assert done.returncode == 0, f"{step.value}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"


def copy(clone: Path, source: str, target: Path, sent: tuple[str, ...]) -> None:
    """As COPY does: a file to its place, a folder's content into the target; only what was sent."""
    if source in sent:
        shutil.copy(clone / source, target)
        return
    inside = [path for path in sent if path.startswith(f"{source}/")]
    assert inside, f"{source} was not sent to the builder"
    for path in inside:
        place = target / Path(path).relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(clone / path, place)


@contextmanager
def started(image: Image, *arguments: str, **environment: str) -> Iterator[Running]:
    """The image's entry with its command, or with another, as an orchestrator starts it."""
    command = FINAL.last("ENTRYPOINT").words + (list(arguments) or FINAL.last("CMD").words)
    running = image.root.start(command, {**image.environment, **environment}, workdir=image.workdir)
    try:
        yield running
    finally:
        running.end()
        assert running.process.stdout is not None
        running.process.stdout.close()


def test_a_linter_of_dockerfiles_finds_nothing() -> None:
    # hosting 5.8
    assert HADOLINT.exists(), MISSING.format("hadolint")
    done = completed([str(HADOLINT), "--failure-threshold", "style", str(ROOT / "Dockerfile")], {})
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_the_stages_say_what_the_contract_asks() -> None:
    # hosting 5.8, A79
    command, timing = health_check(FINAL)
    assert command == ["paperdesk", "health"]
    assert timing == {"interval": "30s", "timeout": "5s", "start-period": "20s", "retries": "3"}
    assert FINAL.last("USER").value == f"{USER}:{USER}"
    assert (FINAL.last("EXPOSE").value, FINAL.last("STOPSIGNAL").value) == ("7860", "SIGTERM")
    assert variables(FINAL.last("ENV"))["PAPERDESK_HOST"] == "0.0.0.0"
    assert FINAL.all("RUN") == []
    assert {re.sub(r"@sha256:[0-9a-f]{64}$", "", stage.base) for stage in (BUILD, FINAL)} == {
        "python:3.11.16-slim-bookworm"
    }
    assert "--require-hashes" in BUILD.all("RUN")[0].value
    assert not re.search(r"secret|token|password|key", " ".join(variables(FINAL.last("ENV"))), flags=re.IGNORECASE)


def test_the_base_is_the_python_that_the_tests_run_on() -> None:
    version = ".".join(map(str, sys.version_info[:2]))
    assert version != "3.11" or FINAL.base.startswith(f"python:{version}.")


def test_the_builder_is_sent_nothing_but_what_the_image_is_made_of(image: Image) -> None:
    # hosting 5.8
    tops = {path.partition("/")[0] for path in image.sent}
    # The two files that say how to build go along always.
    assert tops == {"core", "server", "deploy", "requirements.lock", "Dockerfile", ".dockerignore"}
    assert [path for path in image.sent if path.startswith("deploy/")] == ["deploy/paperdesk"]
    assert [path for path in image.sent if path.endswith(".pyc")] == []


def test_the_image_builds_nothing_and_is_compiled(image: Image) -> None:
    # hosting 5.8
    home = image.root.folder / "opt" / "paperdesk"
    assert not list((home / "env" / "bin").glob("pip*"))
    assert not list((home / "env").glob("lib/python*/site-packages/pip"))
    for package in ("core", "server"):
        modules = list((home / package).rglob("*.py"))
        assert modules and all(list((path.parent / "__pycache__").glob(f"{path.stem}.*.pyc")) for path in modules)


def test_it_serves_read_only_as_a_user_who_owns_nothing(image: Image) -> None:
    # hosting A54
    command, _ = health_check(FINAL)
    with started(image, **DEPLOYMENT) as running:
        said = running.say_ready()
        assert "sample_cache_unusable" not in said and "sample_build_started" not in said
        healthy = running.execute(command)
        assert (healthy.returncode, healthy.stdout, healthy.stderr) == (0, "ready\n", "")
        status = Path(f"/proc/{running.pid}/status").read_text()
        assert re.search(rf"^Uid:\t{USER}\t{USER}\t{USER}\t{USER}$", status, flags=re.MULTILINE)
        assert re.search(rf"^Gid:\t{USER}\t", status, flags=re.MULTILINE)
        assert re.search(r"^CapEff:\t0+$", status, flags=re.MULTILINE)
        assert re.search(r"^NoNewPrivs:\t1$", status, flags=re.MULTILINE)
        for place in ("/opt/paperdesk", "/opt/paperdesk/cache", "/", "/usr/local", "/dev"):
            assert running.execute(["touch", f"{place}/a-file"]).returncode != 0
        smoke = running.execute(
            ["paperdesk", "smoke", "--url", "http://127.0.0.1:7860", "--expect-version", __version__]
        )
        assert (smoke.returncode, "0 failed" in smoke.stdout) == (0, True), smoke.stdout + smoke.stderr
        assert running.stop(signal.SIGTERM) in (0, 128 + signal.SIGTERM, -signal.SIGTERM)


def test_several_processes_serve_in_it_too(image: Image) -> None:
    # hosting 4.7: each starts the program anew, from where the image has it; the store that they share may be down
    shared = {"PAPERDESK_LIMITS_URL": "valkey://127.0.0.1:1/0", "PAPERDESK_IDENTITY_KEY": "i" * 32}
    command, _ = health_check(FINAL)
    with started(image, **DEPLOYMENT, **shared, PAPERDESK_WORKERS="2") as running:
        running.say_ready()
        assert running.execute(command).returncode == 0
        assert running.stop(signal.SIGTERM) in (0, 128 + signal.SIGTERM, -signal.SIGTERM)


def test_the_health_check_fails_where_nothing_serves(image: Image) -> None:
    # hosting A54
    command, _ = health_check(FINAL)
    with started(image, *command[1:], **DEPLOYMENT) as running:
        assert running.first_line() == "paperdesk: not ready: no answer on port 7860 (ConnectionRefusedError)\n"
        assert running.process.wait(30) == 1


def test_the_health_check_fails_while_the_catalog_does_not_answer(image: Image) -> None:
    # hosting A54
    command, _ = health_check(FINAL)
    with started(image, **DEPLOYMENT, PAPERDESK_CATALOG_URL="http://127.0.0.1:9/api/v1") as running:
        running.say_ready()
        sick = running.execute(command)
        assert (sick.returncode, sick.stderr) == (1, "paperdesk: not ready: /health answers 503\n")


def test_it_does_not_start_for_all_addresses_without_its_public_address(image: Image) -> None:
    # hosting 5.8, A71
    with started(image) as running:
        assert running.process.stdout is not None
        said = running.process.stdout.read()
        assert running.process.wait(30) == 2
    assert "PAPERDESK_PUBLIC_URL is needed" in said and "PAPERDESK_CURSOR_KEYS is needed" in said
