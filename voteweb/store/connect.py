"""The connection to Redis: one client and one deadline for whatever is asked.

redis-py by itself sends a command up to eleven times; here nothing is sent again but what may be: reads,
and scripts that are safe to run twice.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar, cast

import redis

from voteweb.errors import Conflict, Unavailable
from voteweb.store import scripts
from voteweb.store.away import Unconfirmed, is_away
from voteweb.store.replicas import Replicas
from voteweb.store.trip import Trip
from voteweb.store.wire import send, send_at_once

T = TypeVar("T")

#: Seconds between two attempts to reach a database that refuses connections.
PAUSE = 0.05
#: One Sentinel, one replica or one wait for replicas may take this part of the deadline: then another is asked.
SHARE = 0.25


class Outcome(NamedTuple):
    """What a script answered: its word, what came with it, and whether the script may have run before.

    After an attempt whose answer was lost, "already" may be the answer to our own first attempt.
    """

    word: str
    rest: list[str]
    repeated: bool


class Connection:
    """A client of the primary with a deadline in seconds, and the replicas that answer readers, if any.

    A script is done once *wait* replicas have what it wrote. ``tell``, if set, is told how many seconds each round
    trip took.
    """

    def __init__(
        self, client: redis.Redis, deadline: float, *, replicas: Replicas | None = None, wait: int = 0
    ) -> None:
        self.client = client
        self.deadline = deadline
        self._replicas = replicas
        self.wait = wait
        self.tell: Callable[[float], None] | None = None

    def trip(self, *, reader: bool = False) -> Trip:
        """Return an empty round trip to fill, of a *reader* or of somebody who must see the own acts."""
        return Trip(self, reader=reader)

    def close(self) -> None:
        """Close all connections; the next question makes new ones."""
        self.client.close()
        if self._replicas:
            self._replicas.close()

    def insist(self, attempt: Callable[[], T], *, deadline: float | None = None) -> T:
        """Return what *attempt* returns, trying again while Redis is away; raise Unavailable at the deadline.

        Only for attempts that may run twice: reads and idempotent scripts.
        """
        until = time.monotonic() + (self.deadline if deadline is None else deadline)
        while True:
            try:
                return self._timed(attempt)
            except redis.RedisError as problem:
                if not is_away(problem):
                    raise
                # Whoever cannot take a command may be the primary no more: a new connection asks who is.
                self.client.connection_pool.disconnect(inuse_connections=False)
                if time.monotonic() + PAUSE >= until:
                    raise Unavailable from problem
                time.sleep(PAUSE)

    def _timed(self, attempt: Callable[[], T]) -> T:
        if self.tell is None:
            return attempt()
        began = time.perf_counter()
        try:
            return attempt()
        finally:
            self.tell(time.perf_counter() - began)

    def command(self, *words: Any) -> Any:
        """Run one command that may be sent twice."""
        return self.insist(lambda: self._send(words))

    def _send(self, words: Sequence[Any]) -> Any:
        return self.client.execute_command(*words)  # type: ignore[no-untyped-call]

    def pipeline(self, commands: Sequence[tuple[Any, ...]], *, atomic: bool = False) -> list[Any]:
        """Run *commands* in one round trip and return their answers; *atomic*: at one instant."""
        go = send_at_once if atomic else send
        return self._with_scripts(lambda: go(self.client, commands))

    def read(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Run reading *commands* in one round trip on a replica, or on the primary while no replica is there."""
        replicas = self._replicas
        found = self._timed(lambda: replicas.ask(commands)) if replicas else None
        if found is None:
            return self.pipeline(commands)
        if not found.follows:
            # Its primary is out of its reach, not always of ours. Where it is, late answers are better than none.
            try:
                return send(self.client, commands)
            except redis.RedisError as problem:
                if not is_away(problem):
                    raise
        return found.answers

    def script(self, name: str, keys: Sequence[str], arguments: Sequence[str | int | float]) -> Outcome:
        """Run the script *name* and return what it answered; raise Conflict when an id it was given is in use."""
        words = scripts.call(name, keys, arguments)
        attempts = 0

        def begun() -> None:
            nonlocal attempts
            attempts += 1

        def attempt() -> list[str]:
            nonlocal attempts
            try:
                return cast(list[str], self._write(words, begun))
            except redis.exceptions.NoScriptError:
                attempts -= 1  # nothing ran
                raise

        try:
            word, *rest = self._with_scripts(attempt)
        except redis.ResponseError as problem:
            if " TAKEN " in str(problem):
                raise Conflict from problem
            raise
        return Outcome(word, rest, repeated=attempts > 1)

    def _write(self, words: tuple[Any, ...], begun: Callable[[], None]) -> Any:
        """Run one script and wait for the replicas; raise Unconfirmed when too few say in time that they have it."""
        if not self.wait:
            return send(self.client, [words], begun=begun)[0]
        # Valkey waits for what this connection wrote. That is nothing when a script finds its work done, as after
        # a lost answer; what it found may still be under way, and a message goes the same way behind it.
        message, wait = ("PUBLISH", "voteweb", ""), ("WAIT", self.wait, int(self.deadline * SHARE * 1000))
        answer, _, confirmed = send(self.client, [words, message, wait], begun=begun)
        if confirmed < self.wait:
            raise Unconfirmed(f"{confirmed} of {self.wait} replicas have what was written")
        return answer

    def _with_scripts(self, attempt: Callable[[], T]) -> T:
        def loaded() -> T:
            try:
                return attempt()
            except redis.exceptions.NoScriptError:
                # A fresh or flushed server: nothing ran, so load all of them and ask again.
                self.load_scripts()
                return attempt()

        return self.insist(loaded)

    def load_scripts(self) -> None:
        """Give Redis every script, so that EVALSHA finds it."""
        for source in scripts.sources().values():
            self.client.script_load(source)

    def ping(self) -> None:
        """Return when Redis answers; raise Unavailable when it does not within the deadline."""
        self.command("PING")
