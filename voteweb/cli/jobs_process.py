"""The process of the background jobs under ``voteweb run``: started again when it dies, ended with its parent."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from voteweb.cli.jobs import STOP_SECONDS
from voteweb.cli.workers import SIGNAL_DELAY_SECONDS

#: Seconds until the process is started again after it died: at first, and after it died several times in a row.
RESTART_SECONDS = 1.0
MAX_RESTART_SECONDS = 30.0
#: Seconds between two checks whether the site stops.
POLL_SECONDS = 0.2


@contextmanager
def background_jobs(is_stopping: Callable[[], bool]) -> Iterator[None]:
    """Run ``voteweb jobs`` in a process of its own until the block ends or the web server *is_stopping*.

    The web server waits for open requests first: the jobs end meanwhile, not after it. Their settings are those in the
    environment.
    """
    ended = threading.Event()

    def is_over(seconds: float) -> bool:
        """Return True as soon as the jobs are to end, or False after *seconds*."""
        deadline = time.monotonic() + seconds
        while not (ended.is_set() or is_stopping()):
            if (left := deadline - time.monotonic()) <= 0:
                return False
            ended.wait(min(left, POLL_SECONDS))
        return True

    thread = threading.Thread(target=_keep_running, args=[is_over])
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _keep_running(is_over: Callable[[float], bool]) -> None:
    pause = RESTART_SECONDS
    while not is_over(0):
        process = _start()
        while process.poll() is None and not is_over(POLL_SECONDS):
            pass
        if process.returncode is None:
            process.terminate()
            _end(process)
        # A signal to all processes of the site may have reached that process first.
        elif not is_over(SIGNAL_DELAY_SECONDS):
            click.echo(f"Warning: the background jobs ended (status {process.returncode}) and start again.", err=True)
            is_over(pause)
            pause = min(2 * pause, MAX_RESTART_SECONDS)


def _start() -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "voteweb.cli", "jobs", "--parent", str(os.getpid())]
    # With close_fds, Popen waits for the end of a pipe, which a worker that is forked at that moment would hold open.
    # Without it, no file is passed on either.
    return subprocess.Popen(  # nosec B603  # noqa: S603 - this program itself
        command, stdin=subprocess.DEVNULL, close_fds=False
    )


def _end(process: "subprocess.Popen[bytes]") -> None:
    try:
        process.wait(2 * STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
