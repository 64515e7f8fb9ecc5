"""The units for systemd: well formed, and meaning what the other places say."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.deploy.proxies import DEPLOY, program, swapped
from tests.helpers import needs
from voteweb.cli.run import SHUTDOWN_SECONDS

UNITS = DEPLOY / "systemd"
PROGRAM = "/opt/voteweb/bin/voteweb"


def verified(*files: Path) -> subprocess.CompletedProcess[str]:
    """Return what systemd says of the units in *files*, and not of other units of this machine that they name."""
    verify = program("systemd-analyze")
    usage = subprocess.run([verify, "--help"], capture_output=True, text=True, timeout=60).stdout
    needs("--recursive-errors" in usage, "systemd 250 or newer")
    words = [verify, "--man=no", "--recursive-errors=no", "verify", *map(str, files)]
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


def test_systemd_finds_nothing_to_say(tmp_path: Path) -> None:
    units = sorted(UNITS.iterdir())
    for unit in units:
        text = unit.read_text()
        # The program must be there; which one it is does not matter.
        (tmp_path / unit.name).write_text(swapped(text, {PROGRAM: "/bin/true"} if PROGRAM in text else {}))
    done = verified(*(tmp_path / unit.name for unit in units))
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stderr.splitlines() if any(unit.name in line for unit in units)] == []


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("voteweb.service", "KillMode=", "KilMode=", "KilMode"),
        ("voteweb.service", PROGRAM, "/nowhere", "/nowhere is not executable"),
        ("voteweb-backup.service", "Type=oneshot", "Type=one", "service type"),
        ("voteweb-backup.timer", "OnCalendar=*-", "OnCalendar=x-", "calendar"),
    ],
)
def test_systemd_would_say_what_is_wrong(name: str, old: str, new: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(swapped((UNITS / name).read_text(), {old: new}))
    done = verified(file)
    assert done.returncode == 1
    assert said in done.stderr


def test_a_stop_is_given_more_time_than_the_site_gives_its_requests() -> None:
    (seconds,) = re.findall(r"^TimeoutStopSec=(\d+)$", (UNITS / "voteweb.service").read_text(), re.MULTILINE)
    assert int(seconds) > 2 * SHUTDOWN_SECONDS


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
