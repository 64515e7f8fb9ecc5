"""Restart the embedded database whenever it ends."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from voteweb.core.errors import ConfigError

#: Seconds between two attempts to start a server that fails, for example because its disk is full.
RETRY_SECONDS = 0.5
#: Seconds between two checks of a server that runs. The end of the block waits for one about so long.
CHECK_SECONDS = 0.25


@contextmanager
def supervised(
    path: Path, start: Callable[[], None], check: Callable[[], None], notify: Callable[[str], None]
) -> Iterator[None]:
    """Call *start* whenever the server at the socket *path* has ended, and *notify* about it, until the block ends.

    While it runs, *check* is called from time to time.
    """
    is_over = threading.Event()
    watcher = threading.Thread(target=_watch, args=(path, start, check, notify, is_over), daemon=True)
    try:
        watcher.start()
        yield
    finally:
        is_over.set()
        with suppress(RuntimeError):  # a signal came before it started
            watcher.join()


def _watch(
    path: Path,
    start: Callable[[], None],
    check: Callable[[], None],
    notify: Callable[[str], None],
    is_over: threading.Event,
) -> None:
    last_message = ""
    while _wait_for_end(path, check, is_over):
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
        is_over.wait(RETRY_SECONDS)


def _wait_for_end(path: Path, check: Callable[[], None], is_over: threading.Event) -> bool:
    """Return True as soon as there is no server at *path*, or False once *is_over* is set; *check* it meanwhile.

    The system closes the connections of a process that ended for any reason, but not those of one that hangs.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection, suppress(OSError):
        connection.settimeout(CHECK_SECONDS)
        connection.connect(str(path))
        while not is_over.is_set():
            try:
                connection.recv(1)
                break
            except TimeoutError:
                check()
    return not is_over.is_set()
