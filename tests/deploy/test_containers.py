"""The files for containers, tried without building an image; test_image.py builds one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deploy.files import compose_services, last_arguments, with_replacements
from tests.helpers import free_ports, until
from voteweb.store import Store

pytestmark = pytest.mark.heavy


def test_the_health_check_fails_where_no_site_is_up() -> None:
    _, option, code = json.loads(last_arguments("HEALTHCHECK").partition("CMD ")[2])
    command = [sys.executable, option, with_replacements(code, {":8000/": f":{free_ports(1)[0]}/"})]
    assert subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 1


def test_the_backup_container_makes_a_backup_and_sleeps_a_day(server_url: str, store: Store, tmp_path: Path) -> None:
    *shell, script = compose_services()["backup"]["command"]
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "voteweb").symlink_to(Path(sys.executable).with_name("voteweb"))
    (programs / "sleep").write_text('#!/bin/sh\nkill "$PPID"\necho "$1" > seconds\n')
    (programs / "sleep").chmod(0o755)
    data = tmp_path / "data"
    data.mkdir()
    old = data / "voteweb-20200101T000000Z.gz"
    old.touch()
    os.utime(old, times=(0, 0))
    env = {"PATH": f"{programs}:/usr/bin:/bin", "VOTEWEB_REDIS_URL": server_url}
    subprocess.run([*shell, script.replace("$$", "$")], cwd=data, env=env, timeout=60)
    until((data / "seconds").exists)
    assert (data / "seconds").read_text() == "86400\n"
    assert len(list(data.glob("voteweb-*.gz"))) == 1
