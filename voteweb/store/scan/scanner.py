"""Scan every key of a live site in bounded steps, each of which Redis answers as one block, and keep what was found.

A list that is wrong is replaced: another one is written beside it in bounded steps, and renamed unless the list has
changed.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from tempfile import SpooledTemporaryFile
from typing import Any, TypeVar

from voteweb.core import config
from voteweb.core.errors import ServerChanged, StorageFull
from voteweb.core.validation import new_submission_token
from voteweb.store.connection.commit import guarded
from voteweb.store.connection.connection import Connection
from voteweb.store.connection.pipeline import Command
from voteweb.store.schema.keys import COUNTED_NOUNS, TYPES, Keys
from voteweb.store.schema.values import article_member, is_article

#: Items that one command carries: with 10,000 it would take 3 ms of Redis.
_ITEMS_AT_ONCE = 2_000


def replacement(keys: Keys, key: str, seen: Sequence[str], items: Sequence[str]) -> tuple[tuple[Command, ...], Command]:
    """Return the commands that write *items* beside the list *key*, and the one that puts them in its place.

    That answers "again" if the list has another size, first or last item than those *seen*, or if an answer was lost
    and some were written twice.
    """
    made, prepare = keys.ordering(new_submission_token()), list[Command]()
    for batch in batched(items, _ITEMS_AT_ONCE):
        prepare += [("RPUSH", made, *batch), ("EXPIRE", made, config.DONE_SECONDS)]
    reads = [("LLEN", key), ("LINDEX", key, 0), ("LINDEX", key, -1), ("LLEN", made)]
    replace: list[Command] = [("RENAME", made, key), ("PERSIST", key)] if items else [("UNLINK", key)]
    ends = (seen[0], seen[-1]) if seen else (None, None)
    return tuple(prepare), guarded(keys, reads, [len(seen), *ends, len(items)], replace)


T = TypeVar("T")

#: Keys per step: up to two thousand commands, which Redis runs as one block of two milliseconds.
BATCH_SIZE = 50
#: Keys or members that Redis looks at in one SCAN: a millisecond.
SCAN_COUNT = 500
#: Members that Redis returns in one block, if they are of more than one key: some milliseconds at most.
MAX_VOTERS_PER_READ = 5_000
#: Bytes of the keys of one noun that are kept in memory, such as a million articles; more are kept in a file.
MAX_SPOOL_BYTES = 8_000_000
#: Bytes that are read from a file at a time.
READ_BYTES = 65_536
#: Ids in one chunk of the set.
CHUNK_SIZE = 1_024
#: The commands that tell how many members a key of each type has, and what they are.
_WHOLE: dict[str, tuple[Any, ...]] = {
    "set": ("SCARD", "SMEMBERS"),
    "zset": ("ZCARD", "ZRANGE", 0, -1),
    "list": ("LLEN", "LRANGE", 0, -1),
}


class Scanner:
    """Reads all of a site while it is in use, in one pass over the keys of one run of one server."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.site_keys = connection.keys
        self._run = ""

    def run_atomic(self, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return the replies to *commands*, all of one instant."""
        if not commands:
            return []
        try:
            return self._connection.run(commands, atomic=True)
        except StorageFull:
            # A server whose memory is full refuses even to read in a transaction. Nobody can add anything to it.
            return self._connection.run(commands)

    def command(self, *command: Any) -> Any:
        return self._connection.command(*command)

    def groups(self) -> list[str]:
        """Return the names of all groups, and of those that are being merged."""
        return sorted(self.command("SUNION", self.site_keys.groups(), self.site_keys.merging()))

    def keys(self, pattern: str) -> Iterator[str]:
        """Yield the keys that match *pattern*."""
        for batch in self.batches("SCAN", 0, "MATCH", pattern, "COUNT", SCAN_COUNT):
            yield from batch

    def names(self, noun: str) -> Iterator[str]:
        """Yield the id or name in each key of a *noun*; the counter of its ids has none."""
        pattern = "?*" if noun in COUNTED_NOUNS else "*"
        return (self.site_keys.split(key)[1] for key in self.keys(f"{self.site_keys.prefix}{noun}:{pattern}"))

    def keys_of(self, *nouns: str) -> Iterator[str]:
        """Yield the keys of these *nouns*, but counters."""
        return (f"{self.site_keys.prefix}{noun}:{name}" for noun in nouns for name in self.names(noun))

    def batches(self, *scan: Any) -> Iterator[Any]:
        """Yield what each step of *scan* returns: SCAN with the cursor 0, or SSCAN, ZSCAN or HSCAN with a key and 0.

        Raises ServerChanged.
        """
        at = 1 if scan[0] == "SCAN" else 2
        cursor, batch = self.command_on_same_server(*scan)
        yield batch
        while int(cursor):
            cursor, batch = self.command_on_same_server(*scan[:at], cursor, *scan[at + 1 :])
            yield batch

    def command_on_same_server(self, *command: Any) -> Any:
        """Return the reply to one command; raise ServerChanged unless it is of the run that gave the first one.

        A cursor means nothing to another server, nor to the same one after a restart.
        """
        # SCAN names no key: a node of a cluster that has the slot no longer, or not all of its keys, would answer too.
        # It says so of a key that does not exist.
        _, info, reply = Scanner.run_atomic(self, [("EXISTS", self.site_keys.prefix), ("INFO", "server"), command])
        self._run = self._run or info["run_id"]
        if info["run_id"] != self._run:
            raise ServerChanged()
        return reply

    def all_keys(self) -> Iterator[str]:
        """Yield every key of the site, and none of another site on the same database."""
        return filter(self.site_keys.covers, self.keys(f"{self.site_keys.prefix}*"))

    def article_ids(self) -> Iterator[int]:
        """Yield the ids of all articles, listed or not; one may come twice."""
        return (int(name) for name in self.names("article") if is_article(article_member(name)))

    def members(self, key: str) -> Iterator[str]:
        """Yield the members of a set or sorted set, or the items of a list that only grows."""
        if self._type(key) == "list":
            yield from (item for _, item in self.items(key))
            return
        for batch in self.batches("SSCAN" if self._type(key) == "set" else "ZSCAN", key, 0, "COUNT", SCAN_COUNT):
            # redis-py pairs the members of a sorted set with their scores.
            yield from (item[0] if isinstance(item, tuple | list) else item for item in batch)

    def items(self, key: str) -> Iterator[tuple[int, str]]:
        """Yield the items of a list that only grows, each with its place, from 1."""
        last = 0
        while batch := self.command("LRANGE", key, last, last + SCAN_COUNT - 1):
            yield from enumerate(batch, last + 1)
            last += len(batch)

    def members_of(self, keys: Iterable[str]) -> Iterator[tuple[str, Iterable[str]]]:
        """Yield each of these sets, sorted sets and lists with its members; many small ones cost little."""
        for batch in batched(keys):
            sizes = self.run_atomic([(_WHOLE[self._type(key)][0], key) for key in batch])
            for portion in portions(batch, sizes):
                if len(portion) == 1:
                    yield portion[0], self.members(portion[0])
                else:
                    reads = [(read, key, *rest) for key in portion for _, read, *rest in [_WHOLE[self._type(key)]]]
                    yield from zip(portion, self.run_atomic(reads), strict=True)

    def _type(self, key: str) -> str:
        return TYPES[self.site_keys.split(key)[0]]


def batched(items: Iterable[T], size: int = BATCH_SIZE) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def portions(items: Sequence[T], sizes: Iterable[int], most: int = MAX_VOTERS_PER_READ) -> Iterator[list[T]]:
    """Yield *items* in lists of those whose sizes make *most* at most, or of one alone."""
    portion: list[T] = []
    total = 0
    for item, size in zip(items, sizes, strict=True):
        if portion and total + size > most:
            yield portion
            portion, total = [], 0
        portion.append(item)
        total += size
    if portion:
        yield portion


def split_evenly(replies: Sequence[Any], count: int) -> list[Sequence[Any]]:
    """Return *replies* cut into *count* equal parts."""
    width = len(replies) // count if count else 0
    return [replies[at * width : (at + 1) * width] for at in range(count)]


class KeySpool:
    """The keys of some *nouns* that one scan found, for several readers; some may have gone since, none is newer."""

    def __init__(self, keys: Keys, nouns: Iterable[str]) -> None:
        self._keys = keys
        # Closed by __exit__.
        self._files = {noun: SpooledTemporaryFile(MAX_SPOOL_BYTES) for noun in nouns}  # noqa: SIM115

    def __enter__(self) -> "KeySpool":
        return self

    def __exit__(self, *_error: object) -> None:
        for file in self._files.values():
            file.close()

    def add(self, key: str) -> None:
        """Keep *key*, unless it is of another noun, or a counter."""
        noun, name = self._keys.split(key)
        if noun in self._files and (name or noun not in COUNTED_NOUNS):
            self._files[noun].write(json.dumps(name).encode() + b"\n")

    def names(self, noun: str) -> Iterator[str]:
        """Yield the id or name in each key of a *noun*."""
        file, at, is_complete = self._files[noun], 0, False
        while not is_complete:
            file.seek(at)  # another reader may read the same file in turns
            lines = file.readlines(READ_BYTES)
            at, is_complete = file.tell(), not lines
            yield from map(json.loads, lines)


class Bitmap:
    """A set of whole numbers from 0; each takes an eighth of a byte if they are close together, as ids are."""

    def __init__(self) -> None:
        self._chunks: dict[int, int] = {}

    def add(self, id: int) -> bool:
        """Add *id*; tell whether it is new."""
        chunk, at = divmod(id, CHUNK_SIZE)
        before = self._chunks.get(chunk, 0)
        self._chunks[chunk] = before | 1 << at
        return self._chunks[chunk] != before

    def __contains__(self, id: int) -> bool:
        chunk, at = divmod(id, CHUNK_SIZE)
        return bool(self._chunks.get(chunk, 0) >> at & 1)

    def __iter__(self) -> Iterator[int]:
        for chunk, bits in sorted(self._chunks.items()):
            yield from (chunk * CHUNK_SIZE + at for at in range(bits.bit_length()) if bits >> at & 1)
