"""Helpers that tests of every folder share."""

import os
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

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
    deadline = time.monotonic() + patience
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail("waited in vain")
        time.sleep(0.005)


def free_ports(count: int) -> list[int]:
    """Return ports at which no process listens."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for bound in sockets:
            bound.bind(("127.0.0.1", 0))
        return [bound.getsockname()[1] for bound in sockets]


@contextmanager
def short_folder() -> Iterator[Path]:
    """Yield a temporary folder whose path is short enough for sockets, which pytest's is not."""
    with tempfile.TemporaryDirectory(prefix="vw-", dir="/tmp", ignore_cleanup_errors=True) as path:
        yield Path(path)


def is_listening(path: Path) -> bool:
    """Tell whether a process listens at the Unix socket *path*."""
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(str(path)) == 0
