"""The embedded database: a server of our own on a private socket, for sites that have no Redis.

The files lie in the data directory. Three of them are locks, which end with the process that holds them,
however it ends: ``start.lock`` (who is starting or stopping the server), ``use.lock`` (shared by everyone who
uses the server; the last one out stops it) and ``server.lock`` (held by the server itself, so that no second
one can ever write the same files, even while the first hangs).
"""

import fcntl
import hashlib
import os
import secrets
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO
from urllib.parse import quote

from voteweb.config import Settings
from voteweb.engines import choose, record
from voteweb.errors import ConfigError

#: Seconds to wait for a lock or a silent server: starting takes a twentieth of one, stopping as long.
PATIENCE = 15.0
#: Bytes a socket's path may have on every system we run on.
SOCKET_PATH_MOST = 100

#: Settings of our own server: the append-only file is plain, so that other engines of version 7 can read it;
#: the two size limits keep articles (one long value) and voters (integers) in their compact forms, which
#: takes a half and a tenth of the memory; big keys that expire are freed beside the work.
OPTIONS = {
    "port": "0",
    "unixsocketperm": "700",
    "daemonize": "yes",
    "appendonly": "yes",
    "appendfsync": "everysec",
    "aof-use-rdb-preamble": "no",
    "save": "",
    "maxmemory-policy": "noeviction",
    "hash-max-listpack-value": "512",
    "set-max-intset-entries": "8192",
    "lazyfree-lazy-expire": "yes",
    "lazyfree-lazy-server-del": "yes",
}


@contextmanager
def database(settings: Settings) -> Iterator[Settings]:
    """Yield *settings* with a database to use: theirs, or the embedded server, which runs at least until the end.

    Raises ConfigError when no server can be started.
    """
    if settings.redis_url:
        yield settings
        return
    folder = Path(settings.data_dir).resolve()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as problem:
        raise ConfigError("The data directory cannot be made: %(problem)s", problem=problem) from None
    with _joined(folder) as path:
        key = settings.secret_key or secret_key(folder)
        yield replace(settings, redis_url=f"unix://{quote(str(path))}", secret_key=key)


def secret_key(folder: Path) -> str:
    """Return the key kept in *folder*; the first call makes it."""
    file = folder / "secret.key"
    with suppress(FileExistsError):
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as draft:
            draft.write(secrets.token_urlsafe(32))
        try:
            os.link(draft.name, file)  # never shows half a key to a second process
        finally:
            os.unlink(draft.name)
    return file.read_text()


@contextmanager
def _joined(folder: Path) -> Iterator[Path]:
    """Start the server of *folder* or join it, yield its socket, and stop it if nobody else uses it."""
    path = _socket_path(folder)
    with (folder / "use.lock").open("w") as use:
        try:
            with _locked(folder / "start.lock"):
                fcntl.flock(use, fcntl.LOCK_SH)
                _run(folder, path)
            yield path
        finally:  # also when Ctrl-C comes while it starts
            with _locked(folder / "start.lock"):
                fcntl.flock(use, fcntl.LOCK_UN)
                with suppress(BlockingIOError):
                    fcntl.flock(use, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    _stop(folder, path)


def _run(folder: Path, path: Path) -> None:
    """Start the server of *folder*, unless it is running; return when it answers."""
    if not _is_running(folder):
        engine = choose(folder)
        path.unlink(missing_ok=True)
        options = OPTIONS | {"unixsocket": str(path), "dir": str(folder), "logfile": str(folder / "server.log")}
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        with (folder / "server.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            # The server inherits the lock and, as a daemon, leaves our process group: Ctrl-C is for the web server.
            subprocess.run(  # nosec B603  # noqa: S603 - a program we chose, without a shell
                [engine.path, *words], stdin=subprocess.DEVNULL, capture_output=True, pass_fds=[lock.fileno()]
            )
        record(folder, engine)
    _await_answer(folder, path)


def _is_running(folder: Path) -> bool:
    with (folder / "server.lock").open("w") as lock:
        return not _try_lock(lock)


def _stop(folder: Path, path: Path) -> None:
    until = time.monotonic() + PATIENCE
    while _is_running(folder) and time.monotonic() < until:
        with suppress(OSError):  # one that is just starting has no socket yet
            _ask(path, "SHUTDOWN")
        time.sleep(0.01)


def _await_answer(folder: Path, path: Path) -> None:
    """Return when the server answers; one that says it is loading is waited for as long as it lives."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with suppress(OSError):
            answer = _ask(path, "PING")
            if answer.startswith("+PONG"):
                return
            if answer.startswith("-LOADING"):
                until = time.monotonic() + PATIENCE
        if not _is_running(folder):
            last = _last_line(folder / "server.log")
            raise ConfigError("The embedded database did not start: %(last)s", last=last)
        time.sleep(0.01)
    raise ConfigError("The embedded database in %(folder)s runs, but does not answer.", folder=folder)


def _ask(path: Path, command: str) -> str:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(2.0)
        connection.connect(str(path))
        connection.sendall(f"{command}\r\n".encode())
        return connection.recv(200).decode(errors="replace")


def _socket_path(folder: Path) -> Path:
    path = folder / "database.sock"
    if len(os.fsencode(path)) <= SOCKET_PATH_MOST:
        return path
    # The same short place for every process that opens the same folder, and nobody else's.
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    private = Path(tempfile.gettempdir()) / f"voteweb-{os.getuid()}-{name}"
    private.mkdir(mode=0o700, exist_ok=True)
    if private.lstat().st_uid != os.getuid() or private.is_symlink():
        raise ConfigError("%(private)s belongs to somebody else.", private=private)
    return private / "database.sock"


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    with file.open("w") as lock:
        until = time.monotonic() + PATIENCE
        while not _try_lock(lock):
            if time.monotonic() > until:
                raise ConfigError("Another process holds %(file)s for too long.", file=file)
            time.sleep(0.01)
        yield


def _try_lock(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    lines = [line for line in lines if line.strip()]
    return lines[-1] if lines else "it said nothing"
