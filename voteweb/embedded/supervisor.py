"""Keeps the embedded database up: whatever ends it, it is started again."""

import select
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from voteweb.core.errors import ConfigError

#: Seconds between two attempts to start a server that does not stay, such as one whose disk is full.
RETRY_SECONDS = 0.5


@contextmanager
def supervised(path: Path, start: Callable[[], None], tell: Callable[[str], None]) -> Iterator[None]:
    """Call *start* whenever the server at the socket *path* has ended, and *tell* of it, until the block ends."""
    ours, its = socket.socketpair()
    watch = threading.Thread(target=_watch, args=(path, start, tell, its), daemon=True)
    watch.start()
    try:
        yield
    finally:
        ours.shutdown(socket.SHUT_RDWR)  # closing leaves it open in children that were forked meanwhile
        watch.join()
        ours.close()
        its.close()


def _watch(path: Path, start: Callable[[], None], tell: Callable[[str], None], over: socket.socket) -> None:
    said = ""
    while _has_ended(path, over):
        try:
            start()
        except (ConfigError, OSError) as problem:
            words = f"The database is away: {problem}"
            if words != said:
                tell(words)
            said = words
        else:
            tell("The database had ended; it has been started again.")
            said = ""
        if _is_over(over, RETRY_SECONDS):
            return


def _has_ended(path: Path, over: socket.socket) -> bool:
    """Return True as soon as no server is at *path*, or False when the watch is *over*.

    The system closes the connections of a process however it ends, and leaves those of one that only hangs.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.setblocking(False)
        try:
            line.connect(str(path))
        except OSError:
            return not _is_over(over, 0)
        ready, _, _ = select.select([line, over], [], [])
        return over not in ready


def _is_over(over: socket.socket, patience: float) -> bool:
    """Tell whether the other end of *over* is closed within *patience* seconds."""
    return bool(select.select([over], [], [], patience)[0])
