"""Dump all conversations: each comment at one instant with its words and its open reports."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TypeVar

from voteweb.core.config import VOTER_BLOCK
from voteweb.store.backup.key_lines import KeyLine
from voteweb.store.connection.pipeline import Command
from voteweb.store.scan.bitmap import Bitmap
from voteweb.store.scan.scanner import MAX_VOTERS_PER_READ, Scanner, batched
from voteweb.store.schema.keys import is_member_id
from voteweb.store.schema.nodes import THREAD_FIELDS, comment_numbers, split_node

T = TypeVar("T")

#: Comments that are read at once: with the longest texts a megabyte of Latin letters.
COMMENTS_PER_READ = 100
#: The fields of a conversation that each comment has.
_PARTS = ("", "reason:", "removed-by:")


def dump_threads(scanner: Scanner) -> Iterator[KeyLine]:
    """Yield every conversation once, its comments in the order of their numbers.

    The voters of a block are read with its first comment: a restore counts the votes of the others by them.
    """
    keys, seen = scanner.site_keys, Bitmap()
    names = (keys.split(key)[1] for key in scanner.keys(keys.thread("[0-9]*")))
    ids = (int(name) for name in names if is_member_id(name))
    for batch in batched(id for id in ids if seen.add(id)):
        sizes = scanner.run_atomic([("HLEN", keys.thread(id)) for id in batch])
        for portion in portions(batch, sizes):
            yield from _threads(scanner, portion)


def portions(items: Sequence[T], sizes: Iterable[int]) -> Iterator[list[T]]:
    """Yield *items* in lists of those that have MAX_VOTERS_PER_READ members at most, or of one alone."""
    portion: list[T] = []
    total = 0
    for item, size in zip(items, sizes, strict=True):
        if portion and total + size > MAX_VOTERS_PER_READ:
            yield portion
            portion, total = [], 0
        portion.append(item)
        total += size
    yield portion


def expiry_or_none(milliseconds: int) -> int | None:
    """Return when a key expires; below zero Redis says that it does not exist, or never expires."""
    return milliseconds if milliseconds >= 0 else None


def _threads(scanner: Scanner, ids: Sequence[int]) -> Iterator[KeyLine]:
    keys = scanner.site_keys
    commands: list[Command] = []
    for id in ids:
        commands += [("HMGET", keys.thread(id), *THREAD_FIELDS), ("HKEYS", keys.thread(id))]
    replies = scanner.run_atomic(commands)
    # Comments written from here on are left out, so that a comment is never there without the one that it answers.
    numbers = [(id, number) for id, names in zip(ids, replies[1::2], strict=True) for number in comment_numbers(names)]
    for id, values in zip(ids, replies[::2], strict=True):
        fields = {name: value for name, value in zip(THREAD_FIELDS, values, strict=True) if value is not None}
        if fields:
            yield KeyLine(f"thread:{id}", "hash", fields)
    known: set[tuple[int, int]] = set()
    for batch in batched(numbers, COMMENTS_PER_READ):
        blocks = dict.fromkeys((id, number // VOTER_BLOCK) for id, number in batch)
        yield from _comments(scanner, [block for block in blocks if block not in known], batch)
        known = set(blocks)


def _comments(
    scanner: Scanner, blocks: Sequence[tuple[int, int]], addresses: Sequence[tuple[int, int]]
) -> Iterator[KeyLine]:
    """Yield the voters of these *blocks* and the comments at these *addresses*, all of one instant."""
    keys = scanner.site_keys
    commands: list[Command] = []
    for id, block in blocks:
        commands += [("SMEMBERS", keys.voted_comments(id, block)), ("PEXPIRETIME", keys.voted_comments(id, block))]
    numbers_of = {id: [number for _, number in group] for id, group in groupby(addresses, lambda address: address[0])}
    for id, numbers in numbers_of.items():
        names = [f"{part}{number}" for part in _PARTS for number in numbers]
        commands += [("HMGET", keys.thread(id), *names), ("HMGET", keys.words(id), *numbers)]
        commands += [("HGETALL", keys.comment_report(id, number)) for number in numbers]
    replies = iter(scanner.run_atomic(commands))
    for id, block in blocks:
        voters, until = sorted(next(replies)), expiry_or_none(next(replies))
        if voters:
            yield from KeyLine(f"voted-comments:{id}-{block}", "set", voters, until).parts()
    for id, numbers in numbers_of.items():
        names = [f"{part}{number}" for part in _PARTS for number in numbers]
        stored = {name: value for name, value in zip(names, next(replies), strict=True) if value is not None}
        words = dict(zip(map(str, numbers), next(replies), strict=True))
        # What is no comment was written by another program.
        are = {str(number) for number in numbers if split_node(stored.get(str(number), "")) is not None}
        fields = {name: value for name, value in stored.items() if name.rpartition(":")[2] in are}
        if fields:
            yield from KeyLine(f"thread:{id}", "hash", fields).parts()
        texts = {number: text for number, text in words.items() if text is not None and number in are}
        if texts:
            yield from KeyLine(f"words:{id}", "hash", texts).parts()
        for number in numbers:
            if reports := next(replies):
                yield KeyLine(f"comment-report:{id}.{number}", "hash", reports)
