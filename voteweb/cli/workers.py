"""The web server's worker processes: how many, and their end: with their parent, at once, without false alarms."""

import logging
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable

#: Seconds between two checks of a worker whether its parent still lives; until then a killed parent's port stays taken.
PARENT_POLL_SECONDS = 0.2
#: Seconds within which a signal to all processes has reached this one too.
SIGNAL_DELAY_SECONDS = 0.3

_SIGTERM = {signal.SIGTERM}


def default_workers() -> int:
    """Return how many workers to start unless a setting says so: one for each core, at most two.

    On one core, a second one would take turns with the first, and render and cache each page again: readers' pages
    would take a sixth longer.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, 2)


def exit_on_early_sigterm() -> None:
    """Make a worker end at a SIGTERM that arrives before it has its own handler.

    A worker is a fork of this process: with this process's handler it would ignore the signal, and be waited for
    until its time to stop is over. It has no requests yet.
    """

    def reset_in_child() -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGTERM)

    os.register_at_fork(
        before=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, _SIGTERM),
        after_in_parent=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGTERM),
        after_in_child=reset_in_child,
    )


def exit_with_parent(grace: float, parent: int | None = None) -> None:
    """End this process when its *parent* has ended, with *grace* seconds for what it does.

    Without a process id, the parent is that of multiprocessing, if any.
    """
    process = multiprocessing.parent_process()
    parent = process.pid if parent is None and process else parent
    while parent is None or os.getppid() == parent:
        time.sleep(PARENT_POLL_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(grace)
    os._exit(1)


class UnexpectedExitFilter(logging.Filter):
    """Delays the log record of a worker's unexpected exit, and drops it if *is_stopping* is true by then.

    A signal to all processes may end a worker before it reaches this process.
    """

    def __init__(self, is_stopping: Callable[[], bool], delay: float = SIGNAL_DELAY_SECONDS) -> None:
        super().__init__()
        self._is_stopping = is_stopping
        self._delay = delay

    def filter(self, record: logging.LogRecord) -> bool:
        """Pass on every *record* except that of an unexpected exit, which follows after the delay."""
        if not record.getMessage().startswith("Unexpected exit"):
            return True
        threading.Timer(self._delay, self._emit, [record]).start()
        return False

    def _emit(self, record: logging.LogRecord) -> None:
        if not self._is_stopping():
            logging.getLogger(record.name).callHandlers(record)
