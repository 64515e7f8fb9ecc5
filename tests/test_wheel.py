"""The wheel has every file of the checkout that a site needs, its command and its version."""

import re
import subprocess
import sys
import zipfile
from configparser import ConfigParser
from pathlib import Path
from pkgutil import resolve_name

import pytest

from voteweb import __version__, cli
from voteweb.core.version import RELEASE, read_commit

ROOT = Path(__file__).parent.parent
#: Folders of a checkout and their places in the wheel.
FOLDERS = {"voteweb": "voteweb"} | {name: f"voteweb/{name}" for name in ("templates", "static", "deploy")}


def build_wheel(source: Path, folder: Path) -> zipfile.Path:
    """Build the wheel of the package in *source* into *folder*; return the root of its files."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True, timeout=60)
    (file,) = folder.glob("*.whl")
    return zipfile.Path(file)


def file_names(wheel: zipfile.Path) -> set[str]:
    """Return the names of all files in *wheel*."""
    return {name for name in wheel.root.namelist() if not name.endswith("/")}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.Path:
    """The wheel of this checkout."""
    return build_wheel(ROOT, tmp_path_factory.mktemp("wheel"))


def names_in_checkout() -> set[str]:
    """Return the names that the files of the checkout have in the wheel."""
    return {
        f"{target}/{file.relative_to(ROOT / source)}"
        for source, target in FOLDERS.items()
        for file in (ROOT / source).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and file.name != "voteweb.env"
    }


def test_the_wheel_has_exactly_the_files_of_the_folders(wheel: zipfile.Path) -> None:
    assert {name for name in file_names(wheel) if ".dist-info/" not in name} == names_in_checkout()


def test_the_wheel_has_the_command_the_license_and_the_version(wheel: zipfile.Path) -> None:
    (info,) = (folder for folder in wheel.iterdir() if folder.name.endswith(".dist-info"))
    assert (info / "METADATA").exists()
    assert (info / "licenses" / "LICENSE").exists()
    entry_points = ConfigParser()
    entry_points.read_string((info / "entry_points.txt").read_text())
    assert resolve_name(entry_points["console_scripts"]["voteweb"]) is cli.entry_point
    assert info.name == f"voteweb-{__version__}.dist-info"
    assert (wheel / "voteweb" / "commit").read_text() == f"{read_commit()}\n"
    release = RELEASE.removesuffix(".dev0")
    assert re.search(r"^## (\S+) - ", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)[1] == release


def test_a_wheel_made_of_the_source_distribution_has_its_version(wheel: zipfile.Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=60)
    subprocess.run(["tar", "-xzf", f"voteweb-{__version__}.tar.gz"], cwd=tmp_path, check=True)
    again = build_wheel(tmp_path / f"voteweb-{__version__}", tmp_path / "wheel")
    assert {name: again.root.read(name) for name in file_names(again)} == {
        name: wheel.root.read(name) for name in file_names(wheel)
    }
