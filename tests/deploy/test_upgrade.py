"""A wheel of another version is installed over this one, and the site goes on with its data."""

import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.deploy.files import ROOT, copies, with_replacements
from tests.helpers import short_folder
from tests.site_process import StartSite, run_voteweb
from tests.wheels import build_wheel
from voteweb import __version__

pytestmark = pytest.mark.heavy

NEXT = "999.0"


@pytest.fixture
def python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The Python of a new environment, which has all but voteweb; commands of the test run with it."""
    folder = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    monkeypatch.chdir(tmp_path)  # the package of the checkout is not found from here
    return folder / "bin" / "python"


def upgrade(python: Path, wheel: zipfile.Path) -> None:
    """Install *wheel* into the environment of *python*."""
    options = ["--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-compile", "--upgrade"]
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", *options, str(wheel.root.filename)]
    subprocess.run(command, check=True, timeout=120)


def next_version(folder: Path) -> Path:
    """Copy what a wheel is built from into *folder*, and raise the version."""
    for name in (name for copy in copies() for name in copy.sources):
        copy_path = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        folder.mkdir(exist_ok=True)
        copy_path(ROOT / name, folder / name)
    file = folder / "voteweb" / "__init__.py"
    file.write_text(with_replacements(file.read_text(), {f'"{__version__}"': f'"{NEXT}"'}))
    return folder


def test_an_upgraded_wheel_serves_the_same_data(
    python: Path, start_site: StartSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheels = {
        __version__: build_wheel(ROOT, tmp_path / "this"),
        NEXT: build_wheel(next_version(tmp_path / "source"), tmp_path / "next"),
    }
    with short_folder() as data:
        for version, wheel in wheels.items():
            upgrade(python, wheel)
            with monkeypatch.context() as patch:
                patch.setattr(sys, "executable", str(python))
                assert run_voteweb("--version").stdout == f"voteweb {version}\n"
                site = start_site("--data", str(data))
            if version != NEXT:
                ann = site.visitor()
                assert ann.sign_up("ann").status == 303
                assert ann.submit("/submit", {"title": "Posted before", "text": "x"}).status == 303
            assert "Posted before" in site.get("/new").body
            assert site.stop().status == 0
