"""Child processes of tests start with the default action of SIGINT, also where the tests run in the background."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

IGNORE_SIGINT = ["sh", "-c", 'trap "" INT; exec "$@"', "sh"]


def test_a_child_process_dies_of_sigint() -> None:
    assert subprocess.run(["sh", "-c", "kill -INT $$"]).returncode == -signal.SIGINT


@pytest.mark.heavy
@pytest.mark.parametrize("workers", [0, 1], ids=["in-this-process", "in-a-worker"])
def test_a_child_dies_of_sigint_although_the_run_ignores_it(workers: int) -> None:
    test = f"{Path(__file__).name}::{test_a_child_process_dies_of_sigint.__name__}"
    pytest_command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", str(workers), test]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    run = subprocess.run(
        [*IGNORE_SIGINT, *pytest_command], cwd=Path(__file__).parent, env=env, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout
    assert "1 passed" in run.stdout
