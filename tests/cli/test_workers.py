"""Workers: how many start, which ends are logged, and that a worker that is just being forked ends too."""

import logging
import os
import signal
import subprocess
import sys
import threading

import pytest

from tests.helpers import until
from voteweb.cli.run import default_workers, unexpected_exit_filter

#: Handles SIGTERM, forks a child and sends it the signal at once, and then to itself.
FORK = """
import os, signal
from voteweb.cli.run import exit_on_early_sigterm
received = []
signal.signal(signal.SIGTERM, lambda *_: received.append("SIGTERM"))
exit_on_early_sigterm()
child = os.fork()
while not child:
    signal.pause()
os.kill(child, signal.SIGTERM)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
os.kill(os.getpid(), signal.SIGTERM)
print(status, *received)
"""
UNEXPECTED_EXIT = "Unexpected exit from worker-1"


@pytest.mark.parametrize(("cores", "workers"), [({1}, 1), ({0, 1}, 2), (set(range(8)), 2)])
def test_site_has_a_worker_for_each_core_at_most_two(
    cores: set[int], workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: cores, raising=False)
    assert default_workers() == workers


def logged(message: str, *, is_stopping: bool, caplog: pytest.LogCaptureFixture) -> list[str]:
    """Log *message* through the filter; return the messages in the log when nothing is delayed any more."""
    logger = logging.getLogger("tests.workers")
    exit_filter = unexpected_exit_filter(lambda: is_stopping, delay=0.01)
    logger.addFilter(exit_filter)
    try:
        logger.error(message)
        until(lambda: not any(isinstance(thread, threading.Timer) for thread in threading.enumerate()))
    finally:
        logger.removeFilter(exit_filter)
    return [record.getMessage() for record in caplog.records]


@pytest.mark.parametrize(
    ("message", "is_stopping", "is_logged"),
    [
        (UNEXPECTED_EXIT, False, True),
        (UNEXPECTED_EXIT, True, False),
        ("Another message", False, True),
        ("Another message", True, True),
    ],
)
def test_an_exit_is_logged_unless_the_site_stops(
    message: str, is_stopping: bool, is_logged: bool, caplog: pytest.LogCaptureFixture
) -> None:
    assert logged(message, is_stopping=is_stopping, caplog=caplog) == ([message] if is_logged else [])


def test_a_worker_ends_by_sigterm_while_it_is_forked() -> None:
    run = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=60)
    assert (run.stdout, run.stderr) == (f"{-signal.SIGTERM} SIGTERM\n", "")
