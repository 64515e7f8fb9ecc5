"""Dump a site: its primary keys while it is in use, or every key before a conversion.

The order matters, since lines differ by seconds: what names another thing is read before what it names, so that
nothing in a backup refers to something missing; and the memory of forms, imports, reports and visits is read before
the comments and articles, so that nothing is remembered as done that is not there.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import Any

import redis

from voteweb.core.config import VOTER_BLOCK
from voteweb.core.errors import ConfigError
from voteweb.store.backup.lines import BITS, LINE_ITEMS, KeyLine, is_known, unique_names
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.scanner import KeySpool, Scanner, batched, portions, split_evenly
from voteweb.store.schema.fields import THREAD_FIELDS
from voteweb.store.schema.key_forms import Part
from voteweb.store.schema.keys import COUNTED_NOUNS, EXPIRING, NOUNS, TYPES
from voteweb.store.schema.nodes import comment_numbers, split_node
from voteweb.store.site.context import Context, StorePart

#: The primary nouns with keys that are read at the same instant; the order of NOUNS is that of reading.
_TOGETHER: dict[str, tuple[str, ...]] = {
    "inbox": ("unread",),
    "thread": ("words", "voted-comments", "comment-report"),
    "article": ("voted", "report"),
}
_ORDER = [
    noun
    for noun, row in NOUNS.items()
    if row.part is Part.PRIMARY and noun not in chain.from_iterable(_TOGETHER.values())
]
#: The nouns that no other names: one scan finds the keys of all of them.
_READ_FIRST = _ORDER[: _ORDER.index("thread")]
#: Keys that are read in one block, where 10 could be too many or are too few.
_BLOCK_SIZES = {"imported": 1, "article": 50, "user": 50, "once": 50}
_READS: dict[str, tuple[str | int, ...]] = {
    "string": ("GET",), "hash": ("HGETALL",), "set": ("SMEMBERS",),
    "zset": ("ZRANGE", 0, -1, "WITHSCORES"), "list": ("LRANGE", 0, -1),
}  # fmt: skip
_SCANS = {"hash": "HSCAN", "set": "SSCAN", "zset": "ZSCAN"}
#: Members or fields of a key of any size that are read at once.
ITEMS_PER_READ = 1_000
#: Comments that are read at once: with the longest texts a megabyte of Latin letters.
COMMENTS_PER_READ = 100
#: The nouns of keys that are about the index of the searched words, which is made anew, and the number of the layout.
_NOT_COPIED = ("changes", "search", "schema")
_ERRORS = (redis.ResponseError, UnicodeDecodeError)


class TolerantScanner(Scanner):
    """A scanner that reads a key of a wrong type, or with bytes that are no text, as if it did not exist.

    It appends the names of such keys to *skipped*, each once.
    """

    def __init__(self, connection: Connection, skipped: list[str]) -> None:
        super().__init__(connection)
        self._skipped = skipped

    def run_atomic(self, commands: Sequence[Command]) -> list[Any]:
        try:
            return super().run_atomic(commands)
        except _ERRORS:
            # Each alone tells which fail. In their place one reads a key that does not exist, at one instant with all.
            absent = self.site_keys.prefix
            return super().run_atomic([c if self._is_readable(c) else (c[0], absent, *c[2:]) for c in commands])

    def command(self, *command: Any) -> Any:
        return self.run_atomic([command])[0]

    def command_on_same_server(self, *command: Any) -> Any:
        try:
            return super().command_on_same_server(*command)
        except UnicodeDecodeError:  # SCAN met the name of a key that is no text
            super().command_on_same_server("TIME")
            reply = self._readable_names(command)
            super().command_on_same_server("TIME")
            return reply

    def _readable_names(self, scan: Command) -> tuple[int, list[str]]:
        """Return the reply to SCAN without the names of keys that are no text: they are skipped."""
        client = self._connection.client
        cursor, keys = self._connection.retry_until_deadline(
            lambda: client.execute_command(*scan, NEVER_DECODE=True)  # type: ignore[no-untyped-call]
        )
        names = []
        for key in keys:
            try:
                names.append(key.decode())
            except UnicodeDecodeError:
                noun, _ = self.site_keys.split(key.decode(errors="replace"))
                if noun in TYPES:  # else it is another program's, or another site's
                    self.skip(repr(key))
        return int(cursor), names

    def _is_readable(self, command: Command) -> bool:
        """Tell whether the value of the key of *command* can be read; a command that is not allowed is no damage."""
        try:
            super().command(*command)
        except _ERRORS as error:
            if isinstance(error, redis.ResponseError) and "WRONGTYPE" not in str(error):
                raise
            self.skip(command[1])
            return False
        return True

    def skip(self, key: str) -> None:
        """Name a damaged *key*, if it is not named yet."""
        if key not in self._skipped:
            self._skipped.append(key)


class Backup(StorePart):
    """The backups of one site: all that cannot be computed from other data, or every key as it is."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._scanner = TolerantScanner(context.connection, [])

    def key_total(self) -> int:
        """Return the approximate number of keys of the site."""
        return sum(1 for _ in self._scanner.all_keys())

    def total(self) -> int:
        """Return the approximate number of articles, members and acts in the log."""
        entries = int(self._scanner.command("LLEN", self._keys.log_entries()))
        return entries + sum(int(line.value) for line in self._counters())

    def lines(self, skipped: list[str]) -> Iterator[KeyLine]:
        """Yield every primary key, with what belongs together as it is at one instant; the site may be in use.

        Keys of a wrong type, or with bytes that are no text, are left out and appended to *skipped*. Raises
        ServerChanged if another server has them in the end.
        """
        # Another scanner each time: one reads a single run of the server.
        self._scanner = TolerantScanner(self._connection, skipped)
        with KeySpool(self._keys, _READ_FIRST) as spool:
            for key in self._scanner.all_keys():
                spool.add(key)
            for noun in _READ_FIRST:
                yield from self._read(noun, spool.names(noun))
        for noun in _ORDER[len(_READ_FIRST) :]:
            if noun == "log-entries":
                yield from self._list(self._keys.log_entries(), None)
            elif NOUNS[noun].name(""):
                yield from self._read(noun, [""])
            else:
                yield from self._read(noun, self._scanner.names(noun))
        yield from self._counters()
        self._scanner.command_on_same_server("TIME")  # another may lack what the first lines name

    def all_lines(self) -> Iterator[KeyLine]:
        """Yield the content of every key in bounded steps; a big key takes several lines, which may repeat members.

        The site must not be in use, whatever the layout of its data. Raises ConfigError for a key of a type that
        voteweb does not write, and for one that cannot be read.
        """
        self._scanner = TolerantScanner(self._connection, skipped := list[str]())
        for keys in batched(self._scanner.all_keys()):
            looks = self._scanner.run_atomic([(look, key) for key in keys for look in ("TYPE", "PEXPIRETIME")])
            for key, (type, expiry) in zip(keys, split_evenly(looks, len(keys)), strict=True):
                noun, name = self._keys.split(key)[0], self._name(key)
                if noun in _NOT_COPIED or not is_known(name, is_whole=True):  # another program's
                    continue
                if type == "string":
                    value = self._bits(key) if noun == "hidden" else self._scanner.command("GET", key)
                    if value is not None:  # it has expired
                        yield KeyLine(name, BITS if noun == "hidden" else type, value, _until(expiry))
                elif type == "list":
                    yield from self._list(key, _until(expiry))
                elif type in _SCANS:
                    for batch in self._scanner.batches(_SCANS[type], key, 0, "COUNT", ITEMS_PER_READ):
                        if value := list(batch) if type == "set" else dict(batch):
                            yield from KeyLine(name, type, value, _until(expiry)).parts()
                elif type != "none":
                    raise ConfigError("The key %(key)s is a %(kind)s: voteweb keeps none.", key=key, kind=type)
        if skipped:
            raise ConfigError("The key %(key)s cannot be read.", key=skipped[0])

    def _name(self, key: str) -> str:
        return key.removeprefix(self._keys.prefix)

    def _list(self, key: str, until: int | None) -> Iterator[KeyLine]:
        for batch in batched(self._scanner.items(key), ITEMS_PER_READ):
            texts = [text for _, text in batch]
            yield from KeyLine(self._name(key), "list", texts, until, batch[0][0] - 1).parts()

    def _bits(self, key: str) -> str:
        """Return the bytes of a string in hexadecimal digits: a reply holds text only."""
        size = self._scanner.command("STRLEN", key)
        reads: list[Command] = [
            ("BITFIELD_RO", key, *(word for at in part for word in ("GET", "u8", f"#{at}")))
            for part in batched(range(size), LINE_ITEMS)
        ]
        return bytes(chain.from_iterable(self._scanner.run_atomic(reads))).hex()

    def _read(self, noun: str, found: Iterable[str]) -> Iterator[KeyLine]:
        """Yield the lines of the keys of a *noun* with the names *found*, each with those that belong to it."""
        sized = {"article": ("SCARD", self._keys.voted), "thread": ("HLEN", self._keys.thread)}.get(noun)
        for names in batched(unique_names(noun, self._names(noun, found)), _BLOCK_SIZES.get(noun, 10)):
            if sized is None:
                yield from self._read_at_once(noun, names)
                continue
            size, spell = sized
            sizes = self._scanner.run_atomic([(size, spell(name)) for name in names])
            for portion in portions(names, sizes):
                yield from self._threads(portion) if noun == "thread" else self._read_at_once(noun, portion)

    def _names(self, noun: str, found: Iterable[str]) -> Iterator[str]:
        for name in found:
            if noun == "user" and not NOUNS[noun].name(name):
                self._scanner.skip(f"{self._keys.prefix}{noun}:{name}")
            yield name

    def _read_at_once(self, noun: str, names: Sequence[str]) -> Iterator[KeyLine]:
        nouns = (noun, *_TOGETHER.get(noun, ()))
        commands: list[Command] = []
        for name in names:
            for each in nouns:
                key = f"{self._keys.prefix}{each}:{name}"
                command, *arguments = _READS[TYPES[each]]
                commands.append((command, key, *arguments))
                commands += [("PEXPIRETIME", key)] if each in EXPIRING else []
        replies = self._scanner.run_atomic(commands)
        for name, content in zip(names, split_evenly(replies, len(names)), strict=True):
            rest = iter(content)
            for each in nouns:
                value = _as_json(TYPES[each], next(rest))
                until = _until(next(rest)) if each in EXPIRING else None
                if value:
                    yield from KeyLine(f"{each}:{name}", TYPES[each], value, until).parts()
                elif each == noun:  # deleted since it was found
                    break

    def _threads(self, ids: Sequence[str]) -> Iterator[KeyLine]:
        """Yield conversations, their comments in the order of their numbers, each with its words and open reports.

        The voters of a block are read with its first comment: a restore counts the votes of the others by them.
        """
        reads = [("HMGET", THREAD_FIELDS), ("HKEYS", ())]
        replies = self._scanner.run_atomic(
            [(read, self._keys.thread(id), *names) for id in ids for read, names in reads]
        )
        # Comments written from here on are left out, so that one is never there without the one that it answers.
        numbers: list[tuple[str, int]] = []
        for id, (values, names) in zip(ids, split_evenly(replies, len(ids)), strict=True):
            if fields := _stored(tuple(THREAD_FIELDS), values):
                yield KeyLine(f"thread:{id}", "hash", fields)
            numbers += [(id, number) for number in comment_numbers(names)]
        known: set[tuple[str, int]] = set()
        for batch in batched(numbers, COMMENTS_PER_READ):
            blocks = {(id, number // VOTER_BLOCK): None for id, number in batch}
            yield from self._comments([block for block in blocks if block not in known], batch)
            known = set(blocks)

    def _comments(self, blocks: Sequence[tuple[str, int]], comments: Sequence[tuple[str, int]]) -> Iterator[KeyLine]:
        """Yield the voters of these *blocks* and these *comments*, all of one instant."""
        keys, commands = self._keys, list[Command]()
        for key in (keys.voted_comments(*block) for block in blocks):
            commands += [("SMEMBERS", key), ("PEXPIRETIME", key)]
        threads = {id: [str(number) for _, number in group] for id, group in groupby(comments, lambda pair: pair[0])}
        for id, numbers in threads.items():
            commands += [("HMGET", keys.thread(id), *_comment_fields(numbers)), ("HMGET", keys.words(id), *numbers)]
            commands += [("HGETALL", keys.comment_report(id, number)) for number in numbers]
        replies = iter(self._scanner.run_atomic(commands))
        for thread, block in blocks:
            voters, until = _as_json("set", next(replies)), _until(next(replies))
            if voters:
                yield from KeyLine(f"voted-comments:{thread}-{block}", "set", voters, until).parts()
        for id, numbers in threads.items():
            stored, words = _stored(_comment_fields(numbers), next(replies)), _stored(numbers, next(replies))
            # Another program has written a field that is no comment.
            are = {number for number in numbers if split_node(stored.get(number, "")) is not None}
            for noun, fields in (("thread", stored), ("words", words)):
                if kept := {name: text for name, text in fields.items() if name.rpartition(":")[2] in are}:
                    yield from KeyLine(f"{noun}:{id}", "hash", kept).parts()
            for number in numbers:
                if reports := next(replies):
                    yield KeyLine(f"comment-report:{id}.{number}", "hash", reports)

    def _counters(self) -> list[KeyLine]:
        lines, names = [], [f"{noun}:" for noun in sorted(COUNTED_NOUNS)]
        stored = self._scanner.run_atomic([("GET", self._keys.prefix + name) for name in names])
        for name, number in zip(names, stored, strict=True):
            if number and number.isascii() and number.isdecimal():
                lines.append(KeyLine(name, "string", str(int(number))))
            elif number:
                self._scanner.skip(self._keys.prefix + name)
        return lines


def _until(milliseconds: int) -> int | None:
    """Return when a key expires; below zero Redis says that it does not exist, or never expires."""
    return milliseconds if milliseconds >= 0 else None


def _comment_fields(numbers: Sequence[str]) -> list[str]:
    """Return the fields of a conversation that its comments with these *numbers* have."""
    return [beginning + number for beginning in ("", "reason:", "removed-by:") for number in numbers]


def _stored(names: Sequence[str], values: Sequence[str | None]) -> dict[str, str]:
    """Return the fields with these *names* that have a value."""
    return {name: value for name, value in zip(names, values, strict=True) if value is not None}


def _as_json(type: str, reply: Any) -> Any:
    """Return what a line holds of a key whose content is *reply*."""
    if type == "zset":
        return dict(reply)
    return sorted(reply, key=lambda member: (len(member), member)) if type == "set" else reply
