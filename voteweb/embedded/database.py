"""The embedded database: a private server on a Unix socket, for sites without a Redis server of their own.

The data directory has four lock files, which are released when the process that holds them ends: ``start.lock``
(held while starting or stopping the server), ``use.lock`` (shared by all users of the server; the last one stops it)
``server.lock`` (held by the server, so that a second one cannot write the same files even if the first hangs) and
``convert.lock`` (held while the data are converted, so that other commands say so).
"""

import fcntl
import hashlib
import logging
import os
import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO
from urllib.parse import quote

from voteweb.core.errors import ConfigError
from voteweb.core.settings import Settings
from voteweb.embedded.folder import prepare_folder
from voteweb.embedded.server import ensure_running, hold_lock, restore_sync, stop
from voteweb.embedded.supervisor import supervised

_log = logging.getLogger("voteweb")

#: Called with a message for the operator.
Notify = Callable[[str], None]

#: Bytes that a socket's path can have on every supported system.
MAX_SOCKET_PATH_BYTES = 100

#: The folder and socket of each server that this process uses, by its ``use.lock``.
_used = dict[IO[str], tuple[Path, Path]]()


def _leave_all() -> None:
    """Use no server in a fork: one that outlives its parent would hold its locks, and stops none."""
    for use_lock in _used:
        use_lock.close()
    _used.clear()


os.register_at_fork(after_in_child=_leave_all)


@contextmanager
def open_database(settings: Settings, *, notify: Notify | None = None) -> Iterator[Settings]:
    """Yield *settings* with the URL of a database: their own, or the embedded server, which runs while it is used.

    With *notify* the server is supervised: it is restarted whenever it ends, and *notify* is called with what
    happened. Raises ConfigError if the server cannot be started or others can read its folder.
    """
    if settings.redis_url:
        yield settings
        return
    folder = Path(settings.data_dir).resolve()
    prepare_folder(folder, notify or _log.warning)
    with _running_server(folder, settings.appendfsync, notify) as path:
        key = settings.secret_key or secret_key(folder)
        yield replace(settings, redis_url=f"unix://{quote(str(path))}", secret_key=key)


def secret_key(folder: Path) -> str:
    """Return the secret key in *folder*; the first call generates it."""
    file = folder / "secret.key"
    if file.exists():  # a full disk has no place for a draft
        return file.read_text()
    with suppress(FileExistsError):
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as draft:
            draft.write(secrets.token_urlsafe(32))
        try:
            os.link(draft.name, file)  # atomic: another process never reads half a key
        finally:
            os.unlink(draft.name)
    return file.read_text()


@contextmanager
def _running_server(folder: Path, appendfsync: str, notify: Notify | None) -> Iterator[Path]:
    """Start the server of *folder* unless it runs, yield its socket, and stop it if it has no other users."""
    path = _socket_path(folder)
    with (folder / "use.lock").open("w") as use_lock:

        def start() -> None:
            with hold_lock(folder / "start.lock"):
                fcntl.flock(use_lock, fcntl.LOCK_SH)
                ensure_running(folder, path, appendfsync)

        _used[use_lock] = folder, path
        try:
            start()
            check = partial(restore_sync, folder, path, appendfsync)
            with supervised(path, start, check, notify) if notify else nullcontext():
                yield path
        finally:  # also after a Ctrl-C while it starts
            with hold_lock(folder / "start.lock"):
                fcntl.flock(use_lock, fcntl.LOCK_UN)
                with suppress(BlockingIOError):
                    fcntl.flock(use_lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    stop(folder, path)
            del _used[use_lock]


def abandon_databases() -> None:
    """Tell the servers that this process alone uses to stop; the process ends then, without waiting for them.

    A handler of a signal may call it: it waits for no lock.
    """
    for use_lock, (folder, path) in _used.items():
        with suppress(OSError):  # another process uses it, or the folder is gone
            fcntl.flock(use_lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            stop(folder, path, waits=False)


def _socket_path(folder: Path) -> Path:
    """Return the path of the server's socket: in *folder*, or in the folder for temporary files if it is too long."""
    path = folder / "database.sock"
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH_BYTES:
        return path
    # Every process that opens the same folder gets the same path, and no other user may own it.
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    private = Path(tempfile.gettempdir()) / f"voteweb-{os.getuid()}-{name}"
    private.mkdir(mode=0o700, exist_ok=True)
    if private.lstat().st_uid != os.getuid() or private.is_symlink():
        raise ConfigError(
            "%(private)s does not belong to this user. Remove it, or choose a data directory with a shorter path.",
            private=private,
        )
    return private / "database.sock"
