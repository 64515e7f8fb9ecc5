"""Leases: of all processes that could run a background job, one does; and when each job was last done."""

import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, TypeVar

import redis

from voteweb.core import clock, config, jobs
from voteweb.core.jobs import JOBS, Job
from voteweb.core.settings_in_force import RESCORING
from voteweb.store.connection.commit import Attempt
from voteweb.store.connection.pipeline import Command
from voteweb.store.schema.values import finite_number, json_object
from voteweb.store.site.context import Context, StorePart, act

T = TypeVar("T")
#: Does a part of a job, some seconds at most, until each yield.
Steps = Callable[[], Iterator[object]]


class Leases(StorePart):
    """The leases of one site's background jobs."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._first_check = 0.0

    def waiting(self) -> list[Job]:
        """Return the jobs that have something to do and that no process runs; all of them, if damaged data hide that.

        Once a minute, one process of the site notes that the others are done. Raises Unavailable, and DataLost.
        """
        keys, queries = self._keys, self._queries(clock.now())
        names = [job.name for job in JOBS]
        reads = [*self._context.queries(), ("MGET", *map(keys.lease, names)), ("HMGET", keys.jobs(), *names)]
        try:
            stored, is_restoring, holders, done, *replies = self._connection.run_and_compare_clocks(
                *reads, *(query for _, query in queries)
            )
        except redis.ResponseError:  # each job reports what it meets
            return list(JOBS)
        self._context.refuse_lost(stored, is_restoring)
        busy = {job for (job, _), reply in zip(queries, replies, strict=True) if _is_work(reply, clock.now())}
        free = [(job, time) for job, holder, time in zip(JOBS, holders, done, strict=True) if holder is None]
        idle = {job.name: time for job, time in free if job not in busy}
        if _is_due(idle.values(), clock.now()):
            self._note(list(idle))
        return [job for job, _ in free if job in busy]

    def _queries(self, now: float) -> list[tuple[Job, Command]]:
        """Return reads, each with the job that has something to do if the reply says so."""
        keys = self._keys
        mail = [(jobs.MAIL, ("ZCOUNT", keys.outbox(), "-inf", now))] if self._settings.mail_url else []
        return [
            (jobs.ACCOUNT_DELETIONS, ("EXISTS", keys.leaving())),
            (jobs.COMMENT_REMOVALS, ("EXISTS", keys.removing())),
            (jobs.BAN_REMOVALS, ("EXISTS", keys.ban_removals())),
            (jobs.BAN_REMOVALS, ("ZCOUNT", keys.ban_answers(), "-inf", now)),
            (jobs.DOMAIN_REMOVALS, ("HVALS", keys.domain_rules())),
            (jobs.GROUP_MERGES, ("EXISTS", keys.merging())),
            (jobs.GROUP_MERGES, ("HVALS", keys.planned_merges())),
            (jobs.UNDOING, ("EXISTS", keys.undoing())),
            *mail,
            (jobs.RESCORING, ("HEXISTS", keys.site(), RESCORING)),
        ]

    @act(when_full=True, remembers=False)
    def _note(self, attempt: Attempt, names: list[str]) -> list[Command]:
        """Return the write that notes idle jobs as done, unless another process was faster, or the data are gone."""
        key = self._keys.jobs()
        times, has_site = attempt.read(("HMGET", key, *names), ("EXISTS", self._keys.site()))
        is_lost = self._context.site_id is not None and not has_site
        if is_lost or not _is_due(times, float(attempt.now)):
            return []
        return [("HSET", key, *(part for name in names for part in (name, attempt.now)))]

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

    @act(when_full=True, remembers=False)
    def _take(self, attempt: Attempt, lease: str, token: str) -> list[Command]:
        is_free = attempt.value("GET", lease) in (None, token)
        return [("SET", lease, token, "EX", config.LEASE_SECONDS)] if is_free else []

    @act(when_full=True, remembers=False)
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


def _is_work(reply: Any, now: float) -> bool:
    """Tell whether a job has something to do; of texts, a rule of links that removes, or a merge that begins *now*."""
    if not isinstance(reply, list):
        return bool(reply)
    texts = map(json_object, reply)
    return any(
        text.get("removes") or ("into" in text and 0 < (finite_number(str(text.get("time"))) or 0) <= now)
        for text in texts
    )


def _is_due(times: Iterable[str | None], now: float) -> bool:
    """Tell whether one of the jobs that were done at these unix *times* is to be noted again."""
    return any(now - (finite_number(time) or 0.0) >= config.NOTE_SECONDS for time in times)


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
