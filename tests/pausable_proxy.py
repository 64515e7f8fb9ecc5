"""A door between the site and its database that can be held: a request is in work for as long as a test wants."""

import socket
import threading
from contextlib import suppress
from pathlib import Path


class PausableProxy:
    """Passes on what comes to *path* to the server's socket at *beyond*; while it is held, questions wait."""

    def __init__(self, path: Path, beyond: str) -> None:
        self.url = f"unix://{path}"
        self.waiting = threading.Semaphore(0)
        self._open = threading.Event()
        self._open.set()
        self._beyond = beyond
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        threading.Thread(target=self._receive, daemon=True).start()

    def hold(self) -> None:
        """Let questions wait from now on; each that comes releases ``waiting`` once."""
        self._open.clear()

    def release(self) -> None:
        """Let all questions through."""
        self._open.set()

    def close(self) -> None:
        """Take no more connections."""
        self.release()
        self._listener.close()

    def _receive(self) -> None:
        with suppress(OSError):
            while True:
                near, far = self._listener.accept()[0], socket.socket(socket.AF_UNIX)
                far.connect(self._beyond)
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=self._pass_on, args=(source, target, source is near), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, are_questions: bool) -> None:
        with source, suppress(OSError):
            while words := source.recv(65_536):
                if are_questions and not self._open.is_set():
                    self.waiting.release()
                    self._open.wait()
                target.sendall(words)
            target.shutdown(socket.SHUT_WR)
