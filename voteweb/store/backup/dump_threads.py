"""Dump all conversations: each comment at one instant, with its words, its voters and its open reports."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from voteweb.core.config import VOTER_BLOCK
from voteweb.store.backup import records
from voteweb.store.backup.dump_articles import expiry_or_none, portions
from voteweb.store.backup.records import BackupRecord
from voteweb.store.bitmap import Bitmap
from voteweb.store.connection.pipeline import Command
from voteweb.store.keys import Keys, is_member_id
from voteweb.store.nodes import THREAD_FIELDS, VOTER_FACTOR, comment_numbers, split_node
from voteweb.store.scanner import Scanner, batched

#: Comments that are read at once: with the longest texts a megabyte of Latin letters.
COMMENTS_PER_READ = 100


class _Voters(NamedTuple):
    """The voters of each comment of one block, and when they expire; None when voting has ended."""

    by_number: dict[int, list[int]] | None
    until: int | None


def dump_threads(scanner: Scanner) -> Iterator[BackupRecord]:
    """Yield every conversation once, each before its comments, which come in the order of their numbers."""
    keys, seen = scanner.site_keys, Bitmap()
    names = (keys.split(key)[1] for key in scanner.keys(keys.thread("[0-9]*")))
    ids = (int(name) for name in names if is_member_id(name))
    for batch in batched(id for id in ids if seen.add(id)):
        sizes = scanner.run_atomic([("HLEN", keys.thread(id)) for id in batch])
        for portion in portions(batch, sizes):
            yield from _threads(scanner, portion)


def _threads(scanner: Scanner, ids: Sequence[int]) -> Iterator[BackupRecord]:
    keys = scanner.site_keys
    commands: list[Command] = []
    for id in ids:
        commands += [("HMGET", keys.thread(id), *THREAD_FIELDS), ("HKEYS", keys.thread(id))]
    replies = scanner.run_atomic(commands)
    # Comments written from here on are left out, so that a comment is never there without the one that it answers.
    numbers = [(id, number) for id, names in zip(ids, replies[1::2], strict=True) for number in comment_numbers(names)]
    for id, values, names in zip(ids, replies[::2], replies[1::2], strict=True):
        fields = {name: value for name, value in zip(THREAD_FIELDS, values, strict=True) if value is not None}
        if names:
            yield records.Thread(id, fields)
    yield from _comments(scanner, numbers)


def _comments(scanner: Scanner, addresses: Iterable[tuple[int, int]]) -> Iterator[records.Comment]:
    """Yield the comments at these *addresses*, each with the voters that its block had when it was first read."""
    known: dict[tuple[int, int], _Voters] = {}
    for batch in batched(addresses, COMMENTS_PER_READ):
        blocks = list(dict.fromkeys((id, number // VOTER_BLOCK) for id, number in batch))
        unread = [block for block in blocks if block not in known]
        replies = scanner.run_atomic(_commands(scanner.site_keys, unread, batch))
        known |= {block: _voters(*replies[2 * at : 2 * at + 2]) for at, block in enumerate(unread)}
        known = {block: known[block] for block in blocks}
        comments = batched(replies[2 * len(unread) :], 3)
        for (id, number), (node, text, reports) in zip(batch, comments, strict=True):
            comment = _comment(id, number, node, text, known[id, number // VOTER_BLOCK], reports)
            if comment:
                yield comment


def _commands(keys: Keys, blocks: Sequence[tuple[int, int]], addresses: Sequence[tuple[int, int]]) -> list[Command]:
    commands: list[Command] = []
    for id, block in blocks:
        commands += [("SMEMBERS", keys.voted_comments(id, block)), ("PEXPIRETIME", keys.voted_comments(id, block))]
    for id, number in addresses:
        commands += [
            ("HMGET", keys.thread(id), number, f"reason:{number}", f"removed-by:{number}"),
            ("HGET", keys.words(id), number),
            ("HGETALL", keys.comment_report(id, number)),
        ]
    return commands


def _voters(members: Iterable[str], until: int) -> _Voters:
    """Return the voters that the set of a block holds: without its 0, voting has ended."""
    numbers = sorted(int(member) for member in members if is_member_id(member))
    if numbers[:1] != [0]:
        return _Voters(None, None)
    by_number: dict[int, list[int]] = {}
    for voter in numbers[1:]:
        by_number.setdefault(voter // VOTER_FACTOR, []).append(voter % VOTER_FACTOR)
    return _Voters(by_number, expiry_or_none(until))


def _comment(
    id: int, number: int, node: Sequence[str | None], text: str | None, voters: _Voters, reports: dict[str, str]
) -> records.Comment | None:
    """Return a comment; None if what is stored is none."""
    stored, reason, removed_by = node
    fields = split_node(stored or "")
    if fields is None:
        return None
    others = {"text": text, "reason": reason, "removed-by": removed_by}
    fields |= {name: value for name, value in others.items() if value is not None}
    ids = None
    if voters.by_number is not None:
        ids = voters.by_number.get(number, [])
        # They were read with the first comments of the block: votes since then are not in the backup.
        fields["votes"] = str(int(fields["base"]) + len(ids))
    return records.Comment(id, number, fields, ids, voters.until, reports)
