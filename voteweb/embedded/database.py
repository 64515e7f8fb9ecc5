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
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from voteweb.core.config import Settings
from voteweb.core.errors import ConfigError
from voteweb.embedded.server import ensure_running, hold_lock, stop
from voteweb.embedded.supervisor import supervised

#: What is called with words for the operator.
Notify = Callable[[str], None]

#: Bytes a socket's path may have on every system we run on.
MAX_SOCKET_PATH_BYTES = 100


@contextmanager
def open_database(settings: Settings, *, keep_up: Notify | None = None) -> Iterator[Settings]:
    """Yield *settings* with a database to use: theirs, or the embedded server, which runs at least until the end.

    With *keep_up* it is started again whatever ends it, and *keep_up* is told so. Raises ConfigError when no
    server can be started.
    """
    if settings.redis_url:
        yield settings
        return
    folder = Path(settings.data_dir).resolve()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as problem:
        raise ConfigError("The data directory cannot be made: %(problem)s", problem=problem) from None
    with _running_server(folder, settings.appendfsync, keep_up) as path:
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
def _running_server(folder: Path, appendfsync: str, keep_up: Notify | None) -> Iterator[Path]:
    """Start the server of *folder* or join it, yield its socket, and stop it if nobody else uses it."""
    path = _socket_path(folder)

    def start() -> None:
        with hold_lock(folder / "start.lock"):
            ensure_running(folder, path, appendfsync)

    with (folder / "use.lock").open("w") as use:
        try:
            with hold_lock(folder / "start.lock"):
                fcntl.flock(use, fcntl.LOCK_SH)
                ensure_running(folder, path, appendfsync)
            with supervised(path, start, keep_up) if keep_up else nullcontext():
                yield path
        finally:  # also when Ctrl-C comes while it starts
            with hold_lock(folder / "start.lock"):
                fcntl.flock(use, fcntl.LOCK_UN)
                with suppress(BlockingIOError):
                    fcntl.flock(use, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    stop(folder, path)


def _socket_path(folder: Path) -> Path:
    path = folder / "database.sock"
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH_BYTES:
        return path
    # The same short place for every process that opens the same folder, and nobody else's.
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    private = Path(tempfile.gettempdir()) / f"voteweb-{os.getuid()}-{name}"
    private.mkdir(mode=0o700, exist_ok=True)
    if private.lstat().st_uid != os.getuid() or private.is_symlink():
        raise ConfigError("%(private)s belongs to somebody else.", private=private)
    return private / "database.sock"
