"""The units for systemd are valid, and the backup's command is right."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deploy.files import EXAMPLE, unit, with_replacements
from tests.deploy.proxies import find_program
from tests.helpers import needs
from voteweb.store import Store

pytestmark = pytest.mark.heavy

PROGRAM = str(EXAMPLE.program)


def verify(*files: Path) -> "subprocess.CompletedProcess[str]":
    """Run systemd's check of the units in *files*, but not of other units of this machine that they name."""
    program = find_program("systemd-analyze")
    usage = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=60).stdout
    needs("--recursive-errors" in usage, "systemd 250 or newer")
    command = [program, "--man=no", "--recursive-errors=no", "verify", *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_the_nightly_command_makes_and_checks_a_backup(server_url: str, store: Store, tmp_path: Path) -> None:
    paths = {PROGRAM: str(Path(sys.executable).with_name("voteweb")), "/var/lib/voteweb": str(tmp_path), "$$": "$"}
    text = with_replacements(unit("voteweb-backup.service"), paths)
    old = tmp_path / "backups" / "voteweb-20200101T000000Z.gz"
    old.parent.mkdir()
    old.touch()
    os.utime(old, times=(0, 0))
    (tmp_path / "voteweb.env").write_text(f"VOTEWEB_REDIS_URL={server_url}\n")
    output = ""
    for line in re.findall(r"^Exec[A-Z][A-Za-z]*=(.*)$", text, re.MULTILINE):
        run = subprocess.run(
            shlex.split(line), cwd=tmp_path, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, timeout=60
        )
        assert run.returncode == 0, run.stderr
        output += run.stdout
    (file,) = (tmp_path / "backups").iterdir()
    assert f"backups/{file.name} is complete: " in output
