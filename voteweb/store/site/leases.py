"""Leases: of all processes that could run a background job, one does; and when each job was last done."""

import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TypeVar

import redis

from voteweb.core import config
from voteweb.core.jobs import JOBS, Job
from voteweb.store.connection.commit import Attempt
from voteweb.store.connection.pipeline import Command
from voteweb.store.site.context import Context, StorePart, act

T = TypeVar("T")
#: Does a part of a job, some seconds at most, until each yield.
Steps = Callable[[], Iterator[object]]


class Leases(StorePart):
    """The leases of one site's background jobs."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._first_check = 0.0

    def run(self, job: Job, steps: Steps, should_stop: Callable[[], bool]) -> bool:
        """Run *job* to its end if no other process runs it; tell whether it was done.

        The lease is kept after each step, so that the job of a process that was killed is free after LEASE_SECONDS. It
        ends early when it *should_stop*, or when another process has taken the job over.
        """
        lease, token, is_done = self._keys.lease(job.name), secrets.token_urlsafe(9), False
        # Also on a server whose memory is full: the job may free some.
        if not self._take(lease, token):
            return False
        try:
            for _ in steps():
                # This may keep another process's lease once too often.
                _, holder = self._connection.run([("EXPIRE", lease, config.LEASE_SECONDS), ("GET", lease)])
                if should_stop() or holder != token:
                    return False
            is_done = True
        finally:
            self._end(job, token, is_done)
        return True

    @act(when_full=True)
    def _take(self, attempt: Attempt, lease: str, token: str) -> list[Command]:
        holder = attempt.value("GET", lease)
        return [("SET", lease, token, "EX", config.LEASE_SECONDS)] if holder is None else []

    @act(when_full=True)
    def _end(self, attempt: Attempt, job: Job, token: str, is_done: bool) -> list[Command]:
        lease = self._keys.lease(job.name)
        if attempt.value("GET", lease) != token:
            return []
        return [("UNLINK", lease), *([("HSET", self._keys.jobs(), job.name, attempt.now)] if is_done else [])]

    def warnings(self) -> list[str]:
        """Return which jobs are overdue: nobody runs them, and they were not done for OVERDUE_SECONDS.

        The first check begins the count, so that a site that has just started is not warned about. Silent if we may
        not ask.
        """
        names = [job.name for job in JOBS]
        with suppress(redis.ResponseError):
            (seconds, _), done, *held = self._connection.run(
                [
                    ("TIME",),
                    ("HMGET", self._keys.jobs(), *names),
                    *(("EXISTS", self._keys.lease(name)) for name in names),
                ]
            )
            now = float(seconds)
            self._first_check = self._first_check or now
            since = [max(float(time or 0), self._first_check) for time in done]
            return [
                f"The background job {job.name} is overdue ({job.undone} stays undone): start `voteweb jobs` beside "
                "the web server. If it runs, its messages say why it fails."
                for job, start, is_held in zip(JOBS, since, held, strict=True)
                if not is_held and now - start >= config.OVERDUE_SECONDS
            ]
        return []


def steps_of_each(names: Iterable[str], steps: Callable[[str], Iterator[T]]) -> Iterator[T]:
    """Do the *steps* for each of *names*; raise the last failure, as on damaged data, when all others are done."""
    failure: redis.ResponseError | None = None
    for name in names:
        try:
            yield from steps(name)
        except redis.ResponseError as error:
            failure = error
    if failure:
        raise failure
