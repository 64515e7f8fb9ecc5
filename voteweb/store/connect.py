"""The connection to Redis: one client, one deadline, round trips that can be shared.

redis-py by itself sends a command up to eleven times; here nothing is sent again but what may be: reads,
and scripts that are safe to run twice.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar, cast

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from voteweb.errors import ConfigError, Unavailable
from voteweb.store import scripts

T = TypeVar("T")

#: Seconds between two attempts to reach a database that refuses connections.
PAUSE = 0.05
#: What a database that is away, loading or failing over answers; anything else is a fault of ours.
_AWAY = (redis.ConnectionError, redis.TimeoutError, redis.ReadOnlyError, redis.OutOfMemoryError, redis.InvalidResponse)
#: First words of a refusal by a database that is there, but cannot take the command now: a slow script runs, its
#: disk or its memory is full, its replicas are away. The command was not run.
_UNABLE = ("BUSY ", "MISCONF ", "OOM ", "NOREPLICAS ", "TRYAGAIN ", "CLUSTERDOWN ", "MASTERDOWN ")


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


class Outcome(NamedTuple):
    """What a script answered: its word, what came with it, and whether the script may have run before.

    After an attempt whose answer was lost, "already" may be the answer to our own first attempt.
    """

    word: str
    rest: list[str]
    repeated: bool


class Trip:
    """Several questions to Redis, answered in one round trip; each ask returns a Reply."""

    def __init__(self, connection: "Connection") -> None:
        self._connection = connection
        self._commands: list[tuple[Any, ...]] = []
        self._replies: list[tuple[Reply[Any], int]] = []

    def ask(self, commands: Sequence[tuple[Any, ...]], read: Callable[[list[Any]], T]) -> Reply[T]:
        """Queue *commands* (safe to send twice) and return the reply that *read* makes of their answers."""
        reply = Reply(read)
        self._commands += commands
        self._replies.append((reply, len(commands)))
        return reply

    def go(self) -> None:
        """Send everything in one round trip; raise Unavailable when Redis does not answer in time."""
        answers = self._connection.pipeline(self._commands) if self._commands else []
        for reply, count in self._replies:
            mine, answers = answers[:count], answers[count:]
            reply.take(mine)
        self._commands, self._replies = [], []


class Connection:
    """A client with a deadline in seconds."""

    def __init__(self, client: redis.Redis, deadline: float) -> None:
        self.client = client
        self.deadline = deadline

    def trip(self) -> Trip:
        """Return an empty round trip to fill."""
        return Trip(self)

    def insist(self, attempt: Callable[[], T], *, deadline: float | None = None) -> T:
        """Return what *attempt* returns, trying again while Redis is away; raise Unavailable at the deadline.

        Only for attempts that may run twice: reads and idempotent scripts.
        """
        until = time.monotonic() + (self.deadline if deadline is None else deadline)
        while True:
            try:
                return attempt()
            except (*_AWAY, redis.ResponseError) as problem:
                if not isinstance(problem, _AWAY) and not _is_unable(problem):
                    raise
                if time.monotonic() + PAUSE >= until:
                    raise Unavailable from problem
                time.sleep(PAUSE)

    def command(self, *words: Any) -> Any:
        """Run one command that may be sent twice."""
        return self.insist(lambda: self._send(words))

    def _send(self, words: Sequence[Any]) -> Any:
        return self.client.execute_command(*words)  # type: ignore[no-untyped-call]

    def pipeline(self, commands: Sequence[tuple[Any, ...]], *, atomic: bool = False) -> list[Any]:
        """Run *commands* in one round trip and return their answers; *atomic*: at one instant."""

        def attempt() -> list[Any]:
            with self.client.pipeline(transaction=atomic) as pipe:
                for words in commands:
                    pipe.execute_command(*words)  # type: ignore[no-untyped-call]
                return pipe.execute()

        return self._with_scripts(attempt)

    def script(self, name: str, keys: Sequence[str], arguments: Sequence[str | int | float]) -> Outcome:
        """Run the script *name* and return what it answered."""
        words = scripts.call(name, keys, arguments)
        attempts = 0

        def attempt() -> list[str]:
            nonlocal attempts
            attempts += 1
            try:
                return cast(list[str], self._send(words))
            except redis.exceptions.NoScriptError:
                attempts -= 1  # nothing ran
                raise

        word, *rest = self._with_scripts(attempt)
        return Outcome(word, rest, repeated=attempts > 1)

    def _with_scripts(self, attempt: Callable[[], T]) -> T:
        try:
            return self.insist(attempt)
        except redis.exceptions.NoScriptError:
            # A fresh or flushed server: nothing ran, so load all of them and ask again.
            self.insist(self.load_scripts)
            return self.insist(attempt)

    def load_scripts(self) -> None:
        """Give Redis every script, so that EVALSHA finds it."""
        for source in scripts.sources().values():
            self.client.script_load(source)

    def ping(self) -> None:
        """Return when Redis answers; raise Unavailable when it does not within the deadline."""
        self.command("PING")


def _is_unable(problem: redis.ResponseError) -> bool:
    # In a pipeline redis-py puts the number and words of the command before the server's own.
    return any(f" {word}" in f" {problem} " for word in _UNABLE)


def connect(url: str, deadline: float) -> Connection:
    """Return a connection to the database at *url*; raise ConfigError when *url* cannot be one.

    Nothing is sent yet. One attempt may last as long as the whole *deadline* (seconds) does.
    """
    try:
        client = redis.Redis.from_url(
            url,
            decode_responses=True,
            protocol=3,
            socket_timeout=deadline,
            socket_connect_timeout=deadline,
            retry=Retry(NoBackoff(), 0),
            health_check_interval=0,
        )
    except ValueError:  # whose words may hold a piece of the password
        raise ConfigError(
            "VOTEWEB_REDIS_URL is no address of a database, such as redis://:password@host:6379/0. In a password, "
            "/ ? # @ : %% are written %%2F %%3F %%23 %%40 %%3A %%25."
        ) from None
    return Connection(client, deadline)
