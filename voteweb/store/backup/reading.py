"""Reads a whole site record by record while it is used, each record at one instant.

The order matters, since records differ by seconds: what names another thing is read before what it names, so that
nothing in a backup leads nowhere; and what is remembered of forms, imports and reports is read before the articles,
so that nothing is remembered as done that is not there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import redis

from voteweb.errors import ConfigError
from voteweb.store import keys
from voteweb.store.backup import records
from voteweb.store.backup.articles import moment, read_articles
from voteweb.store.backup.ids import Ids
from voteweb.store.backup.records import Record
from voteweb.store.connect import Connection
from voteweb.store.look import Look, is_article, steps
from voteweb.store.server import Server

#: Digests of imported rows in one record.
DIGESTS = 1_000
_COUNTERS = (keys.articles_count(), keys.users_count(), keys.log_count())


class Reading:
    """The way out of the database, for all that is not worked out from other things."""

    def __init__(self, connection: Connection, server: Server) -> None:
        self._look = Look(connection)
        self._server = server

    def total(self) -> int:
        """Return about how many records there are."""
        with _readable():
            return sum(self._count())

    def records(self) -> Iterator[Record]:
        """Yield every record; raise ConfigError where the data cannot be read, or lie on another server by the end.

        Each article, member and log entry comes once.
        """
        run = self._server.engine().run
        with _readable():
            yield from self._forms()
            yield from self._imported()
            yield from self._invitations()
            yield from self._resets()
            yield from self._reported()
            yield from read_articles(self._look)
            yield from self._groups()
            yield from self._members()
            yield from self._entries()
            yield records.Counters(*self._count())
        if self._server.engine().run != run:
            # How far one server's keys have been gone through means nothing to another.
            raise ConfigError("The database was restarted or replaced while it was read. Please run the backup again.")

    def _each(self, pattern: str, *ask: str) -> Iterator[tuple[str, list[Any]]]:
        """Yield of each key like *pattern* its name and the answers to the commands *ask*, all of one instant."""
        for step in steps(self._look.keys(pattern)):
            answers = self._look.at_once([(word, key) for key in step for word in ask])
            for at, key in enumerate(step):
                yield key.partition(":")[2], answers[at * len(ask) : (at + 1) * len(ask)]

    def _forms(self) -> Iterator[Record]:
        for name, (article, until) in self._each(keys.once("*", "*"), "GET", "PEXPIRETIME"):
            member, _, token = name.partition("-")
            if article and is_article(article) and member.isdecimal():
                yield records.Form(int(member), token, keys.article_id(article), moment(until))

    def _imported(self) -> Iterator[Record]:
        for step in steps(self._look.members(keys.imported()), DIGESTS):
            yield records.Imported(step)

    def _invitations(self) -> Iterator[Record]:
        for token, (fields,) in self._each(keys.invite("*"), "HGETALL"):
            yield records.Invitation(token, fields)

    def _resets(self) -> Iterator[Record]:
        for digest, (name, until) in self._each(keys.reset("*"), "GET", "PEXPIRETIME"):
            if name is not None:
                yield records.Reset(digest, name, moment(until))

    def _reported(self) -> Iterator[Record]:
        for name, (articles,) in self._each(keys.reported("*"), "HGETALL"):
            yield records.Reported(name, articles)

    def _groups(self) -> Iterator[Record]:
        described = {key.partition(":")[2] for key in self._look.keys(keys.group_info("*"))}
        for step in steps(sorted(described | set(self._look.groups()))):
            answers = self._look.at_once([("HGETALL", keys.group_info(name)) for name in step])
            for name, fields in zip(step, answers, strict=True):
                yield records.Group(name, fields)

    def _members(self) -> Iterator[Record]:
        seen = Ids()
        for step in steps(self._look.keys(keys.user("?*"))):
            names = [key.partition(":")[2] for key in step]
            whole = [
                words for name in names for words in (("HGETALL", keys.user(name)), ("SISMEMBER", keys.leaving(), name))
            ]
            answers = self._look.at_once(whole)
            for name, fields, leaving in zip(names, answers[::2], answers[1::2], strict=True):
                id = fields.get("id", "")
                if not id.isdecimal() or seen.add(int(id)):
                    yield records.Member(name, fields, bool(leaving))

    def _entries(self) -> Iterator[Record]:
        seen = Ids()
        for id, (fields,) in self._each(keys.log_entry("[0-9]*"), "HGETALL"):
            if id.isdecimal() and seen.add(int(id)):
                yield records.Entry(int(id), fields)

    def _count(self) -> tuple[int, int, int]:
        articles, members, entries = self._look.at_once([("GET", key) for key in _COUNTERS])
        return int(articles or 0), int(members or 0), int(entries or 0)


@contextmanager
def _readable() -> Iterator[None]:
    """Turn what unsound data lead to into a ConfigError."""
    try:
        yield
    except (redis.ResponseError, ValueError) as problem:
        raise ConfigError(
            "The data cannot be read: %(problem)s (`voteweb doctor` tells more)", problem=problem
        ) from None
