"""The wheel carries what a checkout has: every template, static file, script and sample."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
#: Folders of a checkout and where the wheel has them.
FOLDERS = {"voteweb": "voteweb", "templates": "voteweb/templates", "static": "voteweb/static"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names of all files in a wheel that was built just now."""
    folder = tmp_path_factory.mktemp("wheel")
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True, timeout=60)
    (file,) = folder.glob("*.whl")
    with zipfile.ZipFile(file) as archive:
        return set(archive.namelist())


def in_checkout() -> set[str]:
    """Return the files of the checkout under the names that the wheel gives them."""
    return {
        f"{there}/{file.relative_to(ROOT / here)}"
        for here, there in FOLDERS.items()
        for file in (ROOT / here).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }


def test_the_wheel_holds_exactly_the_files_of_the_folders(wheel: set[str]) -> None:
    assert {name for name in wheel if ".dist-info/" not in name} == in_checkout()


@pytest.mark.parametrize(
    "name",
    [
        "app.py",
        "templates/base.html",
        "templates/articles/_list.html",
        "static/site.css",
        "static/vote.js",
        "static/icon.svg",
        "store/lua/cast_vote.lua",
        "store/lua/common.lua",
        "cli/sample.jsonl",
        "cli/sample-groups.json",
    ],
)
def test_what_a_site_cannot_do_without_is_there(name: str, wheel: set[str]) -> None:
    assert f"voteweb/{name}" in wheel


def test_the_wheel_names_its_command_and_its_license(wheel: set[str]) -> None:
    names = {name.partition(".dist-info/")[2] for name in wheel}
    assert {"entry_points.txt", "METADATA", "licenses/LICENSE"} <= names
