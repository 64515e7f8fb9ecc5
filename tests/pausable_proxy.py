"""A proxy before the database whose answers can be held back, delayed or lost."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from voteweb.store.connection import scripts


class PausableProxy:
    """Passes bytes in both directions between a port of its own and the database at *target*: a socket or a port.

    ``delay`` is in seconds and for every answer. While it is paused no answer comes back, and each that would releases
    ``paused_answers``. The next votes, as many as ``answers_to_lose``, reach the database, but their answers
    are lost and the connections cut; ``lost_answers`` counts them.
    """

    def __init__(self, target: str | int) -> None:
        self._target = target
        self._digest = scripts.scripts()["cast_vote"].digest.encode()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._sockets: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._running = threading.Event()
        self._running.set()
        self.port = self._listener.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}"
        self.delay = 0.0
        self.paused_answers = threading.Semaphore(0)
        self.answers_to_lose = self.lost_answers = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def pause(self) -> None:
        self._running.clear()

    def resume(self) -> None:
        self._running.set()

    def close(self) -> None:
        """Accept no more connections and cut those that are open."""
        self.resume()
        _shut_down(self._listener)
        self._listener.close()
        with self._lock:
            _shut_down(*self._sockets)

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._pass_requests, args=(client,), daemon=True).start()

    def _pass_requests(self, client: socket.socket) -> None:
        with suppress(ConnectionRefusedError), client, self._connect() as server:
            with self._lock:
                self._sockets |= {client, server}
            is_lost = threading.Event()
            threading.Thread(target=self._pass_answers, args=(client, server, is_lost), daemon=True).start()
            with suppress(OSError):
                while request := client.recv(65_536):
                    if self._digest in request and self._takes_loss():
                        is_lost.set()
                    server.sendall(request)
            _shut_down(client, server)
            with self._lock:
                self._sockets -= {client, server}

    def _connect(self) -> socket.socket:
        if isinstance(self._target, int):
            return socket.create_connection(("127.0.0.1", self._target))
        server = socket.socket(socket.AF_UNIX)
        server.connect(self._target)
        return server

    def _pass_answers(self, client: socket.socket, server: socket.socket, is_lost: threading.Event) -> None:
        with suppress(OSError):
            while (answer := server.recv(65_536)) and not is_lost.is_set():
                time.sleep(self.delay)
                if not self._running.is_set():
                    self.paused_answers.release()
                    self._running.wait()
                client.sendall(answer)
        _shut_down(client, server)

    def _takes_loss(self) -> bool:
        with self._lock:
            if self.lost_answers == self.answers_to_lose:
                return False
            self.lost_answers += 1
            return True


def _shut_down(*sockets: socket.socket) -> None:
    for connected in sockets:
        with suppress(OSError):
            connected.shutdown(socket.SHUT_RDWR)


@contextmanager
def pausable_proxy(target: str | int) -> Iterator[PausableProxy]:
    """Yield a proxy before the database at *target*, the path of a socket or a port."""
    proxy = PausableProxy(target)
    try:
        yield proxy
    finally:
        proxy.close()
