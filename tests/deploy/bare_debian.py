"""A bare Debian in a folder, in which commands run as on a machine where nothing was prepared."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.deploy.kept_systems import kept_system
from tests.helpers import needs

#: What every Debian has that was installed on a machine, besides the packages that a Debian must have.
PACKAGES = ("iproute2", "systemd")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#: The certificates that this machine trusts: a proxy of its network may sign what pip downloads.
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
#: Bytes that a machine with voteweb and Caddy takes at most.
MIN_ROOM = 2 * 2**30
#: Seconds that a command may take.
PATIENCE = 1_800.0
#: The settings of pip that hold on any machine of a network; others may name files of this one.
_PIP_SETTINGS = ("index-url", "extra-index-url", "trusted-host", "proxy", "timeout")
#: Makes what a running machine has below the folder $0, for these processes only, and runs the command $1 there as $2.
_ENTER = """
mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/dev/shm" || exit 99
mount -t devpts -o ptmxmode=666 devpts "$0/dev/pts" || exit 99
exec chroot --userspec="$2" "$0" /bin/bash -ec "$1"
"""
#: Stands in for systemctl, because no systemd runs: it enables units, and starts none.
_SYSTEMCTL = """#!/bin/sh
[ "$1 $2" != "enable --now" ] || { shift 2; exec /usr/bin/systemctl --root=/ enable "$@"; }
"""


@contextmanager
def roomy_folder() -> Iterator[Path]:
    """Yield a temporary folder for a machine: in memory, where packages are unpacked faster, or on the disk."""
    memory = Path("/dev/shm")
    is_fit = False
    if memory.is_dir():
        state = os.statvfs(memory)
        has_room = state.f_bavail * state.f_frsize > MIN_ROOM
        is_fit = has_room and not state.f_flag & (os.ST_NODEV | os.ST_NOEXEC | os.ST_NOSUID)
    with tempfile.TemporaryDirectory(prefix="vw-", dir=memory if is_fit else "/tmp") as folder:
        yield Path(folder)


class BareDebian:
    """The Debian *suite* below *root*, with *packages*, whose commands run as *user*.

    ``note`` says so if it is an older one, because none could be made now. Raises SystemNotMade.
    """

    def __init__(
        self, root: Path, suite: str = "bookworm", packages: tuple[str, ...] = PACKAGES, user: str = "root"
    ) -> None:
        needs(os.geteuid() == 0, "root, to make a Debian in a folder")
        needs(shutil.which("mmdebstrap"), "mmdebstrap")
        self.root = root
        self.home = Path("/root" if user == "root" else f"/home/{user}")
        self._user = user
        system, self.note = kept_system(suite, packages)
        root.mkdir()
        self._run(["tar", "--extract", "--file", str(system), "--directory", str(root), "--numeric-owner"])
        if CERTIFICATES.exists():
            shutil.copy(CERTIFICATES, root / "etc" / CERTIFICATES.name)
        (root / "etc" / "pip.conf").write_text(_pip_configuration())
        (root / "etc" / "hosts").write_text("127.0.0.1 localhost\n::1 localhost\n")  # as Debian's installer does
        systemctl = root / "usr" / "local" / "bin" / "systemctl"
        systemctl.write_text(_SYSTEMCTL)
        systemctl.chmod(0o755)
        if user != "root":
            self._run(["chroot", str(root), "useradd", "--create-home", "--shell", "/bin/bash", user])

    def command(self, script: str, *, isolated: bool = False) -> list[str]:
        """Return the command that runs *script* there; *isolated* has a network of its own without others."""
        unshare = ["unshare", "--mount", "--pid", "--fork", "--kill-child", *(["--net"] if isolated else [])]
        variables = {"HOME": self.home, "PATH": PATH, "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        variables |= {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
        env = ["env", "-i", *(f"{name}={value}" for name, value in variables.items())]
        return [*env, *unshare, "/bin/sh", "-c", _ENTER, str(self.root), f"cd\n{script}", f"{self._user}:{self._user}"]

    def run(self, script: str, *, isolated: bool = False) -> str:
        """Run *script* there until it ends; return its output, or fail with it."""
        return self._run(self.command(script, isolated=isolated))

    def _run(self, command: list[str]) -> str:
        result = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
        )
        assert result.returncode == 0, result.stdout
        return result.stdout


def _pip_configuration() -> str:
    """Return the configuration with which pip finds packages as on this machine."""
    settings = {"cert": f"/etc/{CERTIFICATES.name}"} if CERTIFICATES.exists() else {}
    known = subprocess.run(["python3", "-m", "pip", "config", "list"], capture_output=True, text=True, check=True)
    for line in known.stdout.splitlines():
        name, _, value = line.partition("=")
        name, values = name.rpartition(".")[2], value.strip("'").split()
        if name in _PIP_SETTINGS and (kept := [part for part in values if not part.startswith("file:")]):
            settings[name] = " ".join(kept)
    return "\n".join(["[global]", *(f"{name} = {value}" for name, value in settings.items()), ""])
