"""The first words of `make run` where Python, or a part of it, is missing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import needs

ROOT = Path(__file__).parent.parent
OLD = "sys.version_info = (3, 10, 2); sys.version = '3.10.2 (main)'"
WITHOUT_VENV = "sys.modules['ensurepip'] = None"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("", "needs Python 3.11 or newer, and {python} is not installed."),
        (OLD, "needs Python 3.11 or newer; this is 3.10.2. PYTHON=python3.11 make run takes another one."),
        (WITHOUT_VENV, "{python} has no venv: install it, on Debian and Ubuntu with apt install python3-venv."),
    ],
)
def test_a_missing_python_is_named_in_one_line(change: str, message: str, tmp_path: Path) -> None:
    needs(shutil.which("make"), "make")
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    python = tmp_path / "python3"
    if change:
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "import sys; {change}; exec(sys.argv[1])" "$2"\n')
        python.chmod(0o755)
    # These tests may be run by make itself.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("M")}
    command = ["make", "run", f"PYTHON={python}"]
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    first, make, *more = result.stderr.splitlines()
    assert (message.format(python=python) in first, make.startswith("make: ***"), more) == (True, True, [])
    assert result.stdout == ""
    assert not (tmp_path / ".venv").exists()
