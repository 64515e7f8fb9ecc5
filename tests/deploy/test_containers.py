"""The files for containers, checked without building an image: what can be wrong with them is looked for."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.deploy.files import ROOT, compose, copied, dockerfile, last
from tests.deploy.proxies import DEPLOY, swapped
from tests.helpers import needs
from tests.machines import Process, free_ports
from tests.running import SECRET, Start
from voteweb.cli.run import SHUTDOWN_SECONDS
from voteweb.core.config import Settings
from voteweb.store import Store, open_store


def composer() -> list[str]:
    """Return the command of Compose, a plugin of docker's or a program of its own; nothing where there is neither."""
    docker, alone = shutil.which("docker"), shutil.which("docker-compose")
    if docker and subprocess.run([docker, "compose", "version"], capture_output=True).returncode == 0:
        return [docker, "compose"]
    return [alone] if alone else []


def test_hadolint_finds_nothing_to_say_of_the_dockerfile(tmp_path: Path) -> None:
    beside = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    path = shutil.which("hadolint", path=beside)
    needs(path, "hadolint")
    # What whoever runs the tests lets it overlook counts for nothing.
    config = tmp_path / "hadolint.yaml"
    config.write_text("ignored: []\n")
    env = {name: value for name, value in os.environ.items() if not name.startswith("HADOLINT_")}
    words = [str(path), "--config", str(config), str(DEPLOY / "Dockerfile")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_compose_understands_its_file(tmp_path: Path) -> None:
    found = composer()
    needs(found, "docker compose, or docker-compose")
    folder = tmp_path / "deploy"
    folder.mkdir()
    shutil.copy(DEPLOY / "compose.yaml", folder)
    shutil.copy(DEPLOY / "voteweb.env.example", folder / "voteweb.env")
    words = [*found, "--project-name", "voteweb", "config"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "VOTEWEB_SITE_URL: https://news.example" in done.stdout


def test_the_builder_is_sent_what_it_copies_and_nothing_else() -> None:
    """Of the lines of .dockerignore that fit a name, the last one counts."""
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if not line.startswith("#")]
    first, *names, last_one = lines
    assert (first, last_one) == ("*", "**/__pycache__")
    assert names == [f"!{source}" for sources, _ in copied() for source in sources]


def test_what_the_image_is_made_of_is_all_that_the_package_needs(tmp_path: Path) -> None:
    for sources, place in copied():
        for source in sources:
            there = tmp_path / place / (source if place == "./" else "")
            copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copy
            copy(ROOT / source, there)
    built = [tmp_path / "built", tmp_path / "whole"]
    for source, folder in zip((tmp_path, ROOT), built, strict=True):
        words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
        subprocess.run(words, cwd=source, check=True, capture_output=True, timeout=60)
    names = []
    for folder in built:
        with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
            names.append(set(wheel.namelist()))
    assert names[0] == names[1]


def test_the_image_is_run_by_nobody_of_the_machine_and_keeps_its_data_on_the_volume() -> None:
    (number,) = re.findall(r"useradd --system --uid (\d+)", " ".join(step.rest for step in dockerfile()))
    assert last("USER") == number
    assert int(number) > 0
    assert f"VOTEWEB_DATA_DIR={last('VOLUME')}" in last("ENV").split()
    assert f"--home-dir {last('VOLUME')}" in " ".join(step.rest for step in dockerfile())


def test_the_ports_agree() -> None:
    port = str(Settings().port)
    assert last("EXPOSE") == port
    assert f"VOTEWEB_PORT={port}" in last("ENV").split()
    assert f"http://127.0.0.1:{port}/healthz" in last("HEALTHCHECK")
    assert compose()["site"]["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert "ports" not in compose()["database"]


def test_a_stop_is_given_more_time_than_the_site_gives_its_requests() -> None:
    assert int(compose()["site"]["stop_grace_period"].removesuffix("s")) > 2 * SHUTDOWN_SECONDS


@pytest.mark.parametrize("is_up", [True, False])
def test_the_check_of_health_tells_whether_the_site_is_well(is_up: bool, start: Start, server_url: str) -> None:
    """The very command, but of this Python and at the port of a site of ours."""
    _, option, code = json.loads(last("HEALTHCHECK").partition("CMD ")[2])
    port = start(VOTEWEB_REDIS_URL=server_url, **SECRET).address[1] if is_up else free_ports(1)[0]
    words = [sys.executable, option, swapped(code, {":8000/": f":{port}/"})]
    assert (subprocess.run(words, stderr=subprocess.DEVNULL).returncode == 0) is is_up


def test_the_database_is_set_up_so_that_the_site_has_nothing_to_warn_of(tmp_path: Path) -> None:
    """The options of compose.yaml, given to the system's server."""
    _, *options = shlex.split(compose()["database"]["command"])
    server = Process(tmp_path / "server", free_ports(1)[0])
    needs(shutil.which("redis-server"), "a redis-server on PATH")
    try:
        server.start(*options)
        store: Store = open_store(Settings(redis_url=f"redis://127.0.0.1:{server.port}/0"))
        assert (store.health.warnings(), store.health.hints()) == ([], [])
        store.connection.close()
    finally:
        server.kill()
