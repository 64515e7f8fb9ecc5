"""The connection to Redis: one client, and one deadline for every command.

redis-py on its own sends a command up to eleven times. Here only what may run twice is sent again: reads, and
scripts that are idempotent.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar, cast

import redis
from redis.exceptions import MovedError

from voteweb.core import clock
from voteweb.core.errors import Conflict, Held, KeyReused, LoggedOut, NoRight, NotAllowed, ProgramsOff, Unavailable
from voteweb.store.connection import scripts
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.connection.transport import replies_to, send, send_atomic
from voteweb.store.connection.unavailable import NOT_RUN_ERRORS, check_unavailable, is_elsewhere, may_be_replaced
from voteweb.store.schema.keys import Keys

P = ParamSpec("P")
T = TypeVar("T")

#: Seconds between two attempts to reach a database that refuses connections.
RETRY_PAUSE_SECONDS = 0.05
#: A look-up of the primary, or a wait for replicas, may take this share of the deadline, so that another can be tried.
ATTEMPT_SHARE = 0.25


@dataclass(slots=True)
class Wait:
    """The wait of one request: since when the database does not answer it (monotonic), None while it does, and why."""

    since: float | None = None
    error: Exception | None = None


#: The wait of the request that this thread answers; None outside a request, where each round trip has its deadline.
_current_wait: ContextVar[Wait | None] = ContextVar("current_wait", default=None)


@contextmanager
def one_deadline() -> Iterator[None]:
    """Make all round trips of the block share one deadline, which begins at the first attempt that fails."""
    token = _current_wait.set(Wait())
    try:
        yield
    finally:
        _current_wait.reset(token)


class Outcome(NamedTuple):
    """The answer of a script: its status, the values after it, and whether the script may have run before.

    After an attempt whose answer was lost, the status "already" may be the result of our own first attempt.
    """

    status: str
    values: list[str]
    repeated: bool


class Connection:
    """A client of the primary with a deadline in seconds.

    *keys* spells the keys of the site. A script is done once *wait_replicas* replicas have what it wrote. *in_cluster*:
    the primary is that of the site's slot.
    ``on_round_trip``, if set, is called with the duration of each round trip in seconds; ``on_sent_before`` when a
    script answers what it has answered to an earlier request.
    """

    def __init__(
        self,
        client: redis.Redis,
        deadline: float,
        *,
        keys: Keys | None = None,
        wait_replicas: int = 0,
        in_cluster: bool = False,
    ) -> None:
        self.client = client
        self.deadline = deadline
        self.keys = keys or Keys()
        self.in_cluster = in_cluster
        self._is_embedded = "path" in client.connection_pool.connection_kwargs  # a socket on this machine
        self.wait_replicas = wait_replicas
        self.on_round_trip: Callable[[float], None] | None = None
        self.on_sent_before: Callable[[], None] | None = None

    def pipeline(self) -> Pipeline:
        """Return an empty pipeline: queue commands with the parts' queue methods, then execute it."""
        return Pipeline(self.run)

    def read(self, queue: Callable[Concatenate[Pipeline, P], Future[T]], *args: P.args, **options: P.kwargs) -> T:
        """Return what *queue* queues a read of, in a round trip of its own."""
        pipeline = self.pipeline()
        read = queue(pipeline, *args, **options)
        pipeline.execute()
        return read.result

    def close(self) -> None:
        """Close all connections; the next command opens new ones."""
        self.client.close()

    def retry_until_deadline(self, attempt: Callable[[], T], *, deadline: float | None = None) -> T:
        """Return what *attempt* returns, trying again while Redis is unavailable.

        Only for attempts that may run twice: reads and idempotent scripts. Raises Unavailable after *deadline*
        seconds (those of the connection by default) and, within a request, as soon as that many have passed since
        Redis answered it last, or at once while a cluster's slot moves; StorageFull, BrokenData and NotPermitted at
        once.
        """
        wait, began = _current_wait.get() or Wait(), time.monotonic()
        until = (wait.since or began) + (self.deadline if deadline is None else deadline)
        if wait.since and began >= until:
            raise Unavailable from wait.error
        while True:
            try:
                result = self._attempt(attempt)
            except redis.RedisError as error:
                check_unavailable(error, is_embedded=self._is_embedded)
                wait.since, wait.error = wait.since or began, error
                pool: Any = self.client.connection_pool
                if isinstance(error, MovedError) and self.in_cluster:
                    pool.follow(error)
                elif is_elsewhere(error):
                    raise Unavailable from error  # a slot may take minutes to move, and limits would count each attempt
                if may_be_replaced(error):
                    pool.disconnect(inuse_connections=False)
                if time.monotonic() + RETRY_PAUSE_SECONDS >= until:
                    raise Unavailable from error
                time.sleep(RETRY_PAUSE_SECONDS)
            else:
                wait.since = None
                return result

    def _attempt(self, attempt: Callable[[], T]) -> T:
        start = time.perf_counter()
        try:
            return attempt()
        except redis.exceptions.NoScriptError:
            # The server is new or was flushed: load all scripts, and go on with the one that has not run.
            self.load_scripts()
            return attempt()
        finally:
            if self.on_round_trip:
                self.on_round_trip(time.perf_counter() - start)

    def command(self, *arguments: Any) -> Any:
        """Run one command that may be sent twice."""
        return self.run([arguments])[0]

    def run(self, commands: Sequence[Command], *, atomic: bool = False, deadline: float | None = None) -> list[Any]:
        """Run *commands* in one round trip and return their replies; *atomic*: in one transaction.

        With the *deadline* 0 they are sent once. Plain writes stand before scripts: once these are loaded into a server
        that lacks them, only they are sent again, with what follows.
        """
        attempt = (
            partial(send_atomic, self.client, commands) if atomic else partial(send, self.client, commands, done=[])
        )
        return self.retry_until_deadline(attempt, deadline=deadline)

    def run_and_compare_clocks(self, *commands: Command, deadline: float | None = None) -> list[Any]:
        """Run *commands* as :meth:`run` does; set the clock of this process by the database's in the same round trip.

        Sends TIME rather than PING, which a server refuses that cannot write to its disk.
        """
        asked = time.time()
        *replies, (seconds, microseconds) = self.run([*commands, ("TIME",)], deadline=deadline)
        clock.compare(int(seconds) + int(microseconds) / 1e6, asked, time.time())
        return replies

    def script(self, name: str, /, **values: Any) -> Outcome:
        """Run the script *name* with these values and return its answer.

        Raises Conflict when an id it was given is in use, LoggedOut, Held and NotAllowed when its actor may not act;
        ProgramsOff and NoRight when the actor's program may not, and KeyReused when it has sent something else with the
        same key.
        """
        command = scripts.scripts()[name].command(self.keys, values)
        attempts = 0

        def count_attempt() -> None:
            nonlocal attempts
            attempts += 1

        def attempt() -> list[str]:
            nonlocal attempts
            try:
                return cast(list[str], self._write(command, count_attempt))
            except NOT_RUN_ERRORS:
                attempts -= 1
                raise

        try:
            status, *rest = self.retry_until_deadline(attempt)
        except redis.ResponseError as error:
            if " TAKEN " in str(error):
                raise Conflict from error
            raise
        if status == "logged-out":
            raise LoggedOut
        if status == "held":
            raise Held
        if status == "forbidden":
            raise NotAllowed
        if status == "programs-off":
            raise ProgramsOff
        if status == "no-right":
            raise NoRight(right=rest[0])
        if status == "other-body":
            raise KeyReused
        if status.endswith("-before") and attempts == 1 and self.on_sent_before:
            self.on_sent_before()
        return Outcome(status.removesuffix("-before"), rest, repeated=attempts > 1)

    def _write(self, command: Command, on_connected: Callable[[], None]) -> Any:
        """Run one script and wait for the replicas; raise TimeoutError when too few confirm it in time."""
        if not self.wait_replicas:
            return send(self.client, [command], on_connected=on_connected)[0]
        # WAIT covers what this connection wrote. A script that finds its work done (as after a lost answer) writes
        # nothing, although what it found may still be on its way to the replicas. PUBLISH is replicated after all
        # earlier writes, so that WAIT covers them; in a cluster it is not, but SET is.
        later = ("SET", self.keys.done("wait"), "", "EX", 60) if self.in_cluster else ("PUBLISH", "voteweb", "")
        wait = ("WAIT", self.wait_replicas, int(self.deadline * ATTEMPT_SHARE * 1000))
        answer, *replies = replies_to(self.client, [command, later, wait], on_connected=on_connected)
        if isinstance(answer, redis.ResponseError):
            raise answer
        for reply in replies:
            if isinstance(reply, NOT_RUN_ERRORS):
                raise redis.TimeoutError("the key that follows the write is on another node") from reply
            if isinstance(reply, redis.ResponseError):
                raise reply
        confirmed = replies[-1]
        if confirmed < self.wait_replicas:
            raise redis.TimeoutError(f"{confirmed} of {self.wait_replicas} replicas have confirmed the write")
        return answer

    def load_scripts(self) -> None:
        """Load every script into Redis in one round trip, so that EVALSHA finds it."""
        send(self.client, [("SCRIPT", "LOAD", script.source) for script in scripts.scripts().values()])

    def ping(self) -> None:
        """Return when Redis answers, and take its time; raise Unavailable when it does not within the deadline."""
        self.run_and_compare_clocks()
