"""Pipelines: parts of the store queue their commands, and one round trip answers all of them."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

Command = tuple[Any, ...]
#: Sends commands in one round trip and returns their replies.
Send = Callable[[Sequence[Command]], list[Any]]

_PENDING = object()


class Future(Generic[T_co]):
    """The result of queued commands; it exists once their pipeline has been executed."""

    def __init__(self, parse: Callable[[list[Any]], T_co]) -> None:
        self._parse = parse
        self._result: object = _PENDING

    def resolve(self, replies: list[Any]) -> None:
        """Compute the result from the raw *replies* to the queued commands."""
        self._result = self._parse(replies)

    @property
    def result(self) -> T_co:
        """The parsed result; raises RuntimeError before the pipeline has been executed."""
        if self._result is _PENDING:
            raise RuntimeError("The result was read before its pipeline was executed.")
        return cast(T_co, self._result)


class Pipeline:
    """Commands of several callers, sent to Redis in one round trip.

    *send* carries them out.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._commands: list[Command] = []
        self._futures: list[tuple[Future[Any], int]] = []

    def queue(self, commands: Sequence[Command], parse: Callable[[list[Any]], T]) -> Future[T]:
        """Queue *commands* and return the future of what *parse* makes of their replies.

        The commands must be safe to send twice.
        """
        future = Future(parse)
        self._commands += commands
        self._futures.append((future, len(commands)))
        return future

    def queue_one(self, command: Command, parse: Callable[[Any], T]) -> Future[T]:
        """Queue one *command*, and return the future of what *parse* makes of its reply."""
        return self.queue([command], lambda replies: parse(replies[0]))

    def then(self, compute: Callable[[], T]) -> Future[T]:
        """Return the future of what *compute* makes of the results of all that was queued before."""
        return self.queue([], lambda _: compute())

    def execute(self) -> None:
        """Send all queued commands in one round trip and resolve their futures.

        The pipeline is empty afterwards. Raises Unavailable when Redis does not answer in time.
        """
        replies = self._send(self._commands) if self._commands else []
        end = 0
        for future, count in self._futures:
            first, end = end, end + count
            future.resolve(replies[first:end])
        self._commands, self._futures = [], []

    def send(self, commands: Sequence[Command]) -> list[Any]:
        """Return the replies to *commands* from a round trip of their own."""
        return self._send(commands)
