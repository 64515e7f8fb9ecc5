"""Start, find and stop the server process of the embedded database, under its locks."""

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
from voteweb.embedded.folder import FOREIGN_RIGHTS, is_disk_full

#: Seconds to wait for a lock or a silent server; starting and stopping usually take 50 ms.
TIMEOUT = 15.0
#: Seconds in which a server that is starting must have a socket to be told to stop by a process that ends at once.
ABANDON_SECONDS = 0.5

#: The file that is locked in the data directory while a process converts the data.
CONVERT_LOCK = "convert.lock"

#: Settings of the server: the append-only file has no RDB part, so that other engines of version 7 can read it; the two
#: size limits keep articles (with one long value) and voters (integers) in compact encodings, which take a half and a
#: tenth of the memory; big keys that expire are freed in the background.
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

#: Settings instead on a full disk, where an engine that syncs before every answer would end itself as soon as a key
#: expires. It waits for a replica that does not exist: it is read, and takes no write that it could lose.
READ_ONLY = {"appendfsync": "everysec", "min-replicas-to-write": "1"}

#: Held while the server is started: another child of this process that is forked meanwhile, such as a worker of the web
#: server, would inherit the server's lock, and hold it after the server has ended, and the pipes of the new process.
_fork_lock = threading.Lock()
os.register_at_fork(before=_fork_lock.acquire, after_in_parent=_fork_lock.release, after_in_child=_fork_lock.release)


def ensure_running(folder: Path, path: Path, appendfsync: str) -> None:
    """Start the server of *folder* at the socket *path* unless it is running; return when it answers.

    The caller must hold ``start.lock``. Raises ConfigError.
    """
    # One that runs already may be ending: a process that was stopped at once has told it to, and has not waited.
    if is_running(folder) and _is_ready(folder, path):
        return
    with _fork_lock:
        _start(folder, path, appendfsync)
    if not _is_ready(folder, path):
        reason = "the disk is full" if is_disk_full(folder) else _last_line(folder / "server.log")
        raise ConfigError("The embedded database did not start: %(reason)s", reason=reason)


def _start(folder: Path, path: Path, appendfsync: str) -> None:
    engine = choose_engine(folder)
    path.unlink(missing_ok=True)
    options = OPTIONS | {
        "appendfsync": appendfsync,
        "unixsocket": str(path),
        "dir": str(folder),
        "logfile": str(folder / "server.log"),
    }
    if appendfsync == "always" and is_disk_full(folder):
        options |= READ_ONLY
    arguments = [argument for name, value in options.items() for argument in (f"--{name}", value)]
    with (folder / "server.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # The server inherits the lock and, as a daemon, leaves our process group: Ctrl-C does not reach it.
        subprocess.run(  # nosec B603  # noqa: S603 - a program of choose_engine(), without a shell
            [engine.path, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            pass_fds=[lock.fileno()],
            umask=FOREIGN_RIGHTS,
        )
    record_engine(folder, engine)


def restore_sync(folder: Path, path: Path, appendfsync: str) -> None:
    """Make the server of *folder* at *path* write again, and sync as asked for, once its disk has space."""
    if appendfsync == "always" and not is_disk_full(folder):
        with suppress(OSError):
            _send_command(path, f"CONFIG SET appendfsync {appendfsync} min-replicas-to-write 0")


def is_running(folder: Path) -> bool:
    """Tell whether a server holds the lock of *folder*; the caller must hold ``start.lock``."""
    return is_held(folder / "server.lock")


def is_held(file: Path) -> bool:
    """Tell whether another process holds the lock *file*."""
    with file.open("w") as lock:
        if not _try_lock(lock):
            return True
        fcntl.flock(lock, fcntl.LOCK_UN)
        return False


def stop(folder: Path, path: Path, *, waits: bool = True) -> None:
    """Stop the server of *folder* if it runs; the caller must hold ``start.lock``, or tells it so and *waits* not."""
    deadline = time.monotonic() + (TIMEOUT if waits else ABANDON_SECONDS)
    while is_running(folder) and time.monotonic() < deadline:
        with suppress(OSError):  # a server that is starting has no socket yet
            _send_command(path, "SHUTDOWN", waits=waits)
            if not waits:
                break
        time.sleep(0.01)


def _is_ready(folder: Path, path: Path) -> bool:
    """Tell whether the server answers, or has ended; raise ConfigError if it neither does nor loads data in time."""
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        with suppress(OSError):
            answer = _send_command(path, "PING")
            if answer.startswith(("+PONG", "-MISCONF")):  # the second: its disk is full, so that it refuses even this
                return True
            if answer.startswith("-LOADING"):
                deadline = time.monotonic() + TIMEOUT
        if not is_running(folder):
            return False
        time.sleep(0.01)
    raise ConfigError("The embedded database in %(folder)s is running, but does not answer.", folder=folder)


def _send_command(path: Path, command: str, *, waits: bool = True) -> str:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(2.0 if waits else ABANDON_SECONDS)
        connection.connect(str(path))
        connection.sendall(f"{command}\r\n".encode())
        return connection.recv(200).decode(errors="replace") if waits else ""


@contextmanager
def hold_lock(file: Path) -> Iterator[None]:
    """Hold the lock *file*; raise ConfigError if another process holds it for longer than TIMEOUT."""
    with file.open("w") as lock:
        deadline = time.monotonic() + TIMEOUT
        while not _try_lock(lock):
            if time.monotonic() > deadline:
                raise ConfigError("Another process has held %(file)s for too long.", file=file)
            time.sleep(0.01)
        try:
            yield
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)  # close() is not enough: a child forked meanwhile has the file open too


def _try_lock(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    lines = [line for line in lines if line.strip()]
    # Without the process, time and level before the message.
    return re.sub(r"^\d+:\w \d+ \w+ \d+ [\d:.]+ [#*.-] ", "", lines[-1]) if lines else "its log is empty"
