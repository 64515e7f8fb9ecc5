"""The process of the background jobs under ``voteweb run``: started again when it dies, ended with its parent."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
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
def background_jobs() -> Iterator[None]:
    """Run ``voteweb jobs`` in a process of its own; its settings are those in the environment."""
    stop = threading.Event()
    thread = threading.Thread(target=_keep_running, args=[stop])
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _keep_running(stop: threading.Event) -> None:
    pause = RESTART_SECONDS
    while not stop.is_set():
        process = _start()
        while process.poll() is None and not stop.wait(POLL_SECONDS):
            pass
        if process.returncode is None:
            process.terminate()
            _end(process)
        # A signal to all processes of the site may have reached that process first.
        elif not stop.wait(SIGNAL_DELAY_SECONDS):
            click.echo(f"Warning: the background jobs ended (status {process.returncode}) and start again.", err=True)
            stop.wait(pause)
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
