"""The process of the embedded database: started, looked for, asked and stopped, always under its locks."""

import fcntl
import os
import re
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from voteweb.core.errors import ConfigError
from voteweb.embedded.engines import choose_engine, record_engine

#: Seconds to wait for a lock or a silent server: starting takes a twentieth of one, stopping as long.
TIMEOUT = 15.0

#: Settings of our own server: the append-only file is plain, so that other engines of version 7 can read it;
#: the two size limits keep articles (one long value) and voters (integers) in their compact forms, which
#: takes a half and a tenth of the memory; big keys that expire are freed beside the work.
OPTIONS = {
    "port": "0",
    "unixsocketperm": "700",
    "daemonize": "yes",
    "appendonly": "yes",
    "aof-use-rdb-preamble": "no",
    "save": "",
    "maxmemory-policy": "noeviction",
    "hash-max-listpack-value": "512",
    "set-max-intset-entries": "8192",
    "lazyfree-lazy-expire": "yes",
    "lazyfree-lazy-server-del": "yes",
}

#: Held while the server is started: another child of this process, such as a worker of the web server that is just
#: being forked, would inherit its lock, and keep it when the server has ended, and the pipes of what is started.
_forking = threading.Lock()
os.register_at_fork(before=_forking.acquire, after_in_parent=_forking.release, after_in_child=_forking.release)


def ensure_running(folder: Path, path: Path, appendfsync: str) -> None:
    """Start the server of *folder* at the socket *path*, unless it is running; return when it answers.

    The caller holds ``start.lock``. Raises ConfigError.
    """
    if not is_running(folder):
        with _forking:
            _start(folder, path, appendfsync)
    _await_answer(folder, path)


def _start(folder: Path, path: Path, appendfsync: str) -> None:
    engine = choose_engine(folder)
    path.unlink(missing_ok=True)
    options = OPTIONS | {
        "appendfsync": appendfsync,
        "unixsocket": str(path),
        "dir": str(folder),
        "logfile": str(folder / "server.log"),
    }
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    with (folder / "server.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # The server inherits the lock and, as a daemon, leaves our process group: Ctrl-C is for the web server.
        subprocess.run(  # nosec B603  # noqa: S603 - a program we chose, without a shell
            [engine.path, *words], stdin=subprocess.DEVNULL, capture_output=True, pass_fds=[lock.fileno()]
        )
    record_engine(folder, engine)


def is_running(folder: Path) -> bool:
    """Tell whether a server holds the lock of *folder*; the caller holds ``start.lock``."""
    with (folder / "server.lock").open("w") as lock:
        if not _try_lock(lock):
            return True
        fcntl.flock(lock, fcntl.LOCK_UN)
        return False


def stop(folder: Path, path: Path) -> None:
    """Stop the server of *folder*, if it runs; the caller holds ``start.lock``."""
    until = time.monotonic() + TIMEOUT
    while is_running(folder) and time.monotonic() < until:
        with suppress(OSError):  # one that is just starting has no socket yet
            _send_command(path, "SHUTDOWN")
        time.sleep(0.01)


def _await_answer(folder: Path, path: Path) -> None:
    """Return when the server answers; one that says it is loading is waited for as long as it lives."""
    until = time.monotonic() + TIMEOUT
    while time.monotonic() < until:
        with suppress(OSError):
            answer = _send_command(path, "PING")
            if answer.startswith("+PONG"):
                return
            if answer.startswith("-LOADING"):
                until = time.monotonic() + TIMEOUT
        if not is_running(folder):
            last = _last_line(folder / "server.log")
            raise ConfigError("The embedded database did not start: %(last)s", last=last)
        time.sleep(0.01)
    raise ConfigError("The embedded database in %(folder)s runs, but does not answer.", folder=folder)


def _send_command(path: Path, command: str) -> str:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(2.0)
        connection.connect(str(path))
        connection.sendall(f"{command}\r\n".encode())
        return connection.recv(200).decode(errors="replace")


@contextmanager
def hold_lock(file: Path) -> Iterator[None]:
    """Hold the lock *file*; raise ConfigError when another process does not let go of it."""
    with file.open("w") as lock:
        until = time.monotonic() + TIMEOUT
        while not _try_lock(lock):
            if time.monotonic() > until:
                raise ConfigError("Another process holds %(file)s for too long.", file=file)
            time.sleep(0.01)
        try:
            yield
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)  # a child forked meanwhile has the open file too


def _try_lock(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    lines = [line for line in lines if line.strip()]
    # Without the process, the time and the level that stand before the words.
    return re.sub(r"^\d+:\w \d+ \w+ \d+ [\d:.]+ [#*.-] ", "", lines[-1]) if lines else "it said nothing"
