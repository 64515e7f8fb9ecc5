"""The units for systemd: well formed, and meaning what the other places say."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.deploy.proxies import DEPLOY, program, swapped
from voteweb.cli.run import GRACE

UNITS = DEPLOY / "systemd"
PROGRAM = "/opt/voteweb/bin/voteweb"


def test_systemd_finds_nothing_to_say(tmp_path: Path) -> None:
    verify = program("systemd-analyze")
    for unit in UNITS.iterdir():
        text = unit.read_text()
        # The program must be there; which one it is does not matter.
        (tmp_path / unit.name).write_text(swapped(text, {PROGRAM: "/bin/true"} if PROGRAM in text else {}))
    words = [verify, "verify", *map(str, sorted(tmp_path.iterdir()))]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_systemd_would_say_what_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "voteweb.service"
    file.write_text(swapped((UNITS / file.name).read_text(), {PROGRAM: "/nowhere", "KillMode=": "KilMode="}))
    done = subprocess.run([program("systemd-analyze"), "verify", str(file)], capture_output=True, text=True, timeout=60)
    assert "KilMode" in done.stderr
    assert "/nowhere is not executable" in done.stderr


def test_a_stop_is_given_more_time_than_the_site_gives_its_requests() -> None:
    (seconds,) = re.findall(r"^TimeoutStopSec=(\d+)$", (UNITS / "voteweb.service").read_text(), re.MULTILINE)
    assert int(seconds) > 2 * GRACE


@pytest.mark.parametrize("what", ["backup", "restore"])
def test_the_nightly_shell_is_right(what: str, tmp_path: Path) -> None:
    """The line of the backup, with a program in place of ours that writes down how it was called."""
    (line,) = re.findall(
        r"^ExecStart=/bin/sh -ec '(.*)'$", (UNITS / "voteweb-backup.service").read_text(), re.MULTILINE
    )
    spy = tmp_path / "spy"
    spy.write_text(f'#!/bin/sh\necho "$@" >> "{tmp_path}/calls"\n[ "$1" != {what} ]\n')
    spy.chmod(0o755)
    shell = swapped(line, {"$$": "$", "%%": "%", PROGRAM: str(spy)})
    sh = shutil.which("sh")
    assert sh
    done = subprocess.run([sh, "-ec", shell], env={"STATE_DIRECTORY": "/var/lib/voteweb", "PATH": "/usr/bin:/bin"})
    calls = (tmp_path / "calls").read_text().splitlines()
    assert done.returncode == 1, "what fails is told to systemd"
    assert re.fullmatch(r"backup /var/lib/voteweb/backup-[A-Z][a-z]{2}\.gz", calls[0])
    assert calls[1:] == ([] if what == "backup" else [calls[0].replace("backup", "restore --dry-run", 1)])
