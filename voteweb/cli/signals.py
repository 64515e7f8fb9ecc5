"""SIGTERM and Ctrl-C: their handlers take no lock, since what they interrupt may hold it."""

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable

from voteweb.embedded.database import abandon_databases

#: Seconds between two looks at an event: a signal that comes just before a longer wait begins does not interrupt it.
POLL_SECONDS = 0.2


class SignalEvent:
    """An event, as those of threads, that a handler may set; it is also set while *is_kept* says so."""

    def __init__(self, is_kept: Callable[[], bool] = lambda: False) -> None:
        self._is_set, self._is_kept = False, is_kept

    def set(self) -> None:
        self._is_set = True

    def clear(self) -> None:
        self._is_set = False

    def is_set(self) -> bool:
        return self._is_set or self._is_kept()

    def wait(self) -> None:
        while not self.is_set():
            time.sleep(POLL_SECONDS)


class StopSignals:
    """The signals that stop this process, in the order in which they came.

    The first ends it in order, by an exception as a rule. A second also kills its children. A third ends it at once.
    """

    def install(self) -> None:
        """Handle the signals of this process, unless it was started to ignore them; forget those of a parent."""
        self._pid, self._raises, self.received = os.getpid(), True, list[int]()
        self._note: Callable[[], object] = self.received.copy
        for number in (signal.SIGTERM, signal.SIGINT):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self.handle)
        signal.signal(signal.SIGALRM, self._raise)
        sys.unraisablehook = self._raise_later

    def handle(self, number: int, _frame: object) -> None:
        """Act on a signal; do nothing in a fork, which has the handlers of its parent at first."""
        if os.getpid() != self._pid:
            return
        self.received.append(number)
        self._note()
        if len(self.received) > 1:
            for child in multiprocessing.active_children():
                child.kill()
        if len(self.received) > 2:
            abandon_databases()
            os._exit(128 + number)
        self._raise()

    def _raise(self, *_: object) -> None:
        """Raise the exception that ends the process, once: a second one would interrupt the end of the database."""
        if self._raises:
            self._raises = False
            raise KeyboardInterrupt if self.received[0] == signal.SIGINT else SystemExit(128 + self.received[0])

    def _raise_later(self, ignored: "sys.UnraisableHookArgs") -> None:
        """Raise the exception again if Python has ignored it: it interrupted a callback, such as one of imports."""
        if self.received and issubclass(ignored.exc_type, KeyboardInterrupt | SystemExit):
            self._raises = True
            signal.setitimer(signal.ITIMER_REAL, 0.01)
        else:
            sys.__unraisablehook__(ignored)

    def call(self, note: Callable[[], object]) -> None:
        """Call *note*, which takes no lock, at each signal from now on and for earlier ones; raise no exception."""
        self._note, self._raises = note, False
        if self.received:
            note()


STOP_SIGNALS = StopSignals()
