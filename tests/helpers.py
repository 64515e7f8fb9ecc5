"""What tests of every folder share and that is no fixture."""

import os
import time
from collections.abc import Callable

import pytest


def needs(condition: object, reason: str) -> None:
    """Skip the running test unless *condition* holds; with VOTEWEB_TEST_NO_SKIP=1 (set in CI) it fails instead."""
    if condition:
        return
    if os.environ.get("VOTEWEB_TEST_NO_SKIP") == "1":
        pytest.fail(f"needs {reason}", pytrace=False)
    pytest.skip(f"needs {reason}")


def until(condition: Callable[[], object], patience: float = 10.0) -> None:
    """Return as soon as *condition* holds; fail when it does not within *patience* seconds."""
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            pytest.fail("waited in vain")
        time.sleep(0.005)
