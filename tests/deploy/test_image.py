"""The image of deploy/Dockerfile, built and run by buildah, which needs no daemon and no registry.

The base image is empty here and sees the programs of this machine in /usr; packages come from a folder.
"""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.bare_debian import roomy_folder
from tests.deploy.files import DEPLOY, ROOT, arguments_of, last_arguments, with_replacements
from tests.helpers import free_ports, needs, until
from tests.visitor import Visitor
from voteweb import __version__
from voteweb.core.version import read_commit

pytestmark = pytest.mark.heavy

BASE = "docker.io/library/python:3.13-slim"
PYTHON = "/usr/bin/python3"


class Buildah:
    """Buildah with its images and containers in *folder*."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mounts = ["--volume", "/usr:/usr:ro"]

    def command(self, *arguments: object) -> list[str]:
        storage = ["--storage-driver", "vfs", "--root", f"{self.folder}/root", "--runroot", f"{self.folder}/run"]
        return ["buildah", *storage, *map(str, arguments)]

    def __call__(self, *arguments: object) -> str:
        """Run a command of buildah and return what it prints."""
        done = subprocess.run(self.command(*arguments), cwd=ROOT, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    def run(self, container: str, *arguments: str, env: dict[str, str] | None = None) -> list[str]:
        """Return the command that runs *arguments* in *container*."""
        variables = [word for name, value in (env or {}).items() for word in ("--env", f"{name}={value}")]
        return self.command("run", "--isolation", "chroot", *self.mounts, *variables, container, "--", *arguments)


def make_base(folder: Path) -> None:
    """Make the root of a system without programs in *folder*."""
    for name in ("usr", "tmp", "proc", "dev", "sys", "run", "root", "etc", "var/lib", "var/tmp", "opt/python"):
        (folder / name).mkdir(parents=True)
    for name in ("bin", "sbin", "lib", "lib64"):
        (folder / name).symlink_to(f"usr/{name}")
    (folder / "opt" / "python" / "python").symlink_to(PYTHON)
    for name, text in {"passwd": "root:x:0:0::/root:/bin/sh\n", "group": "root:x:0:\n", "login.defs": ""}.items():
        (folder / "etc" / name).write_text(text)
    shutil.copy("/etc/ld.so.cache", folder / "etc")


@pytest.fixture
def buildah() -> Iterator[Buildah]:
    """Buildah, with the image "voteweb"."""
    with roomy_folder() as folder:
        yield build(folder)


def build(folder: Path) -> Buildah:
    """Build the image "voteweb" in *folder*."""
    needs(shutil.which("buildah"), "buildah")
    needs(os.getuid() == 0, "root")
    make_environment = [PYTHON, "-m", "venv", str(folder / "environment")]
    has_python = Path(PYTHON).exists() and subprocess.run(make_environment, capture_output=True).returncode == 0
    needs(has_python, "the system's Python with venv")
    buildah = Buildah(folder)

    make_base(folder / "base")
    container = buildah("from", "scratch")
    buildah("copy", "--quiet", container, folder / "base", "/")
    buildah("config", "--env", "PATH=/opt/python:/usr/local/bin:/usr/sbin:/usr/bin", container)
    buildah("commit", "--quiet", container, BASE)

    command = [str(folder / "environment" / "bin" / "pip"), "download", "--quiet", "--dest", str(folder / "packages")]
    subprocess.run(
        [*command, "--constraint", DEPLOY / "constraints.txt", f"{ROOT}[embedded]", "hatchling"],
        check=True,
        capture_output=True,
        timeout=300,
    )
    (folder / "pip.conf").write_text("[global]\nno-index = true\nfind-links = /packages\n")
    mounts = [f"{folder}/packages:/packages:ro", f"{folder}/pip.conf:/etc/pip.conf:ro", "/usr:/usr:ro"]
    volumes = [word for mount in mounts for word in ("--volume", mount)]
    options = [
        "--pull-never",
        "--build-arg",
        f"COMMIT={read_commit()}",
        "--format",
        "docker",
        "--isolation",
        "chroot",
        "--tag",
        "voteweb",
    ]
    buildah("bud", *options, *volumes, "--file", DEPLOY / "Dockerfile", ".")
    return buildah


def test_the_image_is_built_and_serves_a_site(buildah: Buildah) -> None:
    assert set(arguments_of("FROM")) == {"python:3.13-slim AS build", "python:3.13-slim"}
    container = buildah("from", "--pull-never", "localhost/voteweb")
    version = subprocess.run(buildah.run(container, "voteweb", "--version"), capture_output=True, text=True, timeout=60)
    assert version.stdout == f"voteweb {__version__}\n"

    (port,) = free_ports(1)
    settings = {"VOTEWEB_PORT": str(port), "VOTEWEB_HOST": "127.0.0.1"}
    # The container's processes have ids of this machine.
    site = ["/bin/sh", "-c", 'echo $$; exec "$@"', "sh", *json.loads(last_arguments("CMD"))]
    command = buildah.run(container, *site, env=settings)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout
        pid = int(process.stdout.readline())
        try:
            until(lambda: f":{port}/" in (process.stdout.readline() or pytest.fail("it has ended")), patience=60)
            assert Visitor(("127.0.0.1", port)).sign_up("ann").status == 303
            _, option, code = json.loads(last_arguments("HEALTHCHECK").partition("CMD ")[2])
            check = buildah.run(container, "python", option, with_replacements(code, {":8000/": f":{port}/"}))
            assert subprocess.run(check, timeout=60).returncode == 0
            assert Path(f"/proc/{pid}").stat().st_uid == int(last_arguments("USER"))
        finally:
            os.kill(pid, signal.SIGTERM)
            assert process.wait(30) == 0
