"""Helpers that tests of every folder share."""

import os
import random
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

#: Seconds after which what a test waits for is taken for hung, on a busy machine too.
PATIENCE = 60.0


def needs(condition: object, reason: str) -> None:
    """Skip the running test unless *condition* holds; with VOTEWEB_TEST_NO_SKIP=1 (set in CI) it fails instead."""
    if condition:
        return
    if os.environ.get("VOTEWEB_TEST_NO_SKIP") == "1":
        pytest.fail(f"needs {reason}", pytrace=False)
    pytest.skip(f"needs {reason}")


def until(condition: Callable[[], object], patience: float = PATIENCE) -> None:
    """Return as soon as *condition* holds; fail when it does not within *patience* seconds."""
    deadline = time.monotonic() + patience
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail("waited in vain")
        time.sleep(0.005)


def free_ports(count: int) -> list[int]:
    """Return ports at which no process listens.

    They are below the range from which the system takes ports for connections: no connection of another test can get
    one of them before the server that it is for.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    candidates = list(range(20_000 + worker % 8, 32_000, 8))
    random.shuffle(candidates)
    ports: list[int] = []
    with ExitStack() as stack:
        while len(ports) < count:
            bound, port = stack.enter_context(socket.socket()), candidates.pop()
            with suppress(OSError):  # in use
                bound.bind(("127.0.0.1", port))
                ports.append(port)
    return ports


@contextmanager
def short_folder() -> Iterator[Path]:
    """Yield a temporary folder whose path is short enough for sockets, which pytest's is not."""
    with tempfile.TemporaryDirectory(prefix="vw-", dir="/tmp", ignore_cleanup_errors=True) as path:
        yield Path(path)


def is_listening(path: Path) -> bool:
    """Tell whether a process listens at the Unix socket *path*."""
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(str(path)) == 0
