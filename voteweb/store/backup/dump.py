"""Dump a whole site record by record while it is in use, each record at one instant.

The order matters, since records differ by seconds: what names another thing is read before what it names, so that
nothing in a backup refers to something missing; and the memory of forms, imports, reports and visits is read before
the comments and articles, so that nothing is remembered as done that is not there.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import redis

from voteweb.core.errors import ConfigError
from voteweb.store.backup import records
from voteweb.store.backup.damaged_keys import TolerantScanner
from voteweb.store.backup.dump_articles import dump_articles, expiry_or_none
from voteweb.store.backup.dump_threads import dump_threads
from voteweb.store.backup.records import BackupRecord
from voteweb.store.bitmap import Bitmap
from voteweb.store.connection.connection import Connection
from voteweb.store.fingerprints import Fingerprint
from voteweb.store.key_spool import KeySpool
from voteweb.store.keys import article_id, comment_of, is_article, parse_comment
from voteweb.store.moderation_log import unpack
from voteweb.store.scanner import Scanner, batched
from voteweb.store.site_switches import is_switch

#: Fingerprints of imported rows in one record.
FINGERPRINTS_PER_RECORD = 1_000
#: The nouns of keys that name others and that no others name: one scan finds them all.
_READ_FIRST = (
    *("once", "imported", "invite", "reset", "reported", "reported-comments"),
    *("inbox", "seen", "notes", "follows", "hides", "saved"),
)


class Dump:
    """Reads everything that cannot be computed from other data."""

    def __init__(self, connection: Connection, skipped: list[str] | None = None) -> None:
        """Prepare a dump that leaves out damaged keys and appends their names to *skipped*, if there is such a list."""
        self._keys = connection.keys
        self._skipped = skipped
        self._scanner = Scanner(connection) if skipped is None else TolerantScanner(connection, skipped)

    def total(self) -> int:
        """Return the approximate number of records."""
        with _config_errors():
            return sum(self._counters())

    def records(self) -> Iterator[BackupRecord]:
        """Yield every record, each article, member and log entry once.

        Raises ConfigError if the data cannot be read, ServerChanged if another server has them in the end.
        """
        with _config_errors():
            with KeySpool(self._keys, _READ_FIRST) as spool:
                for key in self._scanner.all_keys():
                    spool.add(key)
                yield from self._forms(spool)
                yield from self._imported(spool)
                yield from self._invitations(spool)
                yield from self._resets(spool)
                yield from self._reported(spool)
                yield from self._inboxes(spool)
                yield from self._own_lists(spool)
            yield from dump_threads(self._scanner)
            yield from dump_articles(self._scanner)
            yield from self._groups()
            yield from self._rules_and_switches()
            yield from self._members()
            yield from self._log_entries()
            yield records.Counters(*self._counters())
            self._scanner.command_on_same_server("TIME")  # another may lack what the first records name

    def _replies_by_name(self, keys: Iterable[str], *commands: str) -> Iterator[tuple[str, list[Any]]]:
        """Yield the name in each of *keys* with the replies to *commands*, all of one instant."""
        for batch in batched(keys):
            replies = self._scanner.run_atomic([(command, key) for key in batch for command in commands])
            for at, key in enumerate(batch):
                yield self._keys.split(key)[1], replies[at * len(commands) : (at + 1) * len(commands)]

    def _forms(self, spool: KeySpool) -> Iterator[BackupRecord]:
        forms = spool.matching(self._keys.once("*", "*"))
        for name, (answer, until) in self._replies_by_name(forms, "GET", "PEXPIRETIME"):
            member, _, token = name.partition("-")
            if not member.isdecimal():
                continue
            if comment := comment_of(answer or ""):
                yield records.Form(int(member), token, comment.article, expiry_or_none(until), comment.number)
            elif is_article(answer or ""):
                yield records.Form(int(member), token, article_id(answer), expiry_or_none(until))

    def _imported(self, spool: KeySpool) -> Iterator[BackupRecord]:
        named = ((self._keys.split(key)[1], key) for key in spool.matching(self._keys.imported("[0-9]*")))
        buckets = ((int(name), key) for name, key in named if name.isdecimal())
        numbers = (
            Fingerprint(bucket, int(member)).as_number()
            for bucket, key in buckets
            for member in self._scanner.members(key)
            if member.removeprefix("-").isdecimal()
        )
        for rows in batched(numbers, FINGERPRINTS_PER_RECORD):
            yield records.Fingerprints(rows)

    def _invitations(self, spool: KeySpool) -> Iterator[BackupRecord]:
        for digest, (fields,) in self._replies_by_name(spool.matching(self._keys.invite("*")), "HGETALL"):
            if fields:  # else it has ended
                yield records.Invitation(digest, fields)

    def _resets(self, spool: KeySpool) -> Iterator[BackupRecord]:
        for digest, (link, until) in self._replies_by_name(spool.matching(self._keys.reset("*")), "GET", "PEXPIRETIME"):
            if link is not None:
                name, _, state = link.partition(" ")
                yield records.Reset(digest, name, expiry_or_none(until), state)

    def _reported(self, spool: KeySpool) -> Iterator[BackupRecord]:
        for name, (articles,) in self._replies_by_name(spool.matching(self._keys.reported("*")), "SMEMBERS"):
            if ids := sorted(int(id) for id in articles if id.isascii() and id.isdecimal()):
                yield records.Reported(name, ids)
        for name, (comments,) in self._replies_by_name(spool.matching(self._keys.reported_comments("*")), "SMEMBERS"):
            if addresses := sorted(filter(parse_comment, comments)):
                yield records.ReportedComments(name, addresses)

    def _inboxes(self, spool: KeySpool) -> Iterator[BackupRecord]:
        for batch in batched(spool.matching(self._keys.inbox("*"))):
            names = [self._keys.split(key)[1] for key in batch]
            commands: list[tuple[str, ...]] = []
            for name in names:
                inbox, unread = self._keys.inbox(name), self._keys.unread(name)
                commands += [("LRANGE", inbox, "0", "-1"), ("LRANGE", unread, "0", "-1"), ("PEXPIRETIME", inbox)]
            for name, replies in zip(names, batched(self._scanner.run_atomic(commands), 3), strict=True):
                entries, unread_entries, until = replies
                if entries:
                    yield records.Inbox(name, entries, unread_entries, expiry_or_none(until))
        for name, (threads, until) in self._replies_by_name(
            spool.matching(self._keys.seen("*")), "HGETALL", "PEXPIRETIME"
        ):
            if threads:
                yield records.Visits(name, threads, expiry_or_none(until))
        for name, (notes,) in self._replies_by_name(spool.matching(self._keys.notes("*")), "HGETALL"):
            if notes:
                yield records.Notes(name, notes)

    def _own_lists(self, spool: KeySpool) -> Iterator[BackupRecord]:
        keys = self._keys
        for noun, pattern in (("follows", keys.follows("*")), ("hides", keys.hides("*")), ("saved", keys.saved("*"))):
            for batch in batched(spool.matching(pattern), 10):
                replies = self._scanner.run_atomic([("ZRANGE", key, 0, -1, "WITHSCORES") for key in batch])
                for key, entries in zip(batch, replies, strict=True):
                    times = {entry: f"{time:.6f}" for entry, time in entries}
                    if times:
                        yield records.OwnList(keys.split(key)[1], noun, times)

    def _groups(self) -> Iterator[BackupRecord]:
        alias_of = {
            group: alias
            for alias, group in self._scanner.run_atomic([("HGETALL", self._keys.group_aliases())])[0].items()
        }
        described = {self._keys.split(key)[1] for key in self._scanner.keys(self._keys.group_info("*"))}
        for names in batched(sorted(described | set(self._scanner.groups()))):
            replies = self._scanner.run_atomic([("HGETALL", self._keys.group_info(name)) for name in names])
            for name, fields in zip(names, replies, strict=True):
                yield records.Group(name, fields, alias_of.get(name, ""))

    def _rules_and_switches(self) -> Iterator[BackupRecord]:
        commands = [("HGETALL", self._keys.domain_rules()), ("HGETALL", self._keys.site())]
        rules, switches = self._scanner.run_atomic(commands)
        for domain, rule in sorted(rules.items()):
            yield records.DomainRule(domain, rule)
        for name, switch in sorted(switches.items()):
            if is_switch(name, switch):  # others set nothing
                yield records.SiteSwitch(name, switch)

    def _members(self) -> Iterator[BackupRecord]:
        seen = Bitmap()
        for batch in batched(self._scanner.keys(self._keys.user("?*"))):
            names = [self._keys.split(key)[1] for key in batch]
            commands: list[tuple[str, ...]] = []
            for name in names:
                commands += [("HGETALL", self._keys.user(name)), ("SISMEMBER", self._keys.leaving(), name)]
            replies = self._scanner.run_atomic(commands)
            for name, fields, leaving in zip(names, replies[::2], replies[1::2], strict=True):
                id = fields.get("id", "")
                if fields and (not id.isdecimal() or seen.add(int(id))):
                    yield records.Member(name, fields, bool(leaving))

    def _log_entries(self) -> Iterator[BackupRecord]:
        for id, text in self._scanner.items(self._keys.log_entries()):
            if fields := unpack(text):
                yield records.LogEntry(id, fields)

    def _counters(self) -> tuple[int, int, int]:
        keys = [self._keys.last_article_id(), self._keys.last_user_id()]
        articles, members, entries = self._scanner.run_atomic(
            [*(("GET", key) for key in keys), ("LLEN", self._keys.log_entries())]
        )
        return self._counter(keys[0], articles), self._counter(keys[1], members), int(entries)

    def _counter(self, key: str, stored: str | None) -> int:
        """Return the number that is *stored* under *key*; one that is none is skipped, or raises ValueError."""
        if self._skipped is not None and not (stored or "0").isdecimal():
            if key not in self._skipped:
                self._skipped.append(key)
            return 0
        return int(stored or 0)


@contextmanager
def _config_errors() -> Iterator[None]:
    """Turn errors caused by broken data into a ConfigError."""
    try:
        yield
    except (redis.ResponseError, ValueError) as error:
        raise ConfigError("The data cannot be read: %(problem)s (`voteweb doctor` tells more)", problem=error) from None
