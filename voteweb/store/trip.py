"""Round trips that can be shared: parts of the store queue their questions, and one trip answers them all."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

if TYPE_CHECKING:
    from voteweb.store.connect import Connection

T = TypeVar("T")


class Reply(Generic[T]):
    """What a queued question will be answered with: ``value`` is there once its trip has gone."""

    def __init__(self, read: Callable[[list[Any]], T]) -> None:
        self._read = read
        self._value: T | None = None

    def take(self, answers: list[Any]) -> None:
        """Read the raw *answers* of the commands this reply queued."""
        self._value = self._read(answers)

    @property
    def value(self) -> T:
        """The answer; what it is before the trip has gone is undefined."""
        return cast(T, self._value)


class Trip:
    """Several questions to Redis, answered in one round trip; each ask returns a Reply.

    Those of a *reader* may be answered by a replica, a moment late.
    """

    def __init__(self, connection: "Connection", *, reader: bool = False) -> None:
        self._connection = connection
        self._reader = reader
        self._commands: list[tuple[Any, ...]] = []
        self._replies: list[tuple[Reply[Any], int]] = []

    def ask(
        self, commands: Sequence[tuple[Any, ...]], read: Callable[[list[Any]], T], *, writes: bool = False
    ) -> Reply[T]:
        """Queue *commands* (safe to send twice) and return the reply that *read* makes of their answers.

        One of them that *writes* takes the whole trip to the primary.
        """
        reply = Reply(read)
        self._commands += commands
        self._replies.append((reply, len(commands)))
        self._reader = self._reader and not writes
        return reply

    def go(self) -> None:
        """Send everything in one round trip; raise Unavailable when Redis does not answer in time."""
        answers = self.more(self._commands) if self._commands else []
        for reply, count in self._replies:
            mine, answers = answers[:count], answers[count:]
            reply.take(mine)
        self._commands, self._replies = [], []

    def more(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return the answers to *commands* at once, by a round trip of their own to where this one goes."""
        return self._connection.read(commands) if self._reader else self._connection.pipeline(commands)
