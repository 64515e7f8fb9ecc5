"""Log-ins of the last 30 days, for admins: bounded in number and age by each write."""

import json
import secrets
from collections.abc import Iterator
from typing import Any

from voteweb.core import clock, config
from voteweb.core.models import LogIn, LogInOutcome, Page
from voteweb.core.names import name_key
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command, Future, Pipeline
from voteweb.store.scanner import batched


class LogIns:
    """The attempts to log in to one site."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._keys = connection.keys
        self._key = self._keys.log_ins()

    def note(self, name: str, outcome: LogInOutcome, network: str, browser: str) -> None:
        """Note an attempt to log in as the member *name*, "" if there is none; *network* is a digest of theirs."""
        # The random part makes two of one moment different; with the same, it changes nothing again.
        entry = json.dumps([name, outcome.value, network, browser, secrets.token_hex(4)], separators=(",", ":"))
        now, own = clock.now(), self._keys.member_log_ins(name) if name else ""
        commands = list[Command]()
        for key in filter(None, (self._key, own)):
            commands += [
                ("ZADD", key, "NX", now, entry),
                ("EXPIRE", key, config.LOG_IN_SECONDS),
                ("ZREMRANGEBYSCORE", key, "-inf", f"({now - config.LOG_IN_SECONDS}"),
            ]
        commands.append(("ZREMRANGEBYRANK", self._key, 0, -config.MAX_LOG_INS - 1))
        replies = self._connection.run([*commands, *([("ZREVRANGE", own, 0, -1)] if own else [])])
        if own:
            self._trim(own, replies[-1], is_in=outcome is LogInOutcome.IN)

    def _trim(self, own: str, texts: list[str], *, is_in: bool) -> None:
        """Forget the oldest attempts as a member, of those that logged in or of those that did not.

        They are counted apart: whoever knows no password cannot push out the trace of who did. *texts* are all of them,
        the newest first.
        """
        alike = [text for text in texts if is_in is any(row.outcome is LogInOutcome.IN for row in _parsed([(text, 0)]))]
        if oldest := alike[config.MAX_MEMBER_LOG_INS :]:
            self._connection.command("ZREM", own, *oldest)

    def queue_page(self, pipeline: Pipeline, number: int, name: str = "") -> Future[Page[LogIn]]:
        """Queue a read of page *number* (from 1), the newest first; with a *name*, of attempts as that member."""
        key = self._keys.member_log_ins(name) if name else self._key
        size = config.LOG_IN_PAGE_SIZE
        first = (number - 1) * size

        def parse(replies: list[Any]) -> Page[LogIn]:
            total, pairs = replies
            return Page(tuple(_parsed(pairs)), number, total, first + 1, total > first + size)

        read = ("ZREVRANGE", key, first, first + size - 1, "WITHSCORES")
        return pipeline.queue([("ZCARD", key), read], parse)

    def of_member(self, name: str) -> list[LogIn]:
        """Return all attempts to log in as the member *name*, the newest first."""
        own = self._connection.command("ZREVRANGE", self._keys.member_log_ins(name), 0, -1, "WITHSCORES")
        known = dict([*own, *self._pairs_of(name)])
        return sorted(_parsed(list(known.items())), key=lambda row: row.time, reverse=True)

    def forget(self, name: str) -> None:
        """Forget all attempts to log in as the member *name*, who leaves."""
        for entries in batched(text for text, _ in self._pairs_of(name)):
            self._connection.command("ZREM", self._key, *entries)
        self._connection.command("UNLINK", self._keys.member_log_ins(name))

    def _pairs_of(self, name: str) -> list[Any]:
        pairs = self._connection.command("ZREVRANGE", self._key, 0, -1, "WITHSCORES")
        return [pair for pair in pairs if any(name_key(row.name) == name_key(name) for row in _parsed([pair]))]


def _parsed(pairs: list[Any]) -> Iterator[LogIn]:
    """Yield the log-ins of *pairs* of entry and time, but for those that another program wrote."""
    for text, time in pairs:
        try:
            name, outcome, network, browser, _ = json.loads(text)
            yield LogIn(float(time), str(name), LogInOutcome(outcome), str(network), str(browser))
        except (ValueError, TypeError):
            continue
