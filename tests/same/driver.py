"""Run one of the two sites with fixed tokens: ``driver.py serve SOCKET`` or ``driver.py run PROGRAM ARGUMENT...``.

The interpreter is that of the site's own checkout; of the product only ``voteweb.app.create_app()`` is named. The clock
is that of ``fixed_clock.c``. Each connection to SOCKET is served by a new app in a process of its own.
"""

import os
import pickle
import random
import runpy
import signal
import socket
import sys
import threading  # noqa: F401 - imported before the clock is replaced: its waits are real
import time
from collections import Counter
from hashlib import shake_256
from io import BytesIO
from typing import Any, BinaryIO, NoReturn

#: Seconds of the monotonic clock at the fixed unix time 0.
ORIGIN = 1_700_000_000

#: The modules that draw the tokens of acts.
TOKENS_OF_ACTS = (".moderation_log", ".log_entries")


class Tokens:
    """Random bytes that depend only on the request, the size and how many of that size the request has drawn.

    Tokens of acts depend on the process and how many acts it has begun: the same form sent twice is two acts.
    """

    def __init__(self, request: str) -> None:
        self.begin_process()
        self.begin(request)

    def begin_process(self) -> None:
        """Count a process of this side: each draws other tokens of acts."""
        with open("processes", "a+b") as counted:
            counted.write(b"+")
            self._process, self._acts = counted.tell(), 0

    def begin(self, request: str) -> None:
        self._request = request
        random.seed(request)
        self._drawn: Counter[int] = Counter()

    def draw(self, size: int) -> bytes:
        if _is_act_begun():
            self._acts += 1
            return shake_256(f"process {self._process} act {self._acts}".encode()).digest(size)
        self._drawn[size] += 1
        return shake_256(f"{self._request} {size} {self._drawn[size]}".encode()).digest(size)


def _is_act_begun() -> bool:
    frame = sys._getframe()
    while frame := frame.f_back:  # type: ignore[assignment]
        if frame.f_globals.get("__name__", "").endswith(TOKENS_OF_ACTS):
            return True
    return False


def _refuse_lookup(*_: Any, **__: Any) -> NoReturn:
    raise socket.gaierror(socket.EAI_NONAME, "no names are looked up")


def fix_randomness() -> Tokens:
    """Replace the sources of random bytes and the look-up of hosts."""
    tokens = Tokens(" ".join(sys.argv[3:]))  # without the path, which is each side's own
    os.urandom = tokens.draw
    random._urandom = tokens.draw  # type: ignore[attr-defined]  # that of SystemRandom, which secrets uses
    socket.getaddrinfo = _refuse_lookup
    return tokens


def serve(path: str, tokens: Tokens) -> None:
    """Serve each connection to the socket at *path* by a new app."""
    time.monotonic = lambda: time.time() - ORIGIN
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the processes of apps
    from voteweb.app import create_app

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        while True:
            connection, _ = listener.accept()
            tokens.begin_process()  # here, where they come one after the other
            if os.fork() == 0:
                listener.close()
                with connection, connection.makefile("rwb") as stream:
                    answer_all(create_app().wsgi_app, stream, tokens)
                os._exit(0)
            connection.close()


def answer_all(app: Any, stream: Any, tokens: Tokens) -> None:
    """Answer each pickled request of *stream* by *app* until it ends."""
    while True:
        try:
            number, environ, body = pickle.load(stream)
        except EOFError:
            return
        tokens.begin(f"request {number}")
        pickle.dump(answer(app, environ, BytesIO(body)), stream)
        stream.flush()


def answer(app: Any, environ: dict[str, Any], body: BinaryIO) -> tuple[str, list[tuple[str, str]], bytes]:
    """Return the status, the headers and the content that *app* answers."""
    started: list[Any] = []

    def start_response(status: str, headers: list[tuple[str, str]], _error: Any = None) -> Any:
        started[:] = [status, headers]
        return lambda _: None

    constants = {
        "wsgi.version": (1, 0),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": False,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    content = app({**constants, **environ, "wsgi.input": body}, start_response)
    try:
        return started[0], started[1], b"".join(content) if content is not None else b""
    finally:
        getattr(content, "close", lambda: None)()


def main() -> None:
    tokens = fix_randomness()
    if sys.argv[1] == "serve":
        serve(sys.argv[2], tokens)
    else:
        sys.argv = sys.argv[2:]
        runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
