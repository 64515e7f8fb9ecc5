"""The files of deploy/ agree with the site and with one another, and what they name exists."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from tests.deploy.files import DEPLOY, ROOT, arguments_of, compose_services, copies, example, last_arguments, unit
from tests.helpers import needs
from voteweb.cli.environment import read_file, write_file
from voteweb.cli.main import voteweb
from voteweb.cli.run import SHUTDOWN_SECONDS
from voteweb.core.settings import Settings, env_name, from_env, variables


def test_the_builder_gets_exactly_what_it_copies() -> None:
    """The last line of .dockerignore that matches a name decides."""
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if not line.startswith("#")]
    first, *names, caches, secrets = lines
    assert (first, caches, secrets) == ("*", "**/__pycache__", "deploy/voteweb.env")
    assert names == [f"!{source}" for copy in copies() for source in copy.sources]


def test_image_runs_as_system_user_with_data_on_its_volume() -> None:
    (uid,) = re.findall(r"useradd --system --uid ([1-9]\d*)", " ".join(arguments_of("RUN")))
    assert last_arguments("USER") == uid
    volume = last_arguments("VOLUME")
    assert f"VOTEWEB_DATA_DIR={volume}" in last_arguments("ENV").split()
    assert f"--home-dir {volume}" in " ".join(arguments_of("RUN"))


def test_the_ports_agree() -> None:
    port = str(Settings().port)
    assert last_arguments("EXPOSE") == port
    assert f"VOTEWEB_PORT={port}" in last_arguments("ENV").split()
    assert f"http://127.0.0.1:{port}/healthz" in last_arguments("HEALTHCHECK")
    assert compose_services()["site"]["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert "ports" not in compose_services()["database"]


def test_systemd_and_compose_wait_longer_than_the_site_for_requests() -> None:
    (seconds,) = re.findall(r"^TimeoutStopSec=(\d+)$", unit("voteweb.service"), re.MULTILINE)
    period = compose_services()["site"]["stop_grace_period"].removesuffix("s")
    assert min(int(seconds), int(period)) > 2 * SHUTDOWN_SECONDS


#: Files that are installed as they are.
PLAIN = {".yml", ".json"}
FILES = [str(file.relative_to(DEPLOY)) for file in DEPLOY.rglob("*") if file.is_file() and file.suffix not in PLAIN]
TEXT = "\n".join(map(example, sorted(FILES)))
COMMAND = re.compile(r'(?:bin/voteweb (?:--site \S+ )?|site voteweb |CMD \["voteweb", ")([a-z]+)')


def test_every_setting_and_every_command_exists() -> None:
    assert set(re.findall(r"VOTEWEB_[A-Z_]+", TEXT)) <= {env_name(setting.name) for setting in variables()}
    assert set(COMMAND.findall(TEXT)) == {"run", "backup", "restore", "mail", "user"} & voteweb.commands.keys()


def test_the_example_settings_are_complete_with_a_key() -> None:
    lines = (DEPLOY / "voteweb.env.example").read_text().splitlines()
    example = from_env(dict(line.split("=", 1) for line in lines if line and not line.startswith("#")))
    assert example.secret_key == ""
    settings = replace(example, secret_key="a key of the operator's own")
    assert (settings.secure, settings.trusted_proxies, settings.warnings()) == (True, 1, [])


@pytest.mark.heavy
def test_compose_reads_the_values_that_we_read(tmp_path: Path) -> None:
    program = shutil.which("docker-compose")
    needs(program, "docker-compose")
    values = {
        "VOTEWEB_SITE_NAME": 'Ann\'s C# "News"; 新闻 = 100%',
        "VOTEWEB_REDIS_URL": "redis://me:p=a#b!@db:6379/0?x=1&y=2",
        "VOTEWEB_CONTACT": "",
    }
    write_file(tmp_path / "voteweb.env", values, {"VOTEWEB_CONTACT": "None yet."})
    services = {"site": {"image": "voteweb", "env_file": "voteweb.env"}}
    (tmp_path / "compose.yaml").write_text(json.dumps({"version": "3", "services": services}))
    command = [str(program), "--file", str(tmp_path / "compose.yaml"), "config"]
    output = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert yaml.safe_load(output)["services"]["site"]["environment"] == read_file(tmp_path / "voteweb.env") == values
