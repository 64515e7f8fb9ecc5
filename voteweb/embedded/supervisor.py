"""Restart the embedded database whenever it ends."""

import select
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from voteweb.core.errors import ConfigError

#: Seconds between two attempts to start a server that fails, for example because its disk is full.
RETRY_SECONDS = 0.5
#: Seconds between two checks of a server that runs.
CHECK_SECONDS = 5.0


@contextmanager
def supervised(
    path: Path, start: Callable[[], None], check: Callable[[], None], notify: Callable[[str], None]
) -> Iterator[None]:
    """Call *start* whenever the server at the socket *path* has ended, and *notify* about it, until the block ends.

    While it runs, *check* is called from time to time.
    """
    our_end, watcher_end = socket.socketpair()
    watcher = threading.Thread(target=_watch, args=(path, start, check, notify, watcher_end), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        our_end.shutdown(socket.SHUT_RDWR)  # close() would leave it open in children that were forked meanwhile
        watcher.join()
        our_end.close()
        watcher_end.close()


def _watch(
    path: Path,
    start: Callable[[], None],
    check: Callable[[], None],
    notify: Callable[[str], None],
    stop_signal: socket.socket,
) -> None:
    last_message = ""
    while _wait_for_end(path, check, stop_signal):
        try:
            start()
        except (ConfigError, OSError) as error:
            message = f"The database cannot be restarted: {error}"
            if message != last_message:
                notify(message)
            last_message = message
        else:
            notify("The database had stopped and was restarted.")
            last_message = ""
        if _is_stopped(stop_signal, RETRY_SECONDS):
            return


def _wait_for_end(path: Path, check: Callable[[], None], stop_signal: socket.socket) -> bool:
    """Return True as soon as there is no server at *path*, or False when the other end of *stop_signal* is closed.

    Call *check* from time to time.

    The system closes the connections of a process that ended for any reason, but not those of one that hangs.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.setblocking(False)
        try:
            connection.connect(str(path))
        except OSError:
            return not _is_stopped(stop_signal, 0)
        while not (ready := select.select([connection, stop_signal], [], [], CHECK_SECONDS)[0]):
            check()
        return stop_signal not in ready


def _is_stopped(stop_signal: socket.socket, timeout: float) -> bool:
    """Tell whether the other end of *stop_signal* is closed within *timeout* seconds."""
    return bool(select.select([stop_signal], [], [], timeout)[0])
