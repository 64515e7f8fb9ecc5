"""Addresses at which no database answers."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager


@contextmanager
def closed_port() -> Iterator[str]:
    """Yield the URL of a port that is in use, but where nobody listens."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        yield f"redis://127.0.0.1:{silent.getsockname()[1]}"


@contextmanager
def silent_port() -> Iterator[str]:
    """Yield the URL of a server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"redis://127.0.0.1:{listener.getsockname()[1]}"


@contextmanager
def silent_cluster() -> Iterator[str]:
    """Yield the URL of a cluster of which no node ever answers."""
    with ExitStack() as stack:
        listeners = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(6)]
        yield f"redis+cluster://{','.join(f'127.0.0.1:{listener.getsockname()[1]}' for listener in listeners)}"


@contextmanager
def absent_socket() -> Iterator[str]:
    yield ABSENT_SOCKET


ABSENT_SOCKET = "unix:///tmp/there-is-no-voteweb-here.sock"
