"""How the web server's workers end: with their parent, at once while they are being born, and told of or not."""

import logging
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable

#: Seconds after which a worker sees that its parent was killed: until then it holds the port.
PARENT_POLL_SECONDS = 0.2
#: Seconds within which a signal to all processes has reached this one too.
SIGNAL_DELAY_SECONDS = 0.3

_TERM = {signal.SIGTERM}


def exit_on_early_sigterm() -> None:
    """Let a worker that is told to end before it listens to signals just end; nothing is in work there yet.

    It is a copy of this process, and what this one does about the signal would be lost on it: the stop would wait
    until the worker's time is up.
    """

    def born() -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _TERM)

    os.register_at_fork(
        before=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, _TERM),
        after_in_parent=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, _TERM),
        after_in_child=born,
    )


def exit_with_parent(grace: float) -> None:
    """End this worker when its parent has ended; requests in work are given *grace* seconds."""
    parent = multiprocessing.parent_process()
    while parent is None or os.getppid() == parent.pid:
        time.sleep(PARENT_POLL_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(grace)
    os._exit(1)


class UnexpectedExitFilter(logging.Filter):
    """Tells of a worker's unexpected end a moment later, unless *is_over* says by then that all are to end.

    A signal to all processes may end a worker before this process has heard of it.
    """

    def __init__(self, is_over: Callable[[], bool], patience: float = SIGNAL_DELAY_SECONDS) -> None:
        super().__init__()
        self._is_over = is_over
        self._patience = patience

    def filter(self, record: logging.LogRecord) -> bool:
        """Hold back the *record* of such an end, and no other."""
        if not record.getMessage().startswith("Unexpected exit"):
            return True
        threading.Timer(self._patience, self._tell, [record]).start()
        return False

    def _tell(self, record: logging.LogRecord) -> None:
        if not self._is_over():
            logging.getLogger(record.name).callHandlers(record)
