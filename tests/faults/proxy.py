"""A way to the database that can be slow, can be cut, and can swallow an answer."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from voteweb.store.connection import scripts


class Proxy:
    """Passes on what comes, in both directions, between its own port and the database's socket or port.

    ``delay`` is in seconds and for every answer. The next ``swallows`` calls of *script* reach the database, but
    their answers do not come back, and the connections are cut. While ``stuck``, nothing comes back at all.
    """

    def __init__(self, target: str | int, script: str = "cast_vote") -> None:
        self._target = target
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self.port = self._listening.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}"
        self.delay = 0.0
        self.swallows = self.swallowed = 0
        self.stuck = False
        self._digest = scripts.digest(script).encode()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):  # closed: all is over
            while True:
                near, _ = self._listening.accept()
                threading.Thread(target=self._pass_on, args=(near,), daemon=True).start()

    def _pass_on(self, near: socket.socket) -> None:
        """Pass on one connection: what is asked in this thread, what is answered in another."""
        with suppress(ConnectionRefusedError), near, self._connect() as far:
            with self._lock:
                self._open |= {near, far}
            cut = threading.Event()
            threading.Thread(target=self._answer, args=(near, far, cut), daemon=True).start()
            with suppress(OSError):
                while asked := near.recv(65_536):
                    if self._digest in asked and self._takes_one():
                        cut.set()
                    far.sendall(asked)
            _shut(near, far)
            with self._lock:
                self._open -= {near, far}

    def _connect(self) -> socket.socket:
        if isinstance(self._target, int):
            return socket.create_connection(("127.0.0.1", self._target))
        far = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        far.connect(self._target)
        return far

    def _answer(self, near: socket.socket, far: socket.socket, cut: threading.Event) -> None:
        with suppress(OSError):
            while (answer := far.recv(65_536)) and not cut.is_set():
                time.sleep(self.delay)
                while self.stuck:
                    time.sleep(0.01)
                near.sendall(answer)
        _shut(near, far)

    def _takes_one(self) -> bool:
        with self._lock:
            if self.swallows == self.swallowed:
                return False
            self.swallowed += 1
            return True

    def cut(self) -> None:
        """Cut every connection there is."""
        with self._lock:
            _shut(*self._open)

    def close(self) -> None:
        self.stuck = False
        _shut(self._listening)
        self._listening.close()
        self.cut()


def _shut(*sockets: socket.socket) -> None:
    for each in sockets:
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)


@contextmanager
def proxy(target: str | int, script: str = "cast_vote") -> Iterator[Proxy]:
    """Yield a proxy before the database at *target*: the path of a socket, or a port."""
    found = Proxy(target, script)
    try:
        yield found
    finally:
        found.close()
