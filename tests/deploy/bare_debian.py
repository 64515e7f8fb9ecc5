"""A bare Debian in a folder, in which commands run as on a machine where nothing was prepared."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.helpers import needs

SUITE = "bookworm"
MIRROR = "http://deb.debian.org/debian"
#: What every Debian has that was installed on a machine, besides the packages that a Debian must have.
PACKAGES = "iproute2,systemd"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#: The certificates that this machine trusts: a proxy of its network may sign what pip downloads.
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
#: Bytes that a machine with voteweb and Caddy takes at most.
MIN_ROOM = 2 * 2**30
#: Seconds that a command may take.
PATIENCE = 600.0
#: Makes what a running machine has below the folder $0, for these processes only, and runs the command $1 there.
_ENTER = """
mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/dev/shm" && mount -t devpts devpts "$0/dev/pts" || exit 99
exec chroot "$0" /bin/bash -ec "$1"
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
    """The Debian below *root*."""

    def __init__(self, root: Path) -> None:
        needs(os.geteuid() == 0, "root, to make a Debian in a folder")
        program = shutil.which("mmdebstrap")
        needs(program, "mmdebstrap")
        self.root = root
        options = ["--quiet", "--mode=root", "--variant=minbase", f"--include={PACKAGES}", "--dpkgopt=force-unsafe-io"]
        self._run([str(program), *options, SUITE, str(root), MIRROR])
        if CERTIFICATES.exists():
            shutil.copy(CERTIFICATES, root / "etc" / CERTIFICATES.name)
        systemctl = root / "usr" / "local" / "bin" / "systemctl"
        systemctl.write_text(_SYSTEMCTL)
        systemctl.chmod(0o755)

    def command(self, script: str, *, isolated: bool = False) -> list[str]:
        """Return the command that runs *script* there as root; *isolated* has a network of its own without others."""
        unshare = ["unshare", "--mount", "--pid", "--fork", "--kill-child", *(["--net"] if isolated else [])]
        variables = {
            "HOME": "/root", "PATH": PATH, "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive",
            "PIP_CERT": f"/etc/{CERTIFICATES.name}",
        }  # fmt: skip
        env = ["env", "-i", *(f"{name}={value}" for name, value in variables.items())]
        return [*env, *unshare, "/bin/sh", "-c", _ENTER, str(self.root), f"cd\n{script}"]

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
