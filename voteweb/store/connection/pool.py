"""The pool of connections to one server: each is looked at once a second, not before each use."""

import os
import time
from typing import Any

import redis

#: Seconds for which a connection is used again without a look whether the server has closed it.
CHECK_SECONDS = 1.0


class Pool(redis.ConnectionPool):
    """redis-py's pool, which asks the system about a connection and counts it twice for each use.

    A connection that the server has closed meanwhile fails as one that breaks during a command.
    """

    def reset(self) -> None:
        """Forget all connections: at the beginning, and in a process that was forked."""
        #: Those that nobody uses, and those in use, with the time (monotonic) of the next look.
        self._ready: list[tuple[Any, float]] = []
        self._lent: dict[Any, float] = {}
        super().reset()

    def get_connection(self, *_names: Any, **_options: Any) -> Any:
        """Return a connection that nobody uses."""
        if self._ready and self.pid == os.getpid():
            connection, until = self._pop_ready()
            if time.monotonic() < until:
                self._lent[connection] = until
                return connection
            if connection:
                super().release(connection)
        connection = super().get_connection()
        self._lent[connection] = time.monotonic() + CHECK_SECONDS
        return connection

    def release(self, connection: Any) -> None:
        """Take back a connection, which has no unread reply unless it is disconnected."""
        until = self._lent.pop(connection, 0.0)
        if until and connection.is_connected:
            self._ready.append((connection, until))
        elif all(connection is not ready for ready, _ in self._ready):
            super().release(connection)

    def disconnect(self, inuse_connections: bool = True) -> None:
        """Disconnect all connections, or those that nobody uses."""
        while self._ready:
            connection, _ = self._pop_ready()
            if connection:
                super().release(connection)
        super().disconnect(inuse_connections)

    def _pop_ready(self) -> tuple[Any, float]:
        try:
            return self._ready.pop()
        except IndexError:  # another thread was faster
            return None, 0.0
