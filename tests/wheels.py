"""Build a wheel of the package."""

import subprocess
import sys
import zipfile
from pathlib import Path


def build_wheel(source: Path, folder: Path) -> zipfile.Path:
    """Build the wheel of the package in *source* into *folder*; return the root of its files."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True, timeout=60)
    (file,) = folder.glob("*.whl")
    return zipfile.Path(file)


def file_names(wheel: zipfile.Path) -> set[str]:
    """Return the names of all files in *wheel*."""
    return {name for name in wheel.root.namelist() if not name.endswith("/")}
