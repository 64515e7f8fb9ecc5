"""Dump the primary keys of a site while it is in use; what belongs together is read at one instant.

The order matters, since lines differ by seconds: what names another thing is read before what it names, so that
nothing in a backup refers to something missing; and the memory of forms, imports, reports and visits is read before
the comments and articles, so that nothing is remembered as done that is not there.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import redis

from voteweb.core.errors import ConfigError
from voteweb.store.backup.damaged_keys import TolerantScanner
from voteweb.store.backup.dump_threads import dump_threads, expiry_or_none, portions
from voteweb.store.backup.key_lines import KeyLine, is_known
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.bitmap import Bitmap
from voteweb.store.scan.key_spool import KeySpool
from voteweb.store.scan.scanner import Scanner, batched, split_evenly
from voteweb.store.schema.nouns import EXPIRING, TYPES

#: The nouns of keys that name others and that no others name, in the order in which they are read after one scan.
_READ_FIRST = (
    *("once", "imported", "invite", "reset", "reported", "reported-comments"),
    *("inbox", "seen", "notes", "follows", "hides", "saved"),
)
#: The keys of the same name that are read at the same instant.
_TOGETHER = {"article": ("voted", "report"), "inbox": ("unread",)}
#: Keys that are read in one block, where 10 could be too many or are too few.
_BLOCK_SIZES = {"imported": 1, "article": 50, "user": 50, "once": 50}
_READS: dict[str, tuple[str | int, ...]] = {
    "string": ("GET",), "hash": ("HGETALL",), "set": ("SMEMBERS",),
    "zset": ("ZRANGE", 0, -1, "WITHSCORES"), "list": ("LRANGE", 0, -1),
}  # fmt: skip


class Dump:
    """Reads everything that cannot be computed from other data."""

    def __init__(self, connection: Connection, skipped: list[str] | None = None) -> None:
        """Prepare a dump that leaves out damaged keys and appends their names to *skipped*, if there is such a list."""
        self._keys = connection.keys
        self._skipped = skipped
        self._scanner = Scanner(connection) if skipped is None else TolerantScanner(connection, skipped)

    def total(self) -> int:
        """Return the approximate number of articles, members and acts in the log."""
        with _config_errors():
            entries = int(self._scanner.command("LLEN", self._keys.log_entries()))
            return entries + sum(int(line.value) for line in self._counters())

    def lines(self) -> Iterator[KeyLine]:
        """Yield every primary key.

        Raises ConfigError if the data cannot be read, ServerChanged if another server has them in the end.
        """
        keys, scan = self._keys, self._scanner.keys
        with _config_errors():
            with KeySpool(keys, _READ_FIRST) as spool:
                for key in self._scanner.all_keys():
                    spool.add(key)
                for noun in _READ_FIRST:
                    yield from self._read(noun, spool.matching(f"{keys.prefix}{noun}:*"))
            yield from dump_threads(self._scanner)
            yield from self._read("article", scan(keys.article("[0-9]*")))
            yield from self._read("group-aliases", [keys.group_aliases()])
            yield from self._read("group-info", scan(keys.group_info("*")))
            yield from self._read("domain-rules", [keys.domain_rules()])
            yield from self._read("site", [keys.site()])
            yield from self._read("user", scan(keys.user("?*")))
            for batch in batched(self._scanner.items(keys.log_entries())):
                yield from KeyLine(
                    self._name(keys.log_entries()), "list", [t for _, t in batch], None, batch[0][0] - 1
                ).parts()
            yield from self._counters()
            self._scanner.command_on_same_server("TIME")  # another may lack what the first lines name

    def _name(self, key: str) -> str:
        return key.removeprefix(self._keys.prefix)

    def _read(self, noun: str, found: Iterable[str]) -> Iterator[KeyLine]:
        """Yield the lines of the keys of a *noun* that were *found*, each with those that belong to it."""
        for keys in batched(self._unique(noun, found), _BLOCK_SIZES.get(noun, 10)):
            if noun != "article":
                yield from self._read_at_once(noun, keys)
                continue
            names = [self._keys.split(key)[1] for key in keys]
            sizes = self._scanner.run_atomic([("SCARD", self._keys.voted(name)) for name in names])
            for portion in portions(names, sizes):
                yield from self._read_at_once(noun, [self._keys.article(name) for name in portion])

    def _read_at_once(self, noun: str, keys: Sequence[str]) -> Iterator[KeyLine]:
        nouns = (noun, *_TOGETHER.get(noun, ()))
        commands: list[Command] = []
        for key in keys:
            for each in nouns:
                sibling = self._keys.prefix + each + self._name(key).removeprefix(noun)
                command, *arguments = _READS[TYPES[each]]
                commands.append((command, sibling, *arguments))
                commands += [("PEXPIRETIME", sibling)] if each in EXPIRING else []
        replies = self._scanner.run_atomic(commands)
        for key, content in zip(keys, split_evenly(replies, len(keys)), strict=True):
            rest = iter(content)
            for each in nouns:
                value = _as_json(TYPES[each], next(rest))
                until = expiry_or_none(next(rest)) if each in EXPIRING else None
                if not value:
                    if each == noun:  # deleted since it was found
                        break
                    continue
                yield from KeyLine(each + self._name(key).removeprefix(noun), TYPES[each], value, until).parts()

    def _unique(self, noun: str, found: Iterable[str]) -> Iterator[str]:
        """Yield each key once that a backup may have: SCAN may name one twice, and other programs have others."""
        ids, names = Bitmap(), set[str]()
        for key in found:
            name = self._name(key)
            if not is_known(name, is_whole=False):
                if noun == "user" and self._skipped is not None and key not in self._skipped:
                    self._skipped.append(key)
            elif noun == "article":
                if ids.add(int(name.removeprefix("article:"))):
                    yield key
            elif name not in names:
                names.add(name)
                yield key

    def _counters(self) -> list[KeyLine]:
        keys = [self._keys.last_article_id(), self._keys.last_user_id()]
        lines = []
        for key, stored in zip(keys, self._scanner.run_atomic([("GET", key) for key in keys]), strict=True):
            if stored and stored.isascii() and stored.isdecimal():
                lines.append(KeyLine(self._name(key), "string", str(int(stored))))
            elif stored and self._skipped is None:
                raise ValueError(f"{key} is no number")
            elif stored and self._skipped is not None and key not in self._skipped:
                self._skipped.append(key)
        return lines


def _as_json(type: str, reply: Any) -> Any:
    """Return what a line holds of a key whose content is *reply*."""
    if type == "zset":
        return dict(reply)
    return sorted(reply, key=lambda member: (len(member), member)) if type == "set" else reply


@contextmanager
def _config_errors() -> Iterator[None]:
    """Turn errors caused by broken data into a ConfigError."""
    try:
        yield
    except (redis.ResponseError, ValueError) as error:
        raise ConfigError("The data cannot be read: %(problem)s (`voteweb doctor` tells more)", problem=error) from None
